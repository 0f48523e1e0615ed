// What a retention costs: a year or so of study played through with the memory model, card by card.
// Invariant: the same cards, options and seed always give the same figures; nothing of the collection is changed.

/// What study comes to at one desired retention.
public struct RetentionForecast: Equatable, Sendable {
  public let retention: Double
  /// Learnt cards answered on each day, and new ones.
  public let reviews: [Int]
  public let new: [Int]
  /// Cards that are remembered on each day: the sum of the probabilities.
  public let known: [Double]

  /// Learnt cards answered on a day, on average.
  public var reviewsPerDay: Double { reviews.isEmpty ? 0 : Double(reviews.reduce(0, +)) / Double(reviews.count) }
  /// Cards that are remembered at the end.
  public var knownAtEnd: Double { known.last ?? 0 }
}

/// Plays study through.
///
///     let simulation = Simulation(options: Simulation.Options(), cards: [], newCards: 1000)
///     try simulation.run(retentions: [0.8, 0.9], days: 90)[1].reviewsPerDay
public struct Simulation: Sendable {
  /// What study goes by; each as the option of a deck of its name.
  public struct Options: Sendable {
    public var parameters: [Double] = []
    public var shortTerm = true
    public var reviewsPerDay = 200
    public var newPerDay = 20
    public var fuzzes = true
    /// Days.
    public var maximumInterval = 36_500

    public init() {}
  }

  /// A card as a simulation begins with it.
  public struct Start: Sendable {
    public var state: MemoryState
    /// Days since its last answer, and until it is due; 0 or below is due.
    public var elapsed: Int
    public var dueIn: Int

    public init(state: MemoryState, elapsed: Int, dueIn: Int) {
      (self.state, self.elapsed, self.dueIn) = (state, elapsed, dueIn)
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

  private struct Card {
    var state: MemoryState
    var last: Int
    var due: Int
  }

  private let options: Options
  private let model: MemoryModel
  private let cards: [Start]
  private let newCards: Int
  private let habits: Habits

  /// - Parameters:
  ///   - cards: the learnt ones.
  ///   - newCards: how many are still new.
  public init(options: Options, cards: [Start], newCards: Int, habits: Habits = Habits()) {
    self.options = options
    model = MemoryModel(checked: options.parameters, countsSameDay: options.shortTerm)
    (self.cards, self.newCards, self.habits) = (cards, max(0, newCards), habits)
  }

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
    var random = SplitMix(state: seed)
    var all = cards.map { Card(state: $0.state, last: -max(0, $0.elapsed), due: max(0, $0.dueIn)) }
    // The cards due on each day, by their places in `all`.
    var due = [[Int]](repeating: [], count: days)
    for (place, card) in all.enumerated() where card.due < days { due[card.due].append(place) }
    var (reviews, new, known): ([Int], [Int], [Double]) = ([], [], [])
    var left = newCards
    for day in 0..<days {
      // A day that was played holds nothing any more: what waits would else be kept once for each day.
      let waiting = due[day]
      due[day] = []
      let today = waiting.prefix(options.reviewsPerDay)
      for place in today { review(&all[place], day, retention, &random) }
      // What is above the limit waits for the next day.
      if day + 1 < days { due[day + 1].append(contentsOf: waiting.dropFirst(today.count)) }
      let fresh = min(left, options.newPerDay)
      for _ in 0..<fresh { all.append(begin(day, retention, &random)) }
      left -= fresh
      for place in Array(today) + Array(all.indices.suffix(fresh)) where (day + 1..<days).contains(all[place].due) {
        due[all[place].due].append(place)
      }
      reviews.append(today.count)
      new.append(fresh)
      known.append(remembered(all, day))
      try progress(Double(day + 1) / Double(days))
    }
    return RetentionForecast(retention: retention, reviews: reviews, new: new, known: known)
  }

  /// How many cards are remembered on a day.
  private func remembered(_ cards: [Card], _ day: Int) -> Double {
    cards.reduce(0) { sum, card in
      sum + model.retrievability(days: Double(day - card.last), stability: card.state.stability)
    }
  }

  private func begin(_ day: Int, _ retention: Double, _ random: inout SplitMix) -> Card {
    let rating = choice(habits.first, among: Rating.allCases, &random)
    var card = Card(state: model.initial(rating), last: day, due: day)
    if rating == .again { relearn(&card) }
    plan(&card, day, retention, rating, &random)
    return card
  }

  private func review(_ card: inout Card, _ day: Int, _ retention: Double, _ random: inout SplitMix) {
    let days = day - card.last
    let recall = model.retrievability(days: Double(days), stability: card.state.stability)
    let isRight = random.share() < recall
    let rating = isRight ? choice(habits.remembered, among: [.hard, .good, .easy], &random) : .again
    card.state = model.next(card.state, rating, days: days)
    if rating == .again { relearn(&card) }
    card.last = day
    plan(&card, day, retention, rating, &random)
  }

  /// What was forgotten is answered once more on the same day.
  private func relearn(_ card: inout Card) {
    if options.shortTerm { card.state = model.next(card.state, .good, days: 0) }
  }

  private func plan(
    _ card: inout Card, _ day: Int, _ retention: Double, _ rating: Rating, _ random: inout SplitMix
  ) {
    let exact = model.exactInterval(stability: card.state.stability, retention: retention)
    let fuzz = options.fuzzes ? Fuzz(seed: random.next()) : Fuzz.none
    card.due = day + fuzz.days(exact, from: 1, to: options.maximumInterval)
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
