// Fits both memory models, and the effect of the time of an answer, to one log. Pure, so that it may run in the
// background while a prompt is shown.
// Invariant: without a fit FSRS-6 predicts alone.

/// The memory model that a user asks for, or that predicts.
public enum ModelChoice: String, Sendable {
  /// Both models, unless FSRS-6 alone predicts clearly better.
  case auto
  /// Both models with the time of answers.
  case both
  case fsrs6 = "fsrs-6"
  case fsrs7 = "fsrs-7"
}

/// What is found by fitting the models to a history.
public struct ModelFitting: Equatable, Sendable {
  public let fsrs6: OptimizedParameters
  /// nil if the log is too short to judge the models.
  public let evidence: ModelEvidence?
  /// What the preset stores besides the parameters of FSRS-6.
  public let fitted: FittedModels
  /// The model that predicts from now on.
  public let model: ModelChoice

  /// - Parameters:
  ///   - parameters: those of FSRS-6, to start with and to compare with; empty for the published ones.
  ///   - progress: called from time to time with the share that is done; an error ends the fitting.
  /// - Throws: `tooFewReviews`.
  public init(
    _ history: ReviewHistory, parameters: [Double], modelChoice: ModelChoice,
    progress: (Double) throws -> Void = { _ in }
  ) throws {
    let models = try FittedModels.fit(history, parameters: parameters) { try progress($0 * 0.55) }
    evidence = try ModelEvidence(history) { try progress(0.55 + $0 * 0.45) }
    try progress(1)
    fsrs6 = models.fsrs6
    fitted = try FittedModels(
      answers: history.ratings.count, prefersFSRS6: evidence?.prefersFSRS6 ?? false, parameters: models.fsrs7,
      firsts: history.firsts(), time: models.time)
    model = fitted.model(modelChoice)
  }
}

extension FittedModels {
  /// Fits everything to a history; FSRS-7 has no parameters if the history is too short for it.
  static func fit(
    _ history: ReviewHistory, parameters: [Double] = [], _ progress: (Double) throws -> Void
  ) throws -> (fsrs6: OptimizedParameters, fsrs7: [Double], time: AnswerTime) {
    var (old, new) = (try Optimizer(history, parameters: parameters), Optimizer7(history))
    let fsrs6 = try old.run { try progress($0 * 0.4) }
    let fsrs7 = try new.run { try progress(0.4 + $0 * 0.6) } ?? []
    let samples = history.predictions(fsrs6: fsrs6.parameters, fsrs7: fsrs7).map {
      (odds: $0.recall(.none).logOdds, seconds: $0.seconds, isRight: $0.isRight)
    }
    return (fsrs6, fsrs7, AnswerTime(median: history.medianSeconds, fitting: samples))
  }
}
