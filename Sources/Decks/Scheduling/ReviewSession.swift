// A session of reviews: what a selection says, in the order of the options; what is being learnt comes back within it.
// Invariant: one answer writes one record and one schedule; a card that was removed or suspended meanwhile is passed
// over. Going back moves the queue alone: the undo log has what an answer changed.

public import Memory
public import Storage

/// What an answer did.
///
///     let result = try session.answer(db, .good, at: moment)
///     print(result.remaining, result.interval)
public struct ReviewResult: Equatable, Sendable {
  public let card: CardID
  public let rating: Rating
  /// The card's schedule now.
  public let schedule: CardSchedule
  /// Seconds until it comes back.
  public let interval: Double
  /// It has just been forgotten so often that it got the tag `leech`.
  public let isLeech: Bool
  /// Cards still to come.
  public let remaining: Int
}

/// A session of reviews over what a selection says.
///
///     let session = try ReviewSession(db, deck: deck, at: moment)
///     while let card = try session.card(db, at: moment) { ... }
public final class ReviewSession {
  /// The session before an answer, a suspension or a burial.
  private struct Past {
    /// nil for a suspension or a burial.
    let rating: Rating?
    let card: CardID
    let queue: ReviewQueue
  }

  /// How many acts can be gone back.
  private static let stepsKept = 1000

  public let selection: StudySelection
  private var queue = ReviewQueue()
  private var schedulers = DeckSchedulers()
  private var past: [Past] = []
  /// Answers, suspensions and burials so far, without those that were gone back.
  public private(set) var actCount = 0
  /// `StudyMoment.soon` of the last moment that it was asked at.
  private var soon = 0.0
  public private(set) var right = 0
  public private(set) var wrong = 0
  public private(set) var isPaused = false

  /// - Throws: `badOption` when the selection's days are out of range; `gone` when a deck was removed.
  public init(_ db: Database, _ selection: StudySelection, at moment: StudyMoment) throws {
    try selection.checked()
    self.selection = selection
    try restart(db, at: moment)
  }

  /// - Parameters:
  ///   - deck: studied with the decks within it.
  ///   - limit: cards to study at most, beside the deck's own limits.
  ///   - query: only what it finds is studied.
  public convenience init(
    _ db: Database, deck: DeckID, limit: Int? = nil, query: CardQuery? = nil, at moment: StudyMoment
  ) throws {
    try self.init(db, StudySelection([deck], query: query, limit: limit), at: moment)
  }

  // MARK: State

  /// Cards still to come, the one that is shown included. Those being learnt that come much later today do not count.
  public var remaining: Int { dueCount + newCount }
  /// Learnt cards whose time has come, those being learnt included.
  public var dueCount: Int { queue.learningCount(until: soon) + queue.dueLeft }
  public var newCount: Int { queue.newLeft }
  public var isOver: Bool { remaining == 0 }
  public var isActive: Bool { !isPaused && !isOver }
  /// When the next card that is being learnt comes, in seconds since 1970; nil when none does today.
  public var nextDue: Double? { queue.learning.map(\.due).min() }

  /// Takes notice of the time: what is being learnt may have come due.
  public func advance(to moment: StudyMoment) { soon = moment.soon }

  /// The card to answer now; the same until it is answered. nil when the session is over.
  public func card(_ db: Database, at moment: StudyMoment) throws -> CardRecord? {
    soon = moment.soon
    while let id = queue.current ?? queue.upcoming(now: moment.now, until: soon) {
      if let card = try CardTable.card(db, id), card.isShown(at: moment) {
        queue.current = id
        return card
      }
      queue.drop(id)
    }
    return nil
  }

  /// What each answer would give for the card that is shown: seconds until it comes back.
  public func choices(_ db: Database, at moment: StudyMoment) throws -> [(rating: Rating, interval: Double)] {
    guard let card = try card(db, at: moment), selection.reschedules else { return [] }
    return try Rating.allCases.map { ($0, try schedulers.next(db, card, $0, at: moment).interval) }
  }

  // MARK: Acts

