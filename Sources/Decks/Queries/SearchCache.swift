// What earlier searches read, so that the next search need not wait for the database: an index of all texts, and the
// orders of decks while nothing changes. Invariant: what was read before a change is never used after it.

package import Storage

public final class SearchCache {
  /// Up to this many cards are looked up one by one; for more, the order of the deck is read.
  private static let fewCards = 500

  /// Up to this many decks are searched one by one.
  private static let fewDecks = 16

  /// The file that stores the index between processes; nil for none.
  private let path: String?
  private let isSaved: Bool
  private let leastIndexed: Int
  private let unsavedLimit: Int
  private var changes = (all: 0, others: 0)
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
  /// - Parameter now: increases with every change.
  /// - Parameter others: increases with each commit of another process, and with each rollback, after which ids of
  ///   cards may be used again.
  public func refresh(_ now: Int, others: Int = 0) {
    guard now != changes.all || others != changes.others else { return }
    if others != changes.others { index = nil }
    changes = (now, others)
    (orders, last) = ([:], nil)
  }

  /// The cards of several decks that match a query, each deck's top first, with their positions in the deck. If they
  /// are all decks of a large collection, the query is evaluated once.
  package func found(
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

  /// The cards of all decks that match a query, in no order; nil if the index does not help.
  func cards(_ db: Database, _ query: CardQuery, at moment: StudyMoment) throws -> [Int64]? {
    if let last, last.query == query { return last.cards }
    // An index without rows shows at once whether one restricts the query.
    guard try SearchIndex().rows(of: query.root, query.isInterrupted) != nil, let index = try currentIndex(db, query),
      let set = try index.rows(of: query.root, query.isInterrupted)
    else { return nil }
    if set.isExact {
      let cards = index.cards(of: set)
      last = (query, cards)
      return cards
    }
    if set.count > index.cards.count / 8 { return nil }
    var matcher = try QueryMatcher(db, query, at: moment)
    let sql = """
      SELECT \(QueryColumn.list(for: query)) FROM (SELECT value AS wanted FROM json_each(?))
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
    let isWanted = Self.membership(of: cards)
    var (ids, positions): ([CardID], [Int]) = ([], [])
    for (place, id) in order.enumerated() where isWanted(id.rawValue) {
      ids.append(id)
      positions.append(place + 1)
    }
    return (ids, positions)
  }

  /// Looks up each card. SQLite counts the cards between each one and the one above it, in all one pass over the index.
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

  /// Whether a card is one of some cards. Most ids are close together, so one flag for each number from the lowest to
  /// the highest is fastest.
  private static func membership(of cards: [Int64]) -> (Int64) -> Bool {
    guard cards.count > 64, let low = cards.min(), let high = cards.max(),
      case (let width, false) = high.subtractingReportingOverflow(low), width < Int64(widest)
    else { return Set(cards).contains }
    var flags = Array(repeating: false, count: Int(width) + 1)
    for card in cards { flags[Int(card - low)] = true }
    return { $0 >= low && $0 <= high && flags[Int($0 - low)] }
  }

  private static let widest = 16 << 20
}
