// Recall by both models with the time of the last answer, compared with reference values (Fixtures/answer_time.json),
// and the fit of that time to simulated people.

import Glibc
import TestSupport
import Values

@testable import Memory

@Suite struct RecallModelTests {
  private let reference: ValueReader
  private let time: AnswerTime

  init() throws {
    reference = ValueReader(
      try JSONParser.parse(
        Array(fixtureText("answer_time.json").utf8),
        limits: JSONLimits(bytes: 1 << 16, depth: 6, values: 10_000, string: 1000)))
    let (base, seconds) = (try reference["base"].elements(), try reference["seconds"].elements())
    let samples = try zip(zip(base, seconds), reference["remembered"].elements()).map {
      (odds: try $0.0.number(), seconds: try $0.1.number(), isRight: try $1.integer() == 1)
    }
    #expect(samples.count == 120)
    time = AnswerTime(median: try reference["median"].number(), fitting: samples)
  }

  private func model(_ choice: ModelChoice = .both, countsTime: Bool = true, fsrs7: Bool = true) throws -> RecallModel {
    let fitted = try FittedModels(
      answers: 5000, parameters: fsrs7 ? MemoryModel7.published : [], firsts: [99, 99, 99, 99], time: time)
    return RecallModel(MemoryModel(), fitted, choice, countsTime: countsTime)
  }

  @Test func `the fit of the time is that of the reference`() throws {
    #expect(try abs(time.shift - reference["a"].number()) < 1e-9, "\(time)")
    #expect(try abs(time.slope - reference["c"].number()) < 1e-9, "\(time)")
  }

  @Test func `recall and intervals are those of the reference`() throws {
    let model = try model()
    var compared = 0
    for row in try reference["rows"].elements() {
      let hesitation = time.hesitation(try row["seconds"].number())
      #expect(try isNear(hesitation, row["hesitation"].number(), 1e-12))
      #expect(try isNear(time.offset(hesitation), row["offset"].number(), 1e-9))
      let state = MemoryState7(
        slow: try row["slow"].number(), fast: try row["fast"].number(), difficulty: try row["d"].number())
      let timed = TimedMemory(state, first: .good, hesitation: hesitation)
      let curve = model.curve(stability: try row["s6"].number(), timed)
      for pair in try row["recall"].elements().map({ try $0.elements() }) {
        let (days, wanted) = (try pair[0].number(), try pair[1].number())
        #expect(abs(curve.recall(days: days) / wanted - 1) < 1e-6)
        compared += 1
      }
      for pair in try row["interval"].elements().map({ try $0.elements() }) {
        let (retention, wanted) = (try pair[0].number(), try pair[1].number())
        let days = curve.interval(retention: retention)
        #expect(abs(days / wanted - 1) < 1e-6 && abs(curve.recall(days: days) - retention) < 1e-9)
        compared += 1
      }
    }
    #expect(compared == 14 * 7)
  }

  @Test func `without FSRS-7 the time moves FSRS-6, and without the time there is only the shift`() throws {
    let state = MemoryState(stability: 10, difficulty: 5)
    let alone = try model(fsrs7: false)
    let slow = CardMemory(state: state, timed: alone.first(.good, seconds: 100))
    let six = MemoryModel().retrievability(days: 7, stability: 10)
    let wanted = Double(logOdds: six.logOdds + time.shift + time.slope * log(3))
    #expect(isNear(alone.curve(slow).recall(days: 7), wanted, 1e-12) && alone.speed(slow.timed) == .slow)
    let off = try model(countsTime: false)
    let answered = [0.5, 4, 100].map { off.initial(.good, seconds: $0) }
    #expect(answered.allSatisfy { $0 == answered[0] } && off.speed(answered[0].timed) == nil)
    // FSRS-6 counts whole days, FSRS-7 exact ones.
    let both = try model()
    let curve = both.curve(answered[0])
    let seven = try #require(answered[0].timed?.state)
    let mean =
      (MemoryModel().retrievability(days: 2, stability: answered[0].state.stability).logOdds
        + MemoryModel7(checked: MemoryModel7.published).retrievability(seven, days: 1.4).logOdds) / 2
    #expect(isNear(curve.recall(days: 1.4, wholeDays: 2), Double(logOdds: mean + time.shift), 1e-12))
  }

  @Test(arguments: [0, 0.29, -1, .nan]) func `a time that is not known, or too short to think, counts as the median`(
    seconds: Double
  ) throws {
    let model = try model()
    #expect(model.initial(.good, seconds: seconds) == model.initial(.good, seconds: time.median))
    #expect(model.initial(.good, seconds: 0.3) != model.initial(.good, seconds: time.median))
    var history = ReviewHistory()
    history.add(card: 1, day: 0, moment: 0, rating: 3, isFirst: true, isLearning: true, seconds: seconds)
    history.close()
    #expect(history.milliseconds == [0] && history.medianSeconds == 0)
  }

  @Test func `whatever the log, the offset is limited and the fit ends with numbers`() {
    for (odds, isRight, seconds) in [(9.0, false, 1.0), (-9, true, 30), (9, false, 0), (0, true, 1e300)] {
      let samples = Array(repeating: (odds: odds, seconds: seconds, isRight: isRight), count: 5000)
      let time = AnswerTime(median: 4, fitting: samples)
      #expect(time.shift.isFinite && time.slope.isFinite && (time.shift > 0) == isRight)
      #expect(abs(time.offset(time.hesitation(seconds))) <= 0.7)
    }
    let none = AnswerTime(median: 0, fitting: [])
    #expect(none == AnswerTime(median: 0, shift: 0, slope: 0))
  }

