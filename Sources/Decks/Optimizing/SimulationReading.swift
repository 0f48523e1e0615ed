// Reads the log of a collection for the memory model: answers for fitting it, the cards and habits that simulations
// begin with, and what predicts cards besides FSRS-6. Invariant: nothing is changed or stored, so it cannot be out of
// date; the log is not read for decks that FSRS-6 schedules alone.

public import Memory
public import Storage

extension Simulation {
  /// Simulates a deck and the decks within it, with the deck's options.
  public init(_ db: Database, deck: DeckID, at moment: StudyMoment) throws {
    let decks = [deck] + (try DeckTable.within(db, deck).map(\.id))
    self = try Simulation(db, decks, DeckTable.options(db, deck), habits: Habits(db, decks, moment), at: moment)
  }

  /// Simulates some decks' own cards.
  init(_ db: Database, _ decks: [DeckID], _ options: DeckOptions, habits: Habits = Habits(), at moment: StudyMoment)
    throws
  {
    var (starts, new): ([Memory], Int) = ([], 0)
    let entries = try CardMemories(Dictionary(decks.map { ($0, options) }) { $1 }).all(db, in: decks)
    let sql = """
      SELECT state, due, stability, difficulty, last_review, id FROM cards
      WHERE deck = ? AND NOT \(CardStatus.suspended.sql())
      """
    for deck in decks {
      try db.forEachRow(sql, [deck.rawValue]) { row in
        let state = CardState(stored: row.integer(0))
        guard state != .new, let stability = row.optionalNumber(2) else { return new += 1 }
        starts.append(
          Memory(
            state: MemoryState(stability: stability, difficulty: row.number(3)),
            elapsed: moment.days(since: row.optionalNumber(4)),
            dueIn: (state == .review ? moment.dueDay(of: row.number(1)) : moment.day(of: row.number(1))) - moment.today,
            timed: entries[CardID(rawValue: row.integer(5))]?.timed))
      }
    }
    var played = Options(options)
    played.today = moment.today
    self.init(options: played, cards: starts, newCards: new, habits: habits)
  }
}

extension Simulation.Options {
  init(_ options: DeckOptions) {
    self.init()
    (model, shortTerm, fuzzes) = (options.recallModel, options.shortTerm, options.fuzzes)
    (reviewsPerDay, newPerDay) = (options.reviewsPerDay, options.newPerDay)
    maximumInterval = options.maximumInterval
    (balances, shares) = (options.balances, options.easyDays)
  }
}

extension Simulation.Habits {
  /// The habits in the answers of some decks; the defaults remain for a kind with fewer than 100 answers.
  fileprivate init(_ db: Database, _ decks: [DeckID], _ moment: StudyMoment) throws {
    self.init()
    let history = try ReviewHistory(db, decks: decks, at: moment)
    var (firsts, others) = ([0.0, 0, 0, 0], [0.0, 0, 0])
    for card in 0..<history.cardCount {
      for index in history.starts[card]..<history.starts[card + 1] {
        let rating = Int(history.ratings[index])
        if index == history.starts[card] {
          firsts[rating - 1] += 1
        } else if history.days[index] > 0, rating > 1 {
          others[rating - 2] += 1
        }
      }
    }
    if firsts.reduce(0, +) >= 100 { first = firsts }
    if others.reduce(0, +) >= 100 { remembered = others }
  }
}

extension ReviewHistory {
  /// Reads the answers of the cards of some decks and of the decks within them; of every card if `decks` is nil.
  public init(_ db: Database, decks: [DeckID]? = nil, at moment: StudyMoment) throws {
    self.init()
    var wanted: Set<Int64>?
    if let decks {
      wanted = []
      for deck in try DeckFamilies.all(db, of: decks) {
        wanted?.formUnion(try CardTable.ids(db, in: deck.id).map(\.rawValue))
      }
    }
    // Their columns are not in the index, so they are found first, and left out below by their ids.
    let previews = Set(try db.rows("SELECT id FROM reviews WHERE \(ReviewTable.isPreview)") { $0.integer(0) })
    // The `+` keeps SQLite from using the index by time, for which it would sort the whole log in memory; the index by
    // card has all columns that are read.
    let sql = """
      SELECT card, at, rating, state, id, seconds FROM reviews
      WHERE +card IN (SELECT id FROM cards) AND +at > 0 AND +at < ? ORDER BY card, at, id
      """
    reserve(try db.count("SELECT count(*) FROM reviews"))
    try db.forEachRow(sql, [moment.now + FutureAnswers.grace]) { row in
      let (card, state) = (row.integer(0), row.integer(3))
      if let wanted, !wanted.contains(card) { return }
      if previews.contains(row.integer(4)) { return }
      add(
        card: card, day: moment.day(of: row.number(1)), moment: Int64(row.number(1) * 1000), rating: row.integer(2),
        isFirst: state == 0, isLearning: state == 0 || state == 1, seconds: row.number(5))
    }
    close()
  }
}

