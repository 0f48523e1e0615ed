// The log of answers in the database, as it is written, exported and imported, and the schedules that answers change.
// Invariant: an answer and the schedule that results from it are written together. A row with numbers that no answer
// can have is refused, and a row that is on the server keeps its id. Looking for them reads only the latest answers,
// however long the log is.

import Memory
public import Storage
import Text

public enum ReviewTable {
  /// The condition on a row of `reviews` that Anki writes for an answer in a filtered deck that does not reschedule: it
  /// is not part of what the memory models know.
  static let isPreview = "(kind IS 3 AND factor IS 0)"

  /// Writes an answer and the card's new schedule.
  static func record(
    _ db: Database, _ card: CardRecord, _ rating: Rating, _ next: NextSchedule, seconds: Double?
  ) throws {
    let new = next.schedule
    let at = new.lastReview ?? 0
    var review = LoggedReview(at: at, rating: Int(rating.rawValue), state: card.state, interval: next.interval)
    (review.elapsed, review.seconds) = (card.schedule.lastReview.map { at - $0 }, seconds)
    (review.stability, review.difficulty) = (new.stability ?? 0, new.difficulty ?? 0)
    try insert(db, review, of: card.id)
    try write(db, new, card.id)
    try noteStudied(db, card.deck, at: at)
  }

