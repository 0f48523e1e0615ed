// What a retention costs: simulates a year or so of study with the memory model, card by card.
// Invariant: the same cards, options and seed always give the same figures; the collection is not changed.

import Glibc
import Values

/// The result of study at one desired retention.
public struct RetentionForecast: Equatable, Sendable {
  public let retention: Double
  /// The number of learnt cards answered on each day, and of new ones.
  public let reviews: [Int]
  public let new: [Int]
  /// How many of the learnt cards answered on each day were forgotten.
  public let lapses: [Int]
  /// The number of cards that are remembered on each day: the sum of the probabilities.
  public let known: [Double]
  /// The number of the first day, in days since 1970.
  public let firstDay: Int

  /// The average number of learnt cards answered on each day of the week, from Monday to Sunday.
  public var reviewsByWeekday: [Double] {
    var (sums, days) = (Array(repeating: 0.0, count: 7), Array(repeating: 0.0, count: 7))
    for (offset, count) in reviews.enumerated() {
      let weekday = DayLoads.weekday(of: firstDay + offset)
      sums[weekday] += Double(count)
      days[weekday] += 1
    }
    return zip(sums, days).map { $0 / max(1, $1) }
  }

  /// The average number of learnt cards answered on a day.
  public var reviewsPerDay: Double { reviews.isEmpty ? 0 : Double(reviews.reduce(0, +)) / Double(reviews.count) }
  /// The number of cards that are remembered at the end.
  public var knownAtEnd: Double { known.last ?? 0 }

  /// Returns the average minutes of study on a day.
  public func minutesPerDay(_ times: AnswerTimes) -> Double {
    let sums = (reviews.reduce(0, +), new.reduce(0, +), lapses.reduce(0, +))
    return times.seconds(sums) / 60 / Double(max(1, reviews.count))
  }
}

/// The actual memory of simulated cards, if it differs from what study assumes.
struct Truth: Sendable {
  let model: MemoryModel
  /// The standard deviation of the logarithm of a card's stability from that of the model.
  let spread: Double

  init(_ model: MemoryModel, spread: Double = 0) { (self.model, self.spread) = (model, spread) }
}

/// Simulates study.
///
///     let simulation = Simulation(options: Simulation.Options(), cards: [], newCards: 1000)
///     try simulation.run(retentions: [0.8, 0.9], days: 90)[1].reviewsPerDay
public struct Simulation: Sendable {
  /// The options of study; each is named like the option of a deck.
  public struct Options: Sendable {
    public var model = RecallModel()
    public var shortTerm = true
    public var reviewsPerDay = 200
    public var newPerDay = 20
    public var fuzzes = true
    /// Whether days with few cards are preferred, and the share of a usual day's cards for Monday to Sunday.
    public var balances = false
    public var shares: [Double] = []
    /// The number of the first day, in days since 1970.
    public var today = 0
    /// The longest interval in days.
    public var maximumInterval = 36_500
    /// The share of the cards that is simulated; it gets this share of the limits of a day.
    var part = 1.0

    public init() {}
  }

  /// The memory of one card, and the days of the simulation, from 0, on which it was last answered and is due.
  public struct Memory: Sendable {
    /// The memory that study assumes.
    var memory: CardMemory
    /// The actual state by FSRS-6: the same, unless the simulation has another truth.
    var real: MemoryState
    /// The factor by which its stability differs from that of `real`.
    var strength = 1.0
    var last: Int
    var due: Int
    /// The recall that study assumes.
    var curve: RecallCurve?

    /// Creates the memory at the beginning of a simulation.
    /// - Parameters:
    ///   - elapsed: days since its last answer.
    ///   - dueIn: days until it is due; 0 or below is due.
    public init(state: MemoryState, elapsed: Int, dueIn: Int, timed: TimedMemory? = nil) {
      (memory, real) = (CardMemory(state: state, timed: timed), state)
      (last, due) = (-max(0, elapsed), max(0, dueIn))
    }
  }

  /// The probabilities of again, hard, good and easy for a first answer, and of the last three for a remembered card.
  public struct Habits: Equatable, Sendable {
    public var first = [0.24, 0.094, 0.495, 0.171]
    public var remembered = [0.224, 0.631, 0.145]

    /// The habits of many people (fsrs-rs, src/optimal_retention.rs).
    public init() {}
  }

  let options: Options
  private var model: RecallModel { options.model }
  let cards: [Memory]
  let newCards: Int
  let habits: Habits
  /// The actual memory of the cards, if it is not what study assumes.
  var truth: Truth?

  public init(options: Options, cards: [Memory], newCards: Int, habits: Habits = Habits()) {
    self.options = options
    (self.cards, self.newCards, self.habits) = (cards, max(0, newCards), habits)
  }

  public var cardCount: Int { cards.count + newCards }

  /// Simulates some days at each retention.
  /// - Parameters:
  ///   - days: from 1 to 3,650.
  ///   - progress: called after each day with the share that is done; an error that it throws ends the simulation.
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

  func remembered(_ cards: [Memory], _ day: Int) -> Double { cards.reduce(0) { $0 + recall($1, day) } }

  /// Returns the probability that a card is remembered when the simulation begins.
  func recall(of card: Memory) -> Double { model.curve(card.memory).recall(days: Double(-card.last)) }

