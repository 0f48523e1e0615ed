// A card's FSRS-7 state computed from its answers, the limit on first ratings, and simulations with FSRS-7.

import Problems
import TestSupport

@testable import Memory

@Suite struct TimedMemoryTests {
  private static let model = MemoryModel7(checked: MemoryModel7.published)

  private func fitted(_ firsts: [Int]) throws -> FittedModels {
    try FittedModels(answers: 5000, prefersFSRS7: true, parameters: MemoryModel7.published, firsts: firsts)
  }

  @Test func `a replay predicts the same as the fitting`() throws {
    let history = try RealLog.history()
    let gradient = MemoryGradient7(history)
    gradient.setParameters(MemoryModel7.published)
    var worst = 0.0
    for card in 0..<200 {
      let start = history.starts[card]
      var replay = TimedMemory.Replay(Self.model)
      func add(_ index: Int) throws {
        let given = try #require(Rating(rawValue: Int64(history.ratings[start + index])))
        replay.add(
          at: Double(history.moments[start + index]) / 1000, given, isFirst: index == 0, isLearning: index == 0)
      }
      try add(0)
      var expected: [Double] = []
      gradient.visit(card) { _, recall, _ in expected.append(recall) }
      for index in 1..<(history.starts[card + 1] - start) {
        let recall = try #require(replay.recall(at: Double(history.moments[start + index]) / 1000))
        worst = max(worst, abs(recall - expected[index - 1]))
        try add(index)
      }
      #expect(replay.memory?.first.rawValue == Int64(history.ratings[start]))
    }
    #expect(worst < 1e-9, "\(worst)")
  }

  @Test func `answers before a card was reset are ignored, and a reset card starts anew`() {
    var replay = TimedMemory.Replay(Self.model)
    replay.add(at: 100, .good, isFirst: false, isLearning: false)
    #expect(replay.memory == nil && replay.recall(at: 200) == nil)
    replay.add(at: 86_400, .easy, isFirst: true, isLearning: true)
    #expect(replay.memory == TimedMemory(Self.model.initial(.easy), first: .easy))
    replay.add(at: 9 * 86_400, .again, isFirst: false, isLearning: false)
    replay.add(at: 10 * 86_400, .hard, isFirst: true, isLearning: true)
    #expect(replay.memory == TimedMemory(Self.model.initial(.hard), first: .hard))
  }

  @Test func `a first easy rating with little data is limited to twice the interval of FSRS-6`() throws {
    let fitted = try fitted([60, 10, 50, 49])
    #expect(fitted.guarded(54, first: .easy, usual: 8) == 16 && fitted.guarded(10, first: .easy, usual: 8) == 10)
    #expect(fitted.guarded(54, first: .good, usual: 8) == 54 && fitted.guarded(54, first: .again, usual: 8) == 54)
  }

  @Test func `a fitting is due again when the log grew by a tenth, and by at least 200 answers`() throws {
    let small = try FittedModels(answers: 500, prefersFSRS7: false)
    #expect(!small.isDue(answers: 699) && small.isDue(answers: 700) && small.model == nil)
    let large = try FittedModels(answers: 50_000, prefersFSRS7: false)
    #expect(!large.isDue(answers: 54_999) && large.isDue(answers: 55_000))
  }

  @Test func `parameters of another version are dropped, and bad ones refused`() throws {
    let other = try FittedModels(
      answers: 1, prefersFSRS7: true, parameters: [1, 2], firsts: [1, 2, 3, 4], version: MemoryModel7.version + 1)
    #expect(other.model == nil && !other.prefersFSRS7)
    #expect(throws: MemoryError.self) { try FittedModels(answers: 1, prefersFSRS7: true, parameters: [1, 2]) }
  }

  @Test func `a simulation uses FSRS-7 if it schedules`() throws {
    var options = Simulation.Options()
    let usual = Simulation(options: options, cards: [], newCards: 300)
    options.timed = try fitted([100, 100, 100, 100])
    let timed = Simulation(options: options, cards: [], newCards: 300)
    let (one, other) = (try usual.run(retentions: [0.9], days: 90)[0], try timed.run(retentions: [0.9], days: 90)[0])
    #expect(one.reviews != other.reviews && other.known.allSatisfy { $0.isFinite && $0 <= 300 })
    // A higher retention costs more with either model.
    #expect(try timed.run(retentions: [0.95], days: 90)[0].reviewsPerDay > other.reviewsPerDay)
    let start = Simulation.Memory(
      state: MemoryState(stability: 20, difficulty: 5), elapsed: 10, dueIn: 10,
      timed: TimedMemory(MemoryState7(slow: 2, fast: 1, difficulty: 8), first: .good))
    var from = start
    from.timed = nil
    let known = [start, from].map { Simulation(options: options, cards: [$0], newCards: 0).knownToday }
    #expect(known[0] < known[1])
  }
}
