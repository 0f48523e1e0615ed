// The first fields of notes, with how well their cards are remembered: the words that a learner knows.
// Invariant: one pass over all notes, in linear time.

import Memory
public import Storage

/// The first field of a note, and the state of its best card.
///
///     try WordField.forEach(db, at: moment) { word in print(word.field, word.stability ?? 0) }
public struct WordField {
  /// HTML, as stored in the note.
  public let field: String
  /// Days; nil if no card was ever remembered.
  public fileprivate(set) var stability: Double?
  public fileprivate(set) var isStudied = false
  /// Whether all its cards are suspended.
  public fileprivate(set) var isSuspended = true
  /// The probability that its best card is remembered now; 0 if none was studied.
  public fileprivate(set) var recall = 0.0
}

extension WordField {
  private static let firstField = "substr(notes.fields, 1, instr(notes.fields || char(31), char(31)) - 1)"

  /// Calls `body` with the word of each note that has cards.
  /// - Parameter deck: the deck, with the decks within it; nil for all decks.
  public static func forEach(
    _ db: Database, in deck: DeckID? = nil, at moment: StudyMoment, _ body: (WordField) throws -> Void
  ) throws {
    var (condition, arguments): (String, StatementArguments) = ("", [])
    if let deck {
      condition = "WHERE deck IN (SELECT value FROM json_each(?))"
      arguments = [CardTable.list(([deck] + (try DeckTable.within(db, deck).map(\.id))).map(\.rawValue))]
    }
    let options = try DeckTable.allOptions(db, at: moment)
    let models = options.mapValues { MemoryModel(checked: $0.parameters) }
    let memories = TimedMemories(options)
    let sql = """
      SELECT notes.id, \(firstField), stability,
        \(CardStatus.studied) OR reps > 0, suspended, deck, last_review, cards.id
      FROM notes CROSS JOIN cards ON cards.note = notes.id \(condition) ORDER BY notes.id
      """
    var (note, word): (Int64?, WordField) = (nil, WordField(field: ""))
    try db.forEachRow(sql, arguments) { row in
      if row.integer(0) != note {
        if note != nil { try body(word) }
        (note, word) = (row.integer(0), WordField(field: row.text(1)))
      }
      if row.integer(4) == 0 { word.isSuspended = false }
      guard row.integer(3) > 0 else { return }
      word.isStudied = true
      guard let stability = row.optionalNumber(2) else { return }
      word.stability = max(stability, word.stability ?? 0)
      let deck = DeckID(rawValue: row.integer(5))
      guard let model = models[deck] else { return }
      let recall = try memories.recall(
        db, of: CardID(rawValue: row.integer(7)), in: deck, stability: stability, last: row.optionalNumber(6), model,
        at: moment)
      word.recall = max(recall, word.recall)
    }
    if note != nil { try body(word) }
  }

  /// The new cards of a deck in the deck's order, each with the first field of its note.
  public static func newCards(_ db: Database, in deck: DeckID) throws -> [(card: CardID, field: String)] {
    let sql = """
      SELECT cards.id, \(firstField)
      FROM cards CROSS JOIN notes ON notes.id = cards.note WHERE deck = ? AND \(CardStatus.new.sql()) ORDER BY rank
      """
    return try db.rows(sql, [deck.rawValue]) { (CardID(rawValue: $0.integer(0)), $0.text(1)) }
  }
}
