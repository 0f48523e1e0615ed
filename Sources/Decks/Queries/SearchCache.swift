// What earlier searches read, so that the next search need not wait for the database: an index of all texts, and the
// rows of decks while nothing changes.
// Invariant: what was read before a change is never used after it; what exceeds the limits is not cached.

public import Storage

/// The cache for the searches of one account.
///
///     cache.refresh(changeCount, others: otherChanges)
///     try CardTable.found(db, in: deck, matching: query, at: moment, cache)
public final class SearchCache {
  /// The limits for the cards and bytes of a cached deck: about 30 MB.
  private static let cardLimit = 200_000
  private static let byteLimit = 16 << 20
  /// Up to this many cards are looked up one by one; for more, the order of the deck is read.
  private static let fewCards = 500

  /// Up to this many decks are searched one by one, because their rows are cached.
  private static let fewDecks = 16

  /// The file that stores the index between processes; nil for none.
  private let path: String?
  /// Whether the file may be written.
  private let isSaved: Bool
  private let leastIndexed: Int
  private let unsavedLimit: Int
  private var changes = (all: 0, others: 0)
  private var decks: [DeckID: SearchRows] = [:]
  private var asked: [DeckID: Int] = [:]
  private var orders: [DeckID: [CardID]] = [:]
  private var index: SearchIndex?
  /// The result of the last query, if it depends only on texts.
  private var last: (query: CardQuery, cards: [Int64])?

  /// - Parameters:
  ///   - leastIndexed: with fewer cards, an account is read as quickly as an index would be.
  ///   - unsavedLimit: the index is saved when more than this many cards were read; the next process reads the rest.
  public init(path: String? = nil, isSaved: Bool = true, leastIndexed: Int = 5_000, unsavedLimit: Int = 2_000) {
    (self.path, self.isSaved) = (path, isSaved)
    (self.leastIndexed, self.unsavedLimit) = (leastIndexed, unsavedLimit)
  }

  /// Drops what may have changed.
  /// - Parameters:
  ///   - now: increases with every change.
  ///   - others: increases with each commit of another process, and with each rollback, after which ids of cards may be
  ///     used again.
  public func refresh(_ now: Int, others: Int = 0) {
    guard now != changes.all || others != changes.others else { return }
    if others != changes.others { index = nil }
    changes = (now, others)
    (decks, asked, orders, last) = ([:], [:], [:], nil)
  }

  /// The cards of several decks that match a query, each deck's top first, with their positions in the deck. If they
  /// are all decks of a large collection, the query is evaluated once.
  public func found(
    _ db: Database, in decks: [DeckID], matching query: CardQuery, at moment: StudyMoment
  ) throws -> [DeckID: (ids: [CardID], positions: [Int])] {
    var found: [DeckID: (ids: [CardID], positions: [Int])] = [:]
    guard decks.count > Self.fewDecks, decks.count == (try db.count("SELECT count(*) FROM decks")) else {
      for deck in decks { found[deck] = try CardTable.found(db, in: deck, matching: query, at: moment, self) }
      return found
    }
    let wanted = Set(try CardTable.ids(db, matching: query, at: moment, self))
    if wanted.isEmpty { return [:] }
    var (deck, position) = (DeckID(rawValue: 0), 0)
    // SQLite reads only the index of ranks.
    try db.forEachRow("SELECT id, deck FROM cards ORDER BY deck, rank") { row in
      let (id, next) = (CardID(rawValue: row.integer(0)), DeckID(rawValue: row.integer(1)))
      position = next == deck ? position + 1 : 1
      deck = next
      guard wanted.contains(id) else { return }
      found[deck, default: ([], [])].ids.append(id)
      found[deck, default: ([], [])].positions.append(position)
    }
    return found
  }

  // MARK: The index

  /// The cards of all decks that match a query, in no order; nil if the index does not help.
  func cards(_ db: Database, _ query: CardQuery, at moment: StudyMoment) throws -> [Int64]? {
    if let last, last.query == query { return last.cards }
    guard let index = try currentIndex(db, query), let set = try index.rows(of: query.root, query.isInterrupted)
    else { return nil }
    if set.isExact {
      let cards = index.cards(of: set)
      last = (query, cards)
      return cards
    }
    if set.count > index.cards.count / 8 { return nil }
    var matcher = try QueryMatcher(db, query, at: moment)
    let sql = """
      SELECT \(QueryMatcher.columns) FROM (SELECT value AS wanted FROM json_each(?))
      CROSS JOIN card_rows WHERE card_rows.id = wanted
      """
    var found: [Int64] = []
    try db.forEachRow(sql, [CardTable.list(index.cards(of: set))]) { row in
      if try matcher.matches(row) { found.append(row.integer(0)) }
    }
    return found
  }

