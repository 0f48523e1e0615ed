// What an answer does to a card's schedule: FSRS-6 or FSRS-7 computes the days, and cards that are being learnt pass
// short steps. The stability and difficulty of a schedule are always those of FSRS-6, so that other programs can
// continue from them. Invariant: pure; the same card, answer, moment and seed always give the same schedule. With a
// seed, hard comes back before good, and good before easy.

public import Memory

/// A schedule after an answer, and the time until the card comes back.
public struct NextSchedule: Equatable, Sendable {
  public let schedule: CardSchedule
  /// Seconds until the card is due: those of a step, or whole days of 86,400.
  public let interval: Double
}

/// Schedules answers with the options of a deck.
public struct Scheduler: Sendable {
  private let model: MemoryModel
  /// FSRS-7, if it schedules the cards.
  private let timed: (fitted: FittedModels, model: MemoryModel7)?
  private let options: DeckOptions
  /// The shortest step that the model may choose, in seconds.
  private static let shortestStep = 600.0

  private let learningSteps: [Double]
  private let relearningSteps: [Double]

  public init(options: DeckOptions) {
    self.options = options
    model = MemoryModel(checked: options.parameters, countsSameDay: options.shortTerm)
    timed = options.timed.flatMap { fitted in fitted.model.map { (fitted, $0) } }
    (learningSteps, relearningSteps) = (options.learningSteps, options.relearningSteps)
  }

  /// - Parameter seed: made from the card and its answers. If the options say so, intervals vary by it, and hard, good
  ///   and easy get different ones. With nil, they are the model's own intervals, the same as in other programs that
  ///   use FSRS.
  /// - Parameter loads: the numbers of cards on each day, if intervals depend on them.
  public func next(
    _ old: CardSchedule, _ rating: Rating, at moment: StudyMoment, seed: UInt64? = nil, loads: DayLoads? = nil
  ) -> NextSchedule {
    let memory = memory(old, rating, moment)
    var new = old
    new.stability = memory.stability
    new.difficulty = memory.difficulty
    new.timed = timedMemory(old, rating, moment)
    new.reps = old.reps == .max ? old.reps : old.reps + 1
    new.lastReview = moment.now
    if old.state == .review, rating == .again { new.lapses = old.lapses == .max ? old.lapses : old.lapses + 1 }
    if let step = step(old, rating, moment) {
      new.state = old.state == .review || old.state == .relearning ? .relearning : .learning
      if old.state == .review { new.interval = nil }
      new.step = step.index
      new.due = moment.now + step.seconds
      return NextSchedule(schedule: new, interval: step.seconds)
    }
    let days = options.dayAfterPause(moment.today + days(old, rating, moment, seed, loads)) - moment.today
    new.state = .review
    new.step = 0
    new.due = moment.start(ofDay: moment.today + days)
    new.interval = days
    return NextSchedule(schedule: new, interval: Double(days) * 86_400)
  }

  private func memory(_ old: CardSchedule, _ rating: Rating, _ moment: StudyMoment) -> MemoryState {
    guard old.state != .new, let stability = old.stability, let difficulty = old.difficulty else {
      return model.initial(rating)
    }
    let days = moment.days(since: old.lastReview)
    return model.next(MemoryState(stability: stability, difficulty: difficulty), rating, days: days)
  }

  /// The state of FSRS-7 after the answer; nil if FSRS-6 schedules the card.
  private func timedMemory(_ old: CardSchedule, _ rating: Rating, _ moment: StudyMoment) -> TimedMemory? {
    guard let model = timed?.model else { return nil }
    guard old.state != .new, let stability = old.stability else {
      return TimedMemory(model.initial(rating), first: rating)
    }
    // A card without a log here starts with the state that its interval implies.
    let known = old.timed ?? TimedMemory(model.state(interval: stability), first: .good)
    let days = old.lastReview.map { max(0, moment.now - $0) / 86_400 } ?? 0
    return TimedMemory(model.next(known.state, rating, days: days), first: known.first)
  }

  private func days(
    _ old: CardSchedule, _ rating: Rating, _ moment: StudyMoment, _ seed: UInt64?, _ loads: DayLoads?
  ) -> Int {
    let fuzz = if options.fuzzes, let seed { Fuzz(seed: seed, loads: loads, today: moment.today) } else { Fuzz.none }
    if !options.shortTerm { return longTermDays(old, rating, moment, fuzz) }
    if rating == .again { return varied(exact(old, .again, moment), fuzz, from: options.minimumLapseInterval) }
    if seed == nil { return varied(exact(old, rating, moment), fuzz) }
    guard old.state == .review else {
      let exactDays = exact(old, rating, moment)
      if rating != .easy { return varied(exactDays, fuzz) }
      return varied(exactDays, fuzz, from: varied(exact(old, .good, moment), fuzz) + 1)
    }
    return passingDays(old, rating, moment, fuzz)
  }

