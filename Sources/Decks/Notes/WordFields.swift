// What the first fields of notes are, with how well their cards are remembered: the words that a learner has.
// Invariant: one walk over all notes, in time proportional to them.

public import Storage

/// The first field of a note, and what its best card says of it.
///
///     try WordField.forEach(db) { word in print(word.field, word.stability ?? 0) }
public struct WordField {
  /// HTML, as the note has it.
  public let field: String
  /// Days; nil where no card was ever remembered.
  public let stability: Double?
  public let isStudied: Bool
  /// All of its cards are suspended.
  public let isSuspended: Bool
}

extension WordField {
  /// Calls `body` with the word of each note that has cards.
  /// - Parameter deck: nil for all decks; those within it count too.
  public static func forEach(
    _ db: Database, in deck: DeckID? = nil, _ body: (WordField) throws -> Void
  ) throws {
    var (condition, arguments): (String, StatementArguments) = ("", [])
    if let deck {
      condition = "WHERE deck IN (SELECT value FROM json_each(?))"
      arguments = [CardTable.list(([deck] + (try DeckTable.within(db, deck).map(\.id))).map(\.rawValue))]
    }
    let sql = """
      SELECT substr(notes.fields, 1, instr(notes.fields || char(31), char(31)) - 1), max(stability),
        max(\(CardStatus.studied) OR reps > 0), min(suspended)
      FROM notes JOIN cards ON cards.note = notes.id \(condition) GROUP BY notes.id
      """
    try db.forEachRow(sql, arguments) { row in
      try body(
        WordField(
          field: row.text(0), stability: row.optionalNumber(1), isStudied: row.integer(2) > 0,
          isSuspended: row.integer(3) > 0))
    }
  }

  /// The new cards of a deck in their order, each with the first field of its note.
  public static func newCards(_ db: Database, in deck: DeckID) throws -> [(card: CardID, field: String)] {
    let sql = """
      SELECT cards.id, substr(notes.fields, 1, instr(notes.fields || char(31), char(31)) - 1)
      FROM cards CROSS JOIN notes ON notes.id = cards.note WHERE deck = ? AND \(CardStatus.new.sql()) ORDER BY rank
      """
    return try db.rows(sql, [deck.rawValue]) { (CardID(rawValue: $0.integer(0)), $0.text(1)) }
  }
}
