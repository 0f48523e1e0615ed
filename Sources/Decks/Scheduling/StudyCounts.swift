// What `study` would show today, within today's limits, and what could be studied when nothing is due. Invariant: the
// counts of a list equal those of a session that begins at the same moment. In whatever order cards are taken, the
// number taken in the end equals the counts.

public import Storage

/// The numbers of cards that a session would show.
public struct StudyCounts: Equatable, Sendable {
  /// Learnt cards that are due, and cards being learnt that come within minutes.
  public var due = 0
  public var new = 0

  public init(due: Int = 0, new: Int = 0) { (self.due, self.new) = (due, new) }

  /// The counts of every deck, for a list; the counts of a deck include the decks within it.
  /// - Parameter limit: the most cards of a session, besides the decks' own limits.
  public static func all(_ db: Database, limit: Int? = nil, at moment: StudyMoment) throws -> [DeckID: StudyCounts] {
    try StudyLimits(db, try DeckTable.list(db), at: moment).counts.mapValues { StudyCounts($0, limit: limit) }
  }

  /// The counts of every deck by kind: new cards, cards being learnt, learnt cards.
  public static func byKind(
    _ db: Database, at moment: StudyMoment
  ) throws -> [DeckID: (new: Int, learning: Int, review: Int)] {
    try StudyLimits(db, try DeckTable.list(db), at: moment).counts.mapValues { counts in
      let room = counts.limited(to: nil)
      return (room.new, room.learning, room.due)
    }
  }

  public static func total(_ db: Database, limit: Int? = nil, at moment: StudyMoment) throws -> StudyCounts {
    let counts = try all(db, limit: limit, at: moment)
    return try DeckTable.outermost(db).reduce(into: StudyCounts()) { sum, deck in
      guard let count = counts[deck.id] else { return }
      sum.due += count.due
      sum.new += count.new
    }
  }

  public static func of(
    _ db: Database, _ deck: DeckID, limit: Int? = nil, at moment: StudyMoment
  ) throws -> StudyCounts {
    let root = try DeckTable.record(db, deck)
    let limits = try StudyLimits(db, [root] + DeckTable.within(db, deck), within: root, at: moment)
    return StudyCounts(limits.counts[deck] ?? WaitingCounts(), limit: limit)
  }

  private init(_ counts: WaitingCounts, limit: Int?) {
    let room = counts.limited(to: limit)
    self.init(due: room.learning + room.due, new: room.new)
  }
}

extension StudyLimits {
  /// Computes the limits of decks, which must be in the order of `DeckTable.list`.
  /// - Parameter root: the deck that contains all of them, if there is one.
  init(_ db: Database, _ decks: [DeckRecord], within root: DeckRecord? = nil, at moment: StudyMoment) throws {
    var options = try DeckTable.allOptions(db, at: moment, within: root)
    let chosen = try GoalDay(db, of: decks, &options, at: moment)
    var waiting: [DeckID: WaitingCounts] = [:]
    for deck in decks {
      waiting[deck.id] = try WaitingCounts(db, deck.id, at: moment, within: options.of(deck.id))
      if let count = chosen.count(in: deck.id) { waiting[deck.id]?.due = count }
    }
    self.init(decks, options: options, waiting: waiting, answered: try WaitingCounts.answered(db, today: moment))
  }
}

/// The numbers of cards that wait to be studied, before limits, or that were.
struct WaitingCounts {
  var learning = 0
  var due = 0
  var new = 0

  init(learning: Int = 0, due: Int = 0, new: Int = 0) { (self.learning, self.due, self.new) = (learning, due, new) }

  /// Counts a deck's own cards.
  /// - Parameter limits: today's limits; cards beyond them are not counted. nil counts all.
  init(_ db: Database, _ deck: DeckID, at moment: StudyMoment, within limits: DeckOptions? = nil) throws {
    func count(_ condition: String, upTo most: Int) throws -> Int {
      let sql = """
        SELECT count(*) FROM (
          SELECT 1 FROM cards WHERE deck = :deck AND \(condition) AND \(CardStatus.due.sql()) LIMIT :most)
        """
      let arguments = moment.arguments(of: sql, ["deck": deck.rawValue, "most": most])
      return try db.count(sql, arguments)
    }
    learning = try count("\(CardStatus.isBeingLearnt) AND \(CardStatus.comesSoon)", upTo: -1)
    due = try count(CardStatus.review.sql(), upTo: limits?.reviewsPerDay ?? -1)
    new = try DeckTable.newCount(db, deck, at: moment, upTo: limits?.newPerDay, buries: limits?.buriesNew ?? false)
  }

