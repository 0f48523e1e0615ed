// Intervals that vary a little, so that cards answered together do not come back together for ever.
// Source: Anki, rslib/src/scheduler/states/fuzz.rs. Invariant: the same seed gives the same interval; it is never out
// of the bounds that it was given.

/// How an interval may vary.
public struct Fuzz: Sendable {
  /// From 0 to 1 without 1; nil for intervals that do not vary.
  let share: Double?
  /// What the days hold already, and the day that intervals begin on; nil where all days are alike.
  private var days: (loads: DayLoads, today: Int)?

  public static let none = Fuzz(share: nil)

  private init(share: Double?) { self.share = share }

  /// - Parameters:
  ///   - seed: SplitMix64's mixing makes neighbouring seeds give shares that have nothing in common.
  ///   - loads: what the days hold already, from which those are chosen that hold little.
  ///   - today: the number of the day that intervals begin on.
  public init(seed: UInt64, loads: DayLoads? = nil, today: Int = 0) {
    share = Double(Fuzz.mixed(seed) >> 11) / 9_007_199_254_740_992
    days = loads.map { ($0, today) }
  }

  public static func mixed(_ seed: UInt64) -> UInt64 {
    var mixed = seed &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Whole days from `minimum` to `maximum`, near an interval.
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

  /// Between which days an interval may become another one.
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
