// The state of a card by FSRS-7, computed from its answers: it is not stored, but computed from the log each time. Also
// what a preset stores of a fitting. Invariant: for the same answers a card has the state that `MemoryGradient7`
// reaches; for a first rating that few cards began with, the interval is never more than twice that of FSRS-6.

/// The state of a card after its last answer, by FSRS-7.
public struct TimedMemory: Equatable, Sendable {
  public var state: MemoryState7
  public let first: Rating

  public init(_ state: MemoryState7, first: Rating) { (self.state, self.first) = (state, first) }

  /// Replays the answers of one card, the earliest first.
  public struct Replay: Sendable {
    private let model: MemoryModel7
    /// nil until the card's first answer as a new one.
    public private(set) var memory: TimedMemory?
    /// The time of the last answer, in seconds since 1970.
    public private(set) var last = 0.0
    private var lastIsNew = false

    public init(_ model: MemoryModel7) { self.model = model }

    /// - Parameters:
    ///   - isFirst: whether the card was new when it was answered.
    ///   - isLearning: whether it was new or being learnt for the first time.
    public mutating func add(at time: Double, _ rating: Rating, isFirst: Bool, isLearning: Bool) {
      let begins = memory == nil || (isFirst && !lastIsNew)
      lastIsNew = isFirst
      if begins {
        memory = isLearning ? TimedMemory(model.initial(rating), first: rating) : nil
        last = time
        return
      }
      guard var known = memory else { return }
      known.state = model.next(known.state, rating, days: max(0, time - last) / 86_400)
      memory = known
      last = max(last, time)
    }

    /// Returns the probability that the card is remembered at a time.
    public func recall(at time: Double) -> Double? {
      memory.map { model.retrievability($0.state, days: max(0, time - last) / 86_400) }
    }
  }
}

/// What a preset stores of a fitting of both models: which one evidence chooses, and the parameters of FSRS-7.
public struct FittedModels: Equatable, Sendable {
  /// How many cards must have begun with a rating before its intervals are trusted.
  static let minimumFirsts = 50

  /// The number of answers in the log at the time of the fitting.
  public var answers: Int
  /// Whether FSRS-7 predicted better.
  public var prefersFSRS7: Bool
  /// The 34 parameters of FSRS-7; empty if it was not fitted.
  public var parameters: [Double]
  /// The numbers of cards that began with again, hard, good and easy.
  public var firsts: [Int]

  public init(
    answers: Int, prefersFSRS7: Bool, parameters: [Double] = [], firsts: [Int] = [], version: Int = MemoryModel7.version
  ) throws(MemoryError) {
    self.answers = max(0, answers)
    let isUsable = version == MemoryModel7.version && !parameters.isEmpty
    if isUsable { _ = try MemoryModel7(parameters: parameters) }
    self.parameters = isUsable ? parameters : []
    self.prefersFSRS7 = prefersFSRS7 && isUsable
    self.firsts = firsts.count == 4 ? firsts : [0, 0, 0, 0]
  }

  /// nil if FSRS-7 was not fitted.
  public var model: MemoryModel7? { parameters.isEmpty ? nil : MemoryModel7(checked: parameters) }

  /// Returns the interval of FSRS-7 in days, limited if there is little evidence.
  public func guarded(_ days: Double, first: Rating, usual: Double) -> Double {
    firsts[Int(first.rawValue) - 1] >= Self.minimumFirsts ? days : min(days, 2 * usual)
  }

  /// Returns whether the log has grown by a tenth since the fitting, and by at least 200 answers.
  public func isDue(answers now: Int) -> Bool { now - answers >= max(200, answers / 10) }
}

extension ReviewHistory {
  /// The numbers of cards that began with again, hard, good and easy.
  public var firsts: [Int] {
    var counts = [0, 0, 0, 0]
    for card in 0..<cardCount { counts[Int(ratings[starts[card]]) - 1] += 1 }
    return counts
  }
}
