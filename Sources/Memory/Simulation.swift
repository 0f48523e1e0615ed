// What a retention costs: a year or so of study played through with the memory model, card by card.
// Invariant: the same cards, options and seed always give the same figures; nothing of the collection is changed.

import Glibc

/// What study comes to at one desired retention.
public struct RetentionForecast: Equatable, Sendable {
  public let retention: Double
  /// Learnt cards answered on each day, and new ones.
  public let reviews: [Int]
  public let new: [Int]
  /// Of the learnt cards answered, those that were forgotten.
  public let lapses: [Int]
  /// Cards that are remembered on each day: the sum of the probabilities.
  public let known: [Double]
  /// The number of the first day, from 1970 on.
  public let firstDay: Int

  /// Learnt cards answered on a day of the week, on average, from Monday to Sunday.
  public var reviewsByWeekday: [Double] {
    var (sums, days) = (Array(repeating: 0.0, count: 7), Array(repeating: 0.0, count: 7))
    for (offset, count) in reviews.enumerated() {
      let weekday = DayLoads.weekday(of: firstDay + offset)
      sums[weekday] += Double(count)
      days[weekday] += 1
    }
    return zip(sums, days).map { $0 / max(1, $1) }
  }

  /// Learnt cards answered on a day, on average.
  public var reviewsPerDay: Double { reviews.isEmpty ? 0 : Double(reviews.reduce(0, +)) / Double(reviews.count) }
  /// Cards that are remembered at the end.
  public var knownAtEnd: Double { known.last ?? 0 }
}

extension RetentionForecast {
  /// Minutes of study on a day, on average.
  public func minutesPerDay(_ times: AnswerTimes) -> Double {
    let forgotten = Double(lapses.reduce(0, +))
    let answered = Double(reviews.reduce(0, +))
    let seconds =
      (answered - forgotten) * times.remembered + forgotten * times.forgotten
      + Double(new.reduce(0, +)) * times.first
    return seconds / 60 / Double(max(1, reviews.count))
  }
}

/// What is true of cards in play, where it is another thing than what study knows of them.
public struct Truth: Sendable {
  let model: MemoryModel
  /// The deviation of the logarithm of a card's stability from that of the model.
  let spread: Double

  public init(_ model: MemoryModel, spread: Double = 0) { (self.model, self.spread) = (model, spread) }
}

/// Plays study through.
///
///     let simulation = Simulation(options: Simulation.Options(), cards: [], newCards: 1000)
///     try simulation.run(retentions: [0.8, 0.9], days: 90)[1].reviewsPerDay
public struct Simulation: Sendable {
  /// What study goes by; each as the option of a deck of its name.
  public struct Options: Sendable {
    public var parameters: [Double] = []
    /// Where FSRS-7 schedules.
    public var timed: FittedModels?
    public var shortTerm = true
    public var reviewsPerDay = 200
    public var newPerDay = 20
    public var fuzzes = true
    /// Whether days with few cards are preferred, and how much of a usual day each may have, from Monday to Sunday.
    public var balances = false
    public var shares: [Double] = []
    /// The number of the first day, from 1970 on.
    public var today = 0
    /// Days.
    public var maximumInterval = 36_500

    public init() {}
  }

  /// What is remembered of one card, and on which days of the simulation, from 0, it was answered and is due.
  public struct Memory: Sendable {
    /// What study knows of it.
    var state: MemoryState
    /// What is true of it: the same, unless the simulation has another truth.
    var real: MemoryState
    /// Its stability is so many times that of `real`.
    var strength = 1.0
    var last: Int
    var due: Int
    /// By FSRS-7, where that schedules, and how it is forgotten.
    var timed: TimedMemory?
    var curve: ForgettingCurve7?

    /// As a simulation begins with it.
    /// - Parameters:
    ///   - elapsed: days since its last answer.
    ///   - dueIn: days until it is due; 0 or below is due.
    public init(state: MemoryState, elapsed: Int, dueIn: Int, timed: TimedMemory? = nil) {
      (self.state, real, self.timed) = (state, state, timed)
      (last, due) = (-max(0, elapsed), max(0, dueIn))
    }
  }

  /// How probable again, hard, good and easy are: at first, and when a card was remembered (hard, good, easy).
  public struct Habits: Equatable, Sendable {
    public var first: [Double]
    public var remembered: [Double]

    /// Those of many people (fsrs-rs, src/optimal_retention.rs).
    public init(first: [Double] = [0.24, 0.094, 0.495, 0.171], remembered: [Double] = [0.224, 0.631, 0.145]) {
      (self.first, self.remembered) = (first, remembered)
    }
  }

  /// Days between two answers of one day.
  private static let minutes = 0.007

