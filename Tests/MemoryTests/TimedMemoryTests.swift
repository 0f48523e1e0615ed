// A card's FSRS-7 state computed from its answers, the limit on first ratings, what a preset stores, and simulations.

import Problems
import TestSupport

@testable import Memory

@Suite struct TimedMemoryTests {
  private static let model = MemoryModel7(checked: MemoryModel7.published)

  private func seven(_ firsts: [Int] = [100, 100, 100, 100]) throws -> RecallModel {
    let fitted = try FittedModels(answers: 5000, parameters: MemoryModel7.published, firsts: firsts)
    return RecallModel(MemoryModel(), fitted, .fsrs7)
  }

  @Test func `a replay predicts the same as the fitting`() throws {
    let history = try RealLog.history()
    let gradient = MemoryGradient7(history)
    gradient.setParameters(MemoryModel7.published)
    let recallModel = try seven()
    var worst = 0.0
    for card in 0..<200 {
      let start = history.starts[card]
      var replay = TimedMemory.Replay(recallModel)
      func add(_ index: Int) throws {
        let given = try #require(Rating(rawValue: Int64(history.ratings[start + index])))
        replay.add(
          at: Double(history.moments[start + index]) / 1000, given, isFirst: index == 0, isLearning: index == 0)
      }
      try add(0)
      var expected: [Double] = []
      gradient.visit(card) { _, recall, _ in expected.append(recall) }
      for index in 1..<(history.starts[card + 1] - start) {
        let state = try #require(replay.memory?.state)
        let days = Double(history.moments[start + index] - history.moments[start + index - 1]) / 86_400_000
        worst = max(worst, abs(Self.model.retrievability(state, days: days) - expected[index - 1]))
        try add(index)
      }
      #expect(replay.memory?.first.rawValue == Int64(history.ratings[start]))
    }
    #expect(worst < 1e-9, "\(worst)")
  }

  @Test func `answers before a card was reset are ignored, and a reset card starts anew`() throws {
    var replay = TimedMemory.Replay(try seven())
    replay.add(at: 100, .good, isFirst: false, isLearning: false)
    #expect(replay.memory == nil && replay.last == 100)
    replay.add(at: 86_400, .easy, isFirst: true, isLearning: true)
    #expect(replay.memory == TimedMemory(Self.model.initial(.easy), first: .easy))
    replay.add(at: 9 * 86_400, .again, isFirst: false, isLearning: false)
    replay.add(at: 10 * 86_400, .hard, isFirst: true, isLearning: true)
    #expect(replay.memory == TimedMemory(Self.model.initial(.hard), first: .hard))
  }

  @Test func `a first easy rating with little data is limited to twice the interval of FSRS-6`() throws {
    let usual = MemoryModel().exactInterval(stability: 8.2956, retention: 0.9)
    for (firsts, isLimited) in [([60, 10, 50, 49], true), ([60, 10, 50, 50], false)] {
      let model = try seven(firsts)
      let days = model.interval(model.initial(.easy), retention: 0.9)
      let own = Self.model.exactInterval(Self.model.initial(.easy), retention: 0.9)
      #expect(own > 2 * usual && isNear(days, isLimited ? 2 * usual : own, 1e-9), "\(days)")
      let good = model.initial(.good)
      #expect(
        isNear(
          model.interval(good, retention: 0.9), Self.model.exactInterval(Self.model.initial(.good), retention: 0.9),
          1e-9))
    }
  }

  @Test func `a fitting is due again when the log grew by a tenth, and by at least 200 answers`() throws {
    let small = try FittedModels(answers: 500, prefersFSRS6: false)
    #expect(!small.isDue(answers: 699) && small.isDue(answers: 700) && small.model == nil)
    let large = try FittedModels(answers: 50_000, prefersFSRS6: false)
    #expect(!large.isDue(answers: 54_999) && large.isDue(answers: 55_000))
  }

  @Test func `parameters of another version are dropped with what was fitted to them, and bad ones refused`() throws {
    let time = AnswerTime(median: 4, shift: 0.1, slope: -0.2)
    let other = try FittedModels(
      answers: 1, parameters: [1, 2], firsts: [1, 2, 3, 4], time: time, version: MemoryModel7.version + 1)
    #expect(other.parameters.isEmpty && other.time == nil && other.model(.both) == .fsrs6)
    #expect(throws: MemoryError.self) { try FittedModels(answers: 1, parameters: [1, 2]) }
  }

  @Test func `a model that was not fitted never schedules, and auto is both unless FSRS-6 is better`() throws {
    let time = AnswerTime(median: 4, shift: 0.1, slope: -0.2)
    let none = try FittedModels(answers: 1)
    let short = try FittedModels(answers: 1, time: time)
    let whole = try FittedModels(answers: 1, parameters: MemoryModel7.published, time: time)
    let refused = try FittedModels(answers: 1, prefersFSRS6: true, parameters: MemoryModel7.published, time: time)
    let asked: [ModelChoice] = [.auto, .both, .fsrs6, .fsrs7]
    #expect(asked.map { none.model($0) } == [.fsrs6, .fsrs6, .fsrs6, .fsrs6])
    #expect(asked.map { short.model($0) } == [.both, .both, .fsrs6, .fsrs6])
    #expect(asked.map { whole.model($0) } == [.both, .both, .fsrs6, .fsrs7])
    #expect(asked.map { refused.model($0) } == [.fsrs6, .both, .fsrs6, .fsrs7])
  }

  @Test func `a simulation uses FSRS-7 if it schedules`() throws {
    var options = Simulation.Options()
    let usual = Simulation(options: options, cards: [], newCards: 300)
    options.model = try seven()
    let timed = Simulation(options: options, cards: [], newCards: 300)
    let (one, other) = (try usual.run(retentions: [0.9], days: 90)[0], try timed.run(retentions: [0.9], days: 90)[0])
    #expect(one.reviews != other.reviews && other.known.allSatisfy { $0.isFinite && $0 <= 300 })
    // A higher retention costs more with either model.
    #expect(try timed.run(retentions: [0.95], days: 90)[0].reviewsPerDay > other.reviewsPerDay)
    let state = MemoryState(stability: 20, difficulty: 5)
    let known = [MemoryState7(slow: 2, fast: 1, difficulty: 8), MemoryState7(slow: 50, fast: 40, difficulty: 5)].map {
      let start = Simulation.Memory(state: state, elapsed: 10, dueIn: 10, timed: TimedMemory($0, first: .good))
      return Simulation(options: options, cards: [start], newCards: 0).knownToday
    }
    #expect(known[0] < known[1])
  }

  @Test func `a plan depends on no single answer, though recall today does`() throws {
    let time = AnswerTime(median: 4, shift: 0, slope: -0.3)
    let fitted = try FittedModels(answers: 1, parameters: MemoryModel7.published, firsts: [99, 99, 99, 99], time: time)
    var options = Simulation.Options()
    options.model = RecallModel(MemoryModel(), fitted, .both)
    let simulations = [-1.0, 1.0].map { hesitation in
      let timed = TimedMemory(MemoryState7(slow: 20, fast: 15, difficulty: 5), first: .good, hesitation: hesitation)
      let start = Simulation.Memory(
        state: MemoryState(stability: 20, difficulty: 5), elapsed: 10, dueIn: 0, timed: timed)
      return Simulation(options: options, cards: Array(repeating: start, count: 50), newCards: 0)
    }
    #expect(simulations[0].knownToday > simulations[1].knownToday + 0.02)
    #expect(
      try simulations[0].run(retentions: [0.9], days: 60) == simulations[1].run(retentions: [0.9], days: 60))
  }
}
