// Reads the answers in the log of a collection for fitting the memory model, and simulations that begin with the cards
// of a deck and the habits of its user. Invariant: nothing is changed.

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
