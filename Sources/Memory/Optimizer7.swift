// Fits the parameters of FSRS-7 to a history of answers, from minutes to years after the previous answer. Method: that
// of `Optimizer`, by the recipe of fsrs-rs `src/training_v7.rs`: recent answers weigh more, distance from the published
// parameters has a cost, and the last parameters are taken. Two things differ, because they were measured to predict
// better: old answers keep a quarter of their weight, and a short log gets more passes.
// Invariant: the same history always gives the same parameters.

import Glibc
import Values

public struct Optimizer7 {
  /// The most steps of several passes (at least one is made); further steps no longer change the parameters.
  private static let stepLimit = 40_000
  private static let fewestSteps = 600
  private static let batch = 512
  private static let rate = 0.0118
  /// The cost of the distance from the published parameters, over the whole log.
  private static let prior = 0.3333

  private let history: ReviewHistory
  private let weights: [Float]
  private let firsts: [Int]
  private let count: Int
  private let model: MemoryGradient7
  private var random = SeededNumbers(seed: 42)

  public init(_ history: ReviewHistory) {
    self.history = history
    let predicted = history.predicted()
    var weights = [Float](repeating: 0, count: history.ratings.count)
    for (number, answer) in predicted.enumerated() {
      let age = Float(number) / Float(predicted.count)
      weights[Int(answer)] = 0.25 + 0.75 * age * age * age
    }
    (self.weights, count) = (weights, predicted.count)
    firsts = history.firsts(answers: 2)
    model = MemoryGradient7(history)
  }

  /// Returns the 34 parameters; nil if the log has fewer predicted answers than a batch.
  /// - Parameter progress: called from time to time with the share that is done; an error ends the fitting.
  public mutating func run(progress: (Double) throws -> Void = { _ in }) throws -> [Double]? {
    guard count >= Self.batch else { return nil }
    let batches = batches()
    let passes = max(9, (Self.fewestSteps * 500 + count - 1) / count)
    let epochs = max(1, min(passes, Self.stepLimit / batches.count))
    var (w, adam) = (MemoryModel7.published, Adam(total: epochs * batches.count, count: MemoryModel7.count))
    try weights.withUnsafeBufferPointer { weights in
      for epoch in 0..<epochs {
        for (number, batch) in batches.shuffled(using: &random).enumerated() {
          if number % 8 == 0 { try progress((Double(epoch) + Double(number) / Double(batches.count)) / Double(epochs)) }
          descend(&w, batch, weights, &adam)
        }
      }
    }
    try progress(1)
    return w
  }

  /// Cards with about the same number of answers, and the number of their predicted answers.
  private struct Batch {
    var cards: [Int32] = []
    var count = 0
  }

  private func batches() -> [Batch] {
    let lengths = (0..<history.cardCount).map { history.starts[$0 + 1] - history.starts[$0] }
    var (batches, open): ([Batch], Batch) = ([], Batch())
    for card in lengths.indices.sorted(by: { (lengths[$0], $0) < (lengths[$1], $1) }) {
      let predicted = weights[history.starts[card]..<history.starts[card + 1]].count { $0 > 0 }
      if predicted == 0 { continue }
      if open.count + predicted > Self.batch, open.count > 0 {
        batches.append(open)
        open = Batch()
      }
      open.cards.append(Int32(card))
      open.count += predicted
    }
    return open.count == 0 ? batches : batches + [open]
  }

  private func descend(_ w: inout [Double], _ batch: Batch, _ weights: UnsafeBufferPointer<Float>, _ adam: inout Adam) {
    model.setParameters(w)
    model.clearGradient()
    for card in batch.cards { _ = model.walk(Int(card), weights: weights, isTraining: true) }
    let rate = Self.rate * adam.rate
    adam.step += 1
    let (fix1, fix2) = (1 - pow(0.7, Double(adam.step)), 1 - pow(0.98, Double(adam.step)))
    let prior = 2 * Self.prior * Double(batch.count) / Double(count)
    for index in w.indices {
      let spread = MemoryModel7.spread[index]
      let far = (w[index] - MemoryModel7.published[index]) / (spread * spread)
      let slope = model.gradient[index] + prior * far
      adam.mean[index] = 0.7 * adam.mean[index] + 0.3 * slope
      adam.square[index] = 0.98 * adam.square[index] + 0.02 * slope * slope
      let move = rate * adam.mean[index] / fix1 / ((adam.square[index] / fix2).squareRoot() + 1e-8)
      if move.isFinite { w[index] -= move }
    }
    MemoryModel.orderFirsts(&w, published: MemoryModel7.published, firsts: firsts)
    MemoryModel7.clamp(&w)
  }
}
