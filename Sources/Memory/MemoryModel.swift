// FSRS-6: how well a card is remembered, and how an answer changes that. Pure functions of numbers.
// Source: "The Algorithm" in the wiki of open-spaced-repetition/fsrs4anki, section FSRS-6, with its default parameters.
// Invariant: a stability is from 0.001 to 36,500 days and a difficulty from 1 to 10, whatever goes in.

import Glibc

/// An answer in a review, as a user gives it. The raw value is the G of the formulas.
public enum Rating: Int64, Sendable, CaseIterable {
  case again = 1
  case hard = 2
  case good = 3
  case easy = 4

  /// Parses a rating as users and Lua write it; `right` is good, `wrong` is again.
  public init(named name: String) throws(MemoryError) {
    let usual = ["right": "good", "wrong": "again"][name] ?? name
    guard let rating = Rating.allCases.first(where: { $0.name == usual }) else { throw .badAnswer(answer: name) }
    self = rating
  }

  private static let names = ["again", "hard", "good", "easy"]

  public var name: String { Self.names[Int(rawValue) - 1] }
}

/// How well a card is remembered.
///
///     MemoryState(stability: 3.2, difficulty: 5)   // remembered with 90 % after 3.2 days
public struct MemoryState: Equatable, Sendable {
  /// The days after which the probability of recall is 0.9.
  public var stability: Double
  /// From 1 (easy) to 10.
  public var difficulty: Double

  public init(stability: Double, difficulty: Double) { (self.stability, self.difficulty) = (stability, difficulty) }
}

/// The formulas of FSRS-6 with its 21 parameters.
///
///     let model = MemoryModel()
///     let state = model.next(model.initial(.good), .again, days: 3)
public struct MemoryModel: Sendable {
  public static let defaultParameters: [Double] = [
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629, 1.6483,
    0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
  ]

  /// The parameters w0 to w20 in use.
  public let w: [Double]
  let decay: Double
  let factor: Double

  public init() { self.init(checked: MemoryModel.defaultParameters) }

  /// - Parameters:
  ///   - parameters: empty for the published ones, or 17, 19 or 21 numbers.
  ///   - countsSameDay: whether answers on the day of the previous one change the stability.
  /// - Throws: `badOption` for another number of parameters, or one out of its range.
  public init(parameters: [Double], countsSameDay: Bool = true) throws(MemoryError) {
    let converted = try MemoryModel.converted(parameters)
    self.init(checked: converted, countsSameDay: countsSameDay)
  }

  public init(checked given: [Double], countsSameDay: Bool = true) {
    var w = given.count == 21 ? given : MemoryModel.defaultParameters
    if !countsSameDay { (w[17], w[18], w[19]) = (0, 0, 0) }
    self.w = w
    decay = -w[20]
    factor = pow(0.9, 1 / decay) - 1
  }

  /// Returns the probability that a card is remembered after so many days.
  public func retrievability(days: Double, stability: Double) -> Double {
    pow(1 + factor * max(0, days) / clampedStability(stability), decay)
  }

  /// Returns the days after which the probability has fallen to `retention`; not finite for a retention of 0.
  public func exactInterval(stability: Double, retention: Double) -> Double {
    clampedStability(stability) / factor * (pow(retention, 1 / decay) - 1)
  }

  /// Returns the state after the first answer.
  public func initial(_ rating: Rating) -> MemoryState {
    MemoryState(
      stability: clampedStability(w[Int(rating.rawValue) - 1]), difficulty: clampedDifficulty(initialDifficulty(rating))
    )
  }

  /// Returns the state after an answer `days` whole days after the previous one; day 0 has the formula for short times.
  public func next(_ state: MemoryState, _ rating: Rating, days: Int) -> MemoryState {
    let known = MemoryState(
      stability: clampedStability(state.stability), difficulty: clampedDifficulty(state.difficulty))
    let stability: Double
    if days < 1 {
      stability = sameDay(known, rating)
    } else {
      let recall = retrievability(days: Double(days), stability: known.stability)
      stability = rating == .again ? forgotten(known, recall) : recalled(known, recall, rating)
    }
    return MemoryState(stability: clampedStability(stability), difficulty: nextDifficulty(known.difficulty, rating))
  }

  private func initialDifficulty(_ rating: Rating) -> Double { w[4] - exp(w[5] * Double(rating.rawValue - 1)) + 1 }

  /// Damps the change linearly towards 10, then moves a little towards the difficulty after an easy first answer.
  func nextDifficulty(_ difficulty: Double, _ rating: Rating) -> Double {
    let change = -w[6] * Double(rating.rawValue - 3)
    let damped = difficulty + change * (10 - difficulty) / 9
    return clampedDifficulty(w[7] * initialDifficulty(.easy) + (1 - w[7]) * damped)
  }

  func recalled(_ state: MemoryState, _ recall: Double, _ rating: Rating) -> Double {
    let penalty = rating == .hard ? w[15] : 1
    let bonus = rating == .easy ? w[16] : 1
    let gain = exp(w[8]) * (11 - state.difficulty) * pow(state.stability, -w[9]) * (exp(w[10] * (1 - recall)) - 1)
    return state.stability * (1 + gain * penalty * bonus)
  }

  /// Never returns more than what a forgotten answer on the same day would leave.
  func forgotten(_ state: MemoryState, _ recall: Double) -> Double {
    let left = w[11] * pow(state.difficulty, -w[12]) * (pow(state.stability + 1, w[13]) - 1) * exp(w[14] * (1 - recall))
    return min(left, state.stability / exp(w[17] * w[18]))
  }

  func sameDay(_ state: MemoryState, _ rating: Rating) -> Double {
    let change = exp(w[17] * (Double(rating.rawValue) - 3 + w[18])) * pow(state.stability, -w[19])
    return state.stability * (rating == .again ? change : max(1, change))
  }

  func clampedStability(_ value: Double) -> Double { value.isNaN ? 0.001 : min(36_500, max(0.001, value)) }

  func clampedDifficulty(_ value: Double) -> Double { value.isNaN ? 10 : min(10, max(1, value)) }
}