  private func currentIndex(_ db: Database, _ query: CardQuery) throws -> SearchIndex? {
    let many = "SELECT 1 FROM cards LIMIT 1 OFFSET ?"
    if leastIndexed > 0, try !db.hasRow(many, [leastIndexed - 1]) { return nil }
    let index = self.index ?? SearchIndex()
    if self.index == nil, let path { _ = index.load(path) }
    self.index = index
    guard try index.refresh(db, isInterrupted: query.isInterrupted) else { return nil }
    // Other processes must not see changes that are not committed yet.
    if let path, isSaved, index.readCount > unsavedLimit, !db.isInsideTransaction { index.save(path) }
    return index
  }

  /// Those of the cards that are in a deck, top first, with their positions.
  func ordered(_ db: Database, _ deck: DeckID, _ cards: [Int64]) throws -> (ids: [CardID], positions: [Int]) {
    if orders[deck] == nil, cards.count <= Self.fewCards { return try lookedUp(db, deck, cards) }
    let order = try orders[deck] ?? CardTable.ids(db, in: deck)
    orders[deck] = order
    let wanted = WantedCards(cards)
    var (ids, positions): ([CardID], [Int]) = ([], [])
    for (place, id) in order.enumerated() where wanted.holds(id.rawValue) {
      ids.append(id)
      positions.append(place + 1)
    }
    return (ids, positions)
  }

  /// Looks up each card. SQLite counts the cards between each one and the one above it, in all one pass over the
  /// index.
  private func lookedUp(_ db: Database, _ deck: DeckID, _ cards: [Int64]) throws -> (ids: [CardID], positions: [Int]) {
    var ranks: [(card: Int64, rank: Int64)] = []
    for card in cards {
      let sql = "SELECT rank FROM cards WHERE id = ? AND deck = ?"
      if let rank = try db.firstRow(sql, [card, deck.rawValue], { $0.integer(0) }) { ranks.append((card, rank)) }
    }
    ranks.sort { $0.rank < $1.rank }
    var (positions, position, last): ([Int], Int, Int64) = ([], 0, .min)
    for (_, rank) in ranks {
      let sql = "SELECT count(*) FROM cards WHERE deck = ? AND rank >= ? AND rank < ?"
      position += try db.count(sql, [deck.rawValue, last, rank])
      last = rank
      positions.append(position + 1)
    }
    return (ranks.map { CardID(rawValue: $0.card) }, positions)
  }

  // MARK: Rows

  /// The rows of a deck, read when the deck is searched for the second time; nil before, and for a deck that is too
  /// large.
  func rows(_ db: Database, _ deck: DeckID, _ query: CardQuery) throws -> SearchRows? {
    if !query.root.conditions.allSatisfy(\.isOfCachedRow) { return nil }
    if let known = decks[deck] { return known }
    asked[deck, default: 0] += 1
    guard asked[deck] == 2, try DeckTable.count(db, deck) <= Self.cardLimit else { return nil }
    let sql = "SELECT \(QueryMatcher.columns) FROM card_rows WHERE deck = ? ORDER BY rank"
    let rows = SearchRows(deck)
    try db.forEachRow(sql, while: { rows.byteCount <= Self.byteLimit }, [deck.rawValue]) { row in
      rows.append(row)
      if rows.count % 4096 == 0, query.isInterrupted() { throw DeckError.interrupted }
    }
    guard rows.byteCount <= Self.byteLimit else { return nil }
    decks[deck] = rows
    return rows
  }
}

/// A set of cards. Most ids are close together, so one flag for each number from the lowest to the highest is
/// fastest.
private struct WantedCards {
  private static let widest = 16 << 20
  private var low: Int64 = 0
  private var flags: [Bool] = []
  private var others: Set<Int64> = []

  init(_ cards: [Int64]) {
    guard let low = cards.min(), let high = cards.max() else { return }
    guard cards.count > 64, case let (width, overflow) = high.subtractingReportingOverflow(low), !overflow,
      width < Int64(Self.widest)
    else {
      others = Set(cards)
      return
    }
    self.low = low
    flags = Array(repeating: false, count: Int(width) + 1)
    for card in cards { flags[Int(card - low)] = true }
  }

  func holds(_ card: Int64) -> Bool {
    if flags.isEmpty { return others.contains(card) }
    // Unsigned, because the difference may exceed the range of Int64.
    let place = UInt64(bitPattern: card &- low)
    return card >= low && place < UInt64(flags.count) && flags[Int(place)]
  }
}
