// The statistical test for leeches on simulated cards: false alarms and detections.

import TestSupport

@testable import Memory

@Suite struct LeechTestTests {
  /// Simulates a card whose odds of forgetting are `odds` times those of the model, and tests it after each answer.
  private func isFound(odds: Double, answers: Int, _ random: inout TestGenerator) -> (ever: Bool, atEnd: Bool) {
    let model = MemoryModel()
    var (test, isEver) = (LeechTest(), false)
    var state = model.initial([.again, .hard, .good, .easy].randomElement(using: &random) ?? .good)
    for _ in 0..<answers {
      let retention = Double.random(in: 0.75...0.95, using: &random)
      let exact = model.exactInterval(stability: state.stability, retention: retention)
      let days = max(1, Int(min(36_500, exact).rounded()))
      let recall = model.retrievability(days: Double(days), stability: state.stability)
      let forgetting = odds * (1 - recall) / (1 + (odds - 1) * (1 - recall))
      let isRight = Double.random(in: 0..<1, using: &random) >= forgetting
      test.add(recall: recall, isRight: isRight)
      state = model.next(state, isRight ? .good : .again, days: days)
      if !isRight { state = model.next(state, .good, days: 0) }
      isEver = isEver || test.isLeech
    }
    return (isEver, test.isLeech)
  }

  @Test func `of 20,000 simulated cards at most 1 percent are ever taken for leeches`() {
    var random = TestGenerator(4)
    let found = (0..<20_000).count { _ in isFound(odds: 1, answers: 30, &random).ever }
    // The limit is 200; requiring at least one shows that the test is effective.
    #expect(found <= 200 && found > 0, "\(found)")
  }

  @Test func `cards that are forgotten much more often are found`() {
    var random = TestGenerator(5)
    let found = (0..<2000).count { _ in isFound(odds: 8, answers: 20, &random).atEnd }
    let few = (0..<2000).count { _ in isFound(odds: 8, answers: 10, &random).atEnd }
    #expect(found > 1600 && few > 700, "\(found) \(few)")
  }

  @Test func `lapses that the model expects make no leech, and those of an easy card do`() {
    var (hard, easy) = (LeechTest(), LeechTest())
    for number in 0..<16 { hard.add(recall: 0.5, isRight: number % 2 == 0) }
    #expect(hard.lapses == 8 && hard.expected == 8 && !hard.isLeech && hard.evidence < 1)
    for number in 0..<8 { easy.add(recall: 0.95, isRight: number % 2 == 0) }
    #expect(easy.lapses == 4 && easy.isLeech)
    for _ in 0..<60 { easy.add(recall: 0.95, isRight: true) }
    #expect(!easy.isLeech, "a card that is known again is none")
    var extreme = LeechTest()
    for _ in 0..<500 { extreme.add(recall: 1, isRight: false) }
    #expect(extreme.isLeech && LeechTest().evidence == 1)
  }
}
