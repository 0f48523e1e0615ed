// The log loss of FSRS-6 parameters on a history, and its derivatives, written out by hand. A card is walked forwards,
// recording each step, then backwards (reverse-mode differentiation). Invariant: nothing is allocated while cards are
// walked; the formulas are those of `MemoryModel`.

import Glibc

/// Evaluates parameters on a history.
final class MemoryGradient {
  private enum Kind { case first, sameDay, sameDayFlat, recalled, forgotten, forgottenBounded }

  /// What the backward pass needs of a step.
  private struct Step {
    var kind = Kind.first
    var rating = 1
    var stability = 0.0
    var difficulty = 0.0
    var recall = 1.0
    /// t · factor / stability.
    var ratio = 0.0
    var logStability = 0.0
    /// The growth, or what is left after a lapse, without its exponential of recall; and that exponential.
    var base = 0.0
    var exponential = 0.0
    /// (S + 1)^w13, or the factor of a same-day answer.
    var power = 0.0
    /// 0 if the result was clamped to its bounds.
    var stabilityOpen = 1.0
    var difficultyOpen = 1.0
    var counts = false
  }

  /// Values that depend on the parameters alone.
  private struct Constants {
    var factor = 0.0
    /// The derivative of the factor with respect to w20.
    var factorSlope = 0.0
    var growth = 0.0
    var lapseBound = 1.0
    var easyDifficulty = 0.0
    /// By rating.
    var sameDay = SIMD4<Double>()
    var firstDifficulty = SIMD4<Double>()
  }

  private let history: ReviewHistory
  private let steps = UnsafeMutablePointer<Step>.allocate(capacity: ReviewHistory.longest)
  private let w = UnsafeMutablePointer<Double>.allocate(capacity: 21)
  let gradient = UnsafeMutablePointer<Double>.allocate(capacity: 21)
  private var constants = Constants()

  init(_ history: ReviewHistory) {
    self.history = history
    steps.initialize(repeating: Step(), count: ReviewHistory.longest)
    w.initialize(repeating: 0, count: 21)
    gradient.initialize(repeating: 0, count: 21)
  }

  deinit {
    steps.deallocate()
    w.deallocate()
    gradient.deallocate()
  }

  func setParameters(_ parameters: [Double]) {
    for index in 0..<21 { w[index] = parameters[index] }
    let decay = w[20]
    let power = exp(-log(0.9) / decay)
    constants.factor = power - 1
    constants.factorSlope = power * log(0.9) / (decay * decay)
    constants.growth = exp(w[8])
    constants.lapseBound = exp(-w[17] * w[18])
    constants.easyDifficulty = w[4] - exp(w[5] * 3) + 1
    func short(_ rating: Double) -> Double { exp(w[17] * (rating - 3 + w[18])) }
    constants.sameDay = SIMD4(short(1), short(2), short(3), short(4))
    func first(_ rating: Double) -> Double { w[4] - exp(w[5] * (rating - 1)) + 1 }
    constants.firstDifficulty = SIMD4(first(1), first(2), first(3), first(4))
  }

  func clearGradient() { gradient.update(repeating: 0, count: 21) }

  /// Returns the loss of a card's answers on later days, and their number; training adds the derivatives to `gradient`.
  func walk(_ card: Int, isTraining: Bool) -> (loss: Double, count: Int) {
    var (loss, count) = (0.0, 0)
    visit(card) { recall, isRight, _, _, _ in
      loss -= log(isRight ? recall : 1 - recall)
      count += 1
    }
    if isTraining, count > 0 { backpropagate(history.starts[card + 1] - history.starts[card]) }
    return (loss, count)
  }

