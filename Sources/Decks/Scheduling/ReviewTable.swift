// The log of answers in the database, and the schedules that answers change.
// Invariant: an answer and the schedule that results from it are written together.

import Memory
import Storage

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
    try db.cachedStatement(
      sql: """
        INSERT INTO reviews (id, card, at, rating, state, elapsed, interval, stability, difficulty, seconds)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      try freeID(db, number(of: review.at)), card.rawValue, review.at, review.rating, review.state.rawValue,
      review.elapsed.map { max(0, $0) }, review.interval, review.stability, review.difficulty, review.seconds,
    ])
  }

  /// The id of an answer: its time in milliseconds since 1970.
  /// - Parameter at: seconds since 1970.
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
    try db.cachedStatement(sql: "UPDATE decks SET studied = max(ifnull(studied, 0), ?) WHERE id = ?")
      .execute(arguments: [time, deck.rawValue])
  }

  static func write(_ db: Database, _ schedule: CardSchedule, _ card: CardID) throws {
    try SyncedTable.cards.keep(db, [card.rawValue])
    try db.cachedStatement(
      sql: """
        UPDATE cards SET state = ?, step = ?, due = ?, interval = ?, stability = ?, difficulty = ?, reps = ?,
          lapses = ?, last_review = ? WHERE id = ?
        """
    ).execute(arguments: [
      schedule.state.rawValue, schedule.step, schedule.due, schedule.interval, schedule.stability,
      schedule.difficulty, schedule.reps, schedule.lapses, schedule.lastReview, card.rawValue,
    ])
    if db.changesCount == 0 { throw DeckError.gone(what: "the card") }
  }
}
