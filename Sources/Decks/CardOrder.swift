// The order of the cards of a deck. Each card has a rank, the lowest is on top, and gaps between ranks leave room.
// Invariant: the ranks of a deck are distinct and within ±2^61. If a gap is used up, all ranks are spread again in
// the same order.

public import Storage

/// The place of a new card in its deck.
///
///     try CardTable.add(db, card, to: deck, at: .position(3), now: now, random: random)
public enum CardPlace: Equatable, Sendable {
  case top, bottom
  /// From 1, the top; a position beyond the last card means the bottom.
  case position(Int)
}

public enum CardOrder {
  /// The distance between a card and one that is put above it.
  static let step: Int64 = 1 << 20
  /// The room above the top for a batch of unknown length: 2^26 cards, one step each.
  static let batchRoom: Int64 = 1 << 46
  private static let bound: Int64 = 1 << 61
  /// The first of the temporary ranks used while all ranks of a deck change: above every other rank.
  private static let highRank: Int64 = 1 << 62

  /// A number below 2^16 that changes with each card that is made, so that a card at an end of a deck does not get the
  /// rank of one that was removed or moved away: undo puts that one back at its rank.
  private static func shift(_ db: Database) throws -> Int64 { try CardTable.lastID(db) & 0xFFFF }

  /// Returns a rank above all cards of the deck; the `room` ranks from it down to the top card are free.
  static func above(_ db: Database, _ deck: DeckID, room: Int64) throws -> Int64 {
    let shift = try shift(db)
    guard let top = try top(db, deck) else { return -shift }
    let room = room + shift
    if top >= room - bound { return top - room }
    try spread(db, deck)
    // Spread ranks begin at 0.
    return -room
  }

  static func top(_ db: Database, _ deck: DeckID) throws -> Int64? {
    try db.firstRow("SELECT rank FROM cards WHERE deck = ? ORDER BY rank LIMIT 1", [deck.rawValue]) { $0.integer(0) }
  }

  /// The rank of the card at a position; nil if the deck has fewer cards.
  static func rank(_ db: Database, _ deck: DeckID, at position: Int) throws -> Int64? {
    guard position >= 1 else { return nil }
    let sql = "SELECT rank FROM cards WHERE deck = ? ORDER BY rank LIMIT 1 OFFSET ?"
    return try db.firstRow(sql, [deck.rawValue, position - 1]) { $0.integer(0) }
  }

  /// A free rank for a new card.
  static func rank(_ db: Database, _ deck: DeckID, for place: CardPlace) throws -> Int64 {
    switch place {
    case .top: try above(db, deck, room: step)
    case .bottom: try below(db, deck)
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
    return try below(db, deck)
  }

  private static func below(_ db: Database, _ deck: DeckID) throws -> Int64 {
    let shift = try shift(db)
    for _ in 0..<2 {
      guard let bottom = try bottom(db, deck) else { return shift }
      if bottom <= bound - step - shift { return bottom + step + shift }
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
    guard let top = try top(db, deck), let bottom = try bottom(db, deck) else { return nil }
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

  /// Reorders cards of one deck among the positions that they occupy; other cards stay where they are.
  static func arrange(_ db: Database, _ ids: [CardID]) throws {
    let ranks = try ids.compactMap { id in
      try db.firstRow("SELECT rank FROM cards WHERE id = ?", [id.rawValue]) { $0.integer(0) }
    }.sorted()
    guard ranks.count == ids.count else { throw DeckError.gone(what: "a card") }
    try SyncedTable.savePlaces(db, ids)
    let statement = try db.cachedStatement(sql: "UPDATE cards SET rank = ? WHERE id = ?")
    for (offset, id) in ids.enumerated() { try statement.execute(arguments: [highRank + Int64(offset), id.rawValue]) }
    for (rank, id) in zip(ranks, ids) { try statement.execute(arguments: [rank, id.rawValue]) }
  }

  /// Moves cards of a deck right below or right above another card of it, in the order given; other cards stay where
  /// they are.
  /// - Throws: `gone`.
  public static func put(_ db: Database, _ ids: [CardID], beside other: CardID, isBelow: Bool) throws {
    try SyncedTable.savePlaces(db, ids)
    let count = Int64(ids.count + 1)
    let update = try db.cachedStatement(sql: "UPDATE cards SET rank = ? WHERE id = ?")
    for _ in 0..<2 {
      let place = try db.firstRow("SELECT deck, rank FROM cards WHERE id = ?", [other.rawValue]) {
        (deck: DeckID(rawValue: $0.integer(0)), rank: $0.integer(1))
      }
      guard let (deck, rank) = place else { throw DeckError.gone(what: "the card") }
      let (relation, order) = isBelow ? (">", "ASC") : ("<", "DESC")
      let sql = "SELECT rank FROM cards WHERE deck = ? AND rank \(relation) ? ORDER BY rank \(order) LIMIT 1"
      let next = try db.firstRow(sql, [deck.rawValue, rank]) { $0.integer(0) }
      // The ranks of a forged file may be anything: if the difference overflows, there is no room, and the ranks are
      // spread.
      let room = next.map { isBelow ? $0 &- rank : rank &- $0 } ?? step * count
      let width = room / count
      if width > 0, next != nil || rank.magnitude <= UInt64(bound - room) {
        let first = isBelow ? rank + width : rank - width * Int64(ids.count)
        for (offset, id) in ids.enumerated() {
          try update.execute(arguments: [first + Int64(offset) * width, id.rawValue])
        }
        return
      }
      try spread(db, deck)
    }
  }

  /// Gives all cards of the deck new ranks from 0 on, with wide gaps, in the same order.
  static func spread(_ db: Database, _ deck: DeckID) throws {
    let ids = try CardTable.ids(db, in: deck)
    try SyncedTable.savePlaces(db, ids)
    let statement = try db.cachedStatement(sql: "UPDATE cards SET rank = ? WHERE id = ?")
    for (offset, id) in ids.enumerated() { try statement.execute(arguments: [highRank + Int64(offset), id.rawValue]) }
    let wide = min(Int64(1) << 32, (bound / 2) / Int64(max(1, ids.count)))
    for (offset, id) in ids.enumerated() { try statement.execute(arguments: [Int64(offset) * wide, id.rawValue]) }
  }
}
