// Setting the day on which a card is due, and making a card new again, both without an answer. Source: Anki,
// rslib/src/scheduler: set_due_date in reviews.rs, schedule_as_new in new.rs. Invariant: each change has a row in the
// log with the rating 0. A learnt card keeps its memory; answers before a card was made new stay, but do not count.

import Memory
public import Storage
import Text

public enum Rescheduling {
  /// Parses `N` days from today, `N-M`, of which each card gets one at random, or a date such as `2030-06-01`. A `!`
  /// after it is accepted: in Anki without FSRS it changes the interval, too.
  /// - Throws: `badDue`.
  public static func days(_ text: String, at moment: StudyMoment) throws(DeckError) -> ClosedRange<Int> {
    let words = text.trimmed.hasSuffix("!") ? String(text.trimmed.dropLast()) : text.trimmed
    let days =
      CivilDate(words).map { [$0.days - moment.today] }
      ?? words.split(separator: "-", omittingEmptySubsequences: false).map { $0.hasPrefix("+") ? -1 : Int($0) ?? -1 }
    guard days.count <= 2, let least = days.min(), let most = days.max(), least >= 0, most <= 36_500 else {
      throw .badDue(text: text)
    }
    return least...most
  }

  /// Makes a card due in some days. A new card, or one that is being learnt, becomes a learnt one with the memory that
  /// this interval implies. A suspended or buried card is shown again.
  /// - Throws: `gone`.
  public static func setDue(_ db: Database, _ id: CardID, in days: Int, at moment: StudyMoment) throws {
    guard let card = try CardTable.card(db, id) else { throw CardTable.gone }
    var schedule = card.schedule
    (schedule.state, schedule.step, schedule.due) = (.review, 0, moment.start(ofDay: moment.today + days))
    if card.state == .new || card.state == .learning || schedule.stability == nil || schedule.difficulty == nil {
      let interval = max(1, days)
      let memory = MemoryModel(checked: try DeckTable.options(db, card.deck).parameters)
        .state(ease: 2.5, interval: Double(interval))
      (schedule.stability, schedule.difficulty) = (memory.stability, memory.difficulty)
      schedule.lastReview = schedule.lastReview ?? moment.start(ofDay: moment.today + days - interval)
      schedule.interval = interval
    }
    try write(db, card, schedule, days: max(1, moment.interval(of: schedule)), at: moment)
  }

  /// Makes a card new again. A suspended or buried card is shown again.
  /// - Parameter keepsPosition: whether it stays where it is among the new cards; otherwise it goes to their end.
  /// - Throws: `gone`.
  public static func forget(
    _ db: Database, _ id: CardID, keepsPosition: Bool, resetsCounts: Bool, at moment: StudyMoment
  ) throws {
    guard let card = try CardTable.card(db, id) else { throw CardTable.gone }
    var schedule = CardSchedule()
    if !resetsCounts { (schedule.reps, schedule.lapses) = (card.reps, card.lapses) }
    try write(db, card, schedule, days: 0, at: moment)
    if keepsPosition { return }
    let rank = try CardOrder.rank(db, card.deck, for: .bottom)
    try CardTable.change(db, "UPDATE cards SET rank = ? WHERE id = ?", [rank, id.rawValue])
  }

  private static func write(
    _ db: Database, _ card: CardRecord, _ schedule: CardSchedule, days: Int, at moment: StudyMoment
  ) throws {
    var row = LoggedReview(at: moment.now, rating: 0, state: card.state, interval: Double(days) * 86_400)
    row.elapsed = card.schedule.lastReview.map { moment.now - $0 }
    (row.stability, row.difficulty) = (schedule.stability, schedule.difficulty)
    try ReviewTable.insert(db, row, of: card.id)
    try ReviewTable.write(db, schedule, card.id)
    let sql = "UPDATE cards SET suspended = 0, buried = 0, buried_until = NULL, mod = ? WHERE id = ?"
    try CardTable.change(db, sql, [moment.now, card.id.rawValue])
  }
}

extension DeckOptions {
  /// The share of usual study that a day may have; all days are alike for a user who keeps all of them free.
  func share(of day: Int) -> Double {
    DayLoads(shares: easyDays.contains { $0 > 0 } ? easyDays : [], from: day, days: 0).share(of: day)
  }

  /// Returns the day for a card that an answer schedules for `day`: those of a pause and of the week after it all get a
  /// day of that week, in the same order, and none that the user keeps free.
  func dayAfterPause(_ day: Int) -> Int {
    guard let pause, (pause.lowerBound...pause.upperBound + 7).contains(day) else { return day }
    let moved = pause.upperBound + 1 + (day - pause.lowerBound) * 7 / (pause.count + 7)
    return (moved..<moved + 7).first { share(of: $0) > 0 } ?? moved
  }
}
