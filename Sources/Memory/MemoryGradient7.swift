// The log loss of FSRS-7 parameters on a history, and its derivatives, written out by hand. A card is walked forwards,
// recording each step, then backwards (reverse-mode differentiation). Invariant: nothing is allocated while cards are
// walked; the formulas are those of `MemoryModel7`.

import Glibc

/// Evaluates parameters on a history.
final class MemoryGradient7 {
  /// The effect of an answer on one of the two stabilities.
  struct Change {
    var stability = 0.0
    var logStability = 0.0
    /// The growth, or what is left after a lapse, without its exponential of recall; and that exponential.
    var base = 0.0
    var exponential = 0.0
    /// (S + 1)^w, if the card was forgotten.
    var power = 0.0
    /// Whether a forgotten answer lowers the stability.
    var falls = true
    /// 0 if the result was clamped to its bounds.
    var open = 1.0
  }

  /// What the backward pass needs of a step.
  struct Step {
    var rating = 1
    var days = 0.0
    var difficulty = 0.0
    var slow = Change()
    var fast = Change()
    /// The exponent of the fast curve, and whether it is within its bounds; that of the slow curve is a constant.
    var fastPower = 0.0
    var fastPowerOpen = false
    var fastGrowth = 0.0
    var fastGrowthOpen = false
    /// Growth · days / stability.
    var fastRise = 0.0
    var slowRise = 0.0
    var fastLog = 0.0
    var slowLog = 0.0
    var fastRecall = 1.0
    var slowRecall = 1.0
    var fastWeight = 0.0
    var slowWeight = 0.0
    var recall = 1.0
    /// Whether the fast stability was limited to that of the slow one, less a fifth.
    var isBounded = false
    var difficultyOpen = 1.0
  }

  private let history: ReviewHistory
  private let steps = UnsafeMutablePointer<Step>.allocate(capacity: ReviewHistory.longest)
  let w = UnsafeMutablePointer<Double>.allocate(capacity: MemoryModel7.count)
  let gradient = UnsafeMutablePointer<Double>.allocate(capacity: MemoryModel7.count)
  var constants = Constants()
  /// How many units of the history's moments a day has.
  var millisecondsPerDay = 86_400_000.0

  /// Values that depend on the parameters alone.
  struct Constants {
    /// By rating.
    var firstDifficulty = SIMD4<Double>()
    var slowPower = 0.0
    var slowGrowth = 0.0
    var logFastBase = 0.0
    var logSlowBase = 0.0
    var slowFactor = 0.0
    var fastFactor = 0.0
  }

  init(_ history: ReviewHistory) {
    self.history = history
    steps.initialize(repeating: Step(), count: ReviewHistory.longest)
    w.initialize(repeating: 0, count: MemoryModel7.count)
    gradient.initialize(repeating: 0, count: MemoryModel7.count)
  }

  deinit {
    steps.deallocate()
    w.deallocate()
    gradient.deallocate()
  }

  func setParameters(_ parameters: [Double]) {
    for index in 0..<MemoryModel7.count { w[index] = parameters[index] }
    func first(_ rating: Double) -> Double { w[4] - exp(w[5] * (rating - 1)) + 1 }
    constants.firstDifficulty = SIMD4(first(1), first(2), first(3), first(4))
    constants.slowPower = min(0.95, max(0.01, w[24]))
    (constants.logFastBase, constants.logSlowBase) = (log(w[25]), log(w[26]))
    constants.slowGrowth = exp(-constants.logSlowBase / constants.slowPower) - 1
    (constants.slowFactor, constants.fastFactor) = (exp(w[7] - 1.5), exp(w[15] - 1.5))
  }

  func clearGradient() { gradient.update(repeating: 0, count: MemoryModel7.count) }

  /// Returns the weighted loss of a card's answers. With `isTraining`, adds its derivatives to `gradient`.
  /// - Parameter weights: those of all answers of the history; 0 if an answer is not predicted.
  func walk(_ card: Int, weights: UnsafeBufferPointer<Float>, isTraining: Bool) -> Double {
    let start = history.starts[card]
    var (loss, last) = (0.0, -1)
    visit(card) { index, recall, isRight in
      let weight = Double(weights[start + index])
      guard weight > 0 else { return }
      let bounded = min(0.9999, max(0.0001, recall))
      loss -= weight * log(isRight ? bounded : 1 - bounded)
      last = index
    }
    if isTraining, last >= 0 { backpropagate(from: last, start, weights) }
    return loss
  }

  /// Calls the body with each answer of a card after the first: its index, the probability, the outcome.
  @inline(__always) func visit(_ card: Int, _ body: (Int, Double, Bool) -> Void) {
    let start = history.starts[card]
    let count = history.starts[card + 1] - start
    history.moments.withUnsafeBufferPointer { moments in
      history.ratings.withUnsafeBufferPointer { ratings in
        first(Int(ratings[start]))
        for index in 1..<max(1, count) {
          let days = Double(moments[start + index] - moments[start + index - 1]) / millisecondsPerDay
          forward(index, days, Int(ratings[start + index]))
          body(index, steps[index].recall, ratings[start + index] > 1)
        }
      }
    }
  }

