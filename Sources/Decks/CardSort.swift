// By what a list of cards can be sorted, and cards of several decks in one order. Invariant: cards that are alike stand
// in the order in which they were added.

public import Storage

/// What cards are sorted by.
///
///     try CardTable.sorted(db, ids, by: .due, isDescending: false)
public enum CardSort: String, CaseIterable, Sendable {
  case prompt, answer, tags, state, due, interval, stability, difficulty, reps, lapses, flag, created, modified, guid

  /// What SQLite sorts by; what a card does not have comes last.
  fileprivate var expression: String {
    switch self {
    case .prompt, .answer, .tags: "\(rawValue) COLLATE NOCASE"
    case .modified: "mod"
    case .interval: "CASE WHEN state = 2 THEN due - last_review END"
    case .state: "CASE WHEN suspended <> 0 THEN 4 ELSE state END"
    default: rawValue
    }
  }
}

extension CardTable {
  /// The places of cards in the order of their values.
  public static func order(
    _ db: Database, _ ids: [CardID], by sort: CardSort, isDescending: Bool
  ) throws -> [Int] {
    let places = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($0.element, $0.offset) })
    let direction = isDescending ? "DESC" : "ASC"
    let sql = "SELECT id FROM card_rows ORDER BY \(sort.expression) \(direction) NULLS LAST, id"
    var order: [Int] = []
    order.reserveCapacity(ids.count)
    try db.forEachRow(sql) { row in
      if let place = places[CardID(rawValue: row.integer(0))] { order.append(place) }
    }
    return order
  }

  /// Brings cards to the top of another deck, in the order given; those that are in it already stay where they are.
  /// - Returns: how many were moved.
  /// - Throws: `duplicate` when a guid is in the deck already, `gone`.
  public static func move(_ db: Database, _ ids: [CardID], into deck: DeckID, now: Double) throws -> Int {
    guard try DeckTable.exists(db, deck) else { throw DeckError.gone(what: "the deck") }
    let moved = try ids.filter { id in
      guard let card = try card(db, id) else { throw DeckError.gone(what: "the card") }
      if card.deck == deck { return false }
      if try self.id(db, guid: card.guid, in: deck) != nil {
        throw DeckError.duplicate(guid: card.guid, prompt: card.prompt)
      }
      return true
    }
    let top = try CardOrder.above(db, deck, room: CardOrder.step * Int64(max(1, moved.count)))
    let statement = try db.cachedStatement(sql: "UPDATE cards SET deck = ?, rank = ?, mod = ? WHERE id = ?")
    for (place, id) in moved.enumerated() {
      try statement.execute(arguments: [deck.rawValue, top + Int64(place) * CardOrder.step, now, id.rawValue])
    }
    try NoteTable.renewPlaces(db, of: moved, now: now)
    return moved.count
  }
}
