// A session of reviews: what a selection says, in the order of the options; what is being learnt comes back within it.
// Invariant: one answer writes one record and one schedule; a card that was removed or suspended meanwhile is passed
// over.

public import GRDB
public import Memory

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
  /// What can be taken back.
  private enum Step {
    /// With the id of its record, and the cards that it buried.
    case answer(Rating, review: Int64?, buried: [CardID])
    case hiding
  }

  /// A step, and what was before it.
  private struct Past {
    let step: Step
    let card: CardRecord
    let queue: ReviewQueue
  }

  /// How many steps can be undone.
  private static let stepsKept = 1000
  /// Seconds before its time that a card being learnt may be shown when nothing else is left.
  private static let learnAhead = 1200.0

  public let selection: StudySelection
  private var queue = ReviewQueue()
  private var schedulers = DeckSchedulers()
  private var past: [Past] = []
  /// The last moment that it was asked at.
  private var now = 0.0
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
  public var dueCount: Int { queue.learningCount(until: now + Self.learnAhead) + queue.dueLeft }
  public var newCount: Int { queue.newLeft }
  public var isOver: Bool { remaining == 0 }
  public var isActive: Bool { !isPaused && !isOver }
  /// When the next card that is being learnt comes, in seconds since 1970; nil when none does today.
  public var nextDue: Double? { queue.learning.map(\.due).min() }

  /// Takes notice of the time: what is being learnt may have come due.
  public func advance(to moment: StudyMoment) { now = moment.now }

  /// The card to answer now; the same until it is answered. nil when the session is over.
  public func card(_ db: Database, at moment: StudyMoment) throws -> CardRecord? {
    now = moment.now
    while let id = queue.current ?? queue.upcoming(now: now, until: now + Self.learnAhead) {
      if let card = try CardTable.card(db, id), !card.isSuspended, !card.isBuried(at: moment) {
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
    return Rating.allCases.map { ($0, schedulers.next(card, $0, at: moment).interval) }
  }

  // MARK: Acts

  /// Answers the card that is shown.
  /// - Parameter seconds: that the user took, for the record.
  /// - Throws: `over`, `paused`.
  @discardableResult
  public func answer(
    _ db: Database, _ rating: Rating, at moment: StudyMoment, seconds: Double? = nil
  ) throws -> ReviewResult {
    guard let card = try card(db, at: moment) else { throw DeckError.over }
    if isPaused { throw DeckError.paused }
    if !selection.reschedules { return repeating(card, rating) }
    let options = schedulers.options(of: card.deck)
    let next = schedulers.next(card, rating, at: moment)
    let entered = try ReviewTable.enter(db, card, rating, next, options, at: moment, seconds: seconds)
    let (review, isLeech, buried) = (entered.review, entered.isLeech, entered.buried)
    remember(.answer(rating, review: review, buried: buried), card)
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
    remember(.answer(rating, review: nil, buried: []), card)
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
    try hide(db, at: moment) { try CardTable.bury(db, [$0.id], at: moment) }
  }

  private func hide(_ db: Database, at moment: StudyMoment, _ change: (CardRecord) throws -> Void) throws {
    guard let card = try card(db, at: moment) else { throw DeckError.over }
    try change(card)
    remember(.hiding, card)
    queue.drop(card.id)
  }

  private func remember(_ step: Step, _ card: CardRecord) {
    if past.count >= ReviewSession.stepsKept { past.removeFirst() }
    past.append(Past(step: step, card: card, queue: queue))
  }

  /// Takes the last answer, suspension or burial back, and the card's place in the session.
  /// - Throws: `nothingToUndo`; `gone` when the card was removed.
  public func undo(_ db: Database, at moment: StudyMoment) throws {
    guard let last = past.last else { throw DeckError.nothingToUndo }
    switch last.step {
    case .answer(let rating, let review?, let buried):
      try ReviewTable.write(db, last.card.schedule, last.card.id)
      try ReviewTable.remove(db, review: review)
      try restoreMarks(db, last.card, moment)
      try CardTable.unbury(db, buried)
      count(rating, -1)
    case .answer(let rating, nil, _): count(rating, -1)
    case .hiding:
      try restoreMarks(db, last.card, moment)
      try CardTable.unbury(db, [last.card.id])
    }
    past.removeLast()
    queue = last.queue
    queue.current = last.card.id
  }

  private func restoreMarks(_ db: Database, _ before: CardRecord, _ moment: StudyMoment) throws {
    guard let card = try CardTable.card(db, before.id) else { throw DeckError.gone(what: "the card") }
    if card.tags != before.tags { try CardTable.update(db, before.id, tags: before.tags, now: moment.now) }
    if card.isSuspended != before.isSuspended {
      try CardTable.setSuspended(db, before.id, before.isSuspended, now: moment.now)
    }
  }

  public func pause() { isPaused = true }

  public func resume() { isPaused = false }

  /// Looks anew at what is due.
  public func restart(_ db: Database, at moment: StudyMoment) throws {
    now = moment.now
    let decks = try self.decks(db)
    let options = try DeckTable.allOptions(db, at: moment)
    schedulers = DeckSchedulers(options)
    var builder = try QueueBuilder(db, selection, decks: decks, options: options, at: moment)
    queue = try builder.build()
    past = []
    right = 0
    wrong = 0
    isPaused = false
  }

  // MARK: Decks

  /// The selected decks and those within them, each once; the first selected one first.
  private func decks(_ db: Database) throws -> [DeckRecord] {
    var (decks, known): ([DeckRecord], Set<DeckID>) = ([], [])
    // One that stands in another selected one comes with that one.
    let roots = try selection.decks.map { try DeckTable.record(db, $0) }
    for root in roots {
      let key = root.name.lowercased()
      if roots.contains(where: { DeckName.isKey(key, within: $0.name.lowercased()) }) { continue }
      for deck in [root] + (try DeckTable.within(db, root.id)) where known.insert(deck.id).inserted {
        decks.append(deck)
      }
    }
    return decks
  }

  private func count(_ rating: Rating, _ change: Int) {
    if rating == .again { wrong += change } else { right += change }
  }
}