  /// Calls the body with each prediction of a card: the probability, the outcome, the days, the number of earlier
  /// answers, the number of earlier lapses.
  @inline(__always) func visit(_ card: Int, _ body: (Double, Bool, Int, Int, Int) -> Void) {
    let start = history.starts[card]
    let count = history.starts[card + 1] - start
    var (stability, difficulty, lapses) = (0.0, 0.0, 0)
    history.days.withUnsafeBufferPointer { days in
      history.ratings.withUnsafeBufferPointer { ratings in
        for index in 0..<count {
          let (day, rating) = (Int(days[start + index]), Int(ratings[start + index]))
          (stability, difficulty) = forward(index, day, rating, stability, difficulty)
          if steps[index].counts { body(steps[index].recall, rating > 1, day, index, lapses) }
          if rating == 1, day > 0 { lapses += 1 }
        }
      }
    }
  }

  /// Processes one answer: records the step and returns the state after it.
  private func forward(_ index: Int, _ days: Int, _ rating: Int, _ stability: Double, _ difficulty: Double) -> (
    Double, Double
  ) {
    var step = Step()
    step.rating = rating
    (step.stability, step.difficulty) = (stability, difficulty)
    var (newStability, newDifficulty): (Double, Double)
    if index == 0 {
      newStability = w[rating - 1]
      newDifficulty = constants.firstDifficulty[rating - 1]
    } else {
      newStability = answered(&step, days)
      let change = -w[6] * Double(rating - 3)
      let damped = difficulty + change * (10 - difficulty) / 9
      newDifficulty = w[7] * constants.easyDifficulty + (1 - w[7]) * damped
    }
    if newStability < 0.001 || newStability > 36_500 || newStability.isNaN {
      newStability = newStability > 36_500 ? 36_500 : 0.001
      step.stabilityOpen = 0
    }
    if newDifficulty < 1 || newDifficulty > 10 {
      newDifficulty = newDifficulty < 1 ? 1 : 10
      step.difficultyOpen = 0
    }
    steps[index] = step
    return (newStability, newDifficulty)
  }

  private func answered(_ step: inout Step, _ days: Int) -> Double {
    step.logStability = log(step.stability)
    if days < 1 {
      let change = constants.sameDay[step.rating - 1] * exp(-w[19] * step.logStability)
      let isFlat = step.rating > 1 && change < 1
      step.kind = isFlat ? .sameDayFlat : .sameDay
      step.power = isFlat ? 1 : change
      return step.stability * step.power
    }
    step.counts = true
    step.ratio = constants.factor * Double(days) / step.stability
    step.recall = min(0.999_999, max(0.000_001, exp(-w[20] * log1p(step.ratio))))
    return step.rating == 1 ? forgotten(&step) : recalled(&step)
  }

  private func recalled(_ step: inout Step) -> Double {
    step.kind = .recalled
    step.base = constants.growth * (11 - step.difficulty) * exp(-w[9] * step.logStability)
    step.exponential = exp(w[10] * (1 - step.recall))
    let factor = step.rating == 2 ? w[15] : step.rating == 4 ? w[16] : 1
    return step.stability * (1 + step.base * (step.exponential - 1) * factor)
  }

  private func forgotten(_ step: inout Step) -> Double {
    step.base = w[11] * exp(-w[12] * log(step.difficulty))
    step.exponential = exp(w[14] * (1 - step.recall))
    step.power = exp(w[13] * log(step.stability + 1))
    let left = step.base * (step.power - 1) * step.exponential
    let bound = step.stability * constants.lapseBound
    step.kind = left < bound ? .forgotten : .forgottenBounded
    return min(left, bound)
  }

  /// Computes, from the last step to the first, the derivatives of the loss with respect to the state before each step
  /// and to each parameter.
  private func backpropagate(_ count: Int) {
    var (byStability, byDifficulty) = (0.0, 0.0)
    for index in stride(from: count - 1, through: 0, by: -1) {
      let step = steps[index]
      let outStability = byStability * step.stabilityOpen
      let outDifficulty = byDifficulty * step.difficultyOpen
      if step.kind == .first {
        first(step, outStability, outDifficulty)
        return
      }
      let difficultySlope = backDifficulty(step, outDifficulty)
      let state = backStability(step, outStability)
      byStability = state.stability
      byDifficulty = state.difficulty + difficultySlope
    }
  }

