// Fitting the memory model to logs of known parameters, and simulating study.

import Glibc
import Problems
import TestSupport
import Values

@testable import Memory

/// A user whose memory follows known parameters.
struct SimulatedUser {
  let model: MemoryModel
  var generator: TestGenerator
  /// How answers take time, around four seconds, and change what is remembered after them; nil: no time is known.
  var slope: Double?
  private var times = SeededNumbers(seed: 7)

  init(_ parameters: [Double], seed: UInt64) throws {
    model = try MemoryModel(parameters: parameters)
    generator = TestGenerator(seed)
  }

  private mutating func share() -> Double { Double.random(in: 0..<1, using: &generator) }

  private mutating func seconds() -> Double { slope == nil ? 0 : 4 * exp(0.7 * times.normal()) }

  private func recall(_ days: Int, _ state: MemoryState, after seconds: Double) -> Double {
    let recall = model.retrievability(days: Double(days), stability: state.stability)
    guard let slope else { return recall }
    let time = AnswerTime(median: 4, shift: 0, slope: slope)
    return RecallCurve.combined(recall, nil, slope * time.hesitation(seconds))
  }

  /// Returns the days, ratings and times of a card.
  mutating func card(reviews: Int) -> [(day: Int, rating: Rating, seconds: Double)] {
    var rating = [Rating.again, .hard, .good, .good, .good, .easy].randomElement(using: &generator) ?? .good
    var day = Int(share() * 300)
    var state = model.initial(rating)
    var answers = [(day, rating, seconds())]
    for _ in 0..<reviews {
      if rating == .again {
        rating = share() < 0.1 ? .again : .good
        state = model.next(state, rating, days: 0)
      } else {
        let days = max(
          1, Int((model.exactInterval(stability: state.stability, retention: 0.9) * (0.5 + share())).rounded()))
        day += days
        if day > 2500 { break }
        let isRight = share() < recall(days, state, after: answers[answers.count - 1].2)
        rating = isRight ? [Rating.hard, .good, .good, .good, .easy].randomElement(using: &generator) ?? .good : .again
        state = model.next(state, rating, days: days)
      }
      answers.append((day, rating, seconds()))
    }
    return answers
  }

  mutating func history(cards: Int, reviews: Int = 12) -> ReviewHistory {
    var history = ReviewHistory()
    for card in 1...cards {
      for (number, answer) in self.card(reviews: reviews).enumerated() {
        history.add(
          card: Int64(card), day: answer.day, moment: Int64(answer.day) * 86_400_000 + Int64(number) * 60_000,
          rating: answer.rating.rawValue, isFirst: number == 0, isLearning: number == 0, seconds: answer.seconds)
      }
    }
    history.close()
    return history
  }
}

@Suite struct OptimizerTests {
  private static let people: [[Double]] = [
    [
      0.4, 1.1, 3.2, 14.0, 6.8, 0.6, 2.6, 0.02, 1.6, 0.12, 0.9, 1.7, 0.08, 0.31, 1.4, 0.45, 2.2, 0.6, 0.15, 0.1, 0.2,
    ],
    [
      1.5, 3.5, 9.0, 40.0, 5.5, 1.1, 1.8, 0.1, 2.3, 0.3, 1.4, 2.2, 0.03, 0.5, 2.2, 0.8, 1.4, 0.3, 0.3, 0.2, 0.4,
    ],
    [
      0.05, 0.2, 0.6, 2.0, 7.5, 0.4, 3.2, 0.005, 1.2, 0.05, 0.5, 1.0, 0.12, 0.15, 0.9, 0.3, 3.0, 0.8, 0.05, 0.02, 0.12,
    ],
  ]

