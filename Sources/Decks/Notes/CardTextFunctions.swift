// The SQL functions that the view `card_rows` calls to make what a card shows from its note, when the card is read.
// Invariant: they give the same texts as `NoteCardMaker` for the same note; they never fail, and a side is never empty.

import Files
import Glibc
import Storage
import Templates
import Text

enum CardTextFunctions {
  static var all: [SQLFunction] {
    [
      SQLFunction("basic_side", arguments: 2) { basicSide },
      SQLFunction("card_side", arguments: 8) { CardRendering().answer },
    ]
  }

  /// The SQL call that returns a side in a query of `cards`, `notes` and `note_types`; 0 is the prompt.
  static func call(side: Int) -> String {
    """
    iif(note_types.basic AND cards.ord = 0, basic_side(\(side), notes.fields),
        card_side(\(side), cards.id, cards.ord, cards.flag, (SELECT name FROM decks WHERE decks.id = cards.deck),
          note_types.json, notes.tags, notes.fields))
    """
  }

  /// For types with the shape of Basic, each side is a field. Most fields are one line of plain text.
  private static func basicSide(_ call: SQLCall) {
    let column = call.bytes(1)
    let end = NoteFieldText.place(of: separator, in: column) ?? column.count
    var field = TextBytes(rebasing: column[..<end])
    if call.integer(0) != 0 {
      field = TextBytes(rebasing: column.dropFirst(end + 1))
      if let next = NoteFieldText.place(of: separator, in: field) { field = TextBytes(rebasing: field[..<next]) }
    }
    if isShownAsStored(field) { return call.answer(field) }
    // Nothing can interrupt it.
    do throws(NoteError) {
      call.answer(try CardTexts.basicSide(String(decoding: field, as: UTF8.self), isInterrupted: isNeverInterrupted))
    } catch { call.answer(CardTexts.blank) }
  }

  private static let separator = NoteFieldText.separator

  /// Whether the field is equal to the result of `CardTexts.plainText`. Fields are UTF-8 without endless runs of
  /// combining marks, because they were checked when they were stored.
  private static func isShownAsStored(_ field: TextBytes) -> Bool {
    guard !field.isEmpty, field.count <= CardTexts.limit else { return false }
    return !"<&\n".utf8.contains { NoteFieldText.place(of: $0, in: field) != nil }
      && CardText.trimmed(field).count == field.count
  }
}

/// Makes the sides of cards of any type. It caches the types it has seen, the fields of the last note, so that its
/// clozes are parsed once for all its cards, and the texts of the last card.
private final class CardRendering {
  private static let typeLimit = 64
  private var types: [(json: Bytes, maker: NoteCardMaker)] = []
  /// The last note, with the columns that it was read from: its type, its tags and its fields.
  private var note: (columns: [Bytes], maker: NoteCardMaker, record: NoteRecord, fields: NoteFields)?
  /// The texts of its last card, with what they depend on besides the note.
  private var shown: (id: Int64, ordinal: Int64, flag: Int64, deck: Bytes, texts: CardTexts)?

  private func isLastNote(_ call: SQLCall) -> Bool {
    guard let note else { return false }
    return zip(note.columns, CardRendering.noteColumns).allSatisfy { isSame($0, call.bytes($1)) }
  }

  /// The indices of a note's columns among the arguments.
  private static let noteColumns = [7, 5, 6]

  func answer(_ call: SQLCall) {
    let texts = texts(call)
    call.answer(call.integer(0) == 0 ? texts.prompt : texts.answer)
  }

  private func texts(_ call: SQLCall) -> CardTexts {
    // A type that is not JSON is refused wherever it is read; its cards show nothing.
    do {
      if !isLastNote(call) {
        (note, shown) = (nil, nil)
        try read(call)
      }
      guard let note else { return CardTexts.nothing }
      let (id, ordinal, flag) = (call.integer(1), call.integer(2), call.integer(3))
      if let shown, (shown.id, shown.ordinal, shown.flag) == (id, ordinal, flag), isSame(shown.deck, call.bytes(4)) {
        return shown.texts
      }
      var facts = note.maker.facts(tags: note.record.tags, deckName: call.text(4))
      (facts.cardID, facts.flag) = (id, Int(clamping: flag))
      let texts = try note.maker.texts(note.fields, facts, ordinal: StoredCard.ordinal(ordinal))
      shown = (id, ordinal, flag, Bytes(call.bytes(4)), texts)
      return texts
    } catch {
      return CardTexts.nothing
    }
  }

  private func read(_ call: SQLCall) throws {
    let maker = try maker(call.bytes(5))
    let record = NoteRecord(
      id: NoteID(rawValue: 0), guid: "", type: maker.type.id, modified: 0, tags: Tags.list(call.text(6)),
      fields: NoteFieldText.list(call.text(7)))
    note = (
      CardRendering.noteColumns.map { Bytes(call.bytes($0)) }, maker, record,
      NoteFields(names: maker.type.fields, values: record.fields)
    )
  }

  private func maker(_ json: TextBytes) throws -> NoteCardMaker {
    if let known = types.first(where: { isSame($0.json, json) }) { return known.maker }
    let maker = NoteCardMaker(
      try NoteType(stored: String(decoding: json, as: UTF8.self)), isInterrupted: isNeverInterrupted)
    if types.count >= CardRendering.typeLimit { types = [] }
    types.append((Bytes(json), maker))
    return maker
  }

  /// A loop over the bytes, such as `elementsEqual`, takes a tenth of the time of reading a list.
  private func isSame(_ bytes: Bytes, _ other: TextBytes) -> Bool {
    bytes.count == other.count && other.baseAddress.map { memcmp(bytes, $0, bytes.count) == 0 } ?? true
  }
}
