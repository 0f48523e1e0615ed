// Judges the memory models by answers that they were not fitted to: all are fitted to the first four fifths of the log,
// and predict the answers on later days of the last fifth. Invariant: no parameters are judged by answers that they
// were fitted to.

import Glibc

/// What the last answers of a log show about the models.
public struct ModelEvidence: Equatable, Sendable {
  /// The least number of answers on later days in the whole log, so that the first part is long enough to fit to.
  public static let fewestReviews = 500
  /// The least number of answers that count against both models.
  private static let fewestAnswers = 200
  /// The share of the log that the models are fitted to.
  static let fitted = 0.8

  /// `both` is without the time of answers, `timed` with it.
  public let fsrs6, fsrs7, both, timed: ModelFit
  public let time: AnswerTime
  public let speeds: [SpeedRecall]
  /// Whether both models with the time of answers predict worse than FSRS-6, by more than one standard error.
  public let prefersFSRS6: Bool

  /// nil if the log is too short to show anything.
  /// - Parameter progress: called from time to time with the share that is done; an error ends the fitting.
  public init?(_ history: ReviewHistory, progress: (Double) throws -> Void = { _ in }) throws {
    guard let cut = history.moment(after: Self.fitted) else { return nil }
    let earlier = history.until(cut)
    guard earlier.laterCount >= Optimizer.fewestReviews else { return nil }
    let models = try FittedModels.fit(earlier, progress)
    if models.fsrs7.isEmpty { return nil }
    let answers = history.predictions(fsrs6: models.fsrs6.parameters, fsrs7: models.fsrs7, since: cut)
    let time = models.time
    self.time = time
    fsrs6 = answers.fit { $0.fsrs6 }
    fsrs7 = answers.fit { $0.fsrs7 ?? $0.fsrs6 }
    both = answers.fit { $0.recall(.none) }
    timed = answers.fit { $0.recall(time) }
    speeds = answers.bySpeed { $0.recall(time) }
    let worse = answers.map { $0.loss($0.recall(time)) - $0.loss($0.fsrs6) }
    let (count, mean) = (Double(worse.count), worse.reduce(0, +) / Double(max(1, worse.count)))
    let variance = worse.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / max(1, count - 1)
    prefersFSRS6 = worse.count >= Self.fewestAnswers && mean > (variance / count).squareRoot()
  }
}

/// Answers that followed a fast, a middling or a slow one.
public struct SpeedRecall: Equatable, Sendable {
  public let speed: AnswerSpeed
  /// Averages: the probability that was predicted, that by FSRS-6, and the share that was remembered.
  public let predicted, fsrs6, remembered: Double
  public let answers: Int
}

/// An answer on a later day, with what the models predicted before it; no `fsrs7` if it was not fitted.
struct PredictedAnswer {
  /// Its index in the history.
  let index: Int
  let isRight: Bool
  /// Whole days since the answer before, and how many answers and lapses the card had before.
  let days, number, lapses: Int
  /// The time of the answer before, in seconds; 0 if it is not known.
  let seconds: Double
  let fsrs6: Double
  let fsrs7: Double?

  /// The probability by both models.
  func recall(_ time: AnswerTime) -> Double {
    RecallCurve.combined(fsrs6, fsrs7, time.offset(time.hesitation(seconds)))
  }

  func loss(_ recall: Double) -> Double { -log(isRight ? recall : 1 - recall) }
}

extension [PredictedAnswer] {
  func fit(_ recall: (PredictedAnswer) -> Double) -> ModelFit {
    var predictions = Predictions()
    for answer in self {
      predictions.add(recall(answer), answer.isRight, days: answer.days, number: answer.number, lapses: answer.lapses)
    }
    return predictions.fit
  }

  /// The thirds of the answers by the time of the answer before; none if few times are known.
  func bySpeed(_ recall: (PredictedAnswer) -> Double) -> [SpeedRecall] {
    let known = filter { $0.seconds > 0 }.sorted { ($0.seconds, $0.index) < ($1.seconds, $1.index) }
    if known.count < 60 { return [] }
    return AnswerSpeed.allCases.enumerated().map { third, speed in
      let part = known[third * known.count / 3..<(third + 1) * known.count / 3]
      func mean(_ value: (PredictedAnswer) -> Double) -> Double { part.map(value).reduce(0, +) / Double(part.count) }
      return SpeedRecall(
        speed: speed, predicted: mean(recall), fsrs6: mean(\.fsrs6), remembered: mean { $0.isRight ? 1 : 0 },
        answers: part.count)
    }
  }
}

extension ReviewHistory {
  /// Returns what the models predict for the answers on later days in a period.
  /// - Parameter fsrs7: the 34 parameters, or none.
  func predictions(
    fsrs6: [Double], fsrs7: [Double], since moment: Int64 = .min, until end: Int64 = .max
  ) -> [PredictedAnswer] {
    let (old, new) = (MemoryGradient(self), fsrs7.isEmpty ? nil : MemoryGradient7(self))
    old.setParameters(fsrs6)
    new?.setParameters(fsrs7)
    var (answers, recalls): ([PredictedAnswer], [Double]) = ([], Array(repeating: 0, count: Self.longest))
    for card in 0..<cardCount {
      let start = starts[card]
      new?.visit(card) { number, recall, _ in recalls[number] = Swift.min(0.9999, Swift.max(0.0001, recall)) }
      old.visit(card) { recall, isRight, days, number, lapses in
        let index = start + number
        guard moments[index] >= moment, moments[index] < end else { return }
        answers.append(
          PredictedAnswer(
            index: index, isRight: isRight, days: days, number: number, lapses: lapses,
            seconds: Double(milliseconds[index - 1]) / 1000, fsrs6: recall, fsrs7: new == nil ? nil : recalls[number]))
      }
    }
    return answers
  }

  /// How well a model predicts all answers on later days, and by the time of the answer before.
  public func fit(_ model: RecallModel) -> (all: ModelFit, speeds: [SpeedRecall]) {
    let answers = predictions(fsrs6: model.fsrs6.w, fsrs7: model.fsrs7?.w ?? [])
    func recall(_ answer: PredictedAnswer) -> Double { model.time.map(answer.recall) ?? answer.fsrs7 ?? answer.fsrs6 }
    return (answers.fit(recall), answers.bySpeed(recall))
  }
}
