// Reads the log of a collection for the memory model: answers for fitting it, the cards and habits that simulations
// begin with, and the state of FSRS-7 for cards. Invariant: nothing is changed or stored, so it cannot be out of date;
// decks that FSRS-6 schedules cost nothing.

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
    let timed = try TimedMemories(Dictionary(decks.map { ($0, options) }) { $1 }).all(db, in: decks)
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
            timed: timed[CardID(rawValue: row.integer(5))]?.memory))
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
    (parameters, shortTerm, fuzzes) = (options.parameters, options.shortTerm, options.fuzzes)
    timed = options.timed
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
      SELECT card, at, rating, state, id FROM reviews
      WHERE +card IN (SELECT id FROM cards) AND +at > 0 AND +at < ? ORDER BY card, at, id
      """
    reserve(try db.count("SELECT count(*) FROM reviews"))
    try db.forEachRow(sql, [moment.now + FutureAnswers.grace]) { row in
      let (card, state) = (row.integer(0), row.integer(3))
      if let wanted, !wanted.contains(card) { return }
      if previews.contains(row.integer(4)) { return }
      add(
        card: card, day: moment.day(of: row.number(1)), moment: Int64(row.number(1) * 1000), rating: row.integer(2),
        isFirst: state == 0, isLearning: state == 0 || state == 1)
    }
    close()
  }
}

/// The memories of the cards of decks that FSRS-7 schedules.
public struct TimedMemories {
  /// A card's state, and the time of its last answer in seconds since 1970.
  public struct Entry: Sendable {
    public let memory: TimedMemory
    public let last: Double
    let curve: ForgettingCurve7

    /// The probability that the card is remembered at a time.
    public func recall(at time: Double) -> Double { curve.recall(days: max(0, time - last) / 86_400) }
  }

  private let models: [DeckID: MemoryModel7]

  public init(_ options: [DeckID: DeckOptions]) { models = options.compactMapValues { $0.timed?.model } }

  public var isEmpty: Bool { models.isEmpty }

  /// The state of a card; nil if FSRS-6 schedules its deck, or before its first answer.
  /// - Parameter stability: by FSRS-6, for a card whose log does not contain its first answer.
  public func entry(
    _ db: Database, of card: CardID, in deck: DeckID, stability: Double?, last: Double?
  ) throws -> Entry? {
    guard let model = models[deck] else { return nil }
    var replay = TimedMemory.Replay(model)
    let sql = """
      SELECT at, rating, state FROM reviews WHERE card = ? AND at > 0 AND NOT \(ReviewTable.isPreview) ORDER BY at, id
      """
    try db.forEachRow(sql, [card.rawValue]) { replay.add($0.number(0), $0.integer(1), state: $0.integer(2)) }
    return Self.entry(replay, model, stability: stability, last: last)
  }

  /// The probability that a learnt card is remembered now; `model` is that of its deck by FSRS-6.
  /// - Parameter stability: by FSRS-6.
  func recall(
    _ db: Database, of card: CardID, in deck: DeckID, stability: Double?, last: Double?, _ model: MemoryModel,
    at moment: StudyMoment
  ) throws -> Double {
    try entry(db, of: card, in: deck, stability: stability, last: last)?.recall(at: moment.now)
      ?? model.retrievability(days: Double(moment.days(since: last)), stability: stability ?? 0.001)
  }

  /// The states of all cards of some decks, except those without answers.
  public func all(_ db: Database, in decks: [DeckID]) throws -> [CardID: Entry] {
    var entries: [CardID: Entry] = [:]
    for deck in decks {
      if models[deck] == nil { continue }
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

  private static func entry(
    _ replay: TimedMemory.Replay, _ model: MemoryModel7, stability: Double?, last: Double?
  ) -> Entry? {
    if let memory = replay.memory {
      return Entry(memory: memory, last: replay.last, curve: model.curve(memory.state))
    }
    guard let stability, let last else { return nil }
    let memory = TimedMemory(model.state(interval: stability), first: .good)
    return Entry(memory: memory, last: last, curve: model.curve(memory.state))
  }
}

extension TimedMemory.Replay {
  /// Adds an answer from the log; a row that no session can have written is ignored.
  mutating func add(_ time: Double, _ rating: Int64, state: Int64) {
    guard let rating = Rating(rawValue: rating) else { return }
    add(at: time, rating, isFirst: state == 0, isLearning: state == 0 || state == 1)
  }
}
