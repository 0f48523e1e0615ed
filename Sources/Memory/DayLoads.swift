// Chooses the day on which a card comes back, of those that fuzz allows: preferably a day with few cards, rarely or
// never a day that the user keeps free, and not a day with other cards of its note. The mean interval stays that of the
// model: the weights of the days, the eighth power of the room on each, are tilted until it does. Invariant: pure; the
// same loads and chance give the same day, which is in the range or next to it, if that is a single free day.

import Glibc

/// The number of cards due on each day, and the share of a usual day's cards that each day of the week may have.
public struct DayLoads: Equatable, Sendable {
  /// How many days are counted by default.
  public static let horizon = 400
  /// The factor for the weight of a day on which a card of the same note is due.
  private static let sibling = 1e-9

  /// The number of cards of each day, from `first` on.
  private var counts: [Int]
  /// The number of the first day that is counted.
  private let first: Int
  /// From 0 (free) to 1, for Monday to Sunday.
  public var shares: [Double] {
    didSet { if shares.count != 7 { shares = Self.usual } }
  }
  private static let usual = Array(repeating: 1.0, count: 7)
  /// Days on which other cards of the current card's note are due.
  public var siblings: Set<Int> = []

  /// - Parameter shares: for Monday to Sunday.
  public init(shares: [Double] = [], from first: Int, days: Int = horizon) {
    self.first = first
    self.shares = shares.count == 7 ? shares : Self.usual
    counts = Array(repeating: 0, count: days)
  }

  /// Counts cards on a day; a negative number removes some.
  public mutating func add(_ count: Int = 1, on day: Int) {
    if counts.indices.contains(day - first) { counts[day - first] = max(0, counts[day - first] + count) }
  }

  /// Returns the day of the week, from 0 (Monday) to 6; 1970 began on a Thursday.
  static func weekday(of day: Int) -> Int { ((day + 3) % 7 + 7) % 7 }

  /// The share of a usual day's cards that a day may have.
  public func share(of day: Int) -> Double { shares[Self.weekday(of: day)] }

  private func weight(_ day: Int) -> Double {
    let share = share(of: day)
    let count = counts.indices.contains(day - first) ? counts[day - first] : 0
    let room = share / Double(count + 1)
    let (two, four) = (room * room, room * room * room * room)
    return share * four * two * two * (siblings.contains(day) ? Self.sibling : 1)
  }

  /// Returns the interval in whole days, from `range`, of a card that is answered on a day.
  /// - Parameter chance: a random number from 0 to less than 1.
  func days(_ interval: Double, in range: ClosedRange<Int>, on day: Int, chance: Double) -> Int {
    if range.count == 1 { return moved(range.lowerBound, on: day) }
    var weights: [Double] = []
    weights.reserveCapacity(range.count)
    var most = 0.0
    for days in range {
      weights.append(weight(day + days))
      most = max(most, weights[weights.count - 1])
    }
    guard most > 0 else { return min(range.upperBound, max(range.lowerBound, Int(interval.rounded()))) }
    let sum = tilt(&weights, most, to: interval - Double(range.lowerBound))
    var (rest, last) = (chance * sum, 0)
    for offset in 0..<weights.count where weights[offset] > 0 {
      rest -= weights[offset]
      last = offset
      if rest < 0 { break }
    }
    return range.lowerBound + last
  }

  /// Multiplies the weights with powers of a number so that their mean offset is as near to `wanted` as possible.
  /// - Returns: the sum of the weights.
  private func tilt(_ weights: inout [Double], _ most: Double, to wanted: Double) -> Double {
    // The logarithm of that number is between these; for n weights, 60 / n tilts as far as any day needs.
    let far = 60 / Double(weights.count)
    var (low, high, tilt) = (-far, far, 0.0)
    for _ in 0..<40 {
      let (mean, spread) = weights.withUnsafeBufferPointer { moments($0, most, tilt, around: wanted) }
      if abs(mean) < 1e-9 { break }
      if mean < 0 { low = tilt } else { high = tilt }
      // Newton's method, with bisection if a step leaves the bounds.
      let next = tilt - mean / spread
      tilt = next > low && next < high ? next : (low + high) / 2
      if high - low < 1e-12 { break }
    }
    var sum = 0.0
    for offset in 0..<weights.count {
      weights[offset] = weights[offset] / most * exp(tilt * (Double(offset) - wanted))
      sum += weights[offset]
    }
    return sum
  }

  /// Returns the mean offset of the tilted weights, relative to `wanted`, and its variance.
  private func moments(
    _ weights: UnsafeBufferPointer<Double>, _ most: Double, _ tilt: Double, around wanted: Double
  ) -> (mean: Double, spread: Double) {
    let step = exp(tilt)
    var (power, place) = (exp(-tilt * wanted), -wanted)
    var (sum, first, second) = (0.0, 0.0, 0.0)
    for weight in weights {
      let tilted = weight / most * power
      sum += tilted
      first += tilted * place
      second += tilted * place * place
      power *= step
      place += 1
    }
    let mean = first / sum
    return (mean, second / sum - mean * mean)
  }

  /// Returns an interval that cannot vary; if its day is free, a day later, or else a day earlier.
  private func moved(_ days: Int, on day: Int) -> Int {
    if share(of: day + days) > 0 { return days }
    if share(of: day + days + 1) > 0 { return days + 1 }
    return days > 1 && share(of: day + days - 1) > 0 ? days - 1 : days
  }
}
