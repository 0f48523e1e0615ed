// What an answer does to a card's schedule: FSRS-6 for the days, short steps for what is being learnt.
// Invariant: pure; the same card, answer and moment always give the same schedule.

/// A schedule after an answer, and how long it is until the card comes back.
///
///     let next = scheduler.next(card.schedule, .good, at: moment)
///     next.interval   // days
public struct NextSchedule: Equatable, Sendable {
  public let schedule: CardSchedule
  /// Seconds until it is due: of a step, or of whole days of 86,400.
  public let interval: Double
}

/// Schedules answers by the options of a deck.
///
///     let scheduler = Scheduler(options: options)
///     scheduler.next(card.schedule, .again, at: moment).schedule.state   // .relearning
public struct Scheduler: Sendable {
  /// A new card is shown again after these before it counts as learnt; a forgotten one after the others.
  static let learningSteps: [Double] = [60, 600]
  static let relearningSteps: [Double] = [600]

  private let model = MemoryModel()
  private let options: DeckOptions

  public init(options: DeckOptions) { self.options = options }

  public func next(_ old: CardSchedule, _ rating: Rating, at moment: StudyMoment) -> NextSchedule {
    var new = old
    let memory = memory(old, rating, moment)
    new.stability = memory.stability
    new.difficulty = memory.difficulty
    new.reps = old.reps == .max ? old.reps : old.reps + 1
    new.lastReview = moment.now
    if old.state == .review, rating == .again { new.lapses = old.lapses == .max ? old.lapses : old.lapses + 1 }
    if let step = step(old, rating) {
      new.state = old.state == .review || old.state == .relearning ? .relearning : .learning
      new.step = step.index
      new.due = moment.now + step.seconds
      return NextSchedule(schedule: new, interval: step.seconds)
    }
    let days = model.interval(
      stability: memory.stability, retention: options.desiredRetention, maximum: options.maximumInterval)
    new.state = .review
    new.step = 0
    new.due = moment.start(ofDay: moment.today + days)
    return NextSchedule(schedule: new, interval: Double(days) * 86_400)
  }

  private func memory(_ old: CardSchedule, _ rating: Rating, _ moment: StudyMoment) -> MemoryState {
    guard old.state != .new, let stability = old.stability, let difficulty = old.difficulty else {
      return model.initial(rating)
    }
    let days = old.lastReview.map { max(0, moment.today - moment.day(of: $0)) } ?? 0
    return model.next(MemoryState(stability: stability, difficulty: difficulty), rating, days: days)
  }

  /// The step that follows, nil when the card goes by days from here on.
  private func step(_ old: CardSchedule, _ rating: Rating) -> (index: Int, seconds: Double)? {
    if old.state == .review { return rating == .again ? (0, Scheduler.relearningSteps[0]) : nil }
    let steps = old.state == .relearning ? Scheduler.relearningSteps : Scheduler.learningSteps
    let index = old.state == .new ? 0 : min(max(0, old.step), steps.count - 1)
    switch rating {
    case .again: return (0, steps[0])
    case .hard: return (index, hardStep(steps, index))
    case .good: return index + 1 < steps.count ? (index + 1, steps[index + 1]) : nil
    case .easy: return nil
    }
  }

  /// On the first step the middle between it and the second, or half as long again where there is one only.
  private func hardStep(_ steps: [Double], _ index: Int) -> Double {
    if index > 0 { return steps[index] }
    return steps.count > 1 ? (steps[0] + steps[1]) / 2 : steps[0] * 1.5
  }
}
