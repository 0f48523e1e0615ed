// The race: a stack of cards against a clock. Only the top card counts; a wrong one goes back under the others.
// Invariant: a sprint changes no schedule; every card of the stack is there once; nothing is answered when it is over
// or paused, and an empty stack never starts the clock.

/// What an answer did.
///
///     let result = try sprint.answer(isRight: true)
///     print(result.remaining, result.isOver)
public struct SprintResult: Equatable, Sendable {
  public let card: CardID
  public let isRight: Bool
  /// Cards still in the stack.
  public let remaining: Int
  public let isOver: Bool
}

/// Cards against the clock: only the top one counts, and a wrong one goes back under the others.
///
///     let sprint = Sprint(cards: ids, seconds: 100, clock: clock)
///     let result = try sprint.answer(isRight: false)
public final class Sprint {
  /// All the seconds of a race.
  public let seconds: Double
  public private(set) var right = 0
  public private(set) var wrong = 0
  private let clock: () -> Double
  private var cards: [CardID]
  /// The stack is `queue[head...]`, its top first; a wrong card is appended.
  private var queue: [CardID]
  private var head = 0
  private var answers: [Bool] = []
  /// Time used before the clock was last started.
  private var used = 0.0
  /// The clock's value when it was last started; nil while it is stopped.
  private var started: Double?

  /// - Parameters:
  ///   - cards: the stack, top first.
  ///   - seconds: of the race; 100 is the custom.
  ///   - clock: seconds on a clock that never goes back and counts no suspended time twice.
  public init(cards: [CardID], seconds: Double = 100, clock: @escaping () -> Double) {
    self.cards = cards
    self.seconds = seconds.isFinite ? max(0, seconds) : 100
    self.clock = clock
    queue = cards
    start()
  }

  /// The only card that can be answered; nil when the race is over.
  public var card: CardID? { isOver ? nil : queue[head] }
  /// Cards in the stack.
  public var remaining: Int { queue.count - head }
  /// Seconds left, 0 at least.
  public var timeRemaining: Double { max(0, seconds - usedNow) }
  /// Time is out, or no card is left.
  public var isOver: Bool { remaining == 0 || timeRemaining <= 0 }
  /// Whether the clock runs.
  public var isActive: Bool { started != nil && !isOver }

  /// Takes the top card off, for good when it was right, to the bottom when it was wrong.
  /// - Throws: `over`, `paused`.
  @discardableResult
  public func answer(isRight: Bool) throws(DeckError) -> SprintResult {
    if isOver { throw .over }
    guard started != nil else { throw .paused }
    let card = queue[head]
    head += 1
    if isRight {
      right += 1
    } else {
      wrong += 1
      queue.append(card)
    }
    answers.append(isRight)
    if remaining == 0 { stop() }
    return SprintResult(card: card, isRight: isRight, remaining: remaining, isOver: isOver)
  }

  /// Brings the last card answered back on top. Time that has passed stays passed.
  /// - Throws: `nothingToUndo`; `over` when the time is out.
  public func undo() throws(DeckError) {
    guard let wasRight = answers.last else { throw .nothingToUndo }
    if timeRemaining <= 0 { throw .over }
    let hadEnded = remaining == 0
    answers.removeLast()
    head -= 1
    if wasRight {
      right -= 1
    } else {
      wrong -= 1
      queue.removeLast()
    }
    if hadEnded { start() }
  }

  /// Stops the clock. Paused or over already, it does nothing.
  public func pause() { stop() }

  /// Starts the clock again, unless the race is over.
  public func resume() { start() }

  /// All the seconds and the whole stack again.
  public func restart() { reset(cards: cards) }

  /// A fresh start with other cards, as when the deck was changed.
  public func reset(cards: [CardID]) {
    self.cards = cards
    queue = cards
    head = 0
    right = 0
    wrong = 0
    answers = []
    used = 0
    started = nil
    start()
  }

  private var usedNow: Double { used + (started.map { max(0, clock() - $0) } ?? 0) }

  private func start() {
    if started == nil, !isOver { started = clock() }
  }

  private func stop() {
    used = usedNow
    started = nil
  }
}
