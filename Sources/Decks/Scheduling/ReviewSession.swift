// A session of reviews: what is due, then new cards, within the day's limits; what is being learnt comes back within
// it.
// Invariant: one answer writes one record and one schedule; a card that was removed or suspended meanwhile is passed
// over.

public import GRDB

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

/// A session of reviews over a deck and the decks within it.
///
///     let session = try ReviewSession(db, deck: deck, at: moment)
///     while let card = try session.card(db, at: moment) { ... }
public final class ReviewSession {
  /// What waits, in the order it is shown.
  private struct Queue {
    var learning: [(due: Double, card: CardID)] = []
    /// Never changed once gathered, so that the copies that undo keeps share them.
    var due: [CardID] = []
    var new: [CardID] = []
    /// How many of `due` and `new` are behind.
    var dueDone = 0
    var newDone = 0
    var current: CardID?

    var dueLeft: Int { due.count - dueDone }
    var newLeft: Int { new.count - newDone }
  }

  private struct Answer {
    let before: CardRecord
    let queue: Queue
    let review: Int64
    let rating: Rating
  }

  /// How many answers can be undone.
  private static let answersKept = 1000

  public let deck: DeckID
  private let limit: Int?
  private let query: CardQuery?
  private var queue = Queue()
  private var scheduler = Scheduler(options: DeckOptions())
  private var options = DeckOptions()
  private var answers: [Answer] = []
  public private(set) var right = 0
  public private(set) var wrong = 0
  public private(set) var isPaused = false

  /// - Parameters:
  ///   - deck: studied with the decks within it.
  ///   - limit: cards to study at most, beside the deck's own limits.
  ///   - query: only what it finds is studied.
  public init(
    _ db: Database, deck: DeckID, limit: Int? = nil, query: CardQuery? = nil, at moment: StudyMoment
  ) throws {
    self.deck = deck
    self.limit = limit
    self.query = query
    try restart(db, at: moment)
  }

  // MARK: State

  /// Cards still to come, the one that is shown included.
  public var remaining: Int { queue.learning.count + queue.dueLeft + queue.newLeft }
  /// Learnt cards whose time has come, those being learnt included.
  public var dueCount: Int { queue.learning.count + queue.dueLeft }
  public var newCount: Int { queue.newLeft }
  public var isOver: Bool { remaining == 0 }
  public var isActive: Bool { !isPaused && !isOver }

  /// The card to answer now; the same until it is answered. nil when the session is over.
  public func card(_ db: Database, at moment: StudyMoment) throws -> CardRecord? {
    while let id = queue.current ?? upcoming(at: moment) {
      if let card = try CardTable.card(db, id), !card.isSuspended {
        queue.current = id
        return card
      }
      drop(id)
    }
    return nil
  }

  /// What each answer would give for the card that is shown: seconds until it comes back.
  public func choices(_ db: Database, at moment: StudyMoment) throws -> [(rating: Rating, interval: Double)] {
    guard let card = try card(db, at: moment) else { return [] }
    return Rating.allCases.map { ($0, scheduler.next(card.schedule, $0, at: moment).interval) }
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
    let next = scheduler.next(card.schedule, rating, at: moment)
    let review = try ReviewTable.record(db, card, rating, next, seconds: seconds)
    let isLeech = try markLeech(db, card, next.schedule, moment)
    if answers.count >= ReviewSession.answersKept { answers.removeFirst() }
    answers.append(Answer(before: card, queue: queue, review: review, rating: rating))
    drop(card.id)
    if next.schedule.state != .review, let due = next.schedule.due { queue.learning.append((due, card.id)) }
    count(rating, 1)
    return ReviewResult(
      card: card.id, rating: rating, schedule: next.schedule, interval: next.interval, isLeech: isLeech,
      remaining: remaining)
  }

  /// Takes the last answer back: its record, the schedule, and the card's place in the session.
  /// - Throws: `nothingToUndo`; `gone` when the card was removed.
  public func undo(_ db: Database, at moment: StudyMoment) throws {
    guard let last = answers.last else { throw DeckError.nothingToUndo }
    try ReviewTable.write(db, last.before.schedule, last.before.id)
    try ReviewTable.remove(db, review: last.review)
    if try CardTable.card(db, last.before.id)?.tags != last.before.tags {
      try CardTable.update(db, last.before.id, tags: last.before.tags, now: moment.now)
    }
    answers.removeLast()
    queue = last.queue
    queue.current = last.before.id
    count(last.rating, -1)
  }