  private func recall(_ card: Memory, _ day: Int) -> Double {
    let days = Double(day - card.last)
    if truth == nil, let curve = card.curve { return curve.recall(days: days) }
    return (truth?.model ?? model.fsrs6).retrievability(days: days, stability: card.real.stability * card.strength)
  }

  /// The random numbers, and the cards on each day.
  private struct Draw {
    var random: SeededNumbers
    var loads: DayLoads?
  }

  /// What is simulated.
  struct Course {
    var retention: Double
    var days: Int
    var seed: UInt64
    /// On the last days, the cards whose answers are worth most are answered, due or not.
    var ending: RecallPlan.Ending?
  }

  /// The number of answers on a day, and how many of the reviews were forgotten.
  typealias DayCounts = (reviews: Int, new: Int, forgotten: Int)

  /// Simulates the days; the body gets the cards after each.
  func play(_ course: Course, _ body: (Int, [Memory], DayCounts) throws -> Void) rethrows -> [Memory] {
    var draw = Draw(random: SeededNumbers(seed: course.seed), loads: nil)
    var all = cards
    for place in all.indices {
      all[place].strength = strength(&draw.random)
      // A plan depends on no single answer, so all of them count as answers of the median time.
      all[place].memory.timed = all[place].memory.timed ?? model.assumed(stability: all[place].memory.state.stability)
      all[place].memory.timed?.hesitation = 0
      all[place].curve = model.curve(all[place].memory)
    }
    // The cards due on each day, by their indexes in `all`.
    var due = [[Int]](repeating: [], count: course.days)
    for (place, card) in all.enumerated() where card.due < course.days { due[card.due].append(place) }
    if options.balances {
      var loads = DayLoads(shares: options.shares, from: options.today, days: course.days + DayLoads.horizon)
      for card in all { loads.add(on: options.today + card.due) }
      draw.loads = loads
    }
    var left = newCards
    for day in 0..<course.days {
      // Clears each simulated day; otherwise waiting cards would be stored once for each day.
      let waiting = due[day]
      due[day] = []
      var counts: DayCounts = (0, min(left, limit(options.newPerDay, on: day)), 0)
      let ending = course.ending.flatMap { course.days - day <= $0.days ? $0 : nil }
      let today =
        ending.map { chosen(all, day, course.days, $0, counts.new) }
        ?? Array(waiting.prefix(limit(options.reviewsPerDay, on: day)))
      for place in today where !review(&all[place], day, course.retention, &draw) { counts.forgotten += 1 }
      counts.reviews = today.count
      // Cards above the limit wait for the next day.
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

  /// Returns the share of a day's limit that the simulated cards get. Rounded so that all days add up.
  private func limit(_ limit: Int, on day: Int) -> Int {
    func before(_ day: Int) -> Int { Int((Double(day) * Double(limit) * options.part).rounded(.down)) }
    return before(day + 1) - before(day)
  }

  /// Returns the indexes of the cards that are answered on one of the last days.
  private func chosen(_ cards: [Memory], _ day: Int, _ days: Int, _ ending: RecallPlan.Ending, _ new: Int) -> [Int] {
    let worth = AnswerWorth(model, times: ending.times, countsSameDay: options.shortTerm)
    let known = cards.map { (memory: $0.memory, elapsed: day - $0.last) }
    return worth.best(known, daysLeft: days - day, within: ending.seconds - Double(new) * ending.times.first)
  }

  private func strength(_ random: inout SeededNumbers) -> Double {
    guard let truth, truth.spread > 0 else { return 1 }
    return exp(truth.spread * random.normal())
  }

  private func begin(_ day: Int, _ retention: Double, _ draw: inout Draw) -> Memory {
    let rating = choice(habits.first, among: Rating.allCases, &draw.random)
    let memory = model.initial(rating)
    var card = Memory(state: memory.state, elapsed: 0, dueIn: 0, timed: memory.timed)
    (card.real, card.strength) = (truth?.model.initial(rating) ?? memory.state, strength(&draw.random))
    (card.last, card.due, card.curve) = (day, day, model.curve(memory))
    if rating == .again { relearn(&card) }
    plan(&card, day, retention, &draw)
    return card
  }

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
    card.memory = model.next(card.memory, rating, days: days)
    card.curve = model.curve(card.memory)
    card.real = truth.map { $0.model.next(card.real, rating, days: days) } ?? card.memory.state
  }

  /// Answers a forgotten card once more on the same day.
  private func relearn(_ card: inout Memory) {
    if options.shortTerm { answer(&card, .good, days: 0) }
  }

  private func plan(_ card: inout Memory, _ day: Int, _ retention: Double, _ draw: inout Draw) {
    let exact = model.interval(card.memory, retention: retention)
    let today = options.today + day
    let fuzz = options.fuzzes ? Fuzz(seed: draw.random.next(), loads: draw.loads, today: today) : Fuzz.none
    let days = fuzz.days(exact, from: 1, to: options.maximumInterval)
    card.due = day + days
    draw.loads?.add(on: today + days)
  }

  private func choice(_ shares: [Double], among ratings: [Rating], _ random: inout SeededNumbers) -> Rating {
    var rest = random.share() * shares.reduce(0, +)
    for (share, rating) in zip(shares, ratings) {
      rest -= share
      if rest < 0 { return rating }
    }
    return ratings.last ?? .good
  }
}
