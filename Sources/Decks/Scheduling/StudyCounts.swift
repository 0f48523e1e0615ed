// What `study` would show today: the cards that wait in a deck and the decks within it, within the limits of the day.
// Invariant: the counts of a list and those of a session that begins at the same moment are the same.

public import GRDB

/// Cards that a session would show.
///
///     try StudyCounts.all(db, at: moment)[deck]?.due
public struct StudyCounts: Equatable, Sendable {
  /// Learnt ones whose time has come, those being learnt included.
  public var due = 0
  public var new = 0

  public init(due: Int = 0, new: Int = 0) { (self.due, self.new) = (due, new) }

  /// The counts of every deck, for a list; that of a deck counts the decks within it.
  /// - Parameter limit: cards of a session at most, beside the decks' own limits.
  public static func all(_ db: Database, limit: Int? = nil, at moment: StudyMoment) throws -> [DeckID: StudyCounts] {
    let decks = try DeckTable.list(db)
    let waiting = try decks.map { try WaitingCounts(db, $0.id, at: moment) }
    let done = try AnsweredCounts.byDeck(db, since: moment.start(ofDay: moment.today))
    let keys = decks.map { $0.name.lowercased() }
    var counts: [DeckID: StudyCounts] = [:]
    for (index, deck) in decks.enumerated() {
      // Those within a deck stand right behind it.
      var end = index + 1
      while end < decks.count, DeckName.isKey(keys[end], within: keys[index]) { end += 1 }
      let all = index..<end
      let room = StudyRoom(
        waiting: all.reduce(into: WaitingCounts()) { $0.add(waiting[$1]) },
        answered: all.reduce(into: AnsweredCounts()) { $0.add(done[decks[$1].id]) },
        options: try DeckTable.options(db, deck.id), limit: limit)
      counts[deck.id] = StudyCounts(due: room.learning + room.due, new: room.new)
    }
    return counts
  }

  /// The counts of one deck.
  public static func of(
    _ db: Database, _ deck: DeckID, limit: Int? = nil, at moment: StudyMoment
  ) throws -> StudyCounts {
    let decks = [deck] + (try DeckTable.within(db, deck).map(\.id))
    let done = try AnsweredCounts.byDeck(db, since: moment.start(ofDay: moment.today))
    let room = StudyRoom(
      waiting: try decks.reduce(into: WaitingCounts()) { $0.add(try WaitingCounts(db, $1, at: moment)) },
      answered: decks.reduce(into: AnsweredCounts()) { $0.add(done[$1]) },
      options: try DeckTable.options(db, deck), limit: limit)
    return StudyCounts(due: room.learning + room.due, new: room.new)
  }
}

/// Cards that wait, before limits.
struct WaitingCounts {
  var learning = 0
  var due = 0
  var new = 0

  init(learning: Int = 0, due: Int = 0, new: Int = 0) { (self.learning, self.due, self.new) = (learning, due, new) }

  /// Of a deck's own cards.
  init(_ db: Database, _ deck: DeckID, at moment: StudyMoment) throws {
    let sql = """
      SELECT coalesce(sum(state <> 2), 0), coalesce(sum(state = 2 AND due <= ?2), 0)
      FROM cards WHERE deck = ?1 AND state > 0 AND due < ?3 AND suspended = 0
      """
    let found = try db.firstRow(sql, [deck.rawValue, moment.now, moment.endOfToday]) { ($0.count(0), $0.count(1)) }
    (learning, due) = found ?? (0, 0)
    new = try DeckTable.newCount(db, deck)
  }

  mutating func add(_ other: WaitingCounts) {
    learning += other.learning
    due += other.due
    new += other.new
  }
}

/// What a day's limits count: cards seen for the first time, and learnt ones answered.
struct AnsweredCounts {
  var new = 0
  var reviews = 0

  /// The counts since a moment of each deck that has any.
  static func byDeck(_ db: Database, since start: Double) throws -> [DeckID: AnsweredCounts] {
    // The reviews are read first: by the cards, a large deck would be read from its beginning to its end.
    let sql = """
      SELECT cards.deck, count(DISTINCT CASE WHEN reviews.state = 0 THEN card END),
        count(DISTINCT CASE WHEN reviews.state = 2 THEN card END)
      FROM reviews CROSS JOIN cards ON cards.id = reviews.card WHERE reviews.at >= ? GROUP BY cards.deck
      """
    var counts: [DeckID: AnsweredCounts] = [:]
    try db.forEachRow(sql, [start]) { row in
      counts[DeckID(rawValue: row.integer(0))] = AnsweredCounts(new: row.count(1), reviews: row.count(2))
    }
    return counts
  }

  mutating func add(_ other: AnsweredCounts?) {
    new += other?.new ?? 0
    reviews += other?.reviews ?? 0
  }
}

/// How many of the waiting cards a session takes.
struct StudyRoom {
  let learning: Int
  let due: Int
  let new: Int

  init(waiting: WaitingCounts, answered: AnsweredCounts, options: DeckOptions, limit: Int?) {
    let most = limit.map { max(0, $0) } ?? .max
    learning = min(waiting.learning, most)
    due = min(waiting.due, max(0, options.reviewsPerDay - answered.reviews), most - learning)
    new = min(waiting.new, max(0, options.newPerDay - answered.new), most - learning - due)
  }
}