/// The recall of the cards of some decks, by the models of each.
public struct CardMemories {
  /// What predicts one card.
  public struct Entry: Sendable {
    public let timed: TimedMemory?
    let curve: RecallCurve
    /// The time of the last answer, in seconds since 1970; nil if it is not known.
    let last: Double?

    /// The probability that the card is remembered at a moment.
    public func recall(at moment: StudyMoment) -> Double {
      curve.recall(days: last.map { max(0, moment.now - $0) / 86_400 } ?? 0, wholeDays: moment.days(since: last))
    }
  }

  private let models: [DeckID: RecallModel]

  public init(_ options: [DeckID: DeckOptions]) { models = options.mapValues(\.recallModel) }

  /// Whether FSRS-6 alone predicts the cards of all decks.
  public var needsNoLog: Bool { !models.values.contains(where: \.readsLog) }

  /// - Parameters:
  ///   - stability: by FSRS-6; also that of a card whose log does not contain its first answer.
  ///   - last: the time of the last answer, in seconds since 1970.
  /// - Returns: nil before the first answer of a card, and for other decks.
  public func entry(
    _ db: Database, of card: CardID, in deck: DeckID, stability: Double?, last: Double?
  ) throws -> Entry? {
    guard let model = models[deck], let stability else { return nil }
    guard model.readsLog else { return Entry(timed: nil, curve: model.curve(stability: stability, nil), last: last) }
    var replay = TimedMemory.Replay(model)
    let sql = """
      SELECT at, rating, state, seconds FROM reviews
      WHERE card = ? AND at > 0 AND NOT \(ReviewTable.isPreview) ORDER BY at, id
      """
    try db.forEachRow(sql, [card.rawValue]) {
      replay.add($0.number(0), $0.integer(1), state: $0.integer(2), seconds: $0.number(3))
    }
    let isKnown = replay.memory != nil
    let timed = replay.memory ?? model.assumed(stability: stability, hesitation: replay.hesitation)
    return Entry(
      timed: timed, curve: model.curve(stability: stability, timed), last: isKnown ? replay.last : last)
  }

  /// The probability that a card without a log is remembered at a moment; by FSRS-6 alone, that of every card.
  func recall(in deck: DeckID, stability: Double, last: Double, at moment: StudyMoment) -> Double {
    let curve = (models[deck] ?? RecallModel()).curve(stability: stability, nil)
    return Entry(timed: nil, curve: curve, last: last).recall(at: moment)
  }

  /// What predicts the cards of those of some decks that FSRS-6 does not predict alone, except cards without answers.
  public func all(_ db: Database, in decks: [DeckID]) throws -> [CardID: Entry] {
    var entries: [CardID: Entry] = [:]
    for deck in decks where models[deck]?.readsLog == true {
      var cards: [(id: CardID, stability: Double, last: Double?)] = []
      let sql = "SELECT id, stability, last_review FROM cards WHERE deck = ? AND stability IS NOT NULL"
      try db.forEachRow(sql, [deck.rawValue]) {
        cards.append((CardID(rawValue: $0.integer(0)), $0.number(1), $0.optionalNumber(2)))
      }
      for card in cards {
        entries[card.id] = try entry(db, of: card.id, in: deck, stability: card.stability, last: card.last)
      }
    }
    return entries
  }
}

extension TimedMemory.Replay {
  /// Adds an answer from the log; a row that no session can have written is ignored.
  mutating func add(_ time: Double, _ rating: Int64, state: Int64, seconds: Double) {
    guard let rating = Rating(rawValue: rating) else { return }
    add(at: time, rating, isFirst: state == 0, isLearning: state == 0 || state == 1, seconds: seconds)
  }
}
