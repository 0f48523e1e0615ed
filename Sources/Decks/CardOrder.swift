// The order of a deck's cards: a rank each, the lowest on top, with room left between.
// Invariant: ranks of a deck are distinct and stay within ±2^61; when room runs out they are spread anew, order kept.

public import Storage

/// Where a new card comes.
///
///     try CardTable.add(db, card, to: deck, at: .position(3), now: now, random: random)
public enum CardPlace: Equatable, Sendable {
  case top, bottom
  /// From 1, the top; beyond the last it is the bottom.
  case position(Int)
}

public enum CardOrder {
  /// Between a card and the one put above it.
  static let step: Int64 = 1 << 20
  /// Below the top for a batch whose length is not known; 2^26 cards at a step each.
  static let batchRoom: Int64 = 1 << 46
  private static let bound: Int64 = 1 << 61
  /// The first of the ranks that are used while all of a deck's are changed: above every other.
  private static let aside: Int64 = 1 << 62

  /// A rank above all cards of the deck with `room` of free ranks from it on down to them.
  static func above(_ db: Database, _ deck: DeckID, room: Int64) throws -> Int64 {
    guard let top = try top(db, deck) else { return 0 }
    if top >= room - bound { return top - room }
    try spread(db, deck)
    // Spread ranks begin at 0.
    return -room
  }

  static func top(_ db: Database, _ deck: DeckID) throws -> Int64? {
    try db.firstRow("SELECT rank FROM cards WHERE deck = ? ORDER BY rank LIMIT 1", [deck.rawValue]) { $0.integer(0) }
  }

  /// The rank of the card at a position, nil when there are not so many.
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

  /// A free rank right below the card at a position; 0 is above the top, beyond the last is the bottom.
  static func free(_ db: Database, _ deck: DeckID, after position: Int) throws -> Int64 {
    if position <= 0 { return try above(db, deck, room: step) }
    for _ in 0..<2 {
      guard let before = try rank(db, deck, at: position), let after = try rank(db, deck, at: position + 1) else {
        break
      }
      // Ranks of a forged file may be anything: what overflows is not between, and ends in a spread.
      let between = before &+ (after &- before) / 2
      if between > before, between < after { return between }
      try spread(db, deck)
    }
    return try below(db, deck)
  }

  private static func below(_ db: Database, _ deck: DeckID) throws -> Int64 {
    for _ in 0..<2 {
      guard let bottom = try bottom(db, deck) else { return 0 }
      if bottom <= bound - step { return bottom + step }
      try spread(db, deck)
    }
    return bound
  }

  private static func bottom(_ db: Database, _ deck: DeckID) throws -> Int64? {
    let sql = "SELECT rank FROM cards WHERE deck = ? ORDER BY rank DESC LIMIT 1"
    return try db.firstRow(sql, [deck.rawValue]) { $0.integer(0) }
  }

  /// From the top's rank to the bottom's; nil for an empty deck.
  static func ranks(_ db: Database, _ deck: DeckID) throws -> ClosedRange<Int64>? {
    guard let top = try top(db, deck), let bottom = try bottom(db, deck) else { return nil }
    return top...max(top, bottom)
  }

  /// A free rank at an end of a deck whose ranks lie in a range; nil where it has to be looked for or made.
  static func rank(beside ranks: ClosedRange<Int64>, for place: CardPlace) -> Int64? {
    switch place {
    case .top: ranks.lowerBound >= step - bound ? ranks.lowerBound - step : nil
    case .bottom: ranks.upperBound <= bound - step ? ranks.upperBound + step : nil
    case .position: nil
    }
  }

  /// Puts cards of one deck into the places that they have together, in the order given; others stay where they are.
  static func arrange(_ db: Database, _ ids: [CardID]) throws {
    let ranks = try ids.compactMap { id in
      try db.firstRow("SELECT rank FROM cards WHERE id = ?", [id.rawValue]) { $0.integer(0) }
    }.sorted()
    guard ranks.count == ids.count else { throw DeckError.gone(what: "a card") }
    try SyncedTable.keepPlaces(db, ids)
    let statement = try db.cachedStatement(sql: "UPDATE cards SET rank = ? WHERE id = ?")
    for (offset, id) in ids.enumerated() { try statement.execute(arguments: [aside + Int64(offset), id.rawValue]) }
    for (rank, id) in zip(ranks, ids) { try statement.execute(arguments: [rank, id.rawValue]) }
  }

  /// Puts cards of a deck right below another one of it, or right above it, in the order given; others stay where they
  /// are.
  /// - Throws: `gone`.
  public static func put(_ db: Database, _ ids: [CardID], beside other: CardID, isBelow: Bool) throws {
    try SyncedTable.keepPlaces(db, ids)
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
      // Ranks of a forged file may be anything: what overflows is no room, and ends in a spread.
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

  /// Gives every card of the deck a new rank with wide room, in the same order, from 0 on.
  static func spread(_ db: Database, _ deck: DeckID) throws {
    let ids = try CardTable.ids(db, in: deck)
    try SyncedTable.keepPlaces(db, ids)
    let statement = try db.cachedStatement(sql: "UPDATE cards SET rank = ? WHERE id = ?")
    for (offset, id) in ids.enumerated() { try statement.execute(arguments: [aside + Int64(offset), id.rawValue]) }
    let wide = min(Int64(1) << 32, (bound / 2) / Int64(max(1, ids.count)))
    for (offset, id) in ids.enumerated() { try statement.execute(arguments: [Int64(offset) * wide, id.rawValue]) }
  }
}
