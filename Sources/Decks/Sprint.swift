// A sprint: a stack of cards against a clock. Only the top card can be answered; a wrong one goes to the bottom.
// Invariant: a sprint changes no schedule. Every card of the stack occurs once. Nothing can be answered when the sprint
// is over or paused, and an empty stack never starts the clock.

public import Storage

/// What an answer did, and the number of cards still in the stack.
public typealias SprintResult = (card: CardID, isRight: Bool, remaining: Int, isOver: Bool)

/// What a sprint and a session of reviews have in common.
public protocol StudyProgress {
  var right: Int { get }
  var wrong: Int { get }
  /// The number of cards still to come.
  var remaining: Int { get }
  var isOver: Bool { get }
  var isActive: Bool { get }
  func pause()
  func resume()
}

/// Cards against the clock: only the top one can be answered, and a wrong one goes to the bottom.
public final class Sprint: StudyProgress {
  /// The length of the sprint in seconds.
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

  /// - Parameter cards: the stack, top first.
  /// - Parameter seconds: the length of the sprint; 100 is usual.
  /// - Parameter clock: returns seconds of a clock that never goes back and counts no suspended time twice.
  public init(cards: [CardID], seconds: Double = 100, clock: @escaping () -> Double) {
    self.cards = cards
    self.seconds = seconds.isFinite ? max(0, seconds) : 100
    self.clock = clock
    queue = cards
    resume()
  }

  /// The only card that can be answered; nil when the sprint is over.
  public var card: CardID? { isOver ? nil : queue[head] }
  public var remaining: Int { queue.count - head }
  /// Seconds left, at least 0.
  public var timeRemaining: Double { max(0, seconds - usedNow) }
  /// Whether the time is over, or no card is left.
  public var isOver: Bool { remaining == 0 || timeRemaining <= 0 }
  /// Whether the clock is running.
  public var isActive: Bool { started != nil && !isOver }

  /// Removes the top card if it was right; moves it to the bottom if it was wrong.
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
    if remaining == 0 { pause() }
    return (card, isRight, remaining, isOver)
  }

  /// Puts the last answered card back on top. The time that has passed is not restored.
  /// - Throws: `nothingToUndo`; `over` if the time is over.
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
    if hadEnded { resume() }
  }

  /// Stops the clock. It does nothing if the sprint is already paused or over.
  public func pause() { (used, started) = (usedNow, nil) }

  /// Starts the clock again, unless the sprint is over.
  public func resume() {
    if started == nil, !isOver { started = clock() }
  }

  /// Starts again with the whole time and the whole stack.
  public func restart() { reset(cards: cards) }

  /// Starts again with other cards, for example after the deck has changed.
  public func reset(cards: [CardID]) {
    self.cards = cards
    queue = cards
    (head, right, wrong, answers) = (0, 0, 0, [])
    (used, started) = (0, nil)
    resume()
  }

  private var usedNow: Double { used + (started.map { max(0, clock() - $0) } ?? 0) }
}

/// A fingerprint of the cards of a deck at one moment.
public struct DeckMark: Equatable, Sendable {
  private let count: Int
  private let lastID: Int64
  /// The sum of the times of change: the latest time may be that of a card from a machine whose clock is ahead.
  private let changes: Double
  private let order: Double

  public init(_ db: Database, _ deck: DeckID) throws {
    // Each rank is weighted by the id of its card, so the sum changes if two cards swap places.
    let sql = """
      SELECT count(*), coalesce(max(id), 0), total(mod), total(rank * (1.0 + (id % 65521) / 65521.0))
      FROM cards WHERE deck = ?
      """
    let row = try db.firstRow(sql, [deck.rawValue]) { ($0.count(0), $0.integer(1), $0.number(2), $0.number(3)) }
    (count, lastID, changes, order) = row ?? (0, 0, 0, 0)
  }
}
