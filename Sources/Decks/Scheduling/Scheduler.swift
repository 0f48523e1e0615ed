// What an answer does to a card's schedule: the memory models compute the days, and cards that are being learnt pass
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
  /// A card that is answered, at a moment, after some seconds.
  private struct Asked {
    let old: CardSchedule
    let moment: StudyMoment
    let seconds: Double
  }

  private let model: RecallModel
  private let options: DeckOptions
  /// The shortest step that the model may choose, in seconds.
  private static let shortestStep = 600.0

  private let learningSteps: [Double]
  private let relearningSteps: [Double]

  public init(options: DeckOptions) {
    self.options = options
    model = options.recallModel
    (learningSteps, relearningSteps) = (options.learningSteps, options.relearningSteps)
  }

  /// - Parameter seconds: how long the answer took, as it is logged; nil if that is not known.
  /// - Parameter seed: made from the card and its answers. If the options say so, intervals vary by it, and hard, good
  ///   and easy get different ones. With nil, they are the model's own intervals, the same as in other programs that
  ///   use FSRS.
  /// - Parameter loads: the numbers of cards on each day, if intervals depend on them.
  public func next(
    _ old: CardSchedule, _ rating: Rating, at moment: StudyMoment, seconds: Double? = nil, seed: UInt64? = nil,
    loads: DayLoads? = nil
  ) -> NextSchedule {
    let card = Asked(old: old, moment: moment, seconds: seconds ?? 0)
    let memory = memory(card, rating)
    var new = old
    (new.stability, new.difficulty) = (memory.state.stability, memory.state.difficulty)
    new.timed = memory.timed
    new.reps = old.reps == .max ? old.reps : old.reps + 1
    new.lastReview = moment.now
    if old.state == .review, rating == .again { new.lapses = old.lapses == .max ? old.lapses : old.lapses + 1 }
    if let step = step(card, rating) {
      new.state = old.state == .review || old.state == .relearning ? .relearning : .learning
      if old.state == .review { new.interval = nil }
      new.step = step.index
      new.due = moment.now + step.seconds
      return NextSchedule(schedule: new, interval: step.seconds)
    }
    let days = options.dayAfterPause(moment.today + days(card, rating, seed, loads)) - moment.today
    new.state = .review
    new.step = 0
    new.due = moment.start(ofDay: moment.today + days)
    new.interval = days
    return NextSchedule(schedule: new, interval: Double(days) * 86_400)
  }

  private func memory(_ card: Asked, _ rating: Rating) -> CardMemory {
    let (old, now) = (card.old, card.moment.now)
    guard old.state != .new, let stability = old.stability, let difficulty = old.difficulty else {
      return model.initial(rating, seconds: card.seconds)
    }
    let known = CardMemory(state: MemoryState(stability: stability, difficulty: difficulty), timed: old.timed)
    let time = old.lastReview.map { max(0, now - $0) / 86_400 } ?? 0
    let days = card.moment.days(since: old.lastReview)
    return model.next(known, rating, days: days, time: time, seconds: card.seconds)
  }

  private func days(_ card: Asked, _ rating: Rating, _ seed: UInt64?, _ loads: DayLoads?) -> Int {
    let today = card.moment.today
    let fuzz = if options.fuzzes, let seed { Fuzz(seed: seed, loads: loads, today: today) } else { Fuzz.none }
    if !options.shortTerm { return longTermDays(card, rating, fuzz) }
    if rating == .again { return varied(exact(card, .again), fuzz, from: options.minimumLapseInterval) }
    if seed == nil { return varied(exact(card, rating), fuzz) }
    guard card.old.state == .review else {
      let exactDays = exact(card, rating)
      if rating != .easy { return varied(exactDays, fuzz) }
      return varied(exactDays, fuzz, from: varied(exact(card, .good), fuzz) + 1)
    }
    return passingDays(card, rating, fuzz)
  }

  /// The days of a learnt card that was remembered: hard, good and easy are each at least one day after the one before.
  private func passingDays(_ card: Asked, _ rating: Rating, _ fuzz: Fuzz) -> Int {
    let previous = card.moment.interval(of: card.old)
    var least = 1
    for candidate in [Rating.hard, .good, .easy] {
      let days = exact(card, candidate)
      let bounded = min(Double(options.maximumInterval), max(1, days.isNaN ? 1 : days))
      // An interval that grows is longer than the previous one, and fuzz alone does not shorten it.
      if Int(bounded.rounded()) > previous {
        least = max(least, previous + 1)
      } else if previous <= Fuzz.bounds(bounded).upperBound {
        least = max(least, previous)
      }
      let result = varied(days, fuzz, from: least)
      if candidate == rating { return result }
      least = result + 1
    }
    return least
  }

  /// Without steps, every answer yields days, and again at most as many as hard (ts-fsrs, long-term scheduler).
  private func longTermDays(_ card: Asked, _ rating: Rating, _ fuzz: Fuzz) -> Int {
    let again = min(
      varied(exact(card, .again), fuzz, from: options.minimumLapseInterval),
      varied(exact(card, .hard), fuzz))
    var days = again
    for candidate in [Rating.hard, .good, .easy] where candidate.rawValue <= rating.rawValue {
      days = varied(exact(card, candidate), fuzz, from: days + 1)
    }
    return days
  }

  private func exact(_ card: Asked, _ rating: Rating) -> Double {
    model.interval(memory(card, rating), retention: options.desiredRetention)
  }

  private func varied(_ days: Double, _ fuzz: Fuzz, from minimum: Int = 1) -> Int {
    fuzz.days(days, from: minimum, to: options.maximumInterval)
  }

  /// The next step; nil if the card gets an interval of days.
  private func step(_ card: Asked, _ rating: Rating) -> (index: Int, seconds: Double)? {
    let old = card.old
    let isRelearning = old.state == .relearning || old.state == .review
    if options.stepsAreTimed(relearning: isRelearning) {
      // If the model schedules the card for today, the card comes back after that time.
      if old.state == .review, rating != .again { return nil }
      let seconds = max(Self.shortestStep, (exact(card, rating) * 86_400).rounded())
      return card.moment.now + seconds < card.moment.endOfToday ? (0, seconds) : nil
    }
    let steps = isRelearning ? relearningSteps : learningSteps
    guard let first = steps.first else { return modelStep(card, rating) }
    if old.state == .review { return rating == .again ? (0, first) : nil }
    let index = old.state == .new ? 0 : min(max(0, old.step), steps.count - 1)
    switch rating {
    case .again: return (0, first)
    case .hard where index > 0: return (index, steps[index])
    // The average of the first two steps; if there is only one, one and a half times that, at most one day more.
    case .hard: return (0, steps.count > 1 ? (first + steps[1]) / 2 : min(first * 1.5, first + 86_400))
    case .good: return index + 1 < steps.count ? (index + 1, steps[index + 1]) : nil
    case .easy: return nil
    }
  }

  /// Without steps, a card that is being learnt or was forgotten comes back after the model's own time if that is less
  /// than half a day, as in Anki.
  private func modelStep(_ card: Asked, _ rating: Rating) -> (index: Int, seconds: Double)? {
    // Parameters without a memory of the same day are of an older model.
    let w = model.fsrs6.w
    guard options.shortTerm, w[17] > 0, w[18] > 0, rating == .again || card.old.state != .review, rating != .easy
    else { return nil }
    let days = exact(card, rating)
    return days < 0.5 ? (0, max(1, (days * 86_400).rounded(.down))) : nil
  }
}