  private func first(_ step: Step, _ stability: Double, _ difficulty: Double) {
    gradient[step.rating - 1] += stability
    let distance = Double(step.rating - 1)
    gradient[4] += difficulty
    gradient[5] -= difficulty * distance * exp(w[5] * distance)
  }

  private func backDifficulty(_ step: Step, _ out: Double) -> Double {
    if out == 0 { return 0 }
    let distance = Double(step.rating - 3)
    let damped = step.difficulty - w[6] * distance * (10 - step.difficulty) / 9
    gradient[4] += out * w[7]
    gradient[5] -= out * w[7] * 3 * exp(w[5] * 3)
    gradient[6] -= out * (1 - w[7]) * distance * (10 - step.difficulty) / 9
    gradient[7] += out * (constants.easyDifficulty - damped)
    return out * (1 - w[7]) * (1 + w[6] * distance / 9)
  }

  private func backStability(_ step: Step, _ out: Double) -> (stability: Double, difficulty: Double) {
    var result = (stability: 0.0, difficulty: 0.0)
    var byRecall = 0.0
    switch step.kind {
    case .first: return result
    case .sameDay:
      let value = out * step.stability * step.power
      result.stability = out * step.power * (1 - w[19])
      gradient[17] += value * (Double(step.rating - 3) + w[18])
      gradient[18] += value * w[17]
      gradient[19] -= value * step.logStability
      return result
    case .sameDayFlat: return (out, 0)
    case .recalled: byRecall = backRecalled(step, out, &result)
    case .forgotten: byRecall = backForgotten(step, out, &result)
    case .forgottenBounded:
      let bound = step.stability * constants.lapseBound
      result.stability = out * constants.lapseBound
      gradient[17] -= out * bound * w[18]
      gradient[18] -= out * bound * w[17]
    }
    byRecall += step.rating > 1 ? -1 / step.recall : 1 / (1 - step.recall)
    let slope = w[20] * step.ratio / (1 + step.ratio)
    result.stability += byRecall * step.recall * slope / step.stability
    let byFactor = step.ratio / constants.factor * constants.factorSlope
    gradient[20] += byRecall * step.recall * (-log1p(step.ratio) - w[20] / (1 + step.ratio) * byFactor)
    return result
  }

  private func backRecalled(_ step: Step, _ out: Double, _ result: inout (stability: Double, difficulty: Double))
    -> Double
  {
    let factor = step.rating == 2 ? w[15] : step.rating == 4 ? w[16] : 1
    let gain = step.base * (step.exponential - 1)
    let scaled = out * step.stability * factor
    result.stability = out * (1 + gain * factor * (1 - w[9]))
    result.difficulty = -scaled * gain / (11 - step.difficulty)
    gradient[8] += scaled * gain
    gradient[9] -= scaled * gain * step.logStability
    gradient[10] += scaled * step.base * step.exponential * (1 - step.recall)
    if step.rating == 2 { gradient[15] += out * step.stability * gain }
    if step.rating == 4 { gradient[16] += out * step.stability * gain }
    return -scaled * step.base * step.exponential * w[10]
  }

  private func backForgotten(_ step: Step, _ out: Double, _ result: inout (stability: Double, difficulty: Double))
    -> Double
  {
    let left = out * step.base * (step.power - 1) * step.exponential
    let powered = out * step.base * step.exponential * step.power
    result.stability = powered * w[13] / (step.stability + 1)
    result.difficulty = -left * w[12] / step.difficulty
    gradient[11] += left / w[11]
    gradient[12] -= left * log(step.difficulty)
    gradient[13] += powered * log(step.stability + 1)
    gradient[14] += left * (1 - step.recall)
    return -left * w[14]
  }
}
