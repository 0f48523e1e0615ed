// Finds the cards that ask for a typed answer.
// Invariant: a card asks for what its front asks for, and never for an empty answer.

import Files
public import Storage
public import Templates

extension NoteTable {
  /// What a card asks the user to type; nil if its front asks for nothing, or if the answer is empty.
  public static func typedQuestion(_ db: Database, _ card: CardID) throws -> TypedQuestion? {
    let sql = """
      SELECT note, ord FROM cards JOIN notes ON notes.id = note JOIN note_types ON note_types.id = notes.type
      WHERE cards.id = ? AND NOT basic
      """
    let found = try db.firstRow(sql, [card.rawValue]) {
      (NoteID(rawValue: $0.integer(0)), StoredCard.ordinal($0.integer(1)))
    }
    guard let (id, ordinal) = found else { return nil }
    let note = try record(db, id)
    let maker = NoteCardMaker(try NoteTypeTable.record(db, note.type), isInterrupted: isNeverInterrupted)
    let fields = NoteFields(names: maker.type.fields, values: padded(note.fields, maker.type))
    return maker.typedQuestion(fields.adding(maker.facts(note, deckName: "d")), ordinal: ordinal)
  }
}
