// What the cards of a note are made from, and what they show, for notes in their present or a former state.

import Files
public import Storage
public import Templates

/// The columns of a note that decide what its cards show.
///
///     let shown = try NoteSource.of(db, note)?.sides(db, of: card)
public struct NoteSource {
  public var type: NoteTypeID
  public var fields: String
  public var tags: String

  public init(type: NoteTypeID, fields: String, tags: String) {
    (self.type, self.fields, self.tags) = (type, fields, tags)
  }

  /// Returns what a card shows; nil if the type no longer exists.
  /// - Parameter card: the columns of the card that its template may show.
  public func sides(
    _ db: Database, of card: (id: CardID, deck: DeckID, ordinal: Int, flag: Int)
  ) throws -> (prompt: String, answer: String)? {
    guard let type = try NoteTypeTable.known(db, type) else { return nil }
    let maker = NoteCardMaker(type, isInterrupted: isNeverInterrupted)
    let note = NoteRecord(
      id: NoteID(rawValue: 0), guid: "", type: type.id, modified: 0, tags: Tags.list(tags),
      fields: NoteTable.padded(NoteFieldText.list(fields), type))
    let deck = try db.firstRow("SELECT name FROM decks WHERE id = ?", [card.deck.rawValue]) { $0.text(0) }
    var facts = maker.facts(note, deckName: deck ?? "")
    (facts.cardID, facts.flag) = (card.id.rawValue, card.flag)
    let values = NoteFields(names: type.fields, values: note.fields)
    let texts = try maker.texts(values, facts, ordinal: card.ordinal)
    return (texts.prompt, texts.answer)
  }
}

extension NoteSource {
  /// The source of a note; nil if the note no longer exists.
  public static func of(_ db: Database, _ id: NoteID) throws -> NoteSource? {
    try db.firstRow("SELECT type, fields, tags FROM notes WHERE id = ?", [id.rawValue]) { row in
      NoteSource(type: NoteTypeID(rawValue: row.integer(0)), fields: row.text(1), tags: row.text(2))
    }
  }
}