  let options: Options
  let model: MemoryModel
  private let timedModel: MemoryModel7?
  let cards: [Memory]
  let newCards: Int
  let habits: Habits
  /// What is true of the cards, where it is not what study knows.
  var truth: Truth?

  /// - Parameters:
  ///   - cards: the learnt ones.
  ///   - newCards: how many are still new.
  public init(options: Options, cards: [Memory], newCards: Int, habits: Habits = Habits()) {
    self.options = options
    model = MemoryModel(checked: options.parameters, countsSameDay: options.shortTerm)
    timedModel = options.timed?.model
    (self.cards, self.newCards, self.habits) = (cards, max(0, newCards), habits)
  }

  /// Learnt cards and new ones.
  public var cardCount: Int { cards.count + newCards }

  /// Plays some days through at each retention.
  /// - Parameters:
  ///   - days: from 1 to 3,650.
  ///   - progress: called after each day with the share that is done; what it throws ends the simulation.
  public func run(
    retentions: [Double], days: Int = 365, seed: UInt64 = 1, progress: (Double) throws -> Void = { _ in }
  ) throws -> [RetentionForecast] {
    guard (1...3650).contains(days) else {
      throw MemoryError.badOption(name: "days", reason: "must be a whole number from 1 to 3,650")
    }
    var forecasts: [RetentionForecast] = []
    for (number, retention) in retentions.enumerated() {
      guard (0.7...0.99).contains(retention) else {
        throw MemoryError.badOption(name: "retention", reason: "must be a number from 0.7 to 0.99")
      }
      forecasts.append(
        try forecast(retention, days, seed) { share in
          try progress((Double(number) + share) / Double(retentions.count))
        })
    }
    return forecasts
  }

  private func forecast(
    _ retention: Double, _ days: Int, _ seed: UInt64, _ progress: (Double) throws -> Void
  ) throws -> RetentionForecast {
    var (reviews, new, lapses, known): ([Int], [Int], [Int], [Double]) = ([], [], [], [])
    _ = try play(Course(retention: retention, days: days, seed: seed)) { day, cards, counts in
      reviews.append(counts.reviews)
      new.append(counts.new)
      lapses.append(counts.forgotten)
      known.append(remembered(cards, day))
      try progress(Double(day + 1) / Double(days))
    }
    return RetentionForecast(
      retention: retention, reviews: reviews, new: new, lapses: lapses, known: known, firstDay: options.today)
  }

  /// How many cards are remembered on a day.
  func remembered(_ cards: [Memory], _ day: Int) -> Double {
    cards.reduce(0) { $0 + recall($1, day) }
  }

  /// How probable it is that a card is remembered as the simulation begins.
  func recall(of card: Memory) -> Double {
    let days = Double(-card.last)
    if let timedModel, let timed = card.timed { return timedModel.retrievability(timed.state, days: days) }
    return model.retrievability(days: days, stability: card.state.stability)
  }

  private func recall(_ card: Memory, _ day: Int) -> Double {
    if truth == nil, let curve = card.curve { return curve.recall(days: Double(day - card.last)) }
    return (truth?.model ?? model).retrievability(
      days: Double(day - card.last), stability: card.real.stability * card.strength)
  }

  // MARK: Playing

  /// Chance in play, and what the days hold.
  private struct Draw {
    var random: SplitMix
    var loads: DayLoads?
  }

  /// How days are played.
  struct Course {
    var retention: Double
    var days: Int
    var seed: UInt64
    /// In the last days what is most worth an answer is answered, due or not.
    var ending: RecallPlan.Ending?
  }

  /// What was answered on a day.
  struct DayCounts {
    var reviews = 0
    var new = 0
    /// Of `reviews`.
    var forgotten = 0
  }

