// Samples of the problems of decks and card documents.

import CardDocuments
import Files
import Glibc
import Memory
import Problems
import Storage
import Templates

@testable import Decks
@testable import Exchange
@testable import Values

extension ProblemTable {
  static let notes = ProblemTable(
    NoteError.self, in: "Templates/NoteError.swift",
    [
      "typeNotFound": NoteError.typeNotFound(name: hostile, suggestion: "Basic"),
      "typeExists": NoteError.typeExists(name: hostile), "badType": NoteError.badType(reason: "has at least one field"),
      "badTemplate": NoteError.badTemplate(card: hostile, side: .front, fault: .unclosed(section: hostile)),
      "badTemplate": NoteError.badTemplate(card: "Card 1", side: .back, fault: .unopened(section: hostile)),
      "badTemplate": NoteError.badTemplate(
        card: "c", side: .front, fault: .crossed(section: hostile, closedBy: hostile)),
      "badTemplate": NoteError.badTemplate(
        card: "c", side: .front, fault: .unknownField(name: hostile, suggestion: "F")),
      "badTemplate": NoteError.badTemplate(card: "c", side: .front, fault: .noField),
      "badTemplate": NoteError.badTemplate(card: "c", side: .front, fault: .noCloze),
      "badTemplate": NoteError.badTemplate(card: "c", side: .front, fault: .tooLong),
      "badTemplate": NoteError.badTemplate(card: "c", side: .front, fault: .tooManyTags),
      "badTemplate": NoteError.badTemplate(card: "c", side: .front, fault: .tooDeep),
      "noField": NoteError.noField(name: hostile, type: hostile, suggestion: nil, fields: [hostile]),
      "badField": NoteError.badField(name: hostile, reason: "holds a NUL character"),
      "emptyNote": NoteError.emptyNote(field: hostile), "noCloze": NoteError.noCloze,
      "losesCards": NoteError.losesCards(type: hostile, cards: 2, notes: 1),
      "losesCards": NoteError.losesCards(type: hostile, cards: 0, notes: 1),
      "madeFromNote": NoteError.madeFromNote(what: "prompt", fields: [hostile]),
      "formatted": NoteError.formatted(field: hostile),
      "typeInUse": NoteError.typeInUse(name: hostile, notes: 3), "tooLarge": NoteError.tooLarge(what: "a note"),
      "otherType": NoteError.otherType(type: hostile), "noSuchCard": NoteError.noSuchCard(guid: hostile, number: 2),
      "interrupted": NoteError.interrupted,
      "mediaNotFound": NoteError.mediaNotFound(name: hostile, suggestion: "a.png"),
      "mediaInUse": NoteError.mediaInUse(name: hostile, users: "note type Basic"),
      "badMediaName": NoteError.badMediaName(name: hostile, reason: "must not be blank"),
    ])

  static let exchange = ProblemTable(
    ExchangeError.self, in: "Exchange/ExchangeError.swift",
    [
      "badFile": ExchangeError.badFile(path: "/x/" + hostile, line: 2, column: 3, expected: "a quote expected"),
      "badEncoding": ExchangeError.badEncoding(path: hostile, encoding: .utf16),
      "unknownEncoding": ExchangeError.unknownEncoding(name: "utf-9"),
      "unknownEncoding": ExchangeError.unknownEncoding(name: hostile),
      "tooLarge": ExchangeError.tooLarge(path: hostile, line: 4, what: "a row of more than 1,000,000 bytes"),
      "noRoom": ExchangeError.noRoom(card: hostile),
      "unknownFormat": ExchangeError.unknownFormat(name: "jsom"),
      "unknownFormat": ExchangeError.unknownFormat(name: hostile),
      "refusedRow": ExchangeError.refusedRow(
        path: hostile, place: RowPlace(line: 3), code: .failure(.badRow), reason: "a column is missing"),
      "refusedRow": ExchangeError.refusedRow(
        path: hostile, place: RowPlace(line: 1, column: 40, element: 3), code: .failure(.emptyPrompt),
        reason: "it is empty"),
      "notHere": ExchangeError.notHere(format: .apkg), "formatNeeded": ExchangeError.formatNeeded,
      "badSeparator": ExchangeError.badSeparator(given: hostile),
      "badColumns": ExchangeError.badColumns(reason: "MEANING=COLUMN expected"),
      "badHeader": ExchangeError.badHeader(path: hostile, line: 1, reason: "two columns have one name"),
      "noCards": ExchangeError.noCards(path: hostile, keys: [hostile], isCrowdAnki: true),
      "nothingRead": ExchangeError.nothingRead(file: "a.md", first: nil, format: .md),
      "leftLines": ExchangeError.leftLines(path: hostile, LeftLines(line: 2, to: 3, reason: .outside)),
      "noColumn": ExchangeError.noColumn(path: hostile, name: hostile, names: [hostile]),
      "tooManyFields": ExchangeError.tooManyFields(type: hostile, has: 2, given: 3),
      "noSuchNote": ExchangeError.noSuchNote(guid: hostile),
      "noteElsewhere": ExchangeError.noteElsewhere(guid: hostile, deck: hostile),
      "alreadyThere": ExchangeError.alreadyThere(path: hostile, reason: "a card is already in the deck"),
    ])

