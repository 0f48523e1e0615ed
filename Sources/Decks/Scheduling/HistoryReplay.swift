// The history of a card as another program kept it, made into a schedule: its answers are replayed, a state is taken,
// or an interval with an ease is converted.
// Invariant: pure; nothing is made up: no answer is logged that was not given, a due day stays as it was planned, and a
// card without any of these stays new. Where there are answers, a foreign state is ignored.

import Memory

/// What another program knows of a card.
///
///     var history = CardHistory()
///     (history.interval, history.ease, history.known.due) = (12, 2.5, due)
public struct CardHistory: Equatable, Sendable {
  /// The due day, the last answer, the memory and the counts, as far as they are known.
  public var known = CardSchedule()
  /// Days; 0 or less for a card that was answered and never remembered.
  public var interval: Double?
  /// 2.5 for a factor of 2,500.
  public var ease: Double?
  public var isSuspended = false
  /// In any order; only their times, ratings and durations count.
  public var answers: [LoggedReview] = []

  public init() {}
}

/// How many cards got a schedule from what, and what was not taken.
public struct HistoryReport: Equatable, Sendable {
  public enum Part: String, CaseIterable, Sendable {
    /// Cards by what their schedule is from; those of `none` are new.
    case log, state, interval, none
    case answers
    /// Cards whose state or interval the file gives, beside a log or instead of one.
    case schedules
    /// Answers of cards that were there already or that the note does not make.
    case dropped
  }

  private var counts: [Part: Int] = [:]

  public init() {}

  public var isEmpty: Bool { counts.values.allSatisfy { $0 == 0 } }

  public subscript(part: Part) -> Int {
    get { counts[part] ?? 0 }
    set { counts[part] = newValue }
  }
}

public enum HistoryReplay {
  private static let longestPlan = 3_653.0 * 86_400

  /// Returns the schedule of a card, and its log. The due day is as given, at most ten years ahead, else by the
  /// stability; a card that was never remembered is due now.
  public static func schedule(
    _ history: CardHistory, _ options: DeckOptions, at moment: StudyMoment
  ) -> (schedule: CardSchedule, log: [LoggedReview], source: HistoryReport.Part) {
    let (model, known) = (MemoryModel(checked: options.parameters), history.known)
    var (schedule, log, source) = (CardSchedule(), [LoggedReview](), HistoryReport.Part.log)
    let interval = history.interval.map { min($0, 36_500) }
    if history.answers.isEmpty {
      (schedule.reps, schedule.lapses) = (min(1_000_000, max(1, known.reps)), min(1_000_000, max(0, known.lapses)))
      schedule.lastReview = known.lastReview
      if let stability = known.stability, let difficulty = known.difficulty {
        (source, schedule.state, schedule.stability) = (.state, .review, min(36_500, max(0.001, stability)))
        schedule.difficulty = min(10, max(1, difficulty))
      } else if let interval, interval > 0 || known.lastReview != nil {
        let isLearnt = interval > 0
        let memory = isLearnt ? model.state(ease: history.ease ?? 2.5, interval: interval) : model.initial(.again)
        (source, schedule.state, schedule.stability) = (.interval, isLearnt ? .review : .learning, memory.stability)
        schedule.difficulty = memory.difficulty
        schedule.lastReview = known.lastReview ?? known.due.map { $0 - interval * 86_400 }
      } else {
        return (CardSchedule(), [], .none)
      }
    } else {
      log = replay(history.answers, model, into: &schedule, at: moment)
    }
    let days = model.exactInterval(stability: schedule.stability ?? 1, retention: options.desiredRetention)
    let last = moment.day(of: schedule.lastReview ?? moment.now)
    let own = moment.start(ofDay: last + max(1, Int(min(36_500, days).rounded())))
    let isLearnt = schedule.state != .learning
    schedule.due = isLearnt ? min(known.due ?? own, moment.now + longestPlan) : moment.now
    if isLearnt, log.isEmpty { schedule.interval = interval.map { Int(max(1, $0.rounded())) } }
    if let last = log.indices.last { log[last].interval = max(0, (schedule.due ?? 0) - log[last].at) }
    return (schedule, log, source)
  }

  /// Replays answers by whole days; those of one day by the formula for short times.
  private static func replay(
    _ answers: [LoggedReview], _ model: MemoryModel, into schedule: inout CardSchedule, at moment: StudyMoment
  ) -> [LoggedReview] {
    var (memory, state, log): (MemoryState?, CardState, [LoggedReview]) = (nil, .new, [])
    for var row in answers.sorted(by: { $0.at < $1.at }) {
      guard let rating = Rating(rawValue: Int64(row.rating)) else { continue }
      row.elapsed = log.last.map { row.at - $0.at }
      let days = log.last.map { max(0, moment.day(of: row.at) - moment.day(of: $0.at)) } ?? 0
      let next = memory.map { model.next($0, rating, days: days) } ?? model.initial(rating)
      (row.state, row.stability, row.difficulty, memory) = (state, next.stability, next.difficulty, next)
      if let last = log.indices.last { log[last].interval = row.at - log[last].at }
      log.append(row)
      if state == .review, rating == .again { schedule.lapses += 1 }
      let isLearnt = state == .review || state == .relearning
      state = rating != .again ? .review : isLearnt ? .relearning : .learning
    }
    // A learnt card that was forgotten comes back by its plan, as a learnt one.
    schedule.state = state == .relearning ? .review : state
    (schedule.stability, schedule.difficulty) = (memory?.stability, memory?.difficulty)
    (schedule.reps, schedule.lastReview) = (log.count, log.last?.at)
    return log
  }
}
