// The ids that cards get: milliseconds since 1970, as in Anki.
// Invariant: ids ascend in the order of creation, so whoever knows the cards up to an id finds the later ones by
// their ids. An id is not used again after its card was removed.

public import Storage

extension CardTable {
  /// An id that is more than this many milliseconds in the future comes from another computer whose clock is wrong.
  static let ahead: Int64 = 80_000_000

  /// Returns the id for a new card. The ids after it are free, too, as long as nothing else makes cards meanwhile.
  /// - Parameter now: seconds since 1970.
  static func freeID(_ db: Database, now: Double) throws -> Int64 {
    let first = max(1, NoteTable.firstID(now: now))
    let last = try lastID(db)
    if last < first + ahead { return max(first, last + 1) }
    // Ids below one from the future cannot be recognised as new.
    try SearchLog.forget(db)
    return try SyncedTable.cards.freeID(db, now: now)
  }

  /// The highest id that any card has ever had.
  static func lastID(_ db: Database) throws -> Int64 {
    try db.firstRow("SELECT seq FROM sqlite_sequence WHERE name = 'cards'") { $0.integer(0) } ?? 0
  }

  /// Gives a card another id, which no card may have; its log entries follow.
  public static func renumber(_ db: Database, _ card: StoredCard, to id: CardID) throws {
    try change(db, "UPDATE cards SET id = ?, \(Unsent.sql) WHERE id = ?", [id.rawValue, card.id.rawValue])
    try db.execute(sql: "UPDATE reviews SET card = ? WHERE card = ?", arguments: [id.rawValue, card.id.rawValue])
    try SearchLog.note(db, [id.rawValue])
    try NoteTable.updatePlaces(db, of: [id], now: card.modified)
  }
}
