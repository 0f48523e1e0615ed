// The record of answers in the database, and the schedules that they change.
// Invariant: an answer and the schedule it gives are written together, and taken back together.

import GRDB

enum ReviewTable {
  /// Writes an answer. Returns the id of its record.
  static func record(
    _ db: Database, _ card: CardRecord, _ rating: Rating, _ next: NextSchedule, seconds: Double?
  ) throws -> Int64 {
    let new = next.schedule
    let at = new.lastReview ?? 0
    try db.cachedStatement(
      sql: """
        INSERT INTO reviews (card, at, rating, state, elapsed, interval, stability, difficulty, seconds)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      card.id.rawValue, at, rating.rawValue, card.state.rawValue, card.schedule.lastReview.map { at - $0 },
      next.interval,
      new.stability ?? 0, new.difficulty ?? 0, seconds,
    ])
    let id = db.lastInsertedRowID
    try write(db, new, card.id)
    try db.cachedStatement(sql: "UPDATE decks SET studied = max(ifnull(studied, 0), ?) WHERE id = ?").execute(
      arguments: [
        at, card.deck.rawValue,
      ])
    return id
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
