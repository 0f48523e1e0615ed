// What a card shows, made from its note when it is read: the functions of SQL that the view `card_rows` calls.
// Invariant: they give what `NoteCardMaker` gives for the same note; they never fail, and a side is never empty.

import Files
import Glibc
import Storage
import Templates
import Text

enum CardTextFunctions {
  static var all: [SQLFunction] {
    [
      SQLFunction("basic_side", arguments: 2) { basicSide },
      SQLFunction("card_side", arguments: 8) {
        let rendering = CardRendering()
        return rendering.answer
      },
    ]
  }

  /// The call that gives a side in a query of `cards`, `notes` and `note_types`; 0 is the prompt.
  static func call(side: Int) -> String {
    """
    iif(note_types.basic AND cards.ord = 0, basic_side(\(side), notes.fields),
        card_side(\(side), cards.id, cards.ord, cards.flag, (SELECT name FROM decks WHERE decks.id = cards.deck),
          note_types.json, notes.tags, notes.fields))
    """
  }

  /// Of a type of the shape of Basic each side is a field. Most fields are one line of plain text.
  private static func basicSide(_ call: SQLCall) {
    let column = call.bytes(1)
    let end = place(of: separator, in: column) ?? column.count
    var field = TextBytes(rebasing: column[..<end])
    if call.integer(0) != 0 {
      field = TextBytes(rebasing: column.dropFirst(end + 1))
      if let next = place(of: separator, in: field) { field = TextBytes(rebasing: field[..<next]) }
    }
    if isShownAsStored(field) { return call.answer(field) }
    // Nothing interrupts it.
    do throws(NoteError) {
      call.answer(try CardTexts.basicSide(String(decoding: field, as: UTF8.self), isInterrupted: isNeverInterrupted))
    } catch { call.answer(CardTexts.blank) }
  }

  private static let separator = NoteFieldText.separator

  /// Whether it is what `CardTexts.asWritten` gives. Fields are UTF-8 without endless marks: who stored them saw to it.
  private static func isShownAsStored(_ field: TextBytes) -> Bool {
    guard !field.isEmpty, field.count <= CardTexts.limit else { return false }
    return !"<&\n".utf8.contains { place(of: $0, in: field) != nil } && CardText.trimmed(field).count == field.count
  }

  private static func place(of byte: UInt8, in text: TextBytes) -> Int? {
    guard let start = text.baseAddress, let found = memchr(start, Int32(byte), text.count) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(start)
  }
}

/// Makes the sides of cards of any type. It keeps the types that it met, the fields of the last note, whose clozes are
/// read once for all its cards, and what the last card shows.
private final class CardRendering {
  private struct Known {
    let json: Bytes
    let maker: NoteCardMaker
  }

  private struct Note {
    let type: Bytes
    let tags: Bytes
    let column: Bytes
    let maker: NoteCardMaker
    let record: NoteRecord
    let fields: NoteFields

    func isOf(_ call: SQLCall) -> Bool {
      column.elementsEqual(call.bytes(7)) && type.elementsEqual(call.bytes(5)) && tags.elementsEqual(call.bytes(6))
    }
  }

  /// What the texts of a card depend on beside its note.
  private struct Card: Equatable {
    let (id, ordinal, flag): (Int64, Int64, Int64)
    let deck: String

    init(_ call: SQLCall) {
      (id, ordinal, flag, deck) = (call.integer(1), call.integer(2), call.integer(3), call.text(4))
    }

    static func == (a: Card, b: Card) -> Bool {
      a.id == b.id && a.ordinal == b.ordinal && a.flag == b.flag && a.deck.utf8.elementsEqual(b.deck.utf8)
    }
  }

  private static let mostTypes = 64
  private var types: [UInt32: Known] = [:]
  private var note: Note?
  private var shown: (card: Card, texts: CardTexts)?

  func answer(_ call: SQLCall) {
    let texts = texts(call)
    call.answer(call.integer(0) == 0 ? texts.prompt : texts.answer)
  }

  private func texts(_ call: SQLCall) -> CardTexts {
    let card = Card(call)
    // A type that is no JSON is refused wherever it is read; its cards show nothing.
    do {
      if let note, note.isOf(call) {
        if let shown, shown.card == card { return shown.texts }
      } else {
        (note, shown) = (nil, nil)
        note = try read(call)
      }
      guard let note else { return CardTexts.nothing }
      var facts = note.maker.facts(note.record, deckName: card.deck)
      (facts.cardID, facts.flag) = (card.id, Int(clamping: card.flag))
      let texts = try note.maker.texts(note.fields, facts, ordinal: Int(clamping: card.ordinal))
      shown = (card, texts)
      return texts
    } catch {
      return CardTexts.nothing
    }
  }

  private func read(_ call: SQLCall) throws -> Note {
    let maker = try maker(call.bytes(5))
    let record = NoteRecord(
      id: NoteID(rawValue: 0), guid: "", type: maker.type.id, modified: 0, tags: Tags.list(call.text(6)),
      fields: NoteFieldText.list(call.text(7)))
    return Note(
      type: Bytes(call.bytes(5)), tags: Bytes(call.bytes(6)), column: Bytes(call.bytes(7)), maker: maker,
      record: record,
      fields: NoteFields(names: maker.type.fields, values: record.fields))
  }

  private func maker(_ json: TextBytes) throws -> NoteCardMaker {
    let key = contentHash(json)
    if let known = types[key], known.json.elementsEqual(json) { return known.maker }
    let maker = NoteCardMaker(
      try NoteType(stored: String(decoding: json, as: UTF8.self)), isInterrupted: isNeverInterrupted)
    if types.count >= CardRendering.mostTypes { types = [:] }
    types[key] = Known(json: Bytes(json), maker: maker)
    return maker
  }
}
