// Rows of the log that a sync takes in and sends: which are on the server, and under which ids.
// Invariant: no two rows have one id; a row that is on the server keeps its own.

public import Storage

extension ReviewTable {
  /// Whether a row of that id is here and on the server.
  public static func isSent(_ db: Database, _ id: Int64) throws -> Bool {
    try db.firstRow("SELECT 1 FROM reviews WHERE anki = ? AND NOT \(Unsent.sql)", [id]) { _ in true } ?? false
  }

  /// Before a row of the server's comes: the same answer, given here and sent by a sync whose end was lost, goes for
  /// it; another one of its id gets a new id when it is sent.
  public static func makeRoom(_ db: Database, for review: ReceivedReview) throws {
    let at = Double(review.id) / 1000
    // Its id may be some milliseconds later than the answer, where that one was taken.
    let twin = try db.firstRow(
      """
      SELECT id FROM reviews WHERE \(Unsent.sql) AND rating = ?1 AND at BETWEEN ?2 - 0.05 AND ?2 + 0.001
        AND (card = ?3 OR card IS NULL AND acard = ?3)
        AND (anki IS NULL OR anki = ?4)
      """, [review.answer.ease, at, review.card, review.id]
    ) { $0.integer(0) }
    if let twin {
      return try db.execute(
        sql: "UPDATE reviews SET anki = ?, acard = ?, usn = 0, raw = ? WHERE id = ?",
        arguments: [review.id, review.card, review.answer.raw, twin])
    }
    try db.execute(sql: "UPDATE reviews SET anki = NULL WHERE anki = ?", arguments: [review.id])
  }

  /// A row is on the server.
  /// - Parameter raw: as it was sent; nil where it came.
  /// - Returns: false where there is no such row.
  @discardableResult
  public static func markSent(_ db: Database, _ id: Int64, raw: String?) throws -> Bool {
    try db.cachedStatement(sql: "UPDATE reviews SET usn = 0, raw = ifnull(?, raw) WHERE anki = ?")
      .execute(arguments: [raw, id])
    return db.changesCount > 0
  }

  /// Gives the rows that were not sent the ids that they are sent under: their milliseconds, or a little more.
  /// - Parameter isTaken: whether the server has a row of that id that is not here.
  /// - Returns: the cards that have such rows.
  public static func numberUnsent(_ db: Database, isTaken: (Int64) throws -> Bool) throws -> [CardID] {
    let rows = try db.rows(
      """
      SELECT id, at, card FROM reviews
      WHERE \(Unsent.sql) AND anki IS NULL AND card IS NOT NULL ORDER BY at, id
      """
    ) { ($0.integer(0), $0.number(1), $0.integer(2)) }
    for (row, at, card) in rows {
      var id = number(of: at)
      while try isTaken(id) || has(db, id) { id += 1 }
      try db.cachedStatement(sql: "UPDATE reviews SET anki = ?, acard = ?, \(Unsent.sql) WHERE id = ?")
        .execute(arguments: [id, card, row])
    }
    return try db.rows(
      "SELECT DISTINCT card FROM reviews WHERE \(Unsent.sql) AND card IS NOT NULL ORDER BY card"
    ) { CardID(rawValue: $0.integer(0)) }
  }

  /// The id elsewhere of an answer: its milliseconds since 1970.
  /// - Parameter at: seconds since 1970.
  public static func number(of at: Double) -> Int64 { Int64(min(1e14, max(1, (at * 1000).rounded(.down)))) }

  /// Whether a row here has an id elsewhere.
  /// - Parameter row: one that may.
  public static func has(_ db: Database, _ id: Int64, but row: Int64 = 0) throws -> Bool {
    try db.firstRow("SELECT 1 FROM reviews WHERE anki = ? AND id <> ?", [id, row]) { _ in true } ?? false
  }

  /// The second of a card's last answer as the log has it, and whether there is any.
  public static func lastSecond(_ db: Database, of card: CardID) throws -> Int? {
    let sql = "SELECT max(anki) FROM reviews WHERE card = ? AND rating BETWEEN 1 AND 4"
    return try db.firstRow(sql, [card.rawValue]) { $0.optionalInteger(0) }?.map { Int($0 / 1000) }
  }
}
