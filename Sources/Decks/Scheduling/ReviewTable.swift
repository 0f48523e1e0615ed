// The record of answers in the database, and the schedules that they change.
// Invariant: an answer and the schedule it gives are written together.

import Memory
import Storage

public enum ReviewTable {
  /// Writes an answer.
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

  /// - Parameter review: where its time is before that of the answer before, the clock went back: no time went by.
  static func insert(_ db: Database, _ review: LoggedReview, of card: CardID) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO reviews (card, at, rating, state, elapsed, interval, stability, difficulty, seconds)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      card.rawValue, review.at, review.rating, review.state.rawValue, review.elapsed.map { max(0, $0) },
      review.interval,
      review.stability, review.difficulty, review.seconds,
    ])
  }

  /// A deck was studied at that time, in seconds since 1970.
  static func noteStudied(_ db: Database, _ deck: DeckID, at time: Double) throws {
    try db.cachedStatement(sql: "UPDATE decks SET studied = max(ifnull(studied, 0), ?) WHERE id = ?")
      .execute(arguments: [time, deck.rawValue])
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