  @Test func `the derivatives are those of the loss`() throws {
    for (number, parameters) in Self.people.enumerated() {
      var user = try SimulatedUser(parameters, seed: UInt64(number))
      let history = user.history(cards: 60)
      let model = MemoryGradient(history)
      func loss(_ w: [Double]) -> Double {
        model.setParameters(w)
        return (0..<history.cardCount).reduce(0) { $0 + model.walk($1, isTraining: false).loss }
      }
      // Parameters other than those of the log, where no derivative is 0.
      let w = zip(parameters, MemoryModel.defaultParameters).map { 0.7 * $0 + 0.3 * $1 }
      model.setParameters(w)
      model.clearGradient()
      for card in 0..<history.cardCount { _ = model.walk(card, isTraining: true) }
      let analytic = (0..<21).map { model.gradient[$0] }
      for index in 0..<21 {
        let step = 1e-6 * max(0.01, w[index])
        var (up, down) = (w, w)
        up[index] += step
        down[index] -= step
        let numeric = (loss(up) - loss(down)) / (2 * step)
        #expect(
          abs(numeric - analytic[index]) <= 1e-3 * max(1, abs(numeric)), "w\(index): \(numeric), \(analytic[index])")
      }
    }
  }

  @Test func `predictions are those of the memory model`() throws {
    var user = try SimulatedUser(Self.people[0], seed: 5)
    let history = user.history(cards: 40)
    let gradient = MemoryGradient(history)
    gradient.setParameters(Self.people[0])
    for card in 0..<history.cardCount {
      var state = MemoryState(stability: 1, difficulty: 1)
      var expected: [Double] = []
      for index in history.starts[card]..<history.starts[card + 1] {
        let rating = try #require(Rating(rawValue: Int64(history.ratings[index])))
        let days = Int(history.days[index])
        if index == history.starts[card] {
          state = user.model.initial(rating)
        } else {
          if days > 0 { expected.append(user.model.retrievability(days: Double(days), stability: state.stability)) }
          state = user.model.next(state, rating, days: days)
        }
      }
      var seen: [Double] = []
      gradient.visit(card) { recall, _, _, _, _ in seen.append(recall) }
      #expect(seen.count == expected.count && zip(seen, expected).allSatisfy { abs($0 - $1) < 1e-9 })
    }
  }

  @Test(arguments: people.indices)
  func `on a log of known parameters the fitted ones lose at most 2 percent more`(person: Int) throws {
    var user = try SimulatedUser(Self.people[person], seed: UInt64(person) + 100)
    let history = user.history(cards: 500)
    var optimizer = try Optimizer(history)
    var shares: [Double] = []
    let result = try optimizer.run { shares.append($0) }
    let (known, fitted) = (try optimizer.loss(of: Self.people[person]), try optimizer.loss(of: result.parameters))
    #expect(fitted <= known * 1.02, "\(fitted) for \(known)")
    // The first user's parameters are close to the published ones.
    #expect(result.isBetter == (result.after.logLoss < result.before.logLoss) && (result.isBetter || person == 0))
    #expect(result.after.rmse < result.before.rmse || !result.isBetter)
    #expect(result.reviewCount == history.laterCount && shares.last == 1 && shares == shares.sorted())
    #expect(throws: Never.self) { try MemoryModel(parameters: result.parameters) }
    var again = try Optimizer(history)
    #expect(try again.run() == result)
  }

  @Test func `good parameters are kept when nothing better is found`() throws {
    var user = try SimulatedUser(Self.people[0], seed: 3)
    var optimizer = try Optimizer(user.history(cards: 120), parameters: Self.people[0])
    let result = try optimizer.run()
    #expect(result.after.logLoss <= result.before.logLoss)
    if !result.isBetter { #expect(result.parameters == Self.people[0] && result.after == result.before) }
  }

  @Test func `a short log is refused with its count, and a fitting can be interrupted`() throws {
    var user = try SimulatedUser(Self.people[0], seed: 3)
    let short = user.history(cards: 20)
    let error = #expect(throws: MemoryError.self) { try Optimizer(short) }
    #expect(error == .tooFewReviews(count: short.laterCount, needed: 400) && error?.code == "too_few_reviews")
    #expect(throws: MemoryError.tooFewReviews(count: 0, needed: 400)) { try Optimizer(ReviewHistory()) }
    var optimizer = try Optimizer(user.history(cards: 100))
    #expect(throws: CancellationError.self) { try optimizer.run { if $0 > 0.2 { throw CancellationError() } } }
  }

  @Test func `a higher retention costs more reviews and keeps more known`() throws {
    var options = Simulation.Options()
    options.reviewsPerDay = 9999
    let simulation = Simulation(options: options, cards: [], newCards: 1000)
    let forecasts = try simulation.run(retentions: [0.7, 0.8, 0.9, 0.95], days: 120)
    #expect(forecasts.map(\.retention) == [0.7, 0.8, 0.9, 0.95])
    for (low, high) in zip(forecasts, forecasts.dropFirst()) {
      #expect(low.reviewsPerDay < high.reviewsPerDay && low.knownAtEnd < high.knownAtEnd)
    }
    let last = forecasts[3]
    #expect(last.new.reduce(0, +) == 1000 && last.new[0] == 20 && last.reviews.count == 120)
    #expect((900...1000).contains(last.knownAtEnd))
    #expect(try simulation.run(retentions: [0.9], days: 120)[0] == forecasts[2])
  }

  @Test func `daily limits hold in a simulation, and nothing is lost`() throws {
    var options = Simulation.Options()
    options.reviewsPerDay = 10
    let start = Simulation.Memory(state: MemoryState(stability: 50, difficulty: 5), elapsed: 60, dueIn: -10)
    let simulation = Simulation(options: options, cards: Array(repeating: start, count: 35), newCards: 0)
    let forecast = try simulation.run(retentions: [0.9], days: 10)[0]
    #expect(Array(forecast.reviews.prefix(3)) == [10, 10, 10] && forecast.reviews.reduce(0, +) >= 35)
  }

  @Test func `a simulation refuses days and retentions out of range, and handles bad states`() throws {
    let start = Simulation.Memory(state: MemoryState(stability: .nan, difficulty: -5), elapsed: -9, dueIn: .max)
    let simulation = Simulation(options: Simulation.Options(), cards: [start], newCards: -5)
    #expect(throws: MemoryError.self) { try simulation.run(retentions: [0.9], days: 0) }
    #expect(throws: MemoryError.self) { try simulation.run(retentions: [1], days: 5) }
    #expect(try simulation.run(retentions: [0.9], days: 5)[0].known.allSatisfy { $0.isFinite })
  }
}
