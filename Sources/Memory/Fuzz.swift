// Varies intervals a little, so that cards that are answered together do not come back together forever. Source: Anki,
// rslib/src/scheduler/states/fuzz.rs. Invariant: the same seed gives the same interval, within the bounds.

import Glibc
import Values

/// How an interval may vary.
public struct Fuzz: Sendable {
  /// A random number from 0 to less than 1; nil if intervals do not vary.
  let share: Double?
  /// The cards on each day, and the day on which intervals begin; nil if all days are alike.
  private var days: (loads: DayLoads, today: Int)?

  public static let none = Fuzz(share: nil)

  private init(share: Double?) { self.share = share }

  /// - Parameter loads: the cards on each day; days with few cards are preferred.
  public init(seed: UInt64, loads: DayLoads? = nil, today: Int = 0) {
    var numbers = SeededNumbers(seed: seed)
    share = numbers.share()
    days = loads.map { ($0, today) }
  }

  /// Returns the first random number of a seed; those of neighbouring seeds are unrelated.
  public static func mixed(_ seed: UInt64) -> UInt64 {
    var numbers = SeededNumbers(seed: seed)
    return numbers.next()
  }

  /// Returns whole days from `minimum` to `maximum`, near an interval.
  public func days(_ interval: Double, from minimum: Int, to maximum: Int) -> Int {
    let maximum = max(1, maximum)
    let minimum = min(max(1, minimum), maximum)
    let interval = interval.isNaN ? 1 : min(Double(maximum), max(Double(minimum), interval))
    guard let share else { return min(maximum, max(minimum, Int(interval.rounded(.toNearestOrEven)))) }
    let bounds = Fuzz.bounds(interval)
    let lower = min(maximum, max(minimum, bounds.lowerBound))
    var upper = min(maximum, max(minimum, bounds.upperBound))
    if upper == lower, upper > 2, upper < maximum { upper += 1 }
    if let days {
      let chosen = days.loads.days(interval, in: lower...upper, on: days.today, chance: share)
      return (minimum...maximum).contains(chosen) ? chosen : lower
    }
    return min(upper, Int(Double(lower) + share * Double(1 + upper - lower)))
  }

  /// Returns the range of days within which an interval may vary.
  public static func bounds(_ interval: Double) -> ClosedRange<Int> {
    guard interval >= 2.5 else {
      let whole = Int(max(0, interval).rounded())
      return whole...whole
    }
    var delta = 1.0
    for (start, end, factor) in [(2.5, 7, 0.15), (7, 20, 0.1), (20, Double.infinity, 0.05)] {
      delta += factor * max(0, min(interval, end) - start)
    }
    return Int((interval - delta).rounded())...Int((interval + delta).rounded())
  }
}

extension SeededNumbers {
  /// Returns a number from 0 to less than 1.
  mutating func share() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Returns a normally distributed number of mean 0 and deviation 1 (Box and Muller).
  mutating func normal() -> Double { (-2 * log(1 - share())).squareRoot() * cos(2 * Double.pi * share()) }
}
