// The record of answers in the database, and the schedules that they change.
// Invariant: an answer and the schedule it gives are written together, and taken back together.

import GRDB
import Memory

public enum ReviewTable {
  /// Writes an answer. Returns the id of its record.
  static func record(
    _ db: Database, _ card: CardRecord, _ rating: Rating, _ next: NextSchedule, seconds: Double?
  ) throws -> Int64 {
    let new = next.schedule
    let at = new.lastReview ?? 0
    var review = LoggedReview(at: at, rating: Int(rating.rawValue), state: card.state, interval: next.interval)
    (review.elapsed, review.seconds) = (card.schedule.lastReview.map { at - $0 }, seconds)
    (review.stability, review.difficulty) = (new.stability ?? 0, new.difficulty ?? 0)
    try insert(db, review, of: card.id)
    let id = db.lastInsertedRowID
    try write(db, new, card.id)
    try noteStudied(db, card.deck, at: at)
    return id
  }

  static func insert(_ db: Database, _ review: LoggedReview, of card: CardID) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO reviews (card, at, rating, state, elapsed, interval, stability, difficulty, seconds)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      card.rawValue, review.at, review.rating, review.state.rawValue, review.elapsed, review.interval,
      review.stability, review.difficulty, review.seconds,
    ])
  }

  /// A deck was studied at that time, in seconds since 1970.
  static func noteStudied(_ db: Database, _ deck: DeckID, at time: Double) throws {
    try db.cachedStatement(sql: "UPDATE decks SET studied = max(ifnull(studied, 0), ?) WHERE id = ?")
      .execute(arguments: [time, deck.rawValue])
  }

  static func remove(_ db: Database, review id: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM reviews WHERE id = ?").execute(arguments: [id])
  }

  static func write(_ db: Database, _ schedule: CardSchedule, _ card: CardID) throws {
    try db.cachedStatement(
      sql: """
        UPDATE cards SET state = ?, step = ?, due = ?, stability = ?, difficulty = ?, reps = ?, lapses = ?, last_review = ?
        WHERE id = ?
        """
    ).execute(arguments: [
      schedule.state.rawValue, schedule.step, schedule.due, schedule.stability, schedule.difficulty, schedule.reps,
      schedule.lapses, schedule.lastReview, card.rawValue,
    ])
    if db.changesCount == 0 { throw DeckError.gone(what: "the card") }
  }
}
