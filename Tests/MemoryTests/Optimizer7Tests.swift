// Fitting FSRS-7: derivatives, the loss reached on a real log (Fixtures/answers_of_191_days.txt: 12,580 answers of one
// user, from py-fsrs, MIT), and the choice between two models.

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
          isLearning: number == 0)
      }
      card += 1
    }
    history.close()
    return history
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
    #expect(history.cardCount == 1205 && history.laterCount == 6276 && history.predicted().count == 11_375)
    let later = history.fit(fsrs7: MemoryModel7.published)
    let all = history.fit(fsrs7: MemoryModel7.published, sameDay: true)
    let old = history.fit(fsrs6: MemoryModel.defaultParameters)
    #expect(abs(later.logLoss - 0.472451775) < 1e-6 && later.count == 6276, "\(later.logLoss)")
    #expect(abs(all.logLoss - 0.498871559) < 1e-6 && all.count == 11_375, "\(all.logLoss)")
    #expect(abs(old.logLoss - 0.465035903) < 1e-6 && old.count == 6276, "\(old.logLoss)")
  }

  /// Returns the mean log loss over five folds: each model is fitted to the answers before a fold and tested on those
  /// in it.
  private func folds(_ history: ReviewHistory, of order: [Int32], sameDay: Bool) throws -> (
    fsrs7: Double, fsrs6: Double
  ) {
    let size = order.count / 6
    var (new, old, count, oldCount) = (0.0, 0.0, 0.0, 0.0)
    for fold in 1...5 {
      let begin = order.count - (6 - fold) * size
      let cut = history.moments[Int(order[begin])]
      let end = begin + size < order.count ? history.moments[Int(order[begin + size])] : Int64.max
      let earlier = history.until(cut)
      var (optimizer7, optimizer6) = (Optimizer7(earlier), try Optimizer(earlier))
      let w = try #require(try optimizer7.run())
      let one = history.fit(fsrs7: w, since: cut, until: end, sameDay: sameDay)
      let other = history.fit(fsrs6: try optimizer6.run().parameters, since: cut, until: end)
      new += one.logLoss * Double(one.count)
      old += other.logLoss * Double(other.count)
      count += Double(one.count)
      oldCount += Double(other.count)
    }
    return (new / count, old / oldCount)
  }

  @Test func `over five folds of a real log FSRS-7 loses at most 0.431 on later days and 0.465 in all`() throws {
    let history = try RealLog.history()
    let all = try folds(history, of: history.predicted(), sameDay: true)
    let later = try folds(history, of: history.predicted().filter { history.days[Int($0)] > 0 }, sameDay: false)
    #expect(all.fsrs7 <= 0.465 && later.fsrs7 <= 0.431, "\(all), \(later)")
    #expect(later.fsrs7 <= later.fsrs6 + 0.0005)
  }

  @Test func `the model that better predicts unseen answers is chosen, and only with a thousand answers`() throws {
    let history = try RealLog.history()
    let evidence = try #require(try ModelEvidence(history))
    #expect(evidence.fsrs7.count >= 1000 && evidence.fsrs6.count == evidence.fsrs7.count)
    #expect(evidence.prefersFSRS7 == (evidence.fsrs7.logLoss < evidence.fsrs6.logLoss))
    let half = history.until(history.moments[Int(history.predicted()[5000])])
    #expect(try ModelEvidence(half)?.prefersFSRS7 == false)
    #expect(try ModelEvidence(ReviewHistory()) == nil)
  }

  @Test func `for a memory that follows FSRS-6, FSRS-6 stays chosen or predicts hardly worse`() throws {
    var user = try SimulatedUser(
      [
        0.4, 1.1, 3.2, 14.0, 6.8, 0.6, 2.6, 0.02, 1.6, 0.12, 0.9, 1.7, 0.08, 0.31, 1.4, 0.45, 2.2, 0.6, 0.15, 0.1, 0.2,
      ], seed: 9)
    let evidence = try #require(try ModelEvidence(user.history(cards: 1000)))
    if evidence.prefersFSRS7 { #expect(evidence.fsrs7.logLoss <= evidence.fsrs6.logLoss) }
    #expect(evidence.fsrs6.logLoss < evidence.fsrs7.logLoss + 0.01)
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
