// Sorts cards by one of their fields, and moves cards to another deck.
// Invariant: cards with the same value are in the order in which they were added.

public import Storage
import Text

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
    let top = try CardOrder.above(db, deck, room: CardOrder.step * Int64(max(1, ids.count)))
    let statement = try db.cachedStatement(sql: "UPDATE cards SET deck = ?, rank = ?, mod = ? WHERE id = ?")
    var moved: [CardID] = []
    for id in ids {
      guard let card = try card(db, id) else { throw DeckError.gone(what: "the card") }
      if card.deck == deck { continue }
      // A card that was moved before it may have the same guid.
      if try self.id(db, guid: card.guid, in: deck) != nil {
        throw DeckError.duplicate(guid: card.guid, prompt: card.prompt)
      }
      try SyncedTable.cards.keep(db, [id.rawValue])
      let rank = top + Int64(moved.count) * CardOrder.step
      try statement.execute(arguments: [deck.rawValue, rank, now, id.rawValue])
      moved.append(id)
    }
    try NoteTable.updatePlaces(db, of: moved, now: now)
    return moved.count
  }
}
