// Compares the predictions of a memory model with what was then answered.
// Invariant: each measure depends on the predictions alone, not on their order. The bins of the error are those of
// `open-spaced-repetition/srs-benchmark`.

import Glibc

/// How well parameters predict.
public struct ModelFit: Equatable, Sendable {
  public var logLoss = 0.0
  /// The root mean square of the difference between predicted and actual recall, over bins of similar answers.
  public var rmse = 0.0
  /// The probability that the model gave a remembered answer a higher probability than a forgotten one; 0.5 is chance.
  public var auc = 0.5
  public var calibration: [Calibration] = []
  /// The number of answers that were predicted.
  public var count = 0

  /// Answers that were given about the same probability.
  public struct Calibration: Equatable, Sendable {
    /// The averages of these answers: the predicted probability, and the share that was remembered.
    public let predicted: Double
    public let remembered: Double
    public let count: Int
  }
}

struct Predictions {
  private var recalls: [Float] = []
  private var outcomes: [Bool] = []
  private var bins: [Int: (predicted: Double, right: Double, count: Double)] = [:]
  private var loss = 0.0

  mutating func add(_ recall: Double, _ isRight: Bool, days: Int, number: Int, lapses: Int) {
    loss -= log(isRight ? recall : 1 - recall)
    recalls.append(Float(recall))
    outcomes.append(isRight)
    var bin = bins[Self.bin(days, number, lapses)] ?? (0, 0, 0)
    bin.predicted += recall
    bin.right += isRight ? 1 : 0
    bin.count += 1
    bins[Self.bin(days, number, lapses)] = bin
  }

  var fit: ModelFit {
    if recalls.isEmpty { return ModelFit() }
    let count = Double(recalls.count)
    // Sorted by bin, because a sum of doubles depends on the order.
    let error = bins.sorted { $0.key < $1.key }.map(\.value).reduce(0) { sum, bin in
      let difference = (bin.predicted - bin.right) / bin.count
      return sum + difference * difference * bin.count
    }
    return ModelFit(
      logLoss: loss / count, rmse: (error / count).squareRoot(), auc: auc, calibration: calibration,
      count: recalls.count)
  }

  /// Returns the bin of an answer. Similar days, earlier answers and lapses, on exponential scales, share one.
  private static func bin(_ days: Int, _ number: Int, _ lapses: Int) -> Int {
    func power(_ value: Int, _ base: Double) -> Int { Int((log(Double(max(1, value))) / log(base)).rounded(.down)) }
    return power(days, 3.62) << 16 | power(number, 1.89) << 8 | (lapses == 0 ? 0 : 1 + power(lapses, 1.73))
  }

  /// Computed from the ranks of the remembered answers (Mann and Whitney); equal probabilities share their ranks.
  private var auc: Double {
    let order = recalls.indices.sorted { recalls[$0] < recalls[$1] }
    var (ranks, right, start) = (0.0, 0.0, 0)
    while start < order.count {
      var end = start
      while end < order.count, recalls[order[end]] == recalls[order[start]] { end += 1 }
      let rank = Double(start + 1 + end) / 2
      for index in start..<end where outcomes[order[index]] {
        ranks += rank
        right += 1
      }
      start = end
    }
    let wrong = Double(order.count) - right
    return right == 0 || wrong == 0 ? 0.5 : (ranks - right * (right + 1) / 2) / (right * wrong)
  }

  /// Up to ten groups with the same number of answers each, from the least probable to the most.
  private var calibration: [ModelFit.Calibration] {
    let order = recalls.indices.sorted { recalls[$0] < recalls[$1] }
    let groups = min(10, max(1, order.count / 20))
    return (0..<groups).compactMap { group in
      let part = order[group * order.count / groups..<(group + 1) * order.count / groups]
      if part.isEmpty { return nil }
      let predicted = part.reduce(0.0) { $0 + Double(recalls[$1]) }
      let count = Double(part.count)
      return ModelFit.Calibration(
        predicted: predicted / count, remembered: Double(part.count { outcomes[$0] }) / count, count: part.count)
    }
  }
}