  /// Answers the card that is shown.
  /// - Parameters:
  ///   - seconds: that the user took, for the record.
  ///   - mistyped: what was typed and is not the answer.
  /// - Throws: `over`, `paused`.
  @discardableResult
  public func answer(
    _ db: Database, _ rating: Rating, at moment: StudyMoment, seconds: Double? = nil, mistyped: String? = nil
  ) throws -> ReviewResult {
    guard let card = try card(db, at: moment) else { throw DeckError.over }
    if isPaused { throw DeckError.paused }
    if !selection.reschedules { return repeating(card, rating) }
    let options = schedulers.options(of: card.deck)
    let next = try schedulers.next(db, card, rating, at: moment)
    let entered = try ReviewTable.enter(db, card, rating, next, options, at: moment, seconds: seconds)
    let (isLeech, buried) = (entered.isLeech, entered.buried)
    if let mistyped { try MistypeTable.add(db, card.id, mistyped, now: moment.now) }
    schedulers.move(card, to: next.schedule, at: moment)
    remember(rating, card)
    queue.drop(card.id)
    if !buried.isEmpty { queue.drop(all: Set(buried)) }
    if next.schedule.state != .review, let due = next.schedule.due, due < moment.endOfToday,
      !(isLeech && options.suspendsLeeches)
    {
      queue.learning.append((due, card.id))
    }
    count(rating, 1)
    return ReviewResult(
      card: card.id, rating: rating, schedule: next.schedule, interval: next.interval, isLeech: isLeech,
      remaining: remaining)
  }

  /// An answer that changes no schedule: a card that was not remembered comes back at the end.
  private func repeating(_ card: CardRecord, _ rating: Rating) -> ReviewResult {
    remember(rating, card)
    queue.drop(card.id)
    if rating == .again { queue.append(.init(card: card.id, isNew: card.state == .new)) }
    count(rating, 1)
    return ReviewResult(
      card: card.id, rating: rating, schedule: card.schedule, interval: 0, isLeech: false, remaining: remaining)
  }

  /// Suspends the card that is shown.
  /// - Throws: `over`.
  public func suspend(_ db: Database, at moment: StudyMoment) throws {
    try hide(db, at: moment) { try CardTable.setSuspended(db, $0.id, true, now: moment.now) }
  }

  /// Buries the card that is shown until tomorrow.
  /// - Throws: `over`.
  public func bury(_ db: Database, at moment: StudyMoment) throws {
    try hide(db, at: moment) { try CardHiding.bury(db, [$0.id], at: moment) }
  }

  private func hide(_ db: Database, at moment: StudyMoment, _ change: (CardRecord) throws -> Void) throws {
    guard let card = try card(db, at: moment) else { throw DeckError.over }
    try change(card)
    remember(nil, card)
    queue.drop(card.id)
  }

  private func remember(_ rating: Rating?, _ card: CardRecord) {
    if past.count >= ReviewSession.stepsKept { past.removeFirst() }
    past.append(Past(rating: rating, card: card.id, queue: queue))
    actCount += 1
  }

  /// How many answers, suspensions and burials can be gone back.
  public var pastCount: Int { past.count }

  /// Goes back to before the last answer, suspension or burial. What it changed in the database is for the undo log.
  /// - Throws: `nothingToUndo`.
  public func stepBack() throws(DeckError) {
    guard let last = past.popLast() else { throw .nothingToUndo }
    if let rating = last.rating { count(rating, -1) }
    actCount -= 1
    schedulers.forgetLoads()
    queue = last.queue
    queue.current = last.card
  }

  public func pause() { isPaused = true }

  public func resume() { isPaused = false }

  /// Looks anew at what is due.
  public func restart(_ db: Database, at moment: StudyMoment) throws {
    soon = moment.soon
    let decks = try selection.allDecks(db)
    var options = try DeckTable.allOptions(db, at: moment)
    schedulers = DeckSchedulers(options)
    let chosen = selection.kind == .scheduled ? try GoalDay(db, of: decks, &options, at: moment) : GoalDay()
    var builder = try QueueBuilder(db, selection, decks: decks, options: options, chosen: chosen, at: moment)
    queue = try builder.build()
    past = []
    (actCount, right, wrong) = (0, 0, 0)
    isPaused = false
  }

  private func count(_ rating: Rating, _ change: Int) {
    if rating == .again { wrong += change } else { right += change }
  }
}