  /// The days of a learnt card that was remembered: hard, good and easy are each at least one day after the one before.
  private func passingDays(_ old: CardSchedule, _ rating: Rating, _ moment: StudyMoment, _ fuzz: Fuzz) -> Int {
    let previous = moment.interval(of: old)
    var least = 1
    for candidate in [Rating.hard, .good, .easy] {
      let days = exact(old, candidate, moment)
      let result = varied(days, fuzz, from: max(least, leastDays(days, after: previous)))
      if candidate == rating { return result }
      least = result + 1
    }
    return least
  }

  /// The least number of days: an interval that grows is longer than the previous one, and fuzz alone does not
  /// shorten it.
  private func leastDays(_ days: Double, after previous: Int) -> Int {
    let bounded = min(Double(options.maximumInterval), max(1, days.isNaN ? 1 : days))
    if Int(bounded.rounded()) > previous { return previous + 1 }
    return previous <= Fuzz.bounds(bounded).upperBound ? max(1, previous) : 1
  }

  /// Without steps, every answer yields days, and again at most as many as hard (ts-fsrs, long-term scheduler).
  private func longTermDays(_ old: CardSchedule, _ rating: Rating, _ moment: StudyMoment, _ fuzz: Fuzz) -> Int {
    let again = min(
      varied(exact(old, .again, moment), fuzz, from: options.minimumLapseInterval),
      varied(exact(old, .hard, moment), fuzz))
    var days = again
    for candidate in [Rating.hard, .good, .easy] where candidate.rawValue <= rating.rawValue {
      days = varied(exact(old, candidate, moment), fuzz, from: days + 1)
    }
    return days
  }

  private func exact(_ old: CardSchedule, _ rating: Rating, _ moment: StudyMoment) -> Double {
    let usual = model.exactInterval(
      stability: memory(old, rating, moment).stability, retention: options.desiredRetention)
    guard let timed, let memory = timedMemory(old, rating, moment) else { return usual }
    let days = timed.model.exactInterval(memory.state, retention: options.desiredRetention)
    return timed.fitted.guarded(days, first: memory.first, usual: usual)
  }

  private func varied(_ days: Double, _ fuzz: Fuzz, from minimum: Int = 1) -> Int {
    fuzz.days(days, from: minimum, to: options.maximumInterval)
  }

  /// The next step; nil if the card gets an interval of days.
  private func step(_ old: CardSchedule, _ rating: Rating, _ moment: StudyMoment) -> (index: Int, seconds: Double)? {
    let isRelearning = old.state == .relearning || old.state == .review
    if options.stepsAreTimed(relearning: isRelearning) { return timedStep(old, rating, moment) }
    let steps = isRelearning ? relearningSteps : learningSteps
    guard let first = steps.first else { return modelStep(old, rating, moment) }
    if old.state == .review { return rating == .again ? (0, first) : nil }
    let index = old.state == .new ? 0 : min(max(0, old.step), steps.count - 1)
    switch rating {
    case .again: return (0, first)
    case .hard: return (index, hardStep(steps, index))
    case .good: return index + 1 < steps.count ? (index + 1, steps[index + 1]) : nil
    case .easy: return nil
    }
  }

  /// Without steps, a card that is being learnt or was forgotten comes back after the model's own time if that is less
  /// than half a day, as in Anki.
  private func modelStep(
    _ old: CardSchedule, _ rating: Rating, _ moment: StudyMoment
  ) -> (index: Int, seconds: Double)? {
    // Parameters without a memory of the same day are of an older model.
    guard options.shortTerm, model.w[17] > 0, model.w[18] > 0, rating == .again || old.state != .review, rating != .easy
    else { return nil }
    let days = exact(old, rating, moment)
    return days < 0.5 ? (0, max(1, (days * 86_400).rounded(.down))) : nil
  }

  /// If the model schedules the card for today, the card comes back after that time.
  private func timedStep(
    _ old: CardSchedule, _ rating: Rating, _ moment: StudyMoment
  ) -> (index: Int, seconds: Double)? {
    if old.state == .review, rating != .again { return nil }
    let seconds = max(Self.shortestStep, (exact(old, rating, moment) * 86_400).rounded())
    return moment.now + seconds < moment.endOfToday ? (0, seconds) : nil
  }

  /// On the first step, hard gives the average of the first two steps. If there is only one, it gives one and a half
  /// times that step, at most one day more.
  private func hardStep(_ steps: [Double], _ index: Int) -> Double {
    if index > 0 { return steps[index] }
    return steps.count > 1 ? (steps[0] + steps[1]) / 2 : min(steps[0] * 1.5, steps[0] + 86_400)
  }
}
