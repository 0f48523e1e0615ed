// How long an answer took says how well its card will be remembered: after a slow answer the odds are lower than the
// memory models predict. Invariant: pure; a time that is not known counts as the median, and no time moves the log odds
// by more than 0.7.

import Glibc

/// How the time of an answer changes the odds that its card is remembered later.
///
///     AnswerTime(median: 4, shift: 0.06, slope: -0.16).hesitation(8)   // ln 2: twice the median
public struct AnswerTime: Equatable, Sendable {
  /// The strength with which both numbers are drawn to 0.
  private static let ridge = 20.0
  /// The time of an answer changes nothing.
  static let none = AnswerTime(median: 0, shift: 0, slope: 0)

  /// The median of the known times, in seconds; 0 if no time counts.
  public let median: Double
  /// What is added to the log odds of recall after an answer of the median time.
  public let shift: Double
  /// What is added for each unit of hesitation: negative if slow answers are remembered less.
  public let slope: Double

  public init(median: Double, shift: Double, slope: Double) {
    (self.median, self.shift, self.slope) = (median, shift, slope)
  }

  /// Returns a time in seconds; 0 if it is not known, or so short that nobody can have thought.
  static func known(_ seconds: Double) -> Double { seconds >= 0.3 ? seconds : 0 }

  /// Returns the logarithm of a time as a share of the median. More than three times the median counts as that, because
  /// the user may have done something else; an unknown time, 0, counts as the median.
  func hesitation(_ seconds: Double) -> Double {
    seconds > 0 && median > 0 ? min(log(3), max(-log(4), log(seconds / median))) : 0
  }

  /// What is added to the log odds of recall.
  func offset(_ hesitation: Double) -> Double { min(0.7, max(-0.7, shift + slope * hesitation)) }

  /// An answer on a later day: the log odds of recall without the time, and the time of the answer before in seconds,
  /// 0 if it is not known.
  typealias Sample = (odds: Double, seconds: Double, isRight: Bool)

  /// Fits shift and slope by Newton's method: a logistic regression with a ridge.
  init(median: Double, fitting samples: [Sample]) {
    let scale = AnswerTime(median: median, shift: 0, slope: 0)
    var (shift, slope) = (0.0, 0.0)
    for _ in 0..<50 {
      var (byShift, bySlope) = (Self.ridge * shift, Self.ridge * slope)
      var (shifts, both, slopes) = (Self.ridge, 0.0, Self.ridge)
      for sample in samples {
        let hesitation = scale.hesitation(sample.seconds)
        let recall = Double(logOdds: sample.odds + shift + slope * hesitation)
        let (error, weight) = (recall - (sample.isRight ? 1 : 0), recall * (1 - recall))
        byShift += error
        bySlope += error * hesitation
        shifts += weight
        both += weight * hesitation
        slopes += weight * hesitation * hesitation
      }
      let determinant = shifts * slopes - both * both
      // Longer steps could miss the minimum again and again.
      let steps = [slopes * byShift - both * bySlope, shifts * bySlope - both * byShift]
        .map { min(1, max(-1, $0 / determinant)) }
      (shift, slope) = (shift - steps[0], slope - steps[1])
      if abs(steps[0]) + abs(steps[1]) < 1e-13 { break }
    }
    self.init(median: median, shift: shift, slope: slope)
  }
}

/// How an answer's time compares with the other answers.
public enum AnswerSpeed: String, CaseIterable, Sendable { case fast, middling, slow }

extension Double {
  /// The log odds of this probability, which is taken as one from 0.0001 to 0.9999.
  var logOdds: Double {
    let bounded = Swift.min(0.9999, Swift.max(0.0001, self))
    return log(bounded / (1 - bounded))
  }

  /// The probability of log odds.
  init(logOdds: Double) { self = 1 / (1 + exp(-logOdds)) }
}

/// Returns the point from `low` to `high` at which a probability that falls has reached `goal`. Log odds are nearly
/// linear in logarithms, so the line through both ends comes close at once (the Illinois method).
func falling(to goal: Double, from low: Double, to high: Double, _ recall: (Double) -> Double) -> Double {
  func excess(_ logarithm: Double) -> Double { recall(exp(logarithm)).logOdds - goal.logOdds }
  var (low, high) = (log(low), log(high))
  var (over, under) = (excess(low), excess(high))
  if over <= 0 { return exp(low) }
  if under >= 0 { return exp(high) }
  var wasOver: Bool?
  for _ in 0..<200 {
    let point = (low * under - high * over) / (under - over)
    let left = excess(point)
    if abs(left) < 1e-13 || point <= low || point >= high { return exp(point) }
    if left > 0 {
      (low, over, under) = (point, left, wasOver == true ? under / 2 : under)
    } else {
      (high, under, over) = (point, left, wasOver == false ? over / 2 : over)
    }
    wasOver = left > 0
  }
  return exp((low + high) / 2)
}