  @Test(arguments: [-0.3, 0]) func `the slope of a simulated person is found in 20,000 answers`(slope: Double) throws {
    var user = try SimulatedUser(MemoryModel.defaultParameters, seed: 5)
    user.slope = slope
    let history = user.history(cards: 2600)
    #expect(history.laterCount >= 20_000, "\(history.laterCount)")
    let samples = history.predictions(fsrs6: MemoryModel.defaultParameters, fsrs7: []).prefix(20_000).map {
      (odds: $0.fsrs6.logOdds, seconds: $0.seconds, isRight: $0.isRight)
    }
    let time = AnswerTime(median: history.medianSeconds, fitting: samples)
    #expect(abs(time.median - 4) < 0.2 && abs(time.slope - slope) < 0.05 && abs(time.shift) < 0.1, "\(time)")
  }

  @Test func `a fit to too few answers is refused, so nothing changes`() throws {
    var user = try SimulatedUser(MemoryModel.defaultParameters, seed: 5)
    user.slope = -0.3
    let few = user.history(cards: 12)
    #expect(throws: MemoryError.tooFewReviews(count: few.laterCount, needed: 400)) {
      try FittedModels.fit(few) { _ in }
    }
  }

  @Test func `if both models predict clearly worse than FSRS-6, they are refused`() throws {
    // Slow answers are remembered less in the first four fifths, and more in the last.
    let (model, cards) = (MemoryModel(), 1000)
    var (history, random) = (ReviewHistory(), SeededNumbers(seed: 3))
    for card in 0..<cards {
      var (day, state, seconds) = (card / 4, model.initial(.good), 1.0)
      for number in 0..<8 {
        if number > 0 {
          let days = max(1, Int(model.exactInterval(stability: state.stability, retention: 0.85) * random.share() * 2))
          day += days
          let slope = day > 330 ? 1.2 : -1.2
          let recall = model.retrievability(days: Double(days), stability: state.stability)
          let isRight = random.share() < Double(logOdds: recall.logOdds + slope * log(seconds / 4))
          state = model.next(state, isRight ? .good : .again, days: days)
          seconds = random.share() < 0.5 ? 1.5 : 11
          history.add(
            card: Int64(card), day: day, moment: Int64(day) * 86_400_000 + Int64(card), rating: isRight ? 3 : 1,
            isFirst: false, isLearning: false, seconds: seconds)
        } else {
          history.add(
            card: Int64(card), day: day, moment: Int64(day) * 86_400_000 + Int64(card), rating: 3, isFirst: true,
            isLearning: true, seconds: seconds)
        }
        if day > 420 { break }
      }
    }
    history.close()
    let evidence = try #require(try ModelEvidence(history))
    #expect(evidence.time.slope < -0.3 && evidence.timed.count >= 200, "\(evidence.time), \(evidence.timed.count)")
    #expect(evidence.prefersFSRS6 && evidence.timed.logLoss > evidence.fsrs6.logLoss)
  }

  @Test func `a first stability without answers moves with its neighbours, and none falls`() throws {
    let published = MemoryModel.defaultParameters
    func ordered(_ first: [Double], _ firsts: [Int]) -> [Double] {
      var w = first
      MemoryModel.orderFirsts(&w, published: published, firsts: firsts)
      return w
    }
    // Only again and good: hard is between them, easy moves as good did.
    let two = ordered([0.58, 1.2931, 8.85, 8.2956], [100, 0, 400, 0])
    #expect(two[0] == 0.58 && two[2] == 8.85)
    let moves = two.enumerated().map { log($1 / published[$0]) }
    #expect(isNear(moves[1], (moves[0] + moves[2]) / 2, 1e-12) && isNear(moves[3], moves[2], 1e-12))
    #expect(ordered([0.212, 1.2931, 2.3065, 8.2956], [0, 0, 9, 0]) == Array(published.prefix(4)))
    #expect(ordered(Array(published.prefix(4)), [0, 0, 0, 0]) == Array(published.prefix(4)))
    // Of two that are out of order the one with less evidence moves.
    #expect(ordered([0.2, 30, 4, 9], [50, 3, 900, 40]) == [0.2, 4, 4, 9])
    #expect(ordered([0.2, 3, 4, 1], [50, 30, 900, 4]) == [0.2, 3, 4, 4])
    for _ in 0..<200 {
      let counts = (0..<4).map { _ in Int.random(in: 0...3) }
      if counts == [0, 0, 0, 0] { continue }
      let w = ordered((0..<4).map { _ in Double.random(in: 0.001...100) }, counts)
      #expect(w == w.sorted() && w.allSatisfy { (0.0001...100).contains($0) }, "\(w)")
    }
  }

  @Test func `after a fit to answers that are only again and good, easy comes back last with both models`() throws {
    let history = try RealLog.history()
    #expect(history.firsts() == [869, 0, 336, 0])
    let models = try FittedModels.fit(history) { _ in }
    let fitted = try FittedModels(answers: 1, parameters: models.fsrs7, firsts: [99, 99, 99, 99], time: models.time)
    let six = try MemoryModel(parameters: models.fsrs6.parameters)
    for (w, published) in [
      (models.fsrs6.parameters, MemoryModel.defaultParameters), (models.fsrs7, MemoryModel7.published),
    ] {
      #expect(Array(w.prefix(4)) == w.prefix(4).sorted() && w[2] < w[3] && w[0] < w[1], "\(w)")
      #expect(isNear(w[3] / published[3], w[2] / published[2], 1e-9))
    }
    for choice in [ModelChoice.both, .fsrs6, .fsrs7] {
      let model = RecallModel(six, fitted, choice)
      let days = Rating.allCases.map { model.interval(model.initial($0), retention: 0.9) }
      #expect(days == days.sorted() && days[2] < days[3], "\(days)")
    }
  }
}
