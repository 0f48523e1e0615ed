// What an answer changes besides the schedule, wherever it was given: the log, leeches, siblings; and answers that are
// received from elsewhere later.
// Invariant: an answer is in the log once; a schedule never goes back to before a later answer.

public import Memory
public import Storage
import Templates

struct DeckSchedulers {
  private var options: [DeckID: DeckOptions]
  private var schedulers: [DeckID: Scheduler] = [:]
  private let memories: CardMemories
  /// The loads of the coming days, for decks that balance intervals; nil: they are read at the next use.
  var loads: DayLoads?

  init(_ options: [DeckID: DeckOptions] = [:]) {
    self.options = options
    memories = CardMemories(options)
  }

  func options(of deck: DeckID) -> DeckOptions { options.of(deck) }

  /// Computes the schedule after an answer. The seed of the random variation of intervals is made from the card's
  /// texts and its number of answers, because ids depend on the clock.
  /// - Parameter seconds: how long the answer took, before the options limit it; nil if that is not known.
  mutating func next(
    _ db: Database, _ card: CardRecord, _ rating: Rating, at moment: StudyMoment, seconds: Double?
  ) throws -> NextSchedule {
    let options = options(of: card.deck)
    let scheduler = schedulers[card.deck] ?? Scheduler(options: options)
    schedulers[card.deck] = scheduler
    let texts = CardTexts(prompt: card.prompt, answer: card.answer)
    let seed = UInt64(bitPattern: texts.content) &+ UInt64(clamping: card.reps)
    let loads = options.balances ? try loads(db, for: card, options, at: moment) : nil
    var schedule = card.schedule
    schedule.timed = try memories.entry(
      db, of: card.id, in: card.deck, stability: schedule.stability, last: schedule.lastReview)?.timed
    return scheduler.next(
      schedule, rating, at: moment, seconds: options.recorded(seconds), seed: seed, loads: loads)
  }

  /// The loads of the days without the card itself.
  private mutating func loads(
    _ db: Database, for card: CardRecord, _ options: DeckOptions, at moment: StudyMoment
  ) throws -> DayLoads {
    if loads == nil {
      loads = try DayLoads(db, decks: self.options.filter { $0.value.balances }.map(\.key), at: moment)
    }
    var others = loads ?? DayLoads(from: moment.today)
    others.shares = options.easyDays
    others.siblings = try Siblings.dueDays(db, of: card.id, at: moment)
    if card.state == .review, let due = card.schedule.due { others.add(-1, on: moment.dueDay(of: due)) }
    return others
  }

  /// Moves a card that was answered from one day to another.
  mutating func move(_ card: CardRecord, to next: CardSchedule, at moment: StudyMoment) {
    if card.state == .review, let due = card.schedule.due { loads?.add(-1, on: moment.dueDay(of: due)) }
    if next.state == .review, let due = next.due { loads?.add(on: moment.dueDay(of: due)) }
  }
}

extension ReviewTable {
  /// Writes an answer with its consequences: the log entry, the card's schedule, the leech tag, buried siblings.
  /// - Parameter seconds: the time that the user took; the options limit it. nil if it is not known.
  static func enter(
    _ db: Database, _ card: CardRecord, _ rating: Rating, _ next: NextSchedule, _ options: DeckOptions,
    at moment: StudyMoment, seconds: Double?
  ) throws -> (isLeech: Bool, buried: [CardID]) {
    try record(db, card, rating, next, seconds: options.recorded(seconds))
    let isLeech = try markLeech(db, card, next.schedule, options, moment)
    return (isLeech, try Siblings.bury(db, of: card.id, options, at: moment))
  }

