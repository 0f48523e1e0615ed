// A session of reviews: the cards of a selection, in the order of the options; cards that are being learnt come back
// within the session.
// Invariant: an answer writes one log entry and one schedule; cards that were removed or suspended meanwhile are
// skipped. Stepping back only restores the queue, also one of the day before: the undo log has what an answer changed.

public import Memory
public import Storage

public struct ReviewResult: Equatable, Sendable {
  public let card: CardID
  public let rating: Rating
  public let schedule: CardSchedule
  /// Seconds until the card comes back.
  public let interval: Double
  /// Whether this answer made the card a leech, or reached the next number of lapses at which a leech is reported
  /// again.
  public let isLeech: Bool
  /// The number of cards still to come.
  public let remaining: Int
}

/// A session of reviews of the cards of a selection.
public final class ReviewSession: StudyProgress {
  /// How many actions can be undone.
  private static let stepsKept = 1000

  public let selection: StudySelection
  private var queue = ReviewQueue()
  private var schedulers = DeckSchedulers()
  /// The session before each answer, suspension or burial; for these two, the rating is nil.
  private var past: [(rating: Rating?, card: CardID, queue: ReviewQueue)] = []
  /// The number of answers, suspensions and burials so far, without those that were undone.
  public private(set) var actionCount = 0
  /// `StudyMoment.soon` of the last moment that was passed to the session.
  private var soon = 0.0
  public private(set) var right = 0
  public private(set) var wrong = 0
  public private(set) var isPaused = false

  /// - Throws: `gone` if a deck was removed.
  public init(_ db: Database, _ selection: StudySelection, at moment: StudyMoment) throws {
    self.selection = selection
    try restart(db, at: moment)
  }

  // MARK: State

  /// The number of cards still to come, including the current one, without cards that are being learnt and come much
  /// later today.
  public var remaining: Int { dueCount + newCount }
  /// The number of due cards: learnt cards, and cards that are being learnt, also those that come soon, which are shown
  /// when nothing else is left.
  public var dueCount: Int { queue.learning.count { $0.due <= soon } + queue.dueLeft }
  public var newCount: Int { queue.newLeft }
  public var isOver: Bool { remaining == 0 }
  public var isActive: Bool { !isPaused && !isOver }
  /// When the next card that is being learnt comes, in seconds since 1970; nil if none does today.
  public var nextDue: Double? { queue.learning.map(\.due).min() }

  /// Updates the time, because cards that are being learnt may have become due.
  public func advance(to moment: StudyMoment) { soon = moment.soon }

  /// Whether the queue is that of another day and must be built again. A card that is shown is answered first.
  public func isOutdated(at moment: StudyMoment) -> Bool {
    queue.current == nil && queue.day != moment.today && selection.isByDay
  }

  /// The card to answer now, the same until it is answered; nil if the session is over.
  public func card(_ db: Database, at moment: StudyMoment) throws -> CardRecord? {
    advance(to: moment)
    if isOutdated(at: moment) { try buildQueue(db, at: moment) }
    while let id = queue.current ?? queue.upcoming(now: moment.now, until: soon) {
      if let card = try CardTable.card(db, id), card.isShown(at: moment) {
        queue.current = id
        return card
      }
      queue.drop(id)
    }
    return nil
  }

  /// For each rating of the current card, the seconds until it would come back; empty if answers change no schedule.
  /// - Parameter seconds: the time of the answer so far; nil if it is not known.
  public func choices(
    _ db: Database, at moment: StudyMoment, seconds: Double? = nil
  ) throws -> [(rating: Rating, interval: Double)] {
    guard let card = try card(db, at: moment), selection.reschedules else { return [] }
    return try Rating.allCases.map {
      ($0, try schedulers.next(db, card, $0, at: moment, seconds: seconds).interval)
    }
  }

  // MARK: Actions