  /// - Parameter review: if its time is before that of the previous answer, the clock went back; the time since then
  ///   is stored as 0.
  static func insert(_ db: Database, _ review: LoggedReview, of card: CardID) throws {
    try db.run(
      """
      INSERT INTO reviews (id, card, at, rating, state, elapsed, interval, stability, difficulty, seconds)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        try freeID(db, number(of: review.at)), card.rawValue, review.at, review.rating, review.state.rawValue,
        review.elapsed.map { max(0, $0) }, review.interval, review.stability, review.difficulty, review.seconds,
      ])
  }

  /// The id of an answer: its time in milliseconds since 1970.
  static func number(of at: Double) -> Int64 { Int64(min(1e14, max(1, at.isNaN ? 1 : (at * 1000).rounded(.down)))) }

  /// Returns an id that no row has: `first`, or one above it.
  static func freeID(_ db: Database, _ first: Int64) throws -> Int64 {
    let highest = try db.cachedStatement(sql: "SELECT max(id) FROM reviews WHERE id BETWEEN ? AND ?")
    // The range grows quickly, because the answers of whole decks may have the same time.
    var width: Int64 = 0
    while true {
      let last = try highest.first([first, first + width]) { $0.optionalInteger(0) } ?? nil
      guard let last else { return first }
      if last < first + width { return last + 1 }
      width = width * 64 + 63
    }
  }

  /// Stores that a deck was studied at a time, in seconds since 1970.
  static func noteStudied(_ db: Database, _ deck: DeckID, at time: Double) throws {
    try db.run("UPDATE decks SET studied = max(ifnull(studied, 0), ?) WHERE id = ?", [time, deck.rawValue])
  }

  static func write(_ db: Database, _ schedule: CardSchedule, _ card: CardID) throws {
    try SyncedTable.cards.keep(db, [card.rawValue])
    try CardTable.change(
      db,
      """
      UPDATE cards SET state = ?, step = ?, due = ?, interval = ?, stability = ?, difficulty = ?, reps = ?,
        lapses = ?, last_review = ? WHERE id = ?
      """,
      [
        schedule.state.rawValue, schedule.step, schedule.due, schedule.interval, schedule.stability,
        schedule.difficulty, schedule.reps, schedule.lapses, schedule.lastReview, card.rawValue,
      ])
  }

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

  /// Whether the row with that id is this answer of that card.
  public static func holds(_ db: Database, _ review: ReceivedReview) throws -> Bool {
    let sql = "SELECT 1 FROM reviews WHERE id = ? AND card = ? AND rating = ?"
    return try db.hasRow(sql, [review.id, review.card, review.answer.ease])
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
    try db.run("UPDATE reviews SET id = ? WHERE id = ?", [free, id])
  }

  /// Marks a row as being on the server, with the columns that were sent.
  public static func markSent(_ db: Database, _ id: Int64, as answer: ForeignAnswer) throws {
    try db.run(
      "UPDATE reviews SET usn = 0, ivl = ?, last_ivl = ?, factor = ?, time = ?, kind = ? WHERE id = ?",
      [answer.interval, answer.lastInterval, answer.factor, answer.time, answer.kind, id])
  }

  /// Marks a row that came from the server.
  /// - Returns: false if there is no such row.
  public static func markReceived(_ db: Database, _ id: Int64) throws -> Bool {
    try db.run("UPDATE reviews SET usn = 0 WHERE id = ?", [id])
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

public struct LoggedReview: Equatable, Sendable {
  /// The condition on a row of `reviews` that it is an answer.
  static let isAnswer = "rating BETWEEN 1 AND 4"

  /// Seconds since 1970.
  public var at: Double
  /// From 1 to 4; 0 if the card was rescheduled without an answer.
  public var rating: Int
  /// The state of the card before the answer.
  public var state: CardState
  /// Seconds since the previous answer; nil if there was none, or if it is not known.
  public var elapsed: Double?
  /// Seconds until the card came back.
  public var interval: Double
  /// The memory state after the answer: days, and from 1 to 10.
  public var stability: Double?
  public var difficulty: Double?
  /// How long the answer took, in seconds.
  public var seconds: Double?

  public init(at: Double, rating: Int, state: CardState, interval: Double) {
    (self.at, self.rating, self.state, self.interval) = (at, rating, state, interval)
  }

  /// - Throws: `badOption` for a number out of its range.
  public func check() throws(DeckError) {
    let times: [(name: String, value: Double?, range: ClosedRange<Double>)] = [
      ("at", at, 0...1e12), ("rating", Double(rating), 0...4), ("elapsed", elapsed, -1e11...1e11),
      ("interval", interval, 0...1e11), ("stability", stability, 0...1e6), ("difficulty", difficulty, 0...10),
      ("seconds", seconds, 0...1e9),
    ]
    for (name, value, range) in times {
      if let value, !range.contains(value) { throw .outOfRange("reviews.\(name)", range) }
    }
  }
}

extension DeckError {
  /// The refusal of a number: `must be from 0 to 100,000,000,000`.
  package static func outOfRange(_ name: String, _ range: ClosedRange<Double>) -> DeckError {
    func shown(_ number: Double) -> String { Int(exactly: number).map { grouped($0) } ?? "\(number)" }
    return .badOption(name: name, reason: "must be from \(shown(range.lowerBound)) to \(shown(range.upperBound))")
  }
}

/// A row of the log to be exported or sent; Anki's columns of it, if it came from Anki or was sent; and whether a sync
/// server does not have it yet.
public typealias SentReview = (id: Int64, review: LoggedReview, answer: ForeignAnswer?, isUnsent: Bool)

public final class SentReviews {
  private let statement: Statement
  private let removed: Statement
  private static let columns =
    "id, at, rating, state, elapsed, interval, stability, difficulty, seconds, usn, \(ForeignAnswer.columns)"

  public init(_ db: Database) throws {
    let sql = "SELECT \(SentReviews.columns)"
    statement = try Statement(db, "\(sql) FROM reviews WHERE card = ?1 ORDER BY at, id")
    removed = try Statement(db, "\(sql), card FROM reviews WHERE id = ?1")
  }

  /// The rows of a card, the earliest first.
  public func of(_ card: CardID) throws -> [SentReview] {
    statement.bind(1, card.rawValue)
    return try statement.rows(SentReviews.review)
  }

  /// A row whose card was removed, with the id that the card had.
  public func ofRemovedCard(_ row: Int64) throws -> (card: Int64, review: SentReview)? {
    removed.bind(1, row)
    return try removed.first { ($0.integer(15), SentReviews.review($0)) }
  }

  private static func review(_ row: Row) -> SentReview {
    var review = LoggedReview(
      at: row.number(1), rating: row.count(2), state: CardState(stored: row.integer(3)), interval: row.number(5))
    (review.elapsed, review.stability) = (row.optionalNumber(4), row.optionalNumber(6))
    (review.difficulty, review.seconds) = (row.optionalNumber(7), row.optionalNumber(8))
    let answer = row.optionalInteger(10).map { interval in
      ForeignAnswer(
        ease: row.integer(2), interval: interval, lastInterval: row.integer(11), factor: row.integer(12),
        time: row.integer(13), kind: row.integer(14))
    }
    return (row.integer(0), review, answer, Unsent.holds(usn: row.integer(9)))
  }
}

extension CardTable {
  /// Adds a log that came with a card; its schedule is unchanged.
  /// - Parameter isNew: whether the card came too. One that was here gets only the rows that it lacks.
  /// - Throws: `badOption` for a row that no answer can have, `gone`.
  public static func addLog(_ db: Database, _ log: [LoggedReview], to card: CardID, isNew: Bool = true) throws {
    guard let deck = try self.card(db, card)?.deck else { throw DeckError.gone(what: "the card") }
    // Other programs keep whole milliseconds.
    let known = "SELECT 1 FROM reviews WHERE card = ? AND rating = ? AND abs(at - ?) < 0.001"
    for review in log {
      try review.check()
      if try !isNew && db.hasRow(known, [card.rawValue, review.rating, review.at]) { continue }
      try ReviewTable.insert(db, review, of: card)
    }
    guard let last = log.map(\.at).max() else { return }
    try ReviewTable.noteStudied(db, deck, at: last)
  }
}
