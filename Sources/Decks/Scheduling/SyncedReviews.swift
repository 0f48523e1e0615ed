// The rows of the log that a sync receives and sends: which are on the server, and which have to get another id.
// Invariant: a row that is on the server keeps its id.

public import Storage

extension ReviewTable {
  /// Removes rows. A server keeps the rows that it has, because Anki never removes a row from its log. Undoing an
  /// answer does not use this: it removes a row that was not sent.
  /// - Parameter ids: an SQL query for the ids.
  static func remove(_ db: Database, _ ids: String) throws {
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO bases (kind, id, modified, json)
        SELECT \(SyncedTable.removedReview), id, 0,
          json_array(id, card, usn, rating, ivl, last_ivl, factor, time, kind)
        FROM reviews WHERE NOT \(Unsent.sql) AND id IN (\(ids));
        DELETE FROM reviews WHERE id IN (\(ids))
        """)
  }

  /// Whether a row with that id is here and on the server.
  public static func isSent(_ db: Database, _ id: Int64) throws -> Bool {
    try db.hasRow("SELECT 1 FROM reviews WHERE id = ? AND NOT \(Unsent.sql)", [id])
  }

  /// Prepares the id of a row that comes from the server. If the same answer was given here and sent by a sync whose
  /// end was lost, the local row becomes the server's row; another row with this id gets a new id.
  public static func makeRoom(_ db: Database, for review: ReceivedReview) throws {
    let at = Double(review.id) / 1000
    // The id of the local row may be some milliseconds after the answer, if that id was taken.
    let twin = try db.firstRow(
      """
      SELECT id FROM reviews WHERE \(Unsent.sql) AND card = ?3 AND rating = ?1 AND at BETWEEN ?2 - 0.05 AND ?2 + 0.001
      ORDER BY id <> ?4 LIMIT 1
      """, [review.answer.ease, at, review.card, review.id]
    ) { $0.integer(0) }
    if twin != review.id { try renumber(db, review.id, to: freeID(db, review.id)) }
    guard let twin else { return }
    try renumber(db, twin, to: review.id)
    try markSent(db, review.id, as: review.answer)
  }

  private static func renumber(_ db: Database, _ id: Int64, to free: Int64) throws {
    try db.cachedStatement(sql: "UPDATE reviews SET id = ? WHERE id = ?").execute(arguments: [free, id])
  }

  /// Marks a row as being on the server, with the columns that were sent.
  public static func markSent(_ db: Database, _ id: Int64, as answer: ForeignAnswer) throws {
    try db.cachedStatement(
      sql: "UPDATE reviews SET usn = 0, ivl = ?, last_ivl = ?, factor = ?, time = ?, kind = ? WHERE id = ?"
    ).execute(arguments: [answer.interval, answer.lastInterval, answer.factor, answer.time, answer.kind, id])
  }

  /// Marks a row that came from the server.
  /// - Returns: false if there is no such row.
  public static func markReceived(_ db: Database, _ id: Int64) throws -> Bool {
    try db.cachedStatement(sql: "UPDATE reviews SET usn = 0 WHERE id = ?").execute(arguments: [id])
    return db.changesCount > 0
  }

  /// Gives unsent rows other ids if the server has rows with these ids.
  /// - Parameter isTaken: whether the server has a row with that id that is not here.
  public static func renumberUnsent(_ db: Database, isTaken: (Int64) throws -> Bool) throws {
    for id in try db.rows("SELECT id FROM reviews WHERE \(Unsent.sql) ORDER BY id", [], { $0.integer(0) }) {
      guard try isTaken(id) else { continue }
      var free = try freeID(db, id)
      while try isTaken(free) { free = try freeID(db, free + 1) }
      try renumber(db, id, to: free)
    }
  }

  /// The existing cards that have rows that were not sent.
  public static func unsentCards(_ db: Database) throws -> [CardID] {
    let sql = "SELECT DISTINCT card FROM reviews WHERE \(Unsent.sql) AND card IN (SELECT id FROM cards) ORDER BY card"
    return try db.rows(sql) { CardID(rawValue: $0.integer(0)) }
  }

  /// The time of a card's last answer in the log, in whole seconds since 1970; nil if there is none.
  public static func lastSecond(_ db: Database, of card: CardID) throws -> Int? {
    let sql = "SELECT max(id) FROM reviews WHERE card = ? AND \(LoggedReview.isAnswer)"
    return try db.firstRow(sql, [card.rawValue]) { $0.optionalInteger(0) }?.map { Int($0 / 1000) }
  }
}