  /// Answers the current card.
  /// - Parameter mistyped: the text that was typed, if it is not the answer.
  /// - Throws: `over`, `paused`.
  @discardableResult
  public func answer(
    _ db: Database, _ rating: Rating, at moment: StudyMoment, seconds: Double? = nil, mistyped: String? = nil
  ) throws -> ReviewResult {
    guard let card = try card(db, at: moment) else { throw DeckError.over }
    if isPaused { throw DeckError.paused }
    if !selection.reschedules { return repeating(card, rating) }
    let options = schedulers.options(of: card.deck)
    let next = try schedulers.next(db, card, rating, at: moment, seconds: seconds)
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
    if isOutdated(at: moment) { try buildQueue(db, at: moment) }
    return ReviewResult(
      card: card.id, rating: rating, schedule: next.schedule, interval: next.interval, isLeech: isLeech,
      remaining: remaining)
  }

  /// Answers without changing the schedule: a card that was not remembered comes back at the end.
  private func repeating(_ card: CardRecord, _ rating: Rating) -> ReviewResult {
    remember(rating, card)
    queue.drop(card.id)
    if rating == .again { queue.append(.init(card: card.id, isNew: card.state == .new)) }
    count(rating, 1)
    return ReviewResult(
      card: card.id, rating: rating, schedule: card.schedule, interval: 0, isLeech: false, remaining: remaining)
  }

  /// Suspends the current card.
  /// - Throws: `over`.
  public func suspend(_ db: Database, at moment: StudyMoment) throws {
    try hide(db, at: moment) { try CardHiding.setSuspended(db, [$0.id], true, now: moment.now) }
  }

  /// Buries the current card until tomorrow.
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
    past.append((rating, card.id, queue))
    actionCount += 1
  }

  /// How many answers, suspensions and burials can be undone.
  public var pastCount: Int { past.count }

  /// Goes back to before the last answer, suspension or burial. The undo log restores what it changed in the database.
  /// - Throws: `nothingToUndo`.
  public func stepBack() throws(DeckError) {
    guard let last = past.popLast() else { throw .nothingToUndo }
    if let rating = last.rating { count(rating, -1) }
    actionCount -= 1
    schedulers.loads = nil
    queue = last.queue
    queue.current = last.card
  }

  public func pause() { isPaused = true }

  public func resume() { isPaused = false }

  /// Restarts the session with the cards that are due now.
  public func restart(_ db: Database, at moment: StudyMoment) throws {
    try buildQueue(db, at: moment)
    past = []
    (actionCount, right, wrong) = (0, 0, 0)
    isPaused = false
  }

  public func buildQueue(_ db: Database, at moment: StudyMoment) throws {
    advance(to: moment)
    let decks = try selection.allDecks(db)
    var options = try DeckTable.allOptions(db, at: moment)
    schedulers = DeckSchedulers(options)
    let chosen = !selection.isCram ? try GoalDay(db, of: decks, &options, at: moment) : GoalDay()
    var builder = try QueueBuilder(db, selection, decks: decks, options: options, chosen: chosen, at: moment)
    queue = try builder.build()
    queue.day = moment.today
  }

  private func count(_ rating: Rating, _ change: Int) {
    if rating == .again { wrong += change } else { right += change }
  }
}

/// What to study.
public struct StudySelection: Equatable {
  /// The decks to study, each with the decks within it.
  public var decks: [DeckID]
  /// Whether every card is studied, due or not, without limits per day.
  public var isCram = false
  /// If set, only cards that match it are studied.
  public var query: CardQuery?
  /// The most cards to study, besides the decks' own limits.
  public var limit: Int?
  /// Whether answers change the cards' schedules and are logged. Otherwise a card that was not remembered comes back
  /// at the end, and nothing is written.
  public var reschedules = true

  /// Whether a new day brings its own cards and limits. A session of cards that are chosen otherwise ends with those
  /// with which it began, and so does one with a limit of its own.
  var isByDay: Bool { !isCram && reschedules && limit == nil }

  public init(_ decks: [DeckID], query: CardQuery? = nil, limit: Int? = nil) {
    (self.decks, self.query, self.limit) = (decks, query, limit)
  }

  /// The decks with the decks within them, each once; the first selected deck comes first.
  public func allDecks(_ db: Database) throws -> [DeckRecord] { try DeckFamilies.all(db, of: decks) }
}