  static let comparisons = ProblemTable(
    ComparisonError.self, in: "Exchange/Comparison/ComparisonError.swift",
    [
      "noOperand": ComparisonError.noOperand(hostile, suggestion: hostile),
      "noOperand": ComparisonError.noOperand(hostile, suggestion: nil),
      "needsOutput": ComparisonError.needsOutput, "notCards": ComparisonError.notCards,
      "noConflict": ComparisonError.noConflict(hostile),
      "noFile": ComparisonError.noFile(name: hostile, side: .theirs),
    ])

  static let packages = ProblemTable(
    PackageError.self, in: "Exchange/Anki/PackageError.swift",
    [
      "notAPackage": PackageError.notAPackage(path: hostile, reason: "is not a ZIP file"),
      "damaged": PackageError.damaged(path: hostile, place: hostile, reason: "is not as it was written"),
      "refused": PackageError.refused(path: hostile, place: hostile, reason: "is there twice"),
      "newer": PackageError.newer(path: hostile), "noLibrary": PackageError.noLibrary(path: hostile),
      "interrupted": PackageError.interrupted(path: hostile),
    ])

  static let decks = ProblemTable(
    DeckError.self, in: "Decks/DeckError.swift",
    [
      "exists": DeckError.exists(name: hostile), "badName": DeckError.badName(name: hostile, reason: "is not empty"),
      "badPresetName": DeckError.badPresetName(name: hostile, reason: "is not empty"),
      "deckNotFound": DeckError.deckNotFound(name: hostile, suggestion: "Spanish"),
      "deckNotFound": DeckError.deckNotFound(name: hostile, suggestion: nil), "gone": DeckError.gone(what: "the deck"),
      "emptyPrompt": DeckError.emptyPrompt, "emptyAnswer": DeckError.emptyAnswer,
      "duplicate": DeckError.duplicate(guid: hostile, prompt: "a"),
      "duplicate": DeckError.duplicate(guid: nil, prompt: hostile),
      "badText": DeckError.badText(what: "prompt", reason: "holds a NUL character"),
      "badTag": DeckError.badTag(tag: hostile, reason: "has no blanks"),
      "badGuid": DeckError.badGuid(guid: hostile, reason: "has no blanks"), "batchTooLong": DeckError.batchTooLong,
      "over": DeckError.over, "paused": DeckError.paused, "interrupted": DeckError.interrupted,
      "nothingToUndo": DeckError.nothingToUndo,
      "badQuery": DeckError.badQuery(query: hostile, column: 3, expected: "a )"),
      "badOption": DeckError.badOption(name: hostile, reason: "must be from 1 to 9"),
      "presetNotFound": DeckError.presetNotFound(name: hostile, suggestion: "Hard"),
      "presetExists": DeckError.presetExists(name: hostile),
    ])

  static let memory = ProblemTable(
    MemoryError.self, in: "Memory/MemoryError.swift",
    [
      "badAnswer": MemoryError.badAnswer(answer: hostile),
      "badOption": MemoryError.badOption(name: hostile, reason: "must be from 1 to 9"),
      "tooFewReviews": MemoryError.tooFewReviews(count: 12, needed: 400),
    ])

