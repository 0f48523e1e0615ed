// The order of the cards of a deck. Each card has a rank, the lowest is on top, and gaps between ranks leave room.
// Invariant: the ranks of a deck are distinct and within ±2^61. If a gap is used up, all ranks are spread again in the
// same order.

public import Storage
import Text

public enum CardPlace: Equatable, Sendable {
  case top, bottom
  /// From 1, the top; a position beyond the last card means the bottom.
  case position(Int)
}

/// A card and its rank in its deck.
public typealias RankedCard = (id: CardID, rank: Int64)

public enum CardOrder {
  /// The distance between a card and one that is put above it.
  static let step: Int64 = 1 << 20
  /// The room above the top for a batch of unknown length: 2^30 cards, one step each.
  static let batchRoom: Int64 = 1 << 50
  private static let bound: Int64 = 1 << 61
  /// The first of the temporary ranks used while all ranks of a deck change: above every other rank.
  private static let highRank: Int64 = 1 << 62

  /// A number below 2^16 that changes with each card that is made, so that a card at an end of a deck does not get the
  /// rank of one that was removed or moved away: undo puts that one back at its rank.
  private static func shift(_ db: Database) throws -> Int64 { try CardTable.lastID(db) & 0xFFFF }

  /// Returns a rank above all cards of the deck; the `room` ranks from it down to the top card are free.
  public static func above(_ db: Database, _ deck: DeckID, room: Int64) throws -> Int64 {
    let shift = try shift(db)
    guard let top = try rank(db, deck, at: 1) else { return -shift }
    let room = room + shift
    if top >= room - bound { return top - room }
    try spread(db, deck)
    // Spread ranks begin at 0.
    return -room
  }

  /// The rank of the card at a position; nil if the deck has fewer cards.
  static func rank(_ db: Database, _ deck: DeckID, at position: Int) throws -> Int64? {
    guard position >= 1 else { return nil }
    let sql = "SELECT rank FROM cards WHERE deck = ? ORDER BY rank LIMIT 1 OFFSET ?"
    return try db.firstRow(sql, [deck.rawValue, position - 1]) { $0.integer(0) }
  }

  /// - Parameter count: how many cards get the rank and those that follow it, a step apart.
  public static func rank(_ db: Database, _ deck: DeckID, for place: CardPlace, count: Int = 1) throws -> Int64 {
    switch place {
    case .top: try above(db, deck, room: step * Int64(count))
    case .bottom: try below(db, deck, room: step * Int64(count))
    case .position(let position): try free(db, deck, after: position - 1)
    }
  }

  /// Returns a free rank right below the card at a position; 0 means above the top, a position beyond the last card
  /// means the bottom.
  static func free(_ db: Database, _ deck: DeckID, after position: Int) throws -> Int64 {
    if position <= 0 { return try above(db, deck, room: step) }
    for _ in 0..<2 {
      guard let before = try rank(db, deck, at: position), let after = try rank(db, deck, at: position + 1) else {
        break
      }
      // The ranks of a forged file may be anything: if the sum overflows, it is not between the two, and the ranks
      // are spread.
      let between = before &+ (after &- before) / 2
      if between > before, between < after { return between }
      try spread(db, deck)
    }
    return try below(db, deck, room: step)
  }

  private static func below(_ db: Database, _ deck: DeckID, room: Int64) throws -> Int64 {
    let shift = try shift(db)
    for _ in 0..<2 {
      guard let bottom = try bottom(db, deck) else { return shift }
      if bottom <= bound - room - shift { return bottom + step + shift }
      try spread(db, deck)
    }
    return bound
  }

  private static func bottom(_ db: Database, _ deck: DeckID) throws -> Int64? {
    let sql = "SELECT rank FROM cards WHERE deck = ? ORDER BY rank DESC LIMIT 1"
    return try db.firstRow(sql, [deck.rawValue]) { $0.integer(0) }
  }

  /// The range from the rank of the top card to that of the bottom card; nil for an empty deck.
  static func ranks(_ db: Database, _ deck: DeckID) throws -> ClosedRange<Int64>? {
    guard let top = try rank(db, deck, at: 1), let bottom = try bottom(db, deck) else { return nil }
    return top...max(top, bottom)
  }

