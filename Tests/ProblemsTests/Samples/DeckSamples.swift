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
    plain: ["noCloze": .noCloze, "interrupted": .interrupted],
    [
      .typeNotFound(name: hostile, suggestion: "Basic"), .typeExists(name: hostile),
      .badType(reason: "has at least one field"),
      .badTemplate(card: hostile, side: .front, fault: .unclosed(section: hostile)),
      .badTemplate(card: "Card 1", side: .back, fault: .unopened(section: hostile)),
      .badTemplate(card: "c", side: .front, fault: .crossed(section: hostile, closedBy: hostile)),
      .badTemplate(card: "c", side: .front, fault: .unknownField(name: hostile, suggestion: "F")),
      .badTemplate(card: "c", side: .front, fault: .noField), .badTemplate(card: "c", side: .front, fault: .noCloze),
      .badTemplate(card: "c", side: .front, fault: .tooLong),
      .badTemplate(card: "c", side: .front, fault: .tooManyTags),
      .badTemplate(card: "c", side: .front, fault: .tooDeep),
      .noField(name: hostile, type: hostile, suggestion: nil, fields: [hostile]),
      .badField(name: hostile, reason: "holds a NUL character"), .emptyNote(field: hostile),
      .losesCards(type: hostile, cards: 2, notes: 1), .losesCards(type: hostile, cards: 0, notes: 1),
      .madeFromNote(what: "prompt", fields: [hostile]), .formatted(field: hostile), .typeInUse(name: hostile, notes: 3),
      .tooLarge(what: "a note"), .otherType(type: hostile), .noSuchCard(guid: hostile, number: 2),
      .mediaNotFound(name: hostile, suggestion: "a.png"), .mediaInUse(name: hostile, users: "note type Basic"),
      .badMediaName(name: hostile, reason: "must not be blank"),
    ])

  static let exchange = ProblemTable(
    ExchangeError.self, in: "Exchange/ExchangeError.swift",
    plain: ["formatNeeded": .formatNeeded],
    [
      .badFile(path: "/x/" + hostile, line: 2, column: 3, expected: "a quote expected"),
      .badEncoding(path: hostile, encoding: .utf16), .unknownEncoding(name: "utf-9"), .unknownEncoding(name: hostile),
      .tooLarge(path: hostile, line: 4, what: "a row of more than 1,000,000 bytes"), .noRoom(card: hostile),
      .unknownFormat(name: "jsom"), .unknownFormat(name: hostile),
      .unknownFormat(name: hostile, added: ["org"], reason: "the plugin arrivals has it, but is off"),
      .ambiguousFormat(path: hostile, names: ["md", "obsidian"]), .formatTaken(name: hostile, owner: .user),
      .badFormatName(name: hostile), .readOnly(format: .md),
      .wrongItem(path: hostile, reason: "/line: a whole number expected"),
      .refusedRow(path: hostile, place: RowPlace(line: 3), code: .failure(.badRow), reason: "a column is missing"),
      .refusedRow(
        path: hostile, place: RowPlace(line: 1, column: 40, element: 3), code: .failure(.emptyPrompt),
        reason: "it is empty"),
      .notHere(format: .apkg), .badSeparator(given: hostile), .badColumns(reason: "MEANING=COLUMN expected"),
      .badHeader(path: hostile, line: 1, reason: "two columns have one name"),
      .noCards(path: hostile, keys: [hostile]), .nothingRead(file: "a.md", first: nil, format: .md),
      .leftLines(path: hostile, LeftLines(line: 2, to: 3, reason: .outside)),
      .noColumn(path: hostile, name: hostile, names: [hostile]), .tooManyFields(type: hostile, has: 2, given: 3),
      .noSuchNote(guid: hostile), .noteElsewhere(guid: hostile, deck: hostile),
      .alreadyThere(path: hostile, reason: "a card is already in the deck"),
    ])

  static let comparisons = ProblemTable(
    ComparisonError.self, in: "Exchange/Comparison/MergeConflict.swift",
    plain: ["needsOutput": .needsOutput, "notCards": .notCards],
    [
      .noOperand(hostile, suggestion: hostile), .noOperand(hostile, suggestion: nil), .noConflict(hostile),
      .noFile(name: hostile, side: .theirs),
    ])

  static let packages = ProblemTable(
    PackageError.self, in: "Exchange/Anki/PackageFile.swift",
    [
      .notAPackage(path: hostile, reason: "is not a ZIP file"),
      .damaged(path: hostile, place: hostile, reason: "is not as it was written"),
      .refused(path: hostile, place: hostile, reason: "is there twice"), .newer(path: hostile),
      .noLibrary(path: hostile), .interrupted(path: hostile),
    ])

  static let decks = ProblemTable(
    DeckError.self, in: "Decks/DeckError.swift",
    plain: [
      "emptyPrompt": .emptyPrompt, "emptyAnswer": .emptyAnswer, "over": .over,
      "paused": .paused, "interrupted": .interrupted, "nothingToUndo": .nothingToUndo,
    ],
    [
      .exists(name: hostile), .badName(name: hostile, reason: "is not empty"),
      .badPresetName(name: hostile, reason: "is not empty"), .deckNotFound(name: hostile, suggestion: "Spanish"),
      .deckNotFound(name: hostile, suggestion: nil), .gone(what: "the deck"), .duplicate(guid: hostile, prompt: "a"),
      .duplicate(guid: nil, prompt: hostile), .badText(what: "prompt", reason: "holds a NUL character"),
      .badTag(tag: hostile, reason: "has no blanks"), .badGuid(guid: hostile, reason: "has no blanks"),
      .badQuery(query: hostile, column: 3, expected: "a )"),
      .badQuery(query: hostile, column: 1, expected: "a tag", near: hostile),
      .badOption(name: hostile, reason: "must be from 1 to 9"),
      .presetNotFound(name: hostile, suggestion: "Hard"), .presetExists(name: hostile), .badDue(text: hostile),
    ])

  static let memory = ProblemTable(
    MemoryError.self, in: "Memory/MemoryError.swift",
    [
      .badAnswer(answer: hostile), .badOption(name: hostile, reason: "must be from 1 to 9"),
      .tooFewReviews(count: 12, needed: 400),
    ])

  static let documents = [
    ProblemTable(
      DocumentError.self, in: "CardDocuments/DocumentError.swift",
      [
        .notJSON(file: hostile, JSONFailure(reason: .expected("a value", found: nil), line: 2, column: 5)),
        .notACard(file: hostile), .wrong(file: hostile, pointer, expected: "a text", found: "a number"),
        .wrong(file: hostile, .whole, expected: "a text", found: nil),
        .tooMuch(file: hostile, pointer, "elements", limit: 10_000), .notFound(hostile, suggestion: "6D"),
        .notFound(hostile, suggestion: nil), .ambiguous(hostile, count: 1_200), .symbolicLink(path: hostile),
        .notAFile(path: hostile), .tooLargeFile(path: hostile, limit: 1 << 23),
        .cannotRead(path: hostile, errno: ENOENT), .cannotRead(path: hostile, errno: EACCES),
        .cannotWrite(path: hostile, errno: ENOSPC), .interrupted(FileError(hostile, .read, .interrupted)),
        .notInStore(path: hostile), .notSaved(path: hostile), .laterVersion(3), .noElement(hostile, document: one),
        .noSuchField(field: hostile, kind: "image"), .noSuchField(field: hostile, kind: "text"),
        .noSuchField(field: hostile, kind: ""),
        .badValue(field: "frame", expected: "a frame", found: "\"cirle\"", suggestion: "circle"),
        .badValue(field: "x", expected: "a number", found: "a text", suggestion: nil), .locked(element: "E1"),
        .full(limit: 10_000), .removed(one), .picture(file: hostile, .unknownKind),
        .picture(file: hostile, .damaged("a chunk is cut")), .picture(file: hostile, .damaged("")),
        .picture(file: hostile, .tooLarge("90,000 pixels wide")), .picture(file: hostile, .noLoader("WebP")),
        .picture(file: hostile, .noLoader("SVG")), .picture(file: hostile, .crashed),
        .picture(file: hostile, .drawing(.interrupted)), .drawing(.missing(path: "/x", errno: ENOENT)),
        .drawing(.crashed), .drawing(.timedOut(seconds: 30)), .drawing(.interrupted),
        .drawing(.refused("it is too wide")), .unknownEnding(path: hostile), .nothingToPrint(.search),
        .nothingToPrint(.cards), .noPlaceholders(DocumentID(bytes: [UInt8](repeating: 7, count: 16))),
        .unknownPlaceholder(hostile, suggestion: near("prompt")), .tooManyToPrint(limit: 10_000),
        .nothingToHide(one),
        .badWidth(0, 1...6_500),
      ])
  ]

  private static let pointer = JSONPointer.whole.appending("elements").appending(3).appending(hostile)
  private static let one = DocumentID(bytes: [1])
}