  /// The part of them that a session of at most `limit` cards takes: cards being learnt first, new cards last.
  func limited(to limit: Int?) -> WaitingCounts {
    let most = limit.map { max(0, $0) } ?? .max
    let learning = min(learning, most)
    let due = min(due, most - learning)
    return WaitingCounts(learning: learning, due: due, new: min(new, most - learning - due))
  }

  mutating func add(_ other: WaitingCounts) {
    learning += other.learning
    due += other.due
    new += other.new
  }

  /// What today's limits count of each deck that has any: new cards seen for the first time, and due cards that were
  /// answered. Left out are answers that a wrong clock dated in the future, rows of cards that Anki rescheduled without
  /// an answer, and answers in its filtered decks that do not reschedule.
  static func answered(_ db: Database, today moment: StudyMoment) throws -> [DeckID: WaitingCounts] {
    // CROSS JOIN makes SQLite read the reviews first; if it began with the cards, it would read all cards of a large
    // deck.
    let sql = """
      SELECT cards.deck, count(DISTINCT CASE WHEN reviews.state = 0 THEN card END),
        count(DISTINCT CASE WHEN reviews.state = 2 THEN card END)
      FROM reviews CROSS JOIN cards ON cards.id = reviews.card
      WHERE reviews.at >= ? AND reviews.at < ? AND \(LoggedReview.isAnswer) AND NOT \(ReviewTable.isPreview)
      GROUP BY cards.deck
      """
    var counts: [DeckID: WaitingCounts] = [:]
    try db.forEachRow(sql, [moment.start(ofDay: moment.today), moment.endOfToday]) { row in
      counts[DeckID(rawValue: row.integer(0))] = WaitingCounts(due: row.count(2), new: row.count(1))
    }
    return counts
  }
}

/// Decks with the room that each has left; the decks within a deck come right after it.
struct StudyLimits {
  private var index: [DeckID: Int] = [:]
  private var parents: [Int?] = []
  private var reviewRoom: [Int] = []
  private var newRoom: [Int] = []
  /// How many cards each deck would show, including the decks within it.
  private(set) var counts: [DeckID: WaitingCounts] = [:]

  /// - Parameter decks: in the order of `DeckTable.list`. A deck whose parent is not among them is an outermost one.
  init(
    _ decks: [DeckRecord], options: [DeckID: DeckOptions], waiting: [DeckID: WaitingCounts],
    answered: [DeckID: WaitingCounts]
  ) {
    connect(decks)
    var totals = decks.map { waiting[$0.id] ?? WaitingCounts() }
    var done = decks.map { answered[$0.id] ?? WaitingCounts() }
    reviewRoom = Array(repeating: 0, count: decks.count)
    newRoom = reviewRoom
    // From the innermost deck outwards: a deck's own cards and what the decks within it may show.
    for (place, deck) in decks.enumerated().reversed() {
      let own = options.of(deck.id)
      reviewRoom[place] = max(0, own.reviewsPerDay - done[place].due)
      totals[place].due = min(totals[place].due, reviewRoom[place])
      let left = own.newIgnoresReviewLimit ? .max : reviewRoom[place] - totals[place].due
      newRoom[place] = min(left, max(0, own.newPerDay - done[place].new))
      totals[place].new = min(totals[place].new, newRoom[place])
      counts[deck.id] = totals[place]
      guard let parent = parents[place] else { continue }
      totals[parent].add(totals[place])
      done[parent].add(done[place])
    }
  }

  private mutating func connect(_ decks: [DeckRecord]) {
    var open: [(key: String, place: Int)] = []
    for (place, deck) in decks.enumerated() {
      let key = deck.name.lowercased()
      while let last = open.last, !DeckName.isKey(key, within: last.key) { open.removeLast() }
      index[deck.id] = place
      parents.append(open.last?.place)
      open.append((key, place))
    }
  }

  /// How many cards all outermost decks would show.
  func total(_ decks: [DeckRecord]) -> WaitingCounts {
    zip(decks, parents).reduce(into: WaitingCounts()) { sum, entry in
      if entry.1 == nil, let count = counts[entry.0.id] { sum.add(count) }
    }
  }

