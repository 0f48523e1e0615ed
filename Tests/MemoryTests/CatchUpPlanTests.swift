// Coming back from a pause: the plan compared with a reference, its rules, and what it costs and keeps in simulations
// with a memory other than the one it was planned with.

import Problems
import TestSupport
import Testing
import Values

@testable import Memory

@Suite struct CatchUpPlanTests {
  @Test func `the plan is that of the reference: order, gains, days and level`() throws {
    let text = Array(try fixtureText("catchup.json").utf8)
    let reference = try #require(
      try JSONParser.parse(text, limits: JSONLimits(bytes: 1 << 20, depth: 8, values: 10_000, string: 1000)).record)
    let (today, count) = (try #require(reference["today"]?.integer), try #require(reference["days"]?.integer))
    let worth = AnswerWorth(RecallModel(), times: times)
    var (ids, values): ([Int], [(worth: Double, seconds: Double)]) = ([], [])
    var days = Array(repeating: (share: 1.0, load: 0.0), count: 30)
    for card in reference["cards"]?.list ?? [] {
      let card = try #require(card.record)
      func number(_ name: String) throws -> Double { try #require(card[name]?.double) }
      let state = MemoryState(stability: try number("stability"), difficulty: try number("difficulty"))
      let (last, due) = (Int(try number("last")), Int(try number("due")))
      let gain = worth.gain(CardMemory(state: state), elapsed: max(today, due) - last, daysLeft: 30)
      if due <= today {
        ids.append(Int(try number("id")))
        values.append((gain.recall / gain.seconds, gain.seconds))
      } else if due < today + 30 {
        days[due - today].load += gain.seconds
      }
    }
    let plan = CatchUpPlan(values, over: count, of: days)
    let expected = try (reference["plan"]?.list ?? []).map { try #require($0.record) }
    #expect(plan.places.map { ids[$0.card] } == expected.map { $0["id"]?.integer ?? -1 } && ids.count == 40)
    #expect(plan.places.map { $0.day } == expected.map { $0["day"]?.integer })
    for (place, row) in zip(plan.places, expected) {
      #expect(abs(values[place.card].worth - (row["gain_per_second"]?.double ?? 0)) < 5.1e-7)
    }
    #expect(abs(plan.level - (reference["level_seconds"]?.double ?? 0)) < 0.0051)
    let seconds = (0..<count).map { day in
      plan.places.reduce(days[day].load) { $0 + ($1.day == day ? values[$1.card].seconds : 0) }
    }
    let ofDays = (reference["seconds_by_day"]?.list ?? []).map { $0.double ?? 0 }
    #expect(ofDays.count == count && zip(seconds, ofDays).allSatisfy { abs($0 - $1) < 0.051 }, "\(seconds)")
    let backlog = values.reduce(0) { $0 + $1.seconds }
    #expect(abs(backlog - (reference["backlog_seconds"]?.double ?? 0)) < 0.0051)
  }

  @Test func `no day gets more than the level and one card, and each card has one day`() {
    var random = SeededNumbers(seed: 4)
    for _ in 0..<200 {
      let cards = (0..<Int(random.share() * 80 + 1)).map { _ in
        (worth: random.share(), seconds: 7 + 13 * random.share())
      }
      let count = Int(random.share() * 20) + 1
      let days = (0..<30).map { _ in (share: Double(Int(random.share() * 3)) / 2, load: 60 * random.share()) }
      let plan = CatchUpPlan(cards, over: count, of: days)
      #expect(Set(plan.places.map { $0.card }).count == cards.count && plan.places.count == cards.count)
      #expect(zip(plan.places, plan.places.dropFirst()).allSatisfy { cards[$0.card].worth >= cards[$1.card].worth })
      guard days.prefix(count).contains(where: { $0.share > 0 }) else { continue }
      for day in 0..<count {
        let seconds = plan.places.reduce(0) { $0 + ($1.day == day ? cards[$1.card].seconds : 0) }
        #expect(seconds <= max(0, plan.level * days[day].share - days[day].load) + 20)
      }
    }
  }

  @Test func `a card that finds no room gets a later day, or none`() {
    let cards = Array(repeating: (worth: 1.0, seconds: 10.0), count: 8)
    var left = [1, 2, 0, 3]
    let plan = CatchUpPlan(cards, over: 2, of: Array(repeating: (share: 1, load: 0), count: 4)) { _, day in
      left[day] -= 1
      return left[day] >= 0
    }
    #expect(plan.places.map { $0.day } == [0, 1, 1, 3, 3, 3, nil, nil] && plan.places.map { $0.card } == Array(0..<8))
  }

  // MARK: Simulations

  /// A learner who studied for some months, then paused.
  private struct Learner {
    let simulation: Simulation
    let cards: [Simulation.Memory]
    /// The seconds of a usual day, without new cards.
    let usual: Double
    let seed: UInt64

    init(_ seed: UInt64) {
      var random = SeededNumbers(seed: seed)
      var options = Simulation.Options()
      (options.newPerDay, options.reviewsPerDay) = (2 + Int(random.share() * 6), 9999)
      var simulation = Simulation(options: options, cards: [], newCards: 5000)
      let w = zip(MemoryModel.defaultParameters, MemoryModel.parameterRanges).map { value, range in
        min(range.upperBound, max(range.lowerBound, value * (1 + 0.1 * random.normal())))
      }
      simulation.truth = seed % 2 == 0 ? Truth(MemoryModel(checked: w), spread: 0.35) : nil
      let days = 120 + Int(random.share() * 120)
      var seconds: [Double] = []
      cards = simulation.play(.init(retention: 0.9, days: days, seed: seed)) { _, _, counts in
        seconds.append(times.seconds((counts.reviews, 0, counts.forgotten)))
      }
      .map { card in
        var card = card
        (card.last, card.due) = (card.last - days, card.due - days)
        return card
      }
      usual = seconds.suffix(30).reduce(0, +) / 30
      (self.simulation, self.seed) = (simulation, seed)
    }

    /// Plays 30 days after a pause. Without a plan, all that is due is answered on the first day.
    func comeBack(after pause: Int, planned: Bool) -> (peak: Double, recall: Double) {
      var cards = cards
      for place in cards.indices {
        cards[place].last -= pause
        cards[place].due -= pause
      }
      if planned { plan(&cards) }
      for place in cards.indices { cards[place].due = max(0, cards[place].due) }
      var again = Simulation(options: simulation.options, cards: cards, newCards: 0)
      again.truth = simulation.truth
      var peak = 0.0
      let end = again.play(.init(retention: 0.9, days: 30, seed: seed &+ 1)) { peak = max(peak, times.seconds($2)) }
      return (peak / usual, again.remembered(end, 30) / Double(end.count))
    }

    private func plan(_ cards: inout [Simulation.Memory]) {
      let worth = AnswerWorth(RecallModel(), times: times)
      var days = Array(repeating: (share: 1.0, load: 0.0), count: 30)
      var (places, values): ([Int], [(worth: Double, seconds: Double)]) = ([], [])
      for (place, card) in cards.enumerated() where card.due < 30 {
        let gain = worth.gain(card.memory, elapsed: max(0, card.due) - card.last, daysLeft: 30)
        if card.due > 0 {
          days[card.due].load += gain.seconds
        } else {
          places.append(place)
          values.append((gain.recall / gain.seconds, gain.seconds))
        }
      }
      let backlog = values.reduce(0) { $0 + $1.seconds }
      let count = min(30, max(7, Int((backlog / usual).rounded(.up))))
      for (card, day) in CatchUpPlan(values, over: count, of: days).places { cards[places[card]].due = day ?? 29 }
    }
  }

  @Test func `in 60 simulated backlogs no day takes more than 3.2 usual ones, and as much is remembered after a month`()
  {
    var worst = (peak: 0.0, loss: 0.0)
    for seed in 1...60 as ClosedRange<UInt64> {
      let learner = Learner(seed)
      let pause = 10 + Int(seed * 17 % 81)
      let (plan, atOnce) = (
        learner.comeBack(after: pause, planned: true), learner.comeBack(after: pause, planned: false)
      )
      worst = (max(worst.peak, plan.peak), max(worst.loss, atOnce.recall - plan.recall))
    }
    #expect(worst.peak <= 3.2 && worst.loss <= 0.002, "\(worst)")
  }
}

private let times = AnswerTimes()
