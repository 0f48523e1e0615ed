// The history of a card as another program kept it, made into a schedule: its answers are replayed, a state is taken,
// or an interval with an ease is converted.
// Invariant: pure; nothing is made up: no answer is logged that was not given, a due day stays as it was planned, and a
// card without any of these stays new. Where there are answers, a foreign state is ignored.

public import Memory

/// What another program knows of a card.
///
///     var history = CardHistory()
///     (history.interval, history.ease, history.due) = (12, 2.5, due)
public struct CardHistory: Equatable, Sendable {
  public struct Answer: Equatable, Sendable {
    /// Seconds since 1970.
    public var at: Double
    public var rating: Rating
    /// How long it took, in seconds; nil if that is not known.
    public var seconds: Double?

    public init(at: Double, rating: Rating, seconds: Double? = nil) {
      (self.at, self.rating, self.seconds) = (at, rating, seconds)
    }
  }

  /// Seconds since 1970.
  public var (due, lastReview): (Double?, Double?) = (nil, nil)
  /// Days; 0 or less for a card that was answered and never remembered.
  public var interval: Double?
  /// 2.5 for a factor of 2,500.
  public var ease: Double?
  public var (stability, difficulty): (Double?, Double?) = (nil, nil)
  public var (reps, lapses): (Int?, Int?) = (nil, nil)
  public var isSuspended = false
  public var answers: [Answer] = []

  public init() {}
}

/// How many cards got a schedule from what, and what was not taken.
public struct HistoryReport: Equatable, Sendable {
  public enum Source: String, CaseIterable, Sendable {
    case log, state, interval
    /// Neither: the card is new.
    case none
  }

  public private(set) var cards: [Source: Int] = [:]
  public private(set) var answers = 0
  /// The cards whose state or interval the file gives, beside a log or instead of one.
  public private(set) var schedules = 0
  /// The answers of cards that were there already or that the note does not make.
  public private(set) var dropped = 0

  public init() {}

  public mutating func add(_ source: Source, _ history: CardHistory) {
    cards[source, default: 0] += 1
    answers += history.answers.count
    if history.stability != nil || history.interval != nil { schedules += 1 }
  }

  public mutating func drop(_ histories: some Sequence<CardHistory>) {
    for history in histories { dropped += history.answers.count }
  }
}

public enum HistoryReplay {
  private static let longestPlan = 3_653.0 * 86_400

  /// Returns the schedule of a card, and its log.
  public static func schedule(
    _ history: CardHistory, _ options: DeckOptions, at moment: StudyMoment
  ) -> (schedule: CardSchedule, log: [LoggedReview], source: HistoryReport.Source) {
    let model = MemoryModel(checked: options.parameters)
    var schedule = CardSchedule()
    if !history.answers.isEmpty {
      let log = replay(history.answers, model, into: &schedule, at: moment)
      plan(&schedule, history, model, options, at: moment)
      return (schedule, spaced(log, until: schedule.due), .log)
    }
    (schedule.reps, schedule.lapses) = (max(1, history.reps ?? 1), max(0, history.lapses ?? 0))
    schedule.lastReview = history.lastReview
    if let stability = history.stability, let difficulty = history.difficulty {
      (schedule.state, schedule.stability) = (.review, min(36_500, max(0.001, stability)))
      schedule.difficulty = min(10, max(1, difficulty))
      plan(&schedule, history, model, options, at: moment)
      return (schedule, [], .state)
    }
    guard let interval = history.interval, interval > 0 || history.lastReview != nil else {
      return (CardSchedule(), [], .none)
    }
    schedule.state = interval > 0 ? .review : .learning
    let memory =
      interval > 0 ? model.state(ease: history.ease ?? 2.5, interval: min(interval, 36_500)) : model.initial(.again)
    (schedule.stability, schedule.difficulty) = (memory.stability, memory.difficulty)
    schedule.lastReview = history.lastReview ?? history.due.map { $0 - interval * 86_400 }
    plan(&schedule, history, model, options, at: moment)
    return (schedule, [], .interval)
  }

  /// Sets the due day: as given, at most ten years ahead, else by the stability. A card that was never remembered is
  /// due now.
  private static func plan(
    _ schedule: inout CardSchedule, _ history: CardHistory, _ model: MemoryModel, _ options: DeckOptions,
    at moment: StudyMoment
  ) {
    if schedule.state == .learning { return schedule.due = moment.now }
    let last = schedule.lastReview ?? moment.now
    let days = model.exactInterval(stability: schedule.stability ?? 1, retention: options.desiredRetention)
    let own = moment.start(ofDay: moment.day(of: last) + max(1, Int(min(36_500, days).rounded())))
    schedule.due = min(history.due ?? own, moment.now + longestPlan)
    if let interval = history.interval, history.answers.isEmpty, interval.isFinite {
      schedule.interval = Int(min(36_500, max(1, interval.rounded())))
    }
  }

  /// Replays answers by whole days; those of one day by the formula for short times.
  private static func replay(
    _ answers: [CardHistory.Answer], _ model: MemoryModel, into schedule: inout CardSchedule, at moment: StudyMoment
  ) -> [LoggedReview] {
    var (memory, state, log): (MemoryState?, CardState, [LoggedReview]) = (nil, .new, [])
    for answer in answers.sorted(by: { $0.at < $1.at }) {
      let last = log.last?.at
      let days = last.map { max(0, moment.day(of: answer.at) - moment.day(of: $0)) } ?? 0
      let next = memory.map { model.next($0, answer.rating, days: days) } ?? model.initial(answer.rating)
      var row = LoggedReview(at: answer.at, rating: Int(answer.rating.rawValue), state: state, interval: 0)
      (row.elapsed, row.seconds) = (last.map { answer.at - $0 }, answer.seconds)
      (row.stability, row.difficulty) = (next.stability, next.difficulty)
      log.append(row)
      memory = next
      if state == .review, answer.rating == .again { schedule.lapses += 1 }
      let isLearnt = state == .review || state == .relearning
      state = answer.rating != .again ? .review : isLearnt ? .relearning : .learning
    }
    // A learnt card that was forgotten comes back by its plan, as a learnt one.
    schedule.state = state == .relearning ? .review : state
    (schedule.stability, schedule.difficulty) = (memory?.stability, memory?.difficulty)
    (schedule.reps, schedule.lastReview) = (log.count, log.last?.at)
    return log
  }

  /// Returns the log with the time until each card came back.
  private static func spaced(_ log: [LoggedReview], until due: Double?) -> [LoggedReview] {
    zip(log, log.dropFirst().map { $0.at as Double? } + [due]).map { review, next in
      var review = review
      review.interval = max(0, (next ?? review.at) - review.at)
      return review
    }
  }
}
