// One step of the backward pass through a card: from the derivatives of the loss by the state after an answer to those
// by the state before it. Invariant: each derivative is that of its line in `MemoryGradient7.forward`.

import Glibc

extension MemoryGradient7 {
  /// The derivatives of the loss with respect to a state.
  typealias StateSlope = (slow: Double, fast: Double, difficulty: Double)

  func back(_ step: Step, _ after: StateSlope, weight: Double) -> StateSlope {
    var before: StateSlope = (0, 0, 0)
    var (byRecall, byFastRecall) = (0.0, 0.0)
    if weight > 0, step.recall > 0.0001, step.recall < 0.9999 {
      byRecall = weight * (step.rating > 1 ? -1 / step.recall : 1 / (1 - step.recall))
    }
    byRecall += backDifficulty(step, after.difficulty * step.difficultyOpen, &before)
    var (outSlow, outFast) = (after.slow, after.fast * step.fast.open)
    if step.isBounded { (outSlow, outFast) = (outSlow + 0.8 * outFast, 0) }
    outSlow *= step.slow.open
    let slow = backChange(step.slow, 7, step, step.recall, outSlow)
    let fast = backChange(step.fast, 15, step, step.fastRecall, outFast)
    before.slow += slow.stability
    before.fast += fast.stability
    before.difficulty += slow.difficulty + fast.difficulty
    byRecall += slow.recall
    byFastRecall += fast.recall
    backRecall(step, byRecall, byFastRecall, &before)
    return before
  }

  /// Also returns the derivative with respect to the probability of recall, on which the difficulty after a forgotten
  /// answer depends.
  private func backDifficulty(_ step: Step, _ out: Double, _ before: inout StateSlope) -> Double {
    if out == 0 { return 0 }
    let distance = Double(step.rating - 3)
    let surprise = step.rating == 1 ? step.recall + 0.1 : 1
    let byChange = 0.99 * out * (10 - step.difficulty) / 9
    before.difficulty += 0.99 * out * (1 + w[6] * distance * surprise / 9)
    gradient[4] += 0.01 * out
    gradient[5] -= 0.01 * out * 3 * exp(w[5] * 3)
    gradient[6] -= byChange * distance * surprise
    return step.rating == 1 ? 2 * w[6] * byChange : 0
  }

  private func backChange(_ change: Change, _ first: Int, _ step: Step, _ recall: Double, _ out: Double) -> (
    stability: Double, difficulty: Double, recall: Double
  ) {
    if out == 0 { return (0, 0, 0) }
    if step.rating == 1 {
      guard change.falls else { return (out, 0, 0) }
      let left = out * change.base * change.exponential
      let powered = out * w[first + 3] * change.exponential * change.power
      gradient[first + 3] += out * (change.power - 1) * change.exponential
      gradient[first + 4] += powered * log1p(change.stability)
      gradient[first + 5] += left * (1 - recall)
      return (powered * w[first + 4] / (change.stability + 1), 0, -left * w[first + 5])
    }
    let bonus = bonus(first, step.rating)
    let gain = change.base * (change.exponential - 1)
    let scaled = out * change.stability * bonus
    gradient[first] += scaled * gain
    gradient[first + 1] -= scaled * gain * change.logStability
    gradient[first + 2] += scaled * change.base * change.exponential * (1 - recall)
    if step.rating == 2 { gradient[first + 6] += out * change.stability * gain }
    if step.rating == 4 { gradient[first + 7] += out * change.stability * gain }
    return (
      out * (1 + gain * bonus * (1 - w[first + 1])), -scaled * gain / (11 - step.difficulty),
      -scaled * change.base * change.exponential * w[first + 2]
    )
  }

  /// Propagates the derivatives through the mixture of both memories to each of them.
  private func backRecall(_ step: Step, _ byRecall: Double, _ byFastRecall: Double, _ before: inout StateSlope) {
    let (hardness, weights) = (step.difficulty - 5, step.fastWeight + step.slowWeight)
    let byMixed = byRecall * (1 - 2 * MemoryModel7.margin)
    let mixed = (step.fastWeight * step.fastRecall + step.slowWeight * step.slowRecall) / weights
    let byFastWeight = byMixed * (step.fastRecall - mixed) / weights * step.fastWeight
    let bySlowWeight = byMixed * (step.slowRecall - mixed) / weights * step.slowWeight
    gradient[27] += byFastWeight / w[27]
    gradient[29] -= byFastWeight * step.fast.logStability
    before.fast -= byFastWeight * w[29] / step.fast.stability
    gradient[28] += bySlowWeight / w[28]
    gradient[30] += bySlowWeight * step.slow.logStability
    gradient[31] += bySlowWeight * hardness
    before.slow += bySlowWeight * w[30] / step.slow.stability
    before.difficulty += bySlowWeight * (w[31] - 0.5)
    backFast(step, byMixed * step.fastWeight / weights + byFastRecall, &before)
    backSlow(step, byMixed * step.slowWeight / weights, &before)
  }

  private func backFast(_ step: Step, _ out: Double, _ before: inout StateSlope) {
    if step.fastRise == 0 { return }
    let stability = step.fast.stability
    var byPower = -out * step.fastRecall * step.fastLog
    let byRise = -out * step.fastRecall * step.fastPower / (1 + step.fastRise)
    before.fast -= byRise * step.fastRise / stability
    if step.fastGrowthOpen {
      let byExponent = byRise * step.days / stability * (step.fastGrowth + 1)
      gradient[25] -= byExponent / (step.fastPower * w[25])
      byPower += byExponent * constants.logFastBase / (step.fastPower * step.fastPower)
    }
    guard step.fastPowerOpen else { return }
    let scaled = byPower * step.fastPower
    gradient[23] += scaled / w[23]
    gradient[33] += scaled * step.fast.logStability
    before.fast += scaled * (w[33] - 0.3) / stability
  }

  private func backSlow(_ step: Step, _ out: Double, _ before: inout StateSlope) {
    if step.slowRise == 0 { return }
    let power = constants.slowPower
    var byPower = -out * step.slowRecall * step.slowLog
    let scaled = -out * step.slowRecall * power / (1 + step.slowRise) * step.slowRise
    before.slow -= scaled / step.slow.stability
    before.difficulty += scaled * (w[32] - 0.3)
    gradient[32] += scaled * (step.difficulty - 5)
    // The rise is proportional to base^(-1/power) - 1.
    let byExponent = scaled * (constants.slowGrowth + 1) / constants.slowGrowth
    gradient[26] -= byExponent / (power * w[26])
    byPower += byExponent * constants.logSlowBase / (power * power)
    gradient[24] += byPower
  }
}
