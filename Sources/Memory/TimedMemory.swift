// What the log of a card tells besides its state by FSRS-6: its state by FSRS-7, and how long the last answer took. It
// is not stored, but computed from the log each time, so undoing an answer restores it. Also what a preset stores of a
// fitting. Invariant: for the same answers a card has the state that `MemoryGradient7` reaches.

/// What predicts a card besides FSRS-6.
public struct TimedMemory: Equatable, Sendable {
  /// The state by FSRS-7; nil if it was not fitted.
  public var state: MemoryState7?
  public let first: Rating
  /// How slow the last answer was: see `AnswerTime.hesitation`.
  public var hesitation: Double

  public init(_ state: MemoryState7?, first: Rating, hesitation: Double = 0) {
    (self.state, self.first, self.hesitation) = (state, first, hesitation)
  }

  /// Replays the answers of one card, the earliest first.
  public struct Replay: Sendable {
    private let model: RecallModel
    /// nil until the card's first answer as a new one, and if FSRS-6 alone predicts.
    public private(set) var memory: TimedMemory?
    /// The time of the last answer, in seconds since 1970.
    public private(set) var last = 0.0
    /// That of the last answer, also of a card whose first answer is not known.
    public private(set) var hesitation = 0.0
    private var lastIsNew = false

    public init(_ model: RecallModel) { self.model = model }

    /// - Parameters:
    ///   - isFirst: whether the card was new when it was answered.
    ///   - isLearning: whether it was new or being learnt for the first time.
    ///   - seconds: how long the answer took; 0 if that is not known.
    public mutating func add(at time: Double, _ rating: Rating, isFirst: Bool, isLearning: Bool, seconds: Double = 0) {
      let begins = memory == nil || (isFirst && !lastIsNew)
      (lastIsNew, hesitation) = (isFirst, model.hesitation(seconds))
      if begins {
        memory = isLearning ? model.first(rating, seconds: seconds) : nil
        last = time
        return
      }
      memory = memory.map { model.next($0, rating, days: max(0, time - last) / 86_400, seconds: seconds) }
      last = max(last, time)
    }
  }
}

/// What a preset stores of a fitting besides the parameters of FSRS-6.
public struct FittedModels: Equatable, Sendable {
  /// How many cards must have begun with a rating before its intervals are trusted.
  static let minimumFirsts = 50

  /// The number of answers in the log at the time of the fitting.
  public var answers: Int
  /// Whether FSRS-6 alone predicted better than both models with the time of answers.
  public var prefersFSRS6: Bool
  /// The 34 parameters of FSRS-7; empty if it was not fitted.
  public var parameters: [Double]
  /// The numbers of cards that began with again, hard, good and easy.
  public var firsts: [Int]
  /// nil if it was not fitted.
  public var time: AnswerTime?

  public init(
    answers: Int, prefersFSRS6: Bool = false, parameters: [Double] = [], firsts: [Int] = [], time: AnswerTime? = nil,
    version: Int = MemoryModel7.version
  ) throws(MemoryError) {
    self.answers = max(0, answers)
    let isUsable = version == MemoryModel7.version
    if isUsable, !parameters.isEmpty { _ = try MemoryModel7(parameters: parameters) }
    self.parameters = isUsable ? parameters : []
    // It was fitted to the predictions of these parameters.
    self.time = isUsable ? time : nil
    self.prefersFSRS6 = prefersFSRS6
    self.firsts = firsts.count == 4 ? firsts : [0, 0, 0, 0]
  }

  /// nil if FSRS-7 was not fitted.
  var model: MemoryModel7? { parameters.isEmpty ? nil : MemoryModel7(checked: parameters) }

  /// The model that predicts if a user asks for one: never one that was not fitted.
  public func model(_ choice: ModelChoice) -> ModelChoice {
    switch choice {
    case .auto: prefersFSRS6 ? .fsrs6 : model(.both)
    case .both: parameters.isEmpty && time == nil ? .fsrs6 : .both
    case .fsrs7: parameters.isEmpty ? .fsrs6 : .fsrs7
    case .fsrs6: .fsrs6
    }
  }

  /// Returns whether the log has grown by a tenth since the fitting, and by at least 200 answers.
  public func isDue(answers now: Int) -> Bool { now - answers >= max(200, answers / 10) }
}

extension ReviewHistory {
  /// The numbers of cards with at least so many answers that began with again, hard, good and easy.
  public func firsts(answers: Int = 1) -> [Int] {
    var counts = [0, 0, 0, 0]
    for card in 0..<cardCount where starts[card + 1] - starts[card] >= answers {
      counts[Int(ratings[starts[card]]) - 1] += 1
    }
    return counts
  }
}
