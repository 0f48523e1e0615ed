// FSRS-7: a card is held in two memories, a slow and a fast one, each with its own forgetting curve. An answer minutes
// after the previous one is like any other: there is no separate formula for the same day. Pure functions of numbers.
// Source: fsrs-rs `src/model_v7.rs` and ts-fsrs `models/fsrs-7`, which agree.
// Invariant: both stabilities are from 0.0001 to 36,500 days and a difficulty from 1 to 10, whatever goes in. The
// published parameters predict worse than those of FSRS-6, so only fitted parameters are used.

import Glibc

/// How well a card is remembered, by FSRS-7.
public struct MemoryState7: Equatable, Sendable {
  /// The stabilities in days; neither is the time after which the probability of recall is 0.9.
  public var slow: Double
  public var fast: Double
  /// From 1 (easy) to 10.
  public var difficulty: Double
}

/// The probability of recall over time: the curves of both memories, mixed by their shares.
public struct ForgettingCurve7: Equatable, Sendable {
  /// Each curve is a power of 1 + rate · days.
  let fastRate, fastPower, slowRate, slowPower: Double
  let fastShare: Double

  public func recall(days: Double) -> Double {
    let slow = exp(-slowPower * log1p(slowRate * max(0, days)))
    let mixed = fastShare * fastRecall(days: days) + (1 - fastShare) * slow
    return MemoryModel7.margin + (1 - 2 * MemoryModel7.margin) * mixed
  }

  func fastRecall(days: Double) -> Double { exp(-fastPower * log1p(fastRate * max(0, days))) }
}

/// The formulas of FSRS-7 with its 34 parameters.
public struct MemoryModel7: Sendable {
  /// The least distance of a probability from 0 and from 1.
  static let margin = 1e-5
  static let stabilities = 1e-4...36_500.0

  /// The parameters w0 to w33 in use.
  public let w: [Double]

  /// - Throws: `badOption` for a number of parameters other than 34, or one out of its range.
  public init(parameters: [Double]) throws(MemoryError) {
    guard parameters.count == Self.count else {
      throw .badOption(name: "fsrs7_parameters", reason: "must be \(Self.count) numbers")
    }
    for (index, value) in parameters.enumerated() where !Self.ranges[index].contains(value) {
      throw .outside(Self.ranges[index], index, of: "fsrs7_parameters")
    }
    w = parameters
  }

  init(checked parameters: [Double]) { w = parameters }

  /// Returns the state after the first answer.
  public func initial(_ rating: Rating) -> MemoryState7 {
    let slow = w[Int(rating.rawValue) - 1]
    return clamped(slow, 0.8 * slow, firstDifficulty(rating))
  }

  /// Returns the state after another answer, so many days after the previous one; 0.007 days is ten minutes.
  public func next(_ state: MemoryState7, _ rating: Rating, days: Double) -> MemoryState7 {
    let known = clamped(state.slow, state.fast, state.difficulty)
    let curve = curve(known)
    let recall = curve.recall(days: days)
    let slow = clamp(answered(7, known.slow, known.difficulty, recall, rating))
    var fast = answered(15, known.fast, known.difficulty, curve.fastRecall(days: days), rating)
    if rating == .again { fast = min(fast, 0.8 * slow) }
    let change = -w[6] * Double(rating.rawValue - 3) * (rating == .again ? recall + 0.1 : 1)
    let damped = known.difficulty + (10 - known.difficulty) * change / 9
    return clamped(slow, fast, 0.01 * firstDifficulty(.easy) + 0.99 * damped)
  }

  public func curve(_ state: MemoryState7) -> ForgettingCurve7 {
    let known = clamped(state.slow, state.fast, state.difficulty)
    let (hardness, logSlow, logFast) = (known.difficulty - 5, log(known.slow), log(known.fast))
    let fastPower = min(0.95, max(0.01, w[23] * exp((w[33] - 0.3) * logFast)))
    let fastGrowth = exp(min(-log(w[25]) / fastPower, 60)) - 1
    let slowPower = min(0.95, max(0.01, w[24]))
    let slowGrowth = (exp(-log(w[26]) / slowPower) - 1) * exp(hardness * (w[32] - 0.3))
    let fastWeight = w[27] * exp(-w[29] * logFast)
    let slowWeight = w[28] * exp(w[30] * logSlow + hardness * (w[31] - 0.5))
    return ForgettingCurve7(
      fastRate: fastGrowth / known.fast, fastPower: fastPower, slowRate: slowGrowth / known.slow,
      slowPower: slowPower, fastShare: fastWeight / (fastWeight + slowWeight))
  }

  /// Returns the probability that a card is remembered after so many days.
  public func retrievability(_ state: MemoryState7, days: Double) -> Double { curve(state).recall(days: days) }

  /// Returns the state of a card of which only the last interval in days is known, because another method scheduled
  /// it: after the interval the card is remembered with a probability of 0.9.
  public func state(interval: Double) -> MemoryState7 {
    let wanted = interval.isNaN ? 1 : min(36_500, max(1 / 86_400.0, interval))
    func state(_ stability: Double) -> MemoryState7 { clamped(stability, 0.8 * stability, 5) }
    // Recall falls with the inverse of the stability.
    return state(1 / falling(to: 0.9, from: 1 / 36_500, to: 1e4) { retrievability(state(1 / $0), days: wanted) })
  }

  private func firstDifficulty(_ rating: Rating) -> Double { w[4] - exp(w[5] * Double(rating.rawValue - 1)) + 1 }

  private func answered(
    _ first: Int, _ stability: Double, _ difficulty: Double, _ recall: Double, _ rating: Rating
  ) -> Double {
    if rating == .again {
      let power = pow(stability + 1, w[first + 4]) - 1
      return min(stability, w[first + 3] * power * exp((1 - recall) * w[first + 5]))
    }
    let factor = rating == .hard ? w[first + 6] : rating == .easy ? w[first + 7] : 1
    let gain = exp(w[first] - 1.5) * (11 - difficulty) * pow(stability, -w[first + 1])
    return stability * (1 + gain * (exp((1 - recall) * w[first + 2]) - 1) * factor)
  }

  private func clamp(_ stability: Double) -> Double {
    stability.isNaN ? Self.stabilities.lowerBound : min(36_500, max(Self.stabilities.lowerBound, stability))
  }

  private func clamped(_ slow: Double, _ fast: Double, _ difficulty: Double) -> MemoryState7 {
    MemoryState7(slow: clamp(slow), fast: clamp(fast), difficulty: difficulty.isNaN ? 10 : min(10, max(1, difficulty)))
  }
}