  /// Clamps a value to its bounds; if it was outside, sets `open` to 0, because the slope is 0 there.
  private func bounded(_ value: Double, _ range: ClosedRange<Double>, _ open: inout Double) -> Double {
    if value >= range.lowerBound, value <= range.upperBound { return value }
    open = 0
    return value > range.upperBound ? range.upperBound : range.lowerBound
  }

  /// Processes the first answer; the state after it is stored in `next`.
  private func first(_ rating: Int) {
    var step = Step()
    step.rating = rating
    let slow = bounded(w[rating - 1], MemoryModel7.stabilities, &step.slow.open)
    let fast = bounded(0.8 * w[rating - 1], MemoryModel7.stabilities, &step.fast.open)
    let difficulty = bounded(constants.firstDifficulty[rating - 1], 1...10, &step.difficultyOpen)
    steps[0] = step
    next = (slow, fast, difficulty)
  }

  /// The state after the last step.
  private var next = (slow: 0.0, fast: 0.0, difficulty: 0.0)

  private func forward(_ index: Int, _ days: Double, _ rating: Int) {
    var step = Step()
    (step.rating, step.days, step.difficulty) = (rating, days, next.difficulty)
    (step.slow.stability, step.fast.stability) = (next.slow, next.fast)
    (step.slow.logStability, step.fast.logStability) = (log(next.slow), log(next.fast))
    remember(&step)
    let range = MemoryModel7.stabilities
    let slow = bounded(answered(&step.slow, 7, constants.slowFactor, step, step.recall), range, &step.slow.open)
    var fast = answered(&step.fast, 15, constants.fastFactor, step, step.fastRecall)
    if rating == 1, fast > 0.8 * slow {
      fast = 0.8 * slow
      step.isBounded = true
    }
    fast = bounded(fast, range, &step.fast.open)
    let change = -w[6] * Double(rating - 3) * (rating == 1 ? step.recall + 0.1 : 1)
    let damped = step.difficulty + (10 - step.difficulty) * change / 9
    let difficulty = bounded(0.01 * constants.firstDifficulty[3] + 0.99 * damped, 1...10, &step.difficultyOpen)
    next = (slow, fast, difficulty)
    steps[index] = step
  }

  /// Computes the probability of recall, of both memories together.
  private func remember(_ step: inout Step) {
    let (hardness, logSlow, logFast) = (step.difficulty - 5, step.slow.logStability, step.fast.logStability)
    let power = w[23] * exp((w[33] - 0.3) * logFast)
    step.fastPowerOpen = power >= 0.01 && power <= 0.95
    step.fastPower = min(0.95, max(0.01, power))
    let exponent = -constants.logFastBase / step.fastPower
    step.fastGrowthOpen = exponent < 60
    step.fastGrowth = exp(min(exponent, 60)) - 1
    step.fastRise = step.fastGrowth * step.days / step.fast.stability
    step.slowRise = constants.slowGrowth * exp(hardness * (w[32] - 0.3)) * step.days / step.slow.stability
    (step.fastLog, step.slowLog) = (log1p(step.fastRise), log1p(step.slowRise))
    step.fastRecall = exp(-step.fastPower * step.fastLog)
    step.slowRecall = exp(-constants.slowPower * step.slowLog)
    step.fastWeight = w[27] * exp(-w[29] * logFast)
    step.slowWeight = w[28] * exp(w[30] * logSlow + hardness * (w[31] - 0.5))
    let mixed =
      (step.fastWeight * step.fastRecall + step.slowWeight * step.slowRecall) / (step.fastWeight + step.slowWeight)
    step.recall = MemoryModel7.margin + (1 - 2 * MemoryModel7.margin) * mixed
  }

  private func answered(_ change: inout Change, _ first: Int, _ factor: Double, _ step: Step, _ recall: Double)
    -> Double
  {
    let stability = change.stability
    if step.rating == 1 {
      change.power = exp(w[first + 4] * log1p(stability))
      change.exponential = exp((1 - recall) * w[first + 5])
      change.base = w[first + 3] * (change.power - 1)
      let left = change.base * change.exponential
      change.falls = left < stability
      return min(left, stability)
    }
    change.base = factor * (11 - step.difficulty) * exp(-w[first + 1] * change.logStability)
    change.exponential = exp((1 - recall) * w[first + 2])
    return stability * (1 + change.base * (change.exponential - 1) * bonus(first, step.rating))
  }

  func bonus(_ first: Int, _ rating: Int) -> Double { rating == 2 ? w[first + 6] : rating == 4 ? w[first + 7] : 1 }

  /// Computes, from the last step to the first, the derivatives of the loss with respect to the state before each step
  /// and to each parameter.
  private func backpropagate(from last: Int, _ start: Int, _ weights: UnsafeBufferPointer<Float>) {
    var slope: StateSlope = (0, 0, 0)
    for index in stride(from: last, through: 1, by: -1) {
      // Only the prediction of the last answer counts, not its effect on the card.
      slope = back(steps[index], slope, weight: Double(weights[start + index]))
    }
    let step = steps[0]
    let difficulty = slope.difficulty * step.difficultyOpen
    let distance = Double(step.rating - 1)
    gradient[step.rating - 1] += slope.slow * step.slow.open + 0.8 * slope.fast * step.fast.open
    gradient[4] += difficulty
    gradient[5] -= difficulty * distance * exp(w[5] * distance)
  }
}
