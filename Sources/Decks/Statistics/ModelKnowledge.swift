// How well the memory model knows a user: its predictions compared with the results, what fitting it again would
// change, and how long study takes at several retentions.
// Invariant: nothing is changed; the same cards and answers give the same values.

public import Memory
public import Storage
public import Values

public struct ModelKnowledge: Equatable, Sendable {
  /// The minutes of study per day at a retention, averaged over a year.
  public struct Cost: Equatable, Sendable {
    public let retention: Double
    public let minutes: Double
  }

  public let model: ModelChoice
  /// How well the parameters in use predict all answers on later days, and by the time of the answer before.
  public let fit: ModelFit
  public let speeds: [SpeedRecall]
  /// How fitting FSRS-6 again would change the log loss on cards that are not used for fitting; nil if the log is too
  /// short or too long to try it here.
  public let refit: OptimizedParameters?
  /// The cost at the retention of the deck, and at other retentions.
  public let now: Cost
  public let others: [Cost]

  /// The data for this figure, read from a collection.
  public struct Reading: Sendable {
    /// Fitting more answers than this takes too long to do it unasked.
    static let longestTried = 50_000
    /// With more cards than this, only a sample of them is simulated.
    static let sample = 2000
    static let retentions = [0.8, 0.85, 0.9, 0.95]

    private let history: ReviewHistory
    private let options: DeckOptions
    private let simulation: Simulation
    private let times: AnswerTimes

    /// Reads a deck and the decks within it.
    public init(_ db: Database, deck: DeckID, at moment: StudyMoment) throws {
      history = try ReviewHistory(db, decks: [deck], at: moment)
      options = try DeckTable.options(db, deck)
      let all = try Simulation(db, deck: deck, at: moment)
      let part = min(1, Double(Self.sample) / Double(max(1, all.cardCount)))
      (simulation, share) = (all.sampled(part), part)
      let decks = [deck] + (try DeckTable.within(db, deck).map(\.id))
      times = try GoalGroup(db, decks, moment).times()
    }

    /// The share of the cards that is simulated.
    private let share: Double

    /// - Parameter check: called now and then; if it throws, the work ends with that error.
    public func knowledge(_ check: () throws -> Void) throws -> ModelKnowledge {
      let (fit, speeds) = history.fit(options.recallModel)
      var refit: OptimizedParameters?
      if (Optimizer.fewestReviews...Self.longestTried).contains(history.laterCount) {
        var optimizer = try Optimizer(history, parameters: options.parameters)
        refit = try optimizer.run { _ in try check() }
      }
      func costs(_ retentions: [Double]) throws -> [Cost] {
        try simulation.run(retentions: retentions, days: 365) { _ in try check() }.map {
          Cost(retention: $0.retention, minutes: $0.minutesPerDay(times) / share)
        }
      }
      let wanted = options.desiredRetention
      let now = try costs([wanted]).first ?? Cost(retention: wanted, minutes: 0)
      return ModelKnowledge(
        model: options.modelInUse, fit: fit, speeds: speeds, refit: refit, now: now,
        others: try costs(Self.retentions.filter { abs($0 - wanted) > 0.001 }))
    }
  }

  var value: Value {
    func cost(_ cost: Cost) -> Value { .record(["retention": cost.retention, "minutes": cost.minutes]) }
    return .record([
      ("name", .text(model.rawValue)), ("answers", .integer(fit.count)), ("log_loss", .number(fit.logLoss)),
      ("rmse", .number(fit.rmse)), ("auc", .number(fit.auc)), ("calibration", fit.calibrationValue),
      (
        "refit",
        refit.map { .record(["before": $0.before.logLoss, "after": $0.after.logLoss, "better": $0.isBetter]) } ?? .null
      ), ("speed", .list(speeds.map(\.value))),
      ("minutes", .list(([now] + others).sorted { $0.retention < $1.retention }.map(cost))),
    ])
  }
}

extension SpeedRecall {
  public var value: Value {
    .record([
      "speed": speed.rawValue, "predicted": predicted, "fsrs6": fsrs6, "remembered": remembered, "answers": answers,
    ])
  }
}

extension ModelFit {
  /// The calibration as plain data, for programs.
  public var calibrationValue: Value {
    .list(calibration.map { .record(["predicted": $0.predicted, "remembered": $0.remembered, "answers": $0.count]) })
  }
}
