// Fitting FSRS-7: derivatives, the loss reached on a real log (Fixtures/answers_of_191_days.txt: 12,580 answers of one
// user, from py-fsrs, MIT), and how both models with the time of answers predict it.

import Glibc
import TestSupport

@testable import Memory

/// The answers of one user over 191 days.
enum RealLog {
  static func history() throws -> ReviewHistory {
    var (history, card) = (ReviewHistory(), Int64(0))
    for line in try fixtureText("answers_of_191_days.txt").split(separator: "\n") where !line.hasPrefix("#") {
      var moment: Int64 = 1_711_744_352_250
      for (number, answer) in line.split(separator: " ").enumerated() {
        let parts = answer.split(separator: ":")
        moment += try #require(Int64(parts[1]))
        // Days begin at four in the morning.
        let day = Int((moment / 1000 - 4 * 3600) / 86_400)
        history.add(
          card: card, day: day, moment: moment, rating: try #require(Int64(parts[0])), isFirst: number == 0,
          isLearning: number == 0, seconds: try #require(Double(parts[2])) / 1000)
      }
      card += 1
    }
    history.close()
    return history
  }
}

extension ReviewHistory {
  /// Returns how well FSRS-6 with some parameters predicts the answers on later days in a period.
  func fit(fsrs6 w: [Double], since moment: Int64 = .min, until end: Int64 = .max) -> ModelFit {
    predictions(fsrs6: w, fsrs7: [], since: moment, until: end).fit { $0.fsrs6 }
  }

  /// Returns the same for FSRS-7.
  func fit(fsrs7 w: [Double], since moment: Int64 = .min, until end: Int64 = .max) -> ModelFit {
    predictions(fsrs6: MemoryModel.defaultParameters, fsrs7: w, since: moment, until: end).fit { $0.fsrs7 ?? .nan }
  }

  /// Returns the mean log loss of FSRS-7 over all answers of a period, also those on the day of the previous one, and
  /// their number.
  func lossOfAll(fsrs7 w: [Double], since moment: Int64 = .min, until end: Int64 = .max) -> (loss: Double, count: Int) {
    let model = MemoryGradient7(self)
    model.setParameters(w)
    var (loss, count) = (0.0, 0)
    for card in 0..<cardCount {
      model.visit(card) { number, recall, isRight in
        let at = starts[card] + number
        guard isPredicted(at, first: starts[card]), moments[at] >= moment, moments[at] < end else { return }
        let bounded = min(0.9999, max(0.0001, recall))
        loss -= log(isRight ? bounded : 1 - bounded)
        count += 1
      }
    }
    return (loss / Double(max(1, count)), count)
  }
}

extension MemoryModel7 {
  /// Returns the days after which recall by FSRS-7 has fallen to `retention`.
  func exactInterval(_ state: MemoryState7, retention: Double) -> Double {
    falling(to: retention, from: 1 / 86_400, to: 36_500) { retrievability(state, days: $0) }
  }
}

@Suite struct Optimizer7Tests {
  private func history(_ row: [Double]) -> (ReviewHistory, weights: [Double]) {
    let count = Int(row[2])
    var (history, moment) = (ReviewHistory(), 0.0)
    for number in 0..<count {
      moment += row[4 + 2 * number] * 1e12
      history.add(
        card: 1, day: Int(moment / 1e12), moment: Int64(moment.rounded()), rating: Int64(row[3 + 2 * number]),
        isFirst: number == 0, isLearning: number == 0)
    }
    history.close()
    return (history, Array(row[(3 + 2 * count)..<(3 + 3 * count)]))
  }

  @Test func `losses and their derivatives match the reference`() throws {
    let reference = try Reference7()
    #expect(reference["loss"].count == 24)
    for row in reference["loss"] {
      let (history, weights) = history(row)
      let gradient = MemoryGradient7(history)
      gradient.millisecondsPerDay = 1e12
      gradient.setParameters(reference["parameters"][Int(row[0])])
      let loss = weights.map { Float($0) }.withUnsafeBufferPointer { gradient.walk(0, weights: $0, isTraining: true) }
      #expect(abs(loss - row[1]) <= 1e-6 * row[1], "\(loss) for \(row[1])")
      let slopes = row[(3 + 3 * Int(row[2]))...]
      for (index, slope) in slopes.enumerated() {
        let found = gradient.gradient[index]
        #expect(abs(found - slope) <= 2e-6 * abs(slope) + 1e-9, "w\(index): \(found) for \(slope)")
      }
    }
  }

  @Test func `a real log is parsed as the reference parses it`() throws {
    let history = try RealLog.history()
    #expect(abs(history.medianSeconds - 11.316) < 1e-5)
    #expect(history.cardCount == 1205 && history.laterCount == 6276 && history.predicted().count == 11_375)
    let later = history.fit(fsrs7: MemoryModel7.published)
    let all = history.lossOfAll(fsrs7: MemoryModel7.published)
    let old = history.fit(fsrs6: MemoryModel.defaultParameters)
    #expect(abs(later.logLoss - 0.472451775) < 1e-6 && later.count == 6276, "\(later.logLoss)")
    #expect(abs(all.loss - 0.498871559) < 1e-6 && all.count == 11_375, "\(all.loss)")
    #expect(abs(old.logLoss - 0.465035903) < 1e-6 && old.count == 6276, "\(old.logLoss)")
  }