  /// Returns a free rank at an end of a deck whose ranks are in `ranks`; nil if the deck has to be read or its ranks
  /// have to be spread.
  static func rank(beside ranks: ClosedRange<Int64>, for place: CardPlace) -> Int64? {
    switch place {
    case .top: ranks.lowerBound >= step - bound ? ranks.lowerBound - step : nil
    case .bottom: ranks.upperBound <= bound - step ? ranks.upperBound + step : nil
    case .position: nil
    }
  }

  /// The cards of a deck and their notes, top first.
  public static func cards(_ db: Database, in deck: DeckID) throws -> [(card: RankedCard, note: NoteID)] {
    try db.rows("SELECT id, rank, note FROM cards WHERE deck = ? ORDER BY rank", [deck.rawValue]) {
      ((CardID(rawValue: $0.integer(0)), $0.integer(1)), NoteID(rawValue: $0.integer(2)))
    }
  }

  /// Reorders cards of a deck among the positions that they occupy; other cards stay at theirs. Of all cards of the
  /// deck, as few as possible get another rank.
  /// - Parameter cards: the cards with their ranks, in their new order.
  /// - Throws: `gone` if a card is no longer at its rank.
  public static func arrange(_ db: Database, _ cards: [RankedCard], in deck: DeckID) throws {
    var order: [RankedCard] = try db.rows("SELECT id, rank FROM cards WHERE deck = ? ORDER BY rank", [deck.rawValue]) {
      (CardID(rawValue: $0.integer(0)), $0.integer(1))
    }
    let (ranks, places, shift) = (order.map(\.rank), cards.map(\.rank).sorted(), try shift(db))
    var next = 0
    for index in order.indices where next < places.count && places[next] == ranks[index] {
      order[index] = cards[next]
      next += 1
    }
    guard next == cards.count else { throw DeckError.gone(what: "a card") }
    let moved = order.indices.outOfOrder { order[$0].rank }
    try SyncedTable.savePlaces(db, moved.lazy.map { order[$0].id })
    for run in RangeSet(moved, within: order).ranges {
      let above = order[..<run.lowerBound].last?.rank
      // A card that has not moved yet may have a rank between the new neighbours.
      let below = above.map { above in ranks.indices.bisected { ranks[$0] <= above } } ?? 0
      guard let free = free(run.count, between: above, ranks[below...].first, shift) else {
        return try spread(db, deck, as: order.map(\.id))
      }
      try set(db, zip(order[run].lazy.map(\.id), free))
    }
  }

  /// Returns ranks for cards between two ranks, of which nil is an end of the deck: close to the lower card, so that
  /// room is left for the next ones. nil if there is no room.
  private static func free(_ count: Int, between above: Int64?, _ below: Int64?, _ shift: Int64) -> StrideTo<Int64>? {
    // The ranks of a forged file may be anything: if a sum overflows, there is no room.
    let room = 2 * step * Int64(count)
    let (start, end) = (above ?? (below ?? 0) &- room, below ?? (above ?? 0) &+ room)
    let width = min(step, (end &- start) / Int64(2 * max(1, count)))
    guard width > 0, start < end, start >= -bound, end <= bound else { return nil }
    let last = end - shift % width
    return stride(from: last - width * Int64(count), to: last, by: Int(width))
  }

  /// Writes ranks, in this order; no two cards may have the same one, not even in between.
  private static func set(_ db: Database, _ ranks: some Sequence<(CardID, Int64)>) throws {
    let statement = try db.cachedStatement(sql: "UPDATE cards SET rank = ?1 WHERE id = ?2")
    for (id, rank) in ranks {
      statement.bind(1, rank)
      statement.bind(2, id.rawValue)
      try statement.run()
    }
  }

  /// Moves cards of a deck right below or right above another card of it, in the order given; other cards stay where
  /// they are.
  /// - Throws: `gone`.
  public static func put(_ db: Database, _ ids: [CardID], beside other: CardID, isBelow: Bool) throws {
    try SyncedTable.savePlaces(db, ids)
    for _ in 0..<2 {
      let place = try db.firstRow("SELECT deck, rank FROM cards WHERE id = ?", [other.rawValue]) {
        (deck: DeckID(rawValue: $0.integer(0)), rank: $0.integer(1))
      }
      guard let (deck, rank) = place else { throw DeckError.gone(what: "the card") }
      let (relation, order) = isBelow ? (">", "ASC") : ("<", "DESC")
      let sql = "SELECT rank FROM cards WHERE deck = ? AND rank \(relation) ? ORDER BY rank \(order) LIMIT 1"
      let next = try db.firstRow(sql, [deck.rawValue, rank]) { $0.integer(0) }
      let free = free(ids.count, between: isBelow ? rank : next, isBelow ? next : rank, try shift(db))
      if let free { return try set(db, zip(ids, free)) }
      try spread(db, deck)
    }
  }