  /// The most new cards that a deck may show.
  func newRoom(of deck: DeckID) -> Int { index[deck].map { newRoom[$0] } ?? 0 }

  /// Takes the room for a learnt card of a deck.
  /// - Returns: false if there is none.
  mutating func takeReview(_ deck: DeckID) -> Bool { StudyLimits.take(&reviewRoom, index[deck], parents) }

  mutating func takeNew(_ deck: DeckID) -> Bool { StudyLimits.take(&newRoom, index[deck], parents) }

  private static func take(_ room: inout [Int], _ place: Int?, _ parents: [Int?]) -> Bool {
    var current = place
    while let place = current {
      if room[place] <= 0 { return false }
      current = parents[place]
    }
    current = place
    while let place = current {
      room[place] -= 1
      current = parents[place]
    }
    return place != nil
  }
}

/// What comes next, and what today's limits hold back.
public struct StudyOutlook: Equatable, Sendable {
  /// When the next learnt card comes, in seconds since 1970; nil if none does.
  public private(set) var next: Double?
  /// New cards, and learnt cards that are due, held back by today's limits.
  public private(set) var newWaiting = 0
  public private(set) var dueWaiting = 0
  /// Learnt cards that are due tomorrow, without buried ones.
  public private(set) var tomorrow = 0
  /// Cards that were forgotten today, without buried ones.
  public private(set) var forgotten = 0
  public private(set) var buried = 0
  public private(set) var suspended = 0
  /// All cards that are not suspended.
  public private(set) var all = 0

  /// - Parameter decks: the decks, each with the decks within it.
  public init(_ db: Database, _ decks: [DeckID], at moment: StudyMoment) throws {
    let decks = try DeckFamilies.all(db, of: decks)
    for deck in decks { try count(db, deck.id, moment) }
    // The state is that of the card, because the inner table hides the outer one.
    let forgottenCards = """
      SELECT count(DISTINCT card) FROM reviews
      WHERE at >= :began AND at < :end AND rating = 1 AND EXISTS (
        SELECT 1 FROM cards
        WHERE cards.id = reviews.card AND deck IN (SELECT value FROM json_each(:decks))
          AND \(CardStatus.studied) AND \(CardStatus.shown()))
      """
    let list = CardTable.list(decks.map(\.id.rawValue))
    forgotten = try db.count(forgottenCards, moment.arguments(of: forgottenCards, ["decks": list]))
  }

  private mutating func count(_ db: Database, _ deck: DeckID, _ moment: StudyMoment) throws {
    // A learnt or buried card is shown from the beginning of its day here, in whatever time zone the day was set.
    func beginning(_ time: String) -> String {
      "CASE WHEN \(time) < :border THEN :end ELSE :end + 86400 * CAST((\(time) - :border) / 86400 AS INTEGER) END"
    }
    let sql = """
      SELECT count(*), coalesce(sum(\(CardStatus.buried.sql())), 0),
        coalesce(sum(\(CardStatus.review.sql()) AND \(CardStatus.due.sql())), 0),
        coalesce(sum(\(CardStatus.review.sql()) AND NOT \(CardStatus.buried.sql())
          AND due >= :border AND due < :border + 86400), 0),
        min(CASE WHEN \(CardStatus.studied)
          THEN max(CASE WHEN \(CardStatus.review.sql()) THEN \(beginning("due")) ELSE due END,
          CASE WHEN \(CardStatus.buried.sql()) THEN \(beginning("buried_until")) ELSE 0 END) END)
      FROM cards WHERE deck = :deck AND NOT \(CardStatus.suspended.sql())
      """
    try db.forEachRow(sql, moment.arguments(of: sql, ["deck": deck.rawValue])) { row in
      all += row.count(0)
      buried += row.count(1)
      dueWaiting += row.count(2)
      tomorrow += row.count(3)
      if let due = row.optionalNumber(4) { next = min(next ?? due, due) }
    }
    let ofSuspended = "SELECT count(*) FROM cards WHERE deck = ? AND \(CardStatus.suspended.sql())"
    suspended += try db.count(ofSuspended, [deck.rawValue])
    newWaiting += try DeckTable.newCount(db, deck, at: moment)
  }
}