  /// Calls the body with five folds: the answers before each, and the times at which it begins and ends.
  private func folds(_ history: ReviewHistory, of order: [Int32], _ body: (ReviewHistory, Int64, Int64) throws -> Void)
    rethrows
  {
    let size = order.count / 6
    for fold in 1...5 {
      let begin = order.count - (6 - fold) * size
      let cut = history.moments[Int(order[begin])]
      let end = begin + size < order.count ? history.moments[Int(order[begin + size])] : Int64.max
      try body(history.until(cut), cut, end)
    }
  }

  @Test func `over five folds of a real log FSRS-7 loses at most 0.465 on all answers`() throws {
    let history = try RealLog.history()
    var (loss, count) = (0.0, 0.0)
    try folds(history, of: history.predicted()) { earlier, cut, end in
      var optimizer = Optimizer7(earlier)
      let one = history.lossOfAll(fsrs7: try #require(try optimizer.run()), since: cut, until: end)
      (loss, count) = (loss + one.loss * Double(one.count), count + Double(one.count))
    }
    #expect(loss / count <= 0.465, "\(loss / count)")
  }

  @Test func `over five folds both models with time lose at most 0.4345 on later days, less than FSRS-6`() throws {
    let history = try RealLog.history()
    var (answers, times): ([PredictedAnswer], [AnswerTime]) = ([], [])
    var losses = (fsrs6: 0.0, fsrs7: 0.0, timed: 0.0)
    try folds(history, of: history.predicted().filter { history.days[Int($0)] > 0 }) { earlier, cut, end in
      let models = try FittedModels.fit(earlier) { _ in }
      let fold = history.predictions(fsrs6: models.fsrs6.parameters, fsrs7: models.fsrs7, since: cut, until: end)
      for answer in fold {
        losses.fsrs6 += answer.loss(answer.fsrs6)
        losses.fsrs7 += answer.loss(try #require(answer.fsrs7))
        losses.timed += answer.loss(answer.recall(models.time))
      }
      answers += fold
      times.append(models.time)
    }
    let count = Double(answers.count)
    #expect(losses.timed / count <= 0.4345 && losses.fsrs7 / count <= 0.431, "\(losses), \(count)")
    #expect(losses.timed < losses.fsrs6 - 0.004 * count && times.allSatisfy { $0.slope < -0.2 }, "\(losses), \(times)")
  }

  @Test func `on the last fifth both models with time predict better than FSRS-6, so they are not refused`() throws {
    let history = try RealLog.history()
    let evidence = try #require(try ModelEvidence(history))
    #expect(evidence.timed.count == 1435 && evidence.timed.logLoss <= 0.443, "\(evidence.timed.logLoss)")
    #expect(evidence.timed.logLoss < evidence.fsrs6.logLoss && !evidence.prefersFSRS6)
    #expect(evidence.both.logLoss != evidence.timed.logLoss && evidence.fsrs7.count == 1435)
    #expect(evidence.speeds.map(\.speed) == [.fast, .middling, .slow])
    #expect(evidence.speeds.reduce(0) { $0 + $1.answers } == 1435)
    // FSRS-6 knows no difference between them.
    #expect(evidence.speeds[0].predicted > evidence.speeds[2].predicted + 0.03, "\(evidence.speeds)")
    #expect(abs(evidence.speeds[0].fsrs6 - evidence.speeds[2].fsrs6) < 0.03)
    #expect(try ModelEvidence(ReviewHistory()) == nil)
  }

  @Test func `for a memory that follows FSRS-6, both models predict hardly worse`() throws {
    var user = try SimulatedUser(
      [
        0.4, 1.1, 3.2, 14.0, 6.8, 0.6, 2.6, 0.02, 1.6, 0.12, 0.9, 1.7, 0.08, 0.31, 1.4, 0.45, 2.2, 0.6, 0.15, 0.1, 0.2,
      ], seed: 9)
    let evidence = try #require(try ModelEvidence(user.history(cards: 1000)))
    #expect(evidence.fsrs6.logLoss < evidence.fsrs7.logLoss + 0.01)
    #expect(evidence.timed.logLoss < evidence.fsrs6.logLoss + 0.005 && evidence.speeds.isEmpty)
    if evidence.prefersFSRS6 { #expect(evidence.fsrs6.logLoss < evidence.timed.logLoss) }
  }

  @Test func `a fitting is reproducible, reports progress, and can be interrupted`() throws {
    let all = try RealLog.history()
    let history = all.until(all.moments[Int(all.predicted()[1500])])
    var shares: [Double] = []
    var (one, other) = (Optimizer7(history), Optimizer7(history))
    let w = try #require(try one.run { shares.append($0) })
    #expect(try other.run() == w && shares == shares.sorted() && shares.last == 1)
    #expect(throws: Never.self) { try MemoryModel7(parameters: w) }
    var stopped = Optimizer7(history)
    #expect(throws: CancellationError.self) { try stopped.run { if $0 > 0.2 { throw CancellationError() } } }
    var empty = Optimizer7(ReviewHistory())
    #expect(try empty.run() == nil)
  }
}