  /// Gives all cards of the deck new ranks from 0 on, with wide gaps.
  /// - Parameter order: the cards in their new order; nil for the order in which they are.
  static func spread(_ db: Database, _ deck: DeckID, as order: [CardID]? = nil) throws {
    let ids = try order ?? CardTable.ids(db, in: deck)
    try SyncedTable.savePlaces(db, ids)
    try set(db, zip(ids, highRank...))
    let wide = min(1 << 32, Int(bound / 2) / max(1, ids.count))
    try set(db, zip(ids, stride(from: 0, to: .max, by: wide)))
  }
}

extension CardTable {
  /// Returns the indices of `ids` in the order of the field's values, of an id that occurs twice only the first; the
  /// order is unchanged for a field that cannot be sorted by.
  public static func order(
    _ db: Database, _ ids: [CardID], by property: CardProperty, isDescending: Bool
  ) throws -> [Int] {
    guard let order = property.description.order else { return Array(ids.indices) }
    // A card is in two decks if another program moved it while the decks were read, one after the other.
    let places = Dictionary(firstOf: ids.enumerated().map { ($0.element, $0.offset) })
    let direction = isDescending ? "DESC" : "ASC"
    let sql = "SELECT id FROM card_rows ORDER BY \(order) \(direction) NULLS LAST, id"
    var sorted: [Int] = []
    sorted.reserveCapacity(ids.count)
    try db.forEachRow(sql) { row in
      if let place = places[CardID(rawValue: row.integer(0))] { sorted.append(place) }
    }
    return sorted
  }

  /// Moves cards to the top of another deck, in the order given; cards that are already in it stay where they are.
  /// - Returns: how many were moved.
  /// - Throws: `duplicate` if a guid is already in the deck, `gone`.
  public static func move(_ db: Database, _ ids: [CardID], into deck: DeckID, now: Double) throws -> Int {
    guard try DeckTable.exists(db, deck) else { throw DeckError.gone(what: "the deck") }
    let ids = ids.distinct(by: \.self)
    // Other cards cannot have the guid of one whose note is the only one with its guid.
    let sql = """
      SELECT cards.id, deck = ?2, guid || iif(ord > 0, '/' || (ord + 1), ''), ord > 0 OR instr(guid, '/')
        OR EXISTS (SELECT 1 FROM notes AS other WHERE other.guid = notes.guid AND other.id <> notes.id)
      FROM (SELECT key AS place, value AS wanted FROM json_each(?1)) CROSS JOIN cards ON cards.id = wanted
      LEFT JOIN notes ON notes.id = note ORDER BY place
      """
    let cards = try db.rows(sql, [list(ids.lazy.map(\.rawValue)), deck.rawValue]) { row in
      (id: id(row), isThere: row.integer(1) != 0, guid: row.text(2), mayRepeat: row.integer(3) != 0)
    }
    if cards.count < ids.count { throw gone }
    let moved = cards.filter { !$0.isThere }
    var guids: Set<String> = []
    for card in moved where card.mayRepeat {
      if try !guids.insert(card.guid).inserted || self.id(db, guid: card.guid, in: deck) != nil {
        throw DeckError.duplicate(guid: card.guid, prompt: try self.card(db, card.id)?.prompt ?? "")
      }
    }
    try SyncedTable.cards.keep(db, moved.lazy.map(\.id.rawValue))
    let top = try CardOrder.above(db, deck, room: CardOrder.step * Int64(max(1, moved.count)))
    let sets = "deck = ?2, rank = ?3 + \(CardOrder.step) * key, mod = ?4"
    try db.run(
      "UPDATE OR FAIL cards SET \(sets) FROM json_each(?1) WHERE cards.id = value",
      [list(moved.lazy.map(\.id.rawValue)), deck.rawValue, top, now])
    try NoteTable.updatePlaces(db, of: moved.lazy.map(\.id), now: now)
    return moved.count
  }
}
