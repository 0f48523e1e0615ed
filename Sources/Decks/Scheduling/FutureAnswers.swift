// Cards that were answered while the clock was in the future: they come due when that future does.
// Invariant: looking reads the latest answers alone, however long the log is.

public import Storage

public enum FutureAnswers {
  /// Seconds that the clock of another machine may be ahead.
  private static let grace = 86_400.0

  /// The cards whose last answer is later than now.
  public static func cards(_ db: Database, now: Double) throws -> [CardID] {
    let sql = """
      SELECT DISTINCT cards.id FROM reviews CROSS JOIN cards ON cards.id = reviews.card
      WHERE reviews.at > ?1 AND cards.last_review > ?1 ORDER BY cards.id
      """
    return try db.rows(sql, [now + grace]) { CardID(rawValue: $0.integer(0)) }
  }

  /// Lets the last answers of those cards count as given now: their intervals stay.
  static func bringBack(_ db: Database, now: Double) throws {
    let statement = try db.cachedStatement(
      sql: "UPDATE cards SET due = due - (last_review - ?1), last_review = ?1 WHERE id = ?2")
    let ids = try cards(db, now: now)
    try SyncedTable.cards.keep(db, ids.map(\.rawValue))
    for id in ids { try statement.execute(arguments: [now, id.rawValue]) }
  }
}
