// Knowing cards by a date: the plan, tested against a memory other than the one it was planned with.

import Glibc
import Problems
import Testing
import Values

@testable import Memory

@Suite struct RecallPlanTests {
  private static let times = AnswerTimes()

  /// 1,000 new cards, 20 a day.
  private func simulation(_ newCards: Int = 1000) -> Simulation {
    var options = Simulation.Options()
    (options.newPerDay, options.reviewsPerDay) = (20, 9999)
    return Simulation(options: options, cards: [], newCards: newCards)
  }

  /// A user whose memory does not follow the published parameters.
  private func truth(_ seed: UInt64) -> Truth {
    var random = SeededNumbers(seed: seed)
    let w = zip(MemoryModel.defaultParameters, MemoryModel.parameterRanges).map { value, range in
      min(range.upperBound, max(range.lowerBound, value * exp(0.15 * random.normal())))
    }
    return Truth(MemoryModel(checked: w), spread: 0.35)
  }

  private func outcome(
    _ simulation: Simulation, _ retention: Double, _ ending: RecallPlan.Ending? = nil
  ) -> (minutes: Double, recall: Double) {
    var seconds = 0.0
    let course = Simulation.Course(retention: retention, days: 120, seed: 3, ending: ending)
    let cards = simulation.play(course) { seconds += Self.times.seconds($2) }
    return (seconds / 60, simulation.remembered(cards, 120) / Double(cards.count))
  }

  @Test func `for equal minutes a goal is remembered better than with a fixed retention, whatever the true memory`() {
    var gains: [Double] = []
    for seed in [11, 12, 13] as [UInt64] {
      var simulation = simulation()
      simulation.truth = truth(seed)
      let ending = RecallPlan.Ending(days: 7, seconds: 1200, times: Self.times)
      let goal = outcome(simulation, RecallPlan.retention, ending)
      // Between the two fixed retentions whose minutes enclose those of the goal.
      let fixed = [0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97].map { outcome(simulation, $0) }
      guard let above = fixed.firstIndex(where: { $0.minutes >= goal.minutes }), above > 0 else {
        Issue.record("no fixed retention of \(goal.minutes) minutes")
        continue
      }
      let (a, b) = (fixed[above - 1], fixed[above])
      let same = a.recall + (b.recall - a.recall) * (goal.minutes - a.minutes) / (b.minutes - a.minutes)
      gains.append(goal.recall - same)
    }
    #expect(gains.count == 3 && gains.reduce(0, +) / 3 >= 0.02 && gains.allSatisfy { $0 > 0.01 }, "\(gains)")
  }

  @Test func `the plan does not promise more than what is reached`() throws {
    for seed in [21, 22, 23] as [UInt64] {
      var simulation = simulation(500)
      let target = RecallPlan.Target(recall: 0.93, minutes: 20, days: 120)
      let plan = try #require(simulation.plan(for: target) { false })
      simulation.truth = truth(seed)
      let ending = RecallPlan.Ending(days: plan.finalDays, seconds: 1200, times: Self.times)
      #expect(outcome(simulation, RecallPlan.retention, ending).recall >= plan.recall - 0.005, "\(plan)")
      #expect(plan.isReached && plan.recall >= 0.93 && plan.stillNew == 0 && plan.minutesBefore > 1, "\(plan)")
    }
  }

  @Test func `the plan uses the fewest last days that reach the recall, and reports an unreachable one`() throws {
    let start = Simulation.Memory(state: MemoryState(stability: 20, difficulty: 6), elapsed: 10, dueIn: 10)
    let simulation = Simulation(options: Simulation.Options(), cards: Array(repeating: start, count: 300), newCards: 0)
    func plan(_ recall: Double, _ minutes: Double, days: Int = 60) throws -> RecallPlan {
      try #require(simulation.plan(for: RecallPlan.Target(recall: recall, minutes: minutes, days: days)) { false })
    }
    let (easy, hard) = (try plan(0.8, 20), try plan(0.95, 20))
    #expect(easy.finalDays == 3 && easy.isReached && hard.isReached && hard.finalDays >= easy.finalDays)
    #expect(try plan(0.95, 5).finalDays > hard.finalDays)
    let never = try plan(0.99, 1)
    #expect(!never.isReached && never.recall < 0.99 && never.recall > 0.7)
    #expect(try plan(0.95, 20) == hard)
    #expect(try plan(0.95, 20, days: 1).recall > 0.5)
    #expect(simulation.plan(for: RecallPlan.Target(recall: 0.9, minutes: 20, days: 60)) { true } == nil)
  }

  @Test func `cards that cannot be started before the date are reported, and count as unknown`() throws {
    let plan = try #require(simulation(3000).plan(for: RecallPlan.Target(recall: 0.9, minutes: 60, days: 50)) { false })
    #expect(!plan.isReached && (1900...2100).contains(plan.stillNew) && plan.recall < 0.35, "\(plan)")
  }

  @Test func `a sample of the cards gets its share of the daily limits, however small`() throws {
    let start = Simulation.Memory(state: MemoryState(stability: 1e4, difficulty: 5), elapsed: 20_000, dueIn: 0)
    var options = Simulation.Options()
    (options.newPerDay, options.reviewsPerDay) = (5, 3)
    let cards = Array(repeating: start, count: 8000)
    let sample = Simulation(options: options, cards: cards, newCards: 8000).sampled(0.125)
    let forecast = try sample.run(retentions: [0.9], days: 80)[0]
    #expect(forecast.new.reduce(0, +) == 50 && forecast.reviews.reduce(0, +) == 30, "\(forecast.new)")
    #expect(forecast.new.allSatisfy { $0 < 2 })
  }

  @Test func `the best answers fit into the time, none of them twice a day`() {
    let worth = AnswerWorth(RecallModel())
    let cards = (1...200).map {
      (memory: CardMemory(state: MemoryState(stability: Double($0), difficulty: 5)), elapsed: 10)
    }
    let best = worth.best(cards, daysLeft: 5, within: 300)
    let seconds = best.map { worth.gain(cards[$0].memory, elapsed: 10, daysLeft: 5).seconds }
    #expect(seconds.reduce(0, +) < 320 && seconds.reduce(0, +) > 280 && Set(best).count == best.count)
    let least = best.map { place in
      let gain = worth.gain(cards[place].memory, elapsed: 10, daysLeft: 5)
      return gain.recall / gain.seconds
    }
    #expect(least == least.sorted(by: >))
    #expect(worth.best(cards.map { ($0.memory, 0) }, daysLeft: 5, within: 300).isEmpty)
    #expect(worth.best(cards, daysLeft: 5, within: 0).isEmpty)
  }
}
