// Fits both memory models to one log, and decides which of them schedules. Pure, so that it may run in the background
// while a prompt is shown.
// Invariant: unless the user asked for FSRS-7, it schedules only with evidence for it; without a fit it never does.

/// The memory model that a user asks for.
public enum ModelChoice: String, Sendable {
  /// The model that predicts better.
  case auto
  case fsrs6 = "fsrs-6"
  case fsrs7 = "fsrs-7"
}

/// Fits the models to a history.
public struct ModelFitting: Sendable {
  /// The result of the fitting.
  public struct Outcome: Equatable, Sendable {
    public let fsrs6: OptimizedParameters
    /// nil if FSRS-7 is not wanted, or if the log is too short to compare the models.
    public let evidence: ModelEvidence?
    /// What the preset stores besides the parameters of FSRS-6.
    public var fitted: FittedModels
    let modelChoice: ModelChoice

    /// Whether FSRS-7 schedules from now on.
    public var usesFSRS7: Bool {
      fitted.model != nil && (modelChoice == .fsrs7 || modelChoice == .auto && fitted.prefersFSRS7)
    }
  }

  private let history: ReviewHistory
  private let parameters: [Double]
  private let modelChoice: ModelChoice

  /// - Parameter parameters: those of FSRS-6, to start with and to compare with; empty for the published ones.
  public init(_ history: ReviewHistory, parameters: [Double], modelChoice: ModelChoice) {
    (self.history, self.parameters, self.modelChoice) = (history, parameters, modelChoice)
  }

  /// - Parameter progress: called from time to time with the share that is done; an error ends the fitting.
  /// - Throws: `tooFewReviews`.
  public func run(progress: (Double) throws -> Void = { _ in }) throws -> Outcome {
    var optimizer = try Optimizer(history, parameters: parameters)
    let isAlone = modelChoice == .fsrs6
    let fsrs6 = try optimizer.run { try progress($0 * (isAlone ? 1 : 0.3)) }
    let evidence = isAlone ? nil : try ModelEvidence(history) { try progress(0.3 + $0 * 0.4) }
    let isPreferred = evidence?.prefersFSRS7 ?? false
    var parameters: [Double] = []
    if isPreferred || modelChoice == .fsrs7 {
      var optimizer = Optimizer7(history)
      parameters = try optimizer.run { try progress(0.7 + $0 * 0.3) } ?? []
    }
    try progress(1)
    let fitted = try FittedModels(
      answers: history.ratings.count, prefersFSRS7: isPreferred, parameters: parameters, firsts: history.firsts)
    return Outcome(fsrs6: fsrs6, evidence: evidence, fitted: fitted, modelChoice: modelChoice)
  }
}
