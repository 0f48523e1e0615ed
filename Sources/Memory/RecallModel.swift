// How recall is predicted, wherever it is needed: by FSRS-6, by FSRS-7, or by both, as the mean of their log odds,
// moved by the time of the last answer. Invariant: pure; recall never rises with time; the state of FSRS-6 does not
// depend on what else predicts.

import Glibc

/// What is known of a card's memory after its last answer.
public struct CardMemory: Equatable, Sendable {
  /// The state by FSRS-6.
  public var state: MemoryState
  /// nil if FSRS-6 alone predicts.
  public var timed: TimedMemory?

  public init(state: MemoryState, timed: TimedMemory? = nil) { (self.state, self.timed) = (state, timed) }
}

/// The probability of recall over time, after one answer.
public struct RecallCurve: Equatable, Sendable {
  /// The curve of FSRS-6: a power of 1 + rate · days.
  fileprivate let rate: Double
  fileprivate let decay: Double
  fileprivate var fsrs7: ForgettingCurve7?
  /// What the time of the answer adds to the log odds; nil if one model predicts alone.
  fileprivate let offset: Double?

  /// - Parameter wholeDays: the days by which FSRS-6 counts, from one day of study to another; nil: `days`.
  public func recall(days: Double, wholeDays: Int? = nil) -> Double {
    if offset == nil, let fsrs7 { return fsrs7.recall(days: days) }
    let recall = pow(1 + rate * max(0, wholeDays.map { Double($0) } ?? days), decay)
    return offset.map { Self.combined(recall, fsrs7?.recall(days: days), $0) } ?? recall
  }

  /// Returns the probability by both models.
  static func combined(_ fsrs6: Double, _ fsrs7: Double?, _ offset: Double) -> Double {
    Double(logOdds: (fsrs7.map { (fsrs6.logOdds + $0.logOdds) / 2 } ?? fsrs6.logOdds) + offset)
  }

  public func interval(retention: Double) -> Double {
    if fsrs7 == nil, offset == nil { return (pow(retention, 1 / decay) - 1) / rate }
    return falling(to: retention, from: 1 / 86_400, to: 36_500) { recall(days: $0) }
  }
}

/// The models that predict the recall of a deck's cards.
///
///     let model = RecallModel()
///     model.interval(model.initial(.good), retention: 0.9)   // in days
public final class RecallModel: Sendable {
  /// The days between two answers on the same day, if only their day is known.
  private static let minutes = 0.007

  public let fsrs6: MemoryModel
  /// nil if FSRS-6 predicts without it.
  public let fsrs7: MemoryModel7?
  /// nil if one model predicts alone.
  public let time: AnswerTime?
  /// The numbers of cards that began with again, hard, good and easy.
  private let firsts: [Int]

  /// - Parameter fitted: the result of the last fitting; without one FSRS-6 predicts alone.
  public init(
    _ fsrs6: MemoryModel = MemoryModel(), _ fitted: FittedModels? = nil, _ choice: ModelChoice = .auto,
    countsTime: Bool = true
  ) {
    let used = fitted?.model(choice) ?? .fsrs6
    self.fsrs6 = fsrs6
    fsrs7 = used == .fsrs6 ? nil : fitted?.model
    let fit = fitted?.time ?? .none
    time = used == .both ? AnswerTime(median: countsTime ? fit.median : 0, shift: fit.shift, slope: fit.slope) : nil
    firsts = fitted?.firsts ?? [0, 0, 0, 0]
  }

  /// Whether more than the state by FSRS-6 predicts: then it is read from the log of the card.
  public var readsLog: Bool { fsrs7 != nil || time != nil }

  func curve(_ memory: CardMemory) -> RecallCurve { curve(stability: memory.state.stability, memory.timed) }

  public func curve(stability: Double, _ timed: TimedMemory?) -> RecallCurve {
    let known = fsrs6.clampedStability(stability)
    return RecallCurve(
      rate: fsrs6.factor / known, decay: fsrs6.decay, fsrs7: timed?.state.flatMap { fsrs7?.curve($0) },
      offset: time?.offset(timed?.hesitation ?? 0))
  }

  /// Returns the days after which recall has fallen to `retention`. If few cards began with the first answer of this
  /// one, FSRS-7 makes it at most twice as long.
  public func interval(_ memory: CardMemory, retention: Double) -> Double {
    var curve = curve(memory)
    let days = curve.interval(retention: retention)
    guard curve.fsrs7 != nil, let first = memory.timed?.first, !believes(first) else { return days }
    curve.fsrs7 = nil
    return min(days, 2 * curve.interval(retention: retention))
  }

  /// Whether enough cards began with an answer for the intervals of FSRS-7.
  public func believes(_ first: Rating) -> Bool { firsts[Int(first.rawValue) - 1] >= FittedModels.minimumFirsts }

  /// Whether the time of the last answer changes recall enough to be worth saying; nil for a usual time.
  public func speed(_ memory: TimedMemory?) -> AnswerSpeed? {
    guard let time, let hesitation = memory?.hesitation, abs(time.offset(hesitation) - time.offset(0)) > 0.1 else {
      return nil
    }
    return hesitation < 0 ? .fast : .slow
  }

  // MARK: Answers

  /// Returns the memory after the first answer.
  /// - Parameter seconds: how long it took; 0 if that is not known.
  public func initial(_ rating: Rating, seconds: Double = 0) -> CardMemory {
    CardMemory(state: fsrs6.initial(rating), timed: first(rating, seconds: seconds))
  }

  /// Returns the memory after another answer, `days` whole days after the previous one.
  /// - Parameter time: the exact days; nil if they are not known.
  public func next(
    _ memory: CardMemory, _ rating: Rating, days: Int, time: Double? = nil, seconds: Double = 0
  ) -> CardMemory {
    let timed = (memory.timed ?? assumed(stability: memory.state.stability)).map {
      next($0, rating, days: time ?? (days == 0 ? Self.minutes : Double(days)), seconds: seconds)
    }
    return CardMemory(state: fsrs6.next(memory.state, rating, days: days), timed: timed)
  }

  func first(_ rating: Rating, seconds: Double) -> TimedMemory? {
    readsLog ? TimedMemory(fsrs7?.initial(rating), first: rating, hesitation: hesitation(seconds)) : nil
  }

  func next(_ known: TimedMemory, _ rating: Rating, days: Double, seconds: Double) -> TimedMemory {
    let state = known.state.flatMap { state in fsrs7?.next(state, rating, days: days) }
    return TimedMemory(state, first: known.first, hesitation: hesitation(seconds))
  }

  /// Returns what is assumed of a card whose log does not contain its first answer.
  public func assumed(stability: Double, hesitation: Double = 0) -> TimedMemory? {
    readsLog ? TimedMemory(fsrs7?.state(interval: stability), first: .good, hesitation: hesitation) : nil
  }

  func hesitation(_ seconds: Double) -> Double { time?.hesitation(AnswerTime.known(seconds)) ?? 0 }
}