  public func pause() { isPaused = true }

  public func resume() { isPaused = false }

  /// Looks anew at what is due.
  public func restart(_ db: Database, at moment: StudyMoment) throws {
    options = try DeckTable.options(db, deck)
    scheduler = Scheduler(options: options)
    queue = try gather(db, at: moment)
    answers = []
    right = 0
    wrong = 0
    isPaused = false
  }

  // MARK: The queue

  /// What is due in the deck and those within it, as far as today's limits go.
  private func gather(_ db: Database, at moment: StudyMoment) throws -> Queue {
    let decks = [deck] + (try DeckTable.within(db, deck).map(\.id))
    let done = try AnsweredCounts.byDeck(db, since: moment.start(ofDay: moment.today))
    var waiting = Waiting()
    for deck in decks {
      let wanted = try query.map { Set(try CardTable.ids(db, in: deck, matching: $0, at: moment)) }
      try waiting.gather(db, deck, moment) { wanted?.contains($0) ?? true }
    }
    let room = StudyRoom(
      waiting: WaitingCounts(learning: waiting.learning.count, due: waiting.due.count, new: waiting.new.count),
      answered: decks.reduce(into: AnsweredCounts()) { $0.add(done[$1]) }, options: options, limit: limit)
    var queue = Queue()
    queue.learning = Array(waiting.learning.prefix(room.learning))
    let due = waiting.due.sorted { ($0.due, $0.card.rawValue) < ($1.due, $1.card.rawValue) }
    queue.due = due.prefix(room.due).map(\.card)
    queue.new = Array(waiting.new.prefix(room.new))
    return queue
  }

  /// What is being learnt and due, then what is due, then what is new; when nothing else is left, what is being learnt.
  private func upcoming(at moment: StudyMoment) -> CardID? {
    let first = queue.learning.min { $0.due < $1.due }
    if let first, first.due <= moment.now { return first.card }
    if queue.dueLeft > 0 { return queue.due[queue.dueDone] }
    if queue.newLeft > 0 { return queue.new[queue.newDone] }
    return first?.card
  }

  private func drop(_ id: CardID) {
    if queue.current == id { queue.current = nil }
    if queue.dueLeft > 0, queue.due[queue.dueDone] == id {
      queue.dueDone += 1
    } else if queue.newLeft > 0, queue.new[queue.newDone] == id {
      queue.newDone += 1
    } else {
      queue.learning.removeAll { $0.card == id }
    }
  }

  private func count(_ rating: Rating, _ change: Int) {
    if rating == .again { wrong += change } else { right += change }
  }

  /// A tag at the threshold, and reported again each time half of it has been added.
  private func markLeech(
    _ db: Database, _ card: CardRecord, _ new: CardSchedule, _ moment: StudyMoment
  ) throws -> Bool {
    let threshold = options.leechThreshold
    guard new.lapses > card.lapses, new.lapses >= threshold, (new.lapses - threshold) % max(1, threshold / 2) == 0
    else {
      return false
    }
    if !card.tags.contains("leech") {
      try CardTable.update(db, card.id, tags: card.tags + ["leech"], now: moment.now)
    }
    return true
  }
}

/// All that waits in some decks, before limits.
private struct Waiting {
  var learning: [(due: Double, card: CardID)] = []
  var due: [(due: Double, card: CardID)] = []
  var new: [CardID] = []

  mutating func gather(
    _ db: Database, _ deck: DeckID, _ moment: StudyMoment, where isWanted: (CardID) -> Bool
  ) throws {
    let learnt = "SELECT id, state, due FROM cards WHERE deck = ? AND state > 0 AND due < ? AND suspended = 0"
    try db.forEachRow(learnt, [deck.rawValue, moment.endOfToday]) { row in
      let entry = (due: row.number(2), card: CardID(rawValue: row.integer(0)))
      guard isWanted(entry.card) else { return }
      if row.integer(1) != CardState.review.rawValue {
        learning.append(entry)
      } else if entry.due <= moment.now {
        due.append(entry)
      }
    }
    // No deck shows more new cards than that on one day, and few are suspended: the rest need not be read.
    let fresh = "SELECT id FROM cards WHERE deck = ? AND state = 0 AND suspended = 0 ORDER BY rank"
    var found = 0
    try db.forEachRow(fresh, while: { found < 10_000 }, [deck.rawValue]) { row in
      let id = CardID(rawValue: row.integer(0))
      guard isWanted(id) else { return }
      new.append(id)
      found += 1
    }
  }
}