  /// Tags a card as a leech if it has more lapses than the model explains, or when its lapses reach the threshold. It
  /// is reported again each time half of the threshold has been added.
  private static func markLeech(
    _ db: Database, _ card: CardRecord, _ new: CardSchedule, _ options: DeckOptions, _ moment: StudyMoment
  ) throws -> Bool {
    let threshold = options.leechThreshold
    guard new.lapses > card.lapses else { return false }
    // Half of the threshold, rounded up.
    let isCounted = new.lapses >= threshold && (new.lapses - threshold) % max(1, (threshold + 1) / 2) == 0
    let isLeech = card.tags.contains(CardStatus.leechTag)
    guard try isCounted || !isLeech && LeechReading.test(db, card.id, options, at: moment).isLeech else { return false }
    if !isLeech {
      try CardTable.update(db, card.id, tags: card.tags + [CardStatus.leechTag], now: moment.now)
    }
    if options.suspendsLeeches { try CardHiding.setSuspended(db, [card.id], true, now: moment.now) }
    return true
  }

  /// Writes an answer that is older than the card's last one; the schedule is unchanged.
  fileprivate static func recordOlder(
    _ db: Database, _ card: CardRecord, _ rating: Rating, at: Double, seconds: Double?
  ) throws {
    let last = try db.firstRow(
      "SELECT at FROM reviews WHERE card = ? AND at < ? ORDER BY at DESC LIMIT 1", [card.id.rawValue, at]
    ) { $0.number(0) }
    var review = LoggedReview(at: at, rating: Int(rating.rawValue), state: last == nil ? .new : .review, interval: 0)
    (review.elapsed, review.seconds) = (last.map { at - $0 }, seconds)
    (review.stability, review.difficulty) = (0, 0)
    try insert(db, review, of: card.id)
  }
}

public enum AnswerOutcome: Equatable, Sendable {
  /// It is in the log, and the card has the schedule that results from it.
  case entered
  /// It is older than the card's last answer: it is in the log, and the schedule is unchanged.
  case older
  /// It was already in the log.
  case known
}

/// Enters answers that were given elsewhere, as if they had been given here at their time.
public struct AnswerReplay {
  private let db: Database
  private var schedulers: DeckSchedulers

  /// - Parameter moment: now; it decides which limits for a single day apply.
  public init(_ db: Database, at moment: StudyMoment) throws {
    self.db = db
    schedulers = DeckSchedulers(try DeckTable.allOptions(db, at: moment))
  }

  /// Enters one answer; the answers of a card must come in chronological order.
  /// - Parameter seconds: how long it took; nil if that is not known.
  /// - Throws: `gone`.
  public mutating func enter(
    _ id: CardID, _ rating: Rating, at moment: StudyMoment, seconds: Double?
  ) throws -> AnswerOutcome {
    guard let card = try CardTable.card(db, id) else { throw DeckError.gone(what: "the card") }
    let sql = "SELECT 1 FROM reviews WHERE card = ? AND at = ?"
    if try db.hasRow(sql, [id.rawValue, moment.now]) { return .known }
    let options = schedulers.options(of: card.deck)
    if let last = card.schedule.lastReview, moment.now <= last {
      try ReviewTable.recordOlder(db, card, rating, at: moment.now, seconds: options.recorded(seconds))
      return .older
    }
    let next = try schedulers.next(db, card, rating, at: moment, seconds: seconds)
    _ = try ReviewTable.enter(db, card, rating, next, options, at: moment, seconds: seconds)
    schedulers.move(card, to: next.schedule, at: moment)
    return .entered
  }
}

extension DayLoads {
  /// Counts the learnt cards of some decks that are due from today on, without suspended ones.
  init(_ db: Database, decks: [DeckID], at moment: StudyMoment) throws {
    self.init(from: moment.today)
    let sql = """
      SELECT due FROM cards WHERE deck = ? AND \(CardStatus.studied) AND due >= ? AND due < ?
      AND \(CardStatus.review.sql())
        AND NOT \(CardStatus.suspended.sql())
      """
    let (start, end) = (moment.start(ofDay: moment.today), moment.start(ofDay: moment.today + Self.horizon))
    for deck in decks {
      try db.forEachRow(sql, [deck.rawValue, start, end]) { add(on: moment.dueDay(of: $0.number(0))) }
    }
  }
}
