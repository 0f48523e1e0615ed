// Detects leeches: cards that are forgotten more often than the memory model can explain. The test computes how much
// better the card's answers are explained by a memory whose odds of forgetting are 2, 4 or 8 times those of the model,
// averaged over the three (a test martingale: Shafer and Vovk, "Game-Theoretic Foundations for Probability and
// Finance", 2019; the bound is Ville's, 1939). If the model is true, that average reaches 100 with a probability of at
// most 0.01, at any time, however often it is checked and whatever the intervals depend on.
// Invariant: the same answers give the same result; an answer on the same day is no evidence.

import Glibc

/// Weighs the answers of one card.
///
///     var test = LeechTest()
///     test.add(recall: 0.93, isRight: false)
///     test.isLeech
public struct LeechTest: Sendable {
  /// The largest share of cards that are taken for leeches although the model is true for them.
  static let falseAlarms = 0.01
  private static let odds = (2.0, 4.0, 8.0)

  /// The number of answers on later days.
  public private(set) var answers = 0
  /// How many of them were forgotten, and how many the model expected to be.
  public private(set) var lapses = 0
  public private(set) var expected = 0.0
  /// The logarithms of how much better each of the odds explains the answers.
  private var logs = (0.0, 0.0, 0.0)

  public init() {}

  public mutating func add(recall: Double, isRight: Bool) {
    let forgetting = min(0.9999, max(0.0001, 1 - recall))
    answers += 1
    expected += forgetting
    if !isRight { lapses += 1 }
    func gain(_ odds: Double) -> Double { log((isRight ? 1 : odds) / (1 + (odds - 1) * forgetting)) }
    logs.0 += gain(Self.odds.0)
    logs.1 += gain(Self.odds.1)
    logs.2 += gain(Self.odds.2)
  }

  /// How many times better a worse memory explains the answers than the model does; below 1, the model is better.
  public var evidence: Double { (exp(logs.0) + exp(logs.1) + exp(logs.2)) / 3 }

  public var isLeech: Bool { evidence >= 1 / Self.falseAlarms }
}
