// Fits the parameters of FSRS-6 to a history of answers. Source of the method: Kingma and Ba, "Adam: a method for
// stochastic optimization" (2015), with a half-cosine schedule of the steps (Loshchilov and Hutter, "SGDR", 2017).
// Invariant: the same history always gives the same parameters; on held-out cards they are never worse than the first.

import Glibc
import Values

/// The result of fitting.
public struct OptimizedParameters: Equatable, Sendable {
  public let parameters: [Double]
  /// The fit of the initial parameters, and of these, on cards that the fitting did not see.
  public let before: ModelFit
  public let after: ModelFit
  /// The number of answers on later days that were used.
  public let reviewCount: Int
  /// Whether the parameters differ from the initial ones, because they are better.
  public let isBetter: Bool
}

public struct Optimizer {
  /// The least number of answers on later days.
  public static let fewestReviews = 400
  private static let batch = 512
  /// The most steps of several passes (at least one is made); further steps no longer change the parameters.
  private static let stepLimit = 4000

  /// How far each parameter usually is from the published one, over many people: a value far from it needs evidence.
  private static let spread: [Double] = [
    6.43, 9.66, 17.58, 27.85, 0.57, 0.28, 0.6, 0.12, 0.39, 0.18, 0.33, 0.3, 0.09, 0.16, 0.57, 0.25, 1.03, 0.31, 0.32,
    0.14, 0.27,
  ]

  private let history: ReviewHistory
  private let initial: [Double]
  private let model: MemoryGradient
  private let training: [Int]
  private let held: [Int]
  private let firsts: [Int]
  private var random = SeededNumbers(seed: 42)

  /// - Parameter parameters: those to start with and to compare with; empty for the published ones.
  /// - Throws: `tooFewReviews`, `badOption`.
  public init(_ history: ReviewHistory, parameters: [Double] = []) throws(MemoryError) {
    let count = history.laterCount
    guard count >= Optimizer.fewestReviews else { throw .tooFewReviews(count: count, needed: Optimizer.fewestReviews) }
    self.history = history
    let given = try MemoryModel.converted(parameters)
    firsts = history.firsts(answers: 2)
    initial = given.isEmpty ? MemoryModel.defaultParameters : given
    model = MemoryGradient(history)
    // One card in five is held out to judge the result.
    let cards = 0..<history.cardCount
    let isHeld = { (card: Int) in Fuzz.mixed(UInt64(card)) % 5 == 0 }
    (held, training) = (cards.filter(isHeld), cards.filter { !isHeld($0) })
  }

  /// Fits the parameters.
  /// - Parameter progress: called from time to time with the share that is done; an error ends the fitting.
  public mutating func run(progress: (Double) throws -> Void = { _ in }) throws -> OptimizedParameters {
    let before = fit(of: initial, on: held)
    var w = initial
    for (index, stability) in firstStabilities().enumerated() { w[index] = stability }
    MemoryModel.orderFirsts(&w, firsts: firsts)
    let batches = batches()
    // A long log needs fewer passes.
    let count = max(1, batches.count)
    let epochs = max(1, min(5, Self.stepLimit / count), min(60, 600 / count))
    var (best, bestLoss) = (w, loss(of: w, on: training))
    var adam = Adam(total: epochs * batches.count, count: 21)
    for epoch in 0..<epochs {
      for (number, batch) in batches.shuffled(using: &random).enumerated() {
        if number % 8 == 0 { try progress((Double(epoch) + Double(number) / Double(batches.count)) / Double(epochs)) }
        descend(&w, batch, &adam)
      }
      let now = loss(of: w, on: training)
      if now < bestLoss { (best, bestLoss) = (w, now) }
    }
    try progress(1)
    let after = fit(of: best, on: held)
    let isBetter = after.logLoss < before.logLoss
    return OptimizedParameters(
      parameters: isBetter ? best : initial, before: before, after: isBetter ? after : before,
      reviewCount: history.laterCount, isBetter: isBetter)
  }

  /// Returns batches of shuffled training cards, with about as many answers each.
  private mutating func batches() -> [[Int]] {
    var (batches, open, size): ([[Int]], [Int], Int) = ([], [], 0)
    for card in training.shuffled(using: &random) {
      open.append(card)
      size += history.starts[card + 1] - history.starts[card]
      guard size >= Optimizer.batch else { continue }
      batches.append(open)
      (open, size) = ([], 0)
    }
    return open.isEmpty ? batches : batches + [open]
  }