  /// Plays days through; the body sees the cards after each.
  func play(_ course: Course, _ body: (Int, [Memory], DayCounts) throws -> Void) rethrows -> [Memory] {
    var draw = Draw(random: SplitMix(state: course.seed), loads: nil)
    var all = cards
    for place in all.indices {
      all[place].strength = strength(&draw.random)
      guard let timedModel else { continue }
      let interval = all[place].state.stability
      let known = all[place].timed ?? TimedMemory(timedModel.state(interval: interval), first: .good)
      (all[place].timed, all[place].curve) = (known, timedModel.curve(known.state))
    }
    // The cards due on each day, by their places in `all`.
    var due = [[Int]](repeating: [], count: course.days)
    for (place, card) in all.enumerated() where card.due < course.days { due[card.due].append(place) }
    if options.balances {
      var loads = DayLoads(shares: options.shares, from: options.today, days: course.days + DayLoads.horizon)
      for card in all { loads.add(on: options.today + card.due) }
      draw.loads = loads
    }
    var left = newCards
    for day in 0..<course.days {
      // A day that was played holds nothing any more: what waits would else be kept once for each day.
      let waiting = due[day]
      due[day] = []
      var counts = DayCounts(new: min(left, options.newPerDay))
      let ending = course.ending.flatMap { course.days - day <= $0.days ? $0 : nil }
      let today =
        ending.map { chosen(all, day, course.days, $0, counts.new) } ?? Array(waiting.prefix(options.reviewsPerDay))
      for place in today where !review(&all[place], day, course.retention, &draw) { counts.forgotten += 1 }
      counts.reviews = today.count
      // What is above the limit waits for the next day.
      if ending == nil, day + 1 < course.days { due[day + 1].append(contentsOf: waiting.dropFirst(today.count)) }
      for _ in 0..<counts.new { all.append(begin(day, course.retention, &draw)) }
      left -= counts.new
      for place in today + Array(all.indices.suffix(counts.new)) where (day + 1..<course.days).contains(all[place].due)
      {
        due[all[place].due].append(place)
      }
      try body(day, all, counts)
    }
    return all
  }

  /// The places of the cards that are answered on one of the last days.
  private func chosen(_ cards: [Memory], _ day: Int, _ days: Int, _ ending: RecallPlan.Ending, _ new: Int) -> [Int] {
    let worth = AnswerWorth(model, times: ending.times, countsSameDay: options.shortTerm)
    let known = cards.map { (state: $0.state, elapsed: day - $0.last) }
    return worth.best(known, daysLeft: days - day, within: ending.seconds - Double(new) * ending.times.first)
  }

  private func strength(_ random: inout SplitMix) -> Double {
    guard let truth, truth.spread > 0 else { return 1 }
    return exp(truth.spread * random.normal())
  }

  private func begin(_ day: Int, _ retention: Double, _ draw: inout Draw) -> Memory {
    let rating = choice(habits.first, among: Rating.allCases, &draw.random)
    var card = Memory(state: model.initial(rating), elapsed: 0, dueIn: 0)
    (card.real, card.strength) = ((truth?.model ?? model).initial(rating), strength(&draw.random))
    (card.last, card.due) = (day, day)
    if let timedModel {
      let known = TimedMemory(timedModel.initial(rating), first: rating)
      (card.timed, card.curve) = (known, timedModel.curve(known.state))
    }
    if rating == .again { relearn(&card) }
    plan(&card, day, retention, &draw)
    return card
  }

  /// - Returns: whether it was remembered.
  private func review(_ card: inout Memory, _ day: Int, _ retention: Double, _ draw: inout Draw) -> Bool {
    draw.loads?.add(-1, on: options.today + card.due)
    let days = day - card.last
    let isRight = draw.random.share() < recall(card, day)
    let rating = isRight ? choice(habits.remembered, among: [.hard, .good, .easy], &draw.random) : .again
    answer(&card, rating, days: days)
    if rating == .again { relearn(&card) }
    card.last = day
    plan(&card, day, retention, &draw)
    return isRight
  }

  private func answer(_ card: inout Memory, _ rating: Rating, days: Int) {
    card.state = model.next(card.state, rating, days: days)
    if let timedModel, let known = card.timed {
      let next = timedModel.next(known.state, rating, days: days == 0 ? Self.minutes : Double(days))
      card.timed?.state = next
      card.curve = timedModel.curve(next)
    }
    card.real = truth.map { $0.model.next(card.real, rating, days: days) } ?? card.state
  }

  /// What was forgotten is answered once more on the same day.
  private func relearn(_ card: inout Memory) {
    if options.shortTerm { answer(&card, .good, days: 0) }
  }

  private func plan(_ card: inout Memory, _ day: Int, _ retention: Double, _ draw: inout Draw) {
    var exact = model.exactInterval(stability: card.state.stability, retention: retention)
    if let fitted = options.timed, let curve = card.curve, let first = card.timed?.first {
      exact = fitted.guarded(curve.interval(retention: retention), first: first, usual: exact)
    }
    let today = options.today + day
    let fuzz =
      options.fuzzes ? Fuzz(seed: draw.random.next(), loads: draw.loads, today: today) : Fuzz.none
    let days = fuzz.days(exact, from: 1, to: options.maximumInterval)
    card.due = day + days
    draw.loads?.add(on: today + days)
  }

  private func choice(_ shares: [Double], among ratings: [Rating], _ random: inout SplitMix) -> Rating {
    var rest = random.share() * shares.reduce(0, +)
    for (share, rating) in zip(shares, ratings) {
      rest -= share
      if rest < 0 { return rating }
    }
    return ratings.last ?? .good
  }
}
