// Chooses the memory model that schedules: each is fitted to the first four fifths of the log, and both predict the
// answers on later days of the last fifth, which neither has seen. Invariant: without a thousand such answers, or if
// FSRS-7 predicts no better, FSRS-6 is chosen; no parameters are judged by answers that they were fitted to.

/// What the last answers of a log show about both models.
public struct ModelEvidence: Equatable, Sendable {
  /// The least number of answers on later days that are held out.
  public static let fewestAnswers = 1000
  /// The least number of answers on later days in the whole log, so that the first part is long enough to fit to.
  public static let fewestReviews = 500
  /// The share of the log that both models are fitted to.
  static let fitted = 0.8

  public let fsrs6: ModelFit
  public let fsrs7: ModelFit

  public var prefersFSRS7: Bool { fsrs7.count >= Self.fewestAnswers && fsrs7.logLoss < fsrs6.logLoss }

  /// nil if the log is too short to show anything.
  /// - Parameter progress: called from time to time with the share that is done; an error ends the fitting.
  public init?(_ history: ReviewHistory, progress: (Double) throws -> Void = { _ in }) throws {
    guard let cut = history.moment(after: Self.fitted) else { return nil }
    let earlier = history.until(cut)
    guard earlier.laterCount >= Optimizer.fewestReviews else { return nil }
    var old = try Optimizer(earlier)
    let w6 = try old.run { try progress($0 / 2) }.parameters
    var new = Optimizer7(earlier)
    guard let w7 = try new.run(progress: { try progress((1 + $0) / 2) }) else { return nil }
    fsrs6 = history.fit(fsrs6: w6, since: cut)
    fsrs7 = history.fit(fsrs7: w7, since: cut)
  }
}

extension ReviewHistory {
  /// Returns how well FSRS-6 with some parameters predicts the answers on later days in a period.
  public func fit(fsrs6 w: [Double], since moment: Int64 = .min, until end: Int64 = .max) -> ModelFit {
    let model = MemoryGradient(self)
    model.setParameters(w)
    var predictions = Predictions()
    for card in 0..<cardCount {
      let start = starts[card]
      model.visit(card) { recall, isRight, days, number, lapses in
        guard moments[start + number] >= moment, moments[start + number] < end else { return }
        predictions.add(recall, isRight, days: days, number: number, lapses: lapses)
      }
    }
    return predictions.fit
  }

  /// Returns the same for FSRS-7.
  /// - Parameter sameDay: whether answers on the day of the previous one count, too.
  public func fit(
    fsrs7 w: [Double], since moment: Int64 = .min, until end: Int64 = .max, sameDay: Bool = false
  ) -> ModelFit {
    let model = MemoryGradient7(self)
    model.setParameters(w)
    var predictions = Predictions()
    for card in 0..<cardCount {
      let start = starts[card]
      var lapses = 0
      model.visit(card) { number, recall, isRight in
        let (at, day) = (start + number, Int(days[start + number]))
        if day > 0 || (sameDay && isPredicted(at, first: start)), moments[at] >= moment, moments[at] < end {
          let bounded = min(0.9999, max(0.0001, recall))
          predictions.add(bounded, isRight, days: day, number: number, lapses: lapses)
        }
        if !isRight, day > 0 { lapses += 1 }
      }
    }
    return predictions.fit
  }
}