  static let documents = [
    ProblemTable(
      DocumentError.self, in: "CardDocuments/DocumentError.swift",
      [
        "notJSON": DocumentError.notJSON(
          file: hostile, JSONFailure(reason: .expected("a value", found: nil), line: 2, column: 5)),
        "notACard": DocumentError.notACard(file: hostile),
        "wrong": DocumentError.wrong(file: hostile, pointer, expected: "a text", found: "a number"),
        "wrong": DocumentError.wrong(file: hostile, .whole, expected: "a text", found: nil),
        "tooMuch": DocumentError.tooMuch(file: hostile, pointer, "elements", limit: 10_000),
        "notFound": DocumentError.notFound(hostile, suggestion: "6D"),
        "notFound": DocumentError.notFound(hostile, suggestion: nil),
        "ambiguous": DocumentError.ambiguous(hostile, count: 1_200),
        "symbolicLink": DocumentError.symbolicLink(path: hostile), "notAFile": DocumentError.notAFile(path: hostile),
        "tooLargeFile": DocumentError.tooLargeFile(path: hostile, limit: 1 << 23),
        "cannotRead": DocumentError.cannotRead(path: hostile, errno: ENOENT),
        "cannotRead": DocumentError.cannotRead(path: hostile, errno: EACCES),
        "cannotWrite": DocumentError.cannotWrite(path: hostile, errno: ENOSPC),
        "interrupted": DocumentError.interrupted(FileError(hostile, .read, .interrupted)),
        "notInStore": DocumentError.notInStore(path: hostile), "notSaved": DocumentError.notSaved(path: hostile),
        "laterVersion": DocumentError.laterVersion(3),
        "noElement": DocumentError.noElement(hostile, document: one),
        "noSuchField": DocumentError.noSuchField(field: hostile, kind: "image"),
        "noSuchField": DocumentError.noSuchField(field: hostile, kind: "text"),
        "noSuchField": DocumentError.noSuchField(field: hostile, kind: ""),
        "badValue": DocumentError.badValue(
          field: "frame", expected: "a frame", found: "\"cirle\"", suggestion: "circle"),
        "badValue": DocumentError.badValue(field: "x", expected: "a number", found: "a text", suggestion: nil),
        "locked": DocumentError.locked(element: "E1"), "full": DocumentError.full(limit: 10_000),
        "removed": DocumentError.removed(one),
        "picture": DocumentError.picture(file: hostile, .unknownKind),
        "picture": DocumentError.picture(file: hostile, .damaged("a chunk is cut")),
        "picture": DocumentError.picture(file: hostile, .damaged("")),
        "picture": DocumentError.picture(file: hostile, .tooLarge("90,000 pixels wide")),
        "picture": DocumentError.picture(file: hostile, .noLoader("WebP")),
        "picture": DocumentError.picture(file: hostile, .noLoader("SVG")),
        "picture": DocumentError.picture(file: hostile, .crashed),
        "picture": DocumentError.picture(file: hostile, .drawing(.interrupted)),
        "drawing": DocumentError.drawing(.missing(path: "/x", errno: ENOENT)),
        "drawing": DocumentError.drawing(.crashed), "drawing": DocumentError.drawing(.timedOut(seconds: 30)),
        "drawing": DocumentError.drawing(.interrupted), "drawing": DocumentError.drawing(.refused("it is too wide")),
        "unknownEnding": DocumentError.unknownEnding(path: hostile),
        "nothingToPrint": DocumentError.nothingToPrint(.search), "nothingToPrint": DocumentError.nothingToPrint(.cards),
        "noPlaceholders": DocumentError.noPlaceholders(DocumentID(bytes: [UInt8](repeating: 7, count: 16))),
        "unknownPlaceholder": DocumentError.unknownPlaceholder(hostile, suggestion: near("prompt")),
        "tooManyToPrint": DocumentError.tooManyToPrint(limit: 10_000),
        "badWidth": DocumentError.badWidth(0, 1...6_500),
      ])
  ]

  private static let pointer = JSONPointer.whole.appending("elements").appending(3).appending(hostile)
  private static let one = DocumentID(bytes: [1])
}
