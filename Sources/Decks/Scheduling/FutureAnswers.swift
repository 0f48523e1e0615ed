// Cards that were answered while the clock was in the future: without a repair, they are not due before that time.
// Invariant: looking for them reads only the latest answers, however long the log is.

public import Storage

public enum FutureAnswers {
  /// The tolerance in seconds, because the clock of another computer may be ahead.
  static let grace = 86_400.0

  /// The cards whose last answer is in the future.
  public static func cards(_ db: Database, now: Double) throws -> [CardID] {
    let sql = """
      SELECT DISTINCT cards.id FROM reviews CROSS JOIN cards ON cards.id = reviews.card
      WHERE reviews.at > ?1 AND cards.last_review > ?1 ORDER BY cards.id
      """
    return try db.rows(sql, [now + grace]) { CardID(rawValue: $0.integer(0)) }
  }

  /// Treats the last answers of those cards as given now, with the same intervals.
  static func moveToNow(_ db: Database, now: Double) throws {
    let statement = try db.cachedStatement(
      sql: "UPDATE cards SET due = due - (last_review - ?1), last_review = ?1 WHERE id = ?2")
    let ids = try cards(db, now: now)
    try SyncedTable.cards.keep(db, ids.map(\.rawValue))
    for id in ids { try statement.execute(arguments: [now, id.rawValue]) }
  }
}
