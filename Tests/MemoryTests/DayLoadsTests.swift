// Balancing the daily load: days with few cards, days kept free, cards of one note kept apart; intervals keep their
// mean length.

import Glibc
import Testing
import Values

@testable import Memory

@Suite struct DayLoadsTests {
  /// Returns the reviews of days 150 to 400 with 10 new cards a day; day 0 is a Monday.
  private func reviews(_ change: (inout Simulation.Options) -> Void) throws -> [Int] {
    var options = Simulation.Options()
    (options.newPerDay, options.reviewsPerDay, options.today) = (10, 9999, 4)
    change(&options)
    let simulation = Simulation(options: options, cards: [], newCards: 4000)
    return Array(try simulation.run(retentions: [0.9], days: 400, seed: 5)[0].reviews.dropFirst(150))
  }

  /// The mean relative deviation from the mean of the 29 days around each day.
  private func deviation(_ reviews: [Int]) -> Double {
    let days = 14..<reviews.count - 14
    return days.reduce(0) { sum, day in
      let trend = Double(reviews[day - 14...day + 14].reduce(0, +)) / 29
      return sum + abs(Double(reviews[day]) - trend) / trend
    } / Double(days.count)
  }

  @Test func `reviews are spread evenly over the days, and are as many as before`() throws {
    let (before, after) = (try reviews { _ in }, try reviews { $0.balances = true })
    let (was, now) = (deviation(before), deviation(after))
    #expect(now <= 0.065 && was > 0.075, "\(was), \(now)")
    let ratio = Double(after.reduce(0, +)) / Double(before.reduce(0, +))
    #expect(abs(ratio - 1) < 0.02, "\(ratio)")
  }

  @Test(arguments: [(0.0, 0.1), (0.5, 0.72)])
  func `a day of the week gets as few reviews as its share allows`(share: Double, most: Double) throws {
    let reviews = try reviews { options in
      options.balances = true
      options.shares = [1, 1, 1, 1, 1, 1, share]
    }
    var (sundays, others) = ([Double](), [Double]())
    for (offset, count) in reviews.enumerated() {
      if (150 + offset) % 7 == 6 { sundays.append(Double(count)) } else { others.append(Double(count)) }
    }
    let ratio = sundays.reduce(0, +) / Double(sundays.count) / (others.reduce(0, +) / Double(others.count))
    #expect(ratio <= most && (share == 0 || ratio > 0.4), "\(ratio)")
  }

  @Test func `the mean interval is that of the model, whatever the load of the days`() {
    var random = SeededNumbers(seed: 9)
    for interval in [3.4, 8, 21.3, 60, 200] {
      var loads = DayLoads(from: 0)
      for day in 0..<300 { loads.add(Int(random.share() * 40), on: day) }
      let count = 4000
      let sum = (0..<count).reduce(0) { sum, _ in
        sum + Fuzz(seed: random.next(), loads: loads, today: 0).days(interval, from: 1, to: 36_500)
      }
      #expect(abs(Double(sum) / Double(count) / interval - 1) < 0.02, "\(interval)")
    }
  }

  @Test func `the chosen intervals of a year are as long as the exact ones`() {
    var (random, loads, sum, exact) = (SeededNumbers(seed: 3), DayLoads(from: 0), 0.0, 0.0)
    for card in 0..<20_000 {
      let interval = 3 * exp(4 * random.share())
      let days = Fuzz(seed: random.next(), loads: loads, today: card % 200).days(interval, from: 1, to: 36_500)
      loads.add(on: card % 200 + days)
      sum += Double(days)
      exact += interval
    }
    #expect(abs(sum / exact - 1) < 0.003, "\(sum / exact)")
  }

  @Test func `a free day is skipped, a single day is moved, and cards of one note are kept apart`() {
    // Day 3 of 1970 was a Sunday.
    let free = DayLoads(shares: [1, 1, 1, 1, 1, 1, 0], from: 0)
    for seed in 0..<200 as Range<UInt64> {
      let days = Fuzz(seed: seed, loads: free, today: 0).days(10, from: 1, to: 100)
      #expect(days % 7 != 3)
      #expect(Fuzz(seed: seed, loads: free, today: 1).days(2, from: 1, to: 100) == 3)
      #expect(Fuzz(seed: seed, loads: free, today: 1).days(2, from: 1, to: 2) == 2)
    }
    var apart = DayLoads(from: 0)
    apart.siblings = [9, 10]
    let days = (0..<200 as Range<UInt64>).map { Fuzz(seed: $0, loads: apart, today: 0).days(10, from: 1, to: 100) }
    #expect(days.count { $0 == 9 || $0 == 10 } <= 2 && Set(days).count >= 3)
    let none = DayLoads(shares: [0, 0, 0, 0, 0, 0, 0], from: 0)
    #expect(Fuzz(seed: 1, loads: none, today: 0).days(10, from: 1, to: 100) == 10)
  }
}
