// The parameters of FSRS-6, their ranges, and the conversion of older ones, which are then in range. Source:
// `open-spaced-repetition/fsrs-rs`, src/model.rs and src/parameter_clipper.rs.

import Glibc
import Text

extension MemoryModel {
  public static let parameterRanges: [ClosedRange<Double>] = [
    0.001...100, 0.001...100, 0.001...100, 0.001...100, 1...10, 0.001...4, 0.001...4, 0.001...0.75, 0...4.5, 0...0.8,
    0.001...3.5, 0.001...5, 0.001...0.25, 0.001...0.9, 0...4, 0...1, 1...6, 0...2, 0...2, 0...0.8, 0.1...0.8,
  ]

  /// Adjusts the stabilities after a first answer, of either model, so that they never fall from again to easy: the one
  /// with fewer answers moves. One without answers moves by its logarithm as those beside it do.
  /// - Parameter firsts: the numbers of cards that began with each answer.
  static func orderFirsts(_ w: inout [Double], published: [Double] = defaultParameters, firsts: [Int]) {
    let known = (0..<4).filter { firsts[$0] > 0 }
    guard let first = known.first, let last = known.last else { return }
    let moves = (0..<4).map { log(w[$0] / published[$0]) }
    for index in 0..<4 where firsts[index] == 0 {
      let (below, above) = (known.last { $0 < index } ?? first, known.first { $0 > index } ?? last)
      let share = above > below ? Double(index - below) / Double(above - below) : 0
      w[index] = min(100, published[index] * exp((1 - share) * moves[below] + share * moves[above]))
    }
    for (low, high) in [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (0, 3)] where w[low] > w[high] {
      if firsts[low] > firsts[high] { w[high] = w[low] } else { w[low] = w[high] }
    }
    for index in 1..<4 { w[index] = max(w[index], w[index - 1]) }
  }

  /// Converts the parameters of FSRS 4.5 (17), FSRS-5 (19) or FSRS-6 to the 21 of FSRS-6; empty stays empty.
  /// - Throws: `badOption` for another number of parameters, one that is not a finite number, or one out of its range.
  public static func converted(_ given: [Double]) throws(MemoryError) -> [Double] {
    switch given.count {
    case 0: return []
    case 17, 19, 21: break
    default:
      throw .badOption(
        name: "parameters", reason: "must be empty, or have 17, 19 or 21 numbers (there are \(grouped(given.count)))")
    }
    // Older versions had other ranges, so of their parameters only those that are not finite numbers are refused.
    for (index, value) in given.enumerated() where !value.isFinite {
      throw .outside(parameterRanges[index], index, of: "parameters")
    }
    if given.count == 21 {
      for (index, value) in given.enumerated() where !parameterRanges[index].contains(value) {
        throw .outside(parameterRanges[index], index, of: "parameters")
      }
      return given
    }
    var longer = given + (given.count == 17 ? [0, 0, 0, 0.5] : [0, 0.5])
    if given.count == 17 {
      // In FSRS 4.5, difficulty was linear and relative to a good answer.
      longer[4] = given[5] * 2 + given[4]
      longer[5] = log(given[5] * 3 + 1) / 3
      longer[6] = given[6] + 0.5
    }
    return zip(longer, parameterRanges).map { min($1.upperBound, max($1.lowerBound, $0)) }
  }

  /// Returns the state of a card that was scheduled by SM-2, from its last interval and ease.
  /// - Parameters:
  ///   - ease: 2.5 for a factor of 2,500.
  ///   - retention: the share of cards that was remembered under SM-2.
  public func state(ease: Double, interval: Double, retention: Double = 0.9) -> MemoryState {
    let retention = min(0.9999, max(0.0001, retention))
    let stability = clampedStability(max(0.001, interval) / exactInterval(stability: 1, retention: retention))
    let growth = exp(w[8]) * pow(stability, -w[9]) * (exp((1 - retention) * w[10]) - 1)
    return MemoryState(stability: stability, difficulty: clampedDifficulty(11 - (ease - 1) / growth))
  }
}