  private func descend(_ w: inout [Double], _ batch: [Int], _ adam: inout Adam) {
    model.setParameters(w)
    model.clearGradient()
    var count = 0
    for card in batch { count += model.walk(card, isTraining: true).count }
    if count == 0 { return }
    let rate = adam.rate
    adam.step += 1
    let (fix1, fix2) = (1 - pow(0.9, Double(adam.step)), 1 - pow(0.999, Double(adam.step)))
    let prior = 1 / Double(history.laterCount)
    for index in 0..<21 {
      // The first four are times of days to months, so the steps change their logarithms.
      let unit = index < 4 ? w[index] : Optimizer.spread[index]
      let far = (w[index] - initial[index]) / (Optimizer.spread[index] * Optimizer.spread[index])
      let slope = (model.gradient[index] / Double(count) + 2 * far * prior) * unit
      adam.mean[index] = 0.9 * adam.mean[index] + 0.1 * slope
      adam.square[index] = 0.999 * adam.square[index] + 0.001 * slope * slope
      let move = 0.1 * rate * adam.mean[index] / fix1 / ((adam.square[index] / fix2).squareRoot() + 1e-8)
      let next = index < 4 ? w[index] * exp(-move) : w[index] - move * unit
      let range = MemoryModel.parameterRanges[index]
      w[index] = min(range.upperBound, max(range.lowerBound, next.isFinite ? next : w[index]))
    }
    MemoryModel.orderFirsts(&w, firsts: firsts)
  }

  /// Returns the stabilities after a first answer that fit the next answers best; without evidence, the initial ones.
  func firstStabilities() -> [Double] {
    var seen = [[Int: (right: Double, all: Double)]](repeating: [:], count: 4)
    for card in training {
      let start = history.starts[card]
      guard start + 1 < history.starts[card + 1], history.days[start + 1] > 0 else { continue }
      let (rating, days) = (Int(history.ratings[start]) - 1, Int(history.days[start + 1]))
      var sum = seen[rating][days] ?? (0, 0)
      sum.all += 1
      if history.ratings[start + 1] > 1 { sum.right += 1 }
      seen[rating][days] = sum
    }
    let curve = MemoryModel(checked: initial)
    return (0..<4).map { rating in
      if seen[rating].isEmpty { return initial[rating] }
      return lowest { stability in
        let far = (stability - initial[rating]) / Optimizer.spread[rating]
        // Sorted by days, because a sum of doubles depends on the order.
        return seen[rating].sorted { $0.key < $1.key }.reduce(far * far) { sum, entry in
          let recall = curve.retrievability(days: Double(entry.key), stability: stability)
          let p = min(0.999_999, max(0.000_001, recall))
          return sum - entry.value.right * log(p) - (entry.value.all - entry.value.right) * log(1 - p)
        }
      }
    }
  }

  /// Returns the stability from 0.001 to 100 days for which a function is lowest (golden-section search, by logarithm).
  private func lowest(_ function: (Double) -> Double) -> Double {
    let golden = (5.0.squareRoot() - 1) / 2
    var (low, high) = (log(0.001), log(100.0))
    for _ in 0..<40 {
      let (a, b) = (high - golden * (high - low), low + golden * (high - low))
      if function(exp(a)) < function(exp(b)) { high = b } else { low = a }
    }
    return exp((low + high) / 2)
  }

  /// Returns the mean log loss of parameters on the whole history.
  public func loss(of parameters: [Double]) throws(MemoryError) -> Double {
    let given = try MemoryModel.converted(parameters)
    return loss(of: given.isEmpty ? MemoryModel.defaultParameters : given, on: Array(0..<history.cardCount))
  }

  private func loss(of w: [Double], on cards: [Int]) -> Double {
    model.setParameters(w)
    var (loss, count) = (0.0, 0)
    for card in cards {
      let one = model.walk(card, isTraining: false)
      loss += one.loss
      count += one.count
    }
    return count == 0 ? 0 : loss / Double(count)
  }

  private func fit(of w: [Double], on cards: [Int]) -> ModelFit {
    model.setParameters(w)
    var predictions = Predictions()
    for card in cards {
      model.visit(card) { recall, isRight, days, number, lapses in
        predictions.add(recall, isRight, days: days, number: number, lapses: lapses)
      }
    }
    return predictions.fit
  }
}

/// What Adam remembers of its steps: the running means of the slopes and of their squares.
struct Adam {
  private let total: Int
  var step = 0
  var mean: [Double]
  var square: [Double]

  init(total: Int, count: Int) {
    self.total = max(1, total)
    (mean, square) = (Array(repeating: 0, count: count), Array(repeating: 0, count: count))
  }

  /// The size of the next step as a share of the first: a half cosine.
  var rate: Double { 0.5 * (1 + cos(Double.pi * Double(step) / Double(total))) }
}
