// The ids that cards get: milliseconds since 1970, as Anki's.
// Invariant: an id goes up from card to card, so that who knows the cards up to one finds those after it, and is not
// given again after its card was removed.

public import Storage

extension CardTable {
  /// Beyond it an id is of a time ahead, of another clock that is wrong.
  static let ahead: Int64 = 80_000_000

  /// The id of a new card, and of as many as are wanted after it. Nothing else gives ids meanwhile.
  /// - Parameter now: seconds since 1970.
  static func freeID(_ db: Database, now: Double) throws -> Int64 {
    let first = max(1, NoteTable.firstID(now: now))
    let last = try lastID(db)
    if last < first + ahead { return max(first, last + 1) }
    // Those that come below one of a time ahead are not found by their ids.
    try SearchLog.forget(db)
    return try SyncedTable.cards.freeID(db, now: now)
  }

  /// The highest id that a card ever had.
  static func lastID(_ db: Database) throws -> Int64 {
    try db.firstRow("SELECT seq FROM sqlite_sequence WHERE name = 'cards'") { $0.integer(0) } ?? 0
  }

  /// Gives a card another id, which no card has; its log goes along.
  public static func renumber(_ db: Database, _ card: StoredCard, to id: CardID) throws {
    try change(db, "UPDATE cards SET id = ?, \(Unsent.sql) WHERE id = ?", [id.rawValue, card.id.rawValue])
    try db.execute(sql: "UPDATE reviews SET card = ? WHERE card = ?", arguments: [id.rawValue, card.id.rawValue])
    try SearchLog.note(db, [id.rawValue])
    try NoteTable.renewPlaces(db, of: [id], now: card.modified)
  }
}
