// Cards that a sync changes: identified by their ids, and updated in place.
// Invariant: an existing card keeps its place unless the change says otherwise.

public import Storage
import Templates

/// What a sync reads from cards and does with them.
public enum SyncedCards {
  /// A card's own row; nil if there is none.
  public static func stored(_ db: Database, _ id: CardID) throws -> StoredCard? {
    try db.firstRow("\(StoredCard.query) WHERE id = ?", [id.rawValue], StoredCard.init)
  }

  /// The card of a note with a number; nil if there is none.
  public static func stored(_ db: Database, of note: NoteID, ordinal: Int) throws -> StoredCard? {
    try db.firstRow("\(StoredCard.query) WHERE note = ? AND ord = ?", [note.rawValue, ordinal], StoredCard.init)
  }

  /// The cards of a note, by their numbers.
  public static func stored(_ db: Database, of note: NoteID) throws -> [StoredCard] {
    try db.rows("\(StoredCard.query) WHERE note = ? ORDER BY ord", [note.rawValue], StoredCard.init)
  }

  /// Replaces the schedule, the deck and the marks of an existing card by those of a row from elsewhere.
  /// - Parameter keepsRank: whether the card keeps its place if it stays in its deck.
  public static func renew(_ db: Database, _ known: StoredCard, to card: StoredCard, keepsRank: Bool) throws {
    try SyncedTable.cards.keep(db, [known.id.rawValue])
    if !(keepsRank && card.deck == known.deck) { try setDeck(db, known, to: card.deck, rank: freeRank(db, card)) }
    let schedule = card.schedule
    try CardTable.change(
      db,
      """
      UPDATE cards SET suspended = ?, state = ?, step = ?, due = ?, interval = ?, stability = ?, difficulty = ?,
        reps = ?, lapses = ?, last_review = ?, flag = ?, buried = ?, buried_until = ?, ord = ?, mod = ?, raw = ?
      WHERE id = ?
      """,
      [
        card.isSuspended ? 1 : 0, schedule.state.rawValue, schedule.step, schedule.due,
        schedule.interval, schedule.stability, schedule.difficulty, schedule.reps, schedule.lapses, schedule.lastReview,
        card.flag, card.burial?.rawValue ?? 0,
        card.burial == nil ? nil : card.buriedUntil, card.ordinal, card.modified, card.raw, known.id.rawValue,
      ])
    try NoteTable.updatePlaces(db, of: [known.id], now: card.modified)
  }

  /// Moves a card to a deck, at a rank that is free there.
  public static func setDeck(_ db: Database, _ known: StoredCard, to deck: DeckID, rank: Int64) throws {
    try SyncedTable.cards.keep(db, [known.id.rawValue])
    try CardTable.change(
      db, "UPDATE cards SET deck = ?, rank = ? WHERE id = ?", [deck.rawValue, rank, known.id.rawValue])
    try NoteTable.updatePlaces(db, of: [known.id], now: known.modified)
  }

  private static func freeRank(_ db: Database, _ card: StoredCard) throws -> Int64 {
    let sql = "SELECT 1 FROM cards WHERE deck = ? AND rank = ? AND id <> ?"
    let isTaken = try db.hasRow(sql, [card.deck.rawValue, card.rank, card.id.rawValue])
    return isTaken ? try CardOrder.rank(db, card.deck, for: .bottom) : card.rank
  }

  /// Restores some of a card's former marks, and sets the time of change.
  public static func restore(_ db: Database, _ card: StoredCard, place: Bool, hiding: Bool, flag: Bool) throws {
    let id = card.id.rawValue
    try SyncedTable.cards.keep(db, [id])
    if place { try setDeck(db, card, to: card.deck, rank: freeRank(db, card)) }
    if hiding {
      try CardTable.change(
        db, "UPDATE cards SET suspended = ?, buried = ?, buried_until = ? WHERE id = ?",
        [card.isSuspended ? 1 : 0, card.burial?.rawValue ?? 0, card.buriedUntil, id])
    }
    if flag { try CardTable.change(db, "UPDATE cards SET flag = ? WHERE id = ?", [card.flag, id]) }
    try CardTable.change(db, "UPDATE cards SET mod = max(mod, ?) WHERE id = ?", [card.modified, id])
    try NoteTable.updatePlaces(db, of: [card.id], now: card.modified)
  }

  /// Marks a card as being on the server.
  /// - Parameter raw: its row in Anki.
  public static func markSent(_ db: Database, _ card: CardID, modified: Int64, raw: String) throws {
    try db.run("UPDATE cards SET mod = ?, raw = ? WHERE id = ?", [Double(modified), raw, card.rawValue])
  }

  /// The positions on the server of the new cards right above and right below a card in its deck.
  public static func positionsAround(_ db: Database, _ card: StoredCard) throws -> (above: Int?, below: Int?) {
    func near(_ relation: String, _ order: String) throws -> Int? {
      let sql = """
        SELECT iif(json_valid(raw), raw ->> 5, NULL) FROM cards
        WHERE deck = ?1 AND \(CardStatus.new.sql()) AND raw IS NOT NULL AND rank \(relation) ?2
        ORDER BY rank \(order) LIMIT 1
        """
      return try db.firstRow(sql, [card.deck.rawValue, card.rank]) { $0.optionalInteger(0) }?.map { Int(clamping: $0) }
    }
    return (try near("<", "DESC"), try near(">", "ASC"))
  }

  /// The places of a deck's new cards, top first: the position on the server and the rank of each.
  public static func newPlaces(_ db: Database, in deck: DeckID) throws -> [(position: Int, rank: Int64)] {
    let sql =
      "SELECT raw ->> 5, rank FROM cards WHERE deck = ? AND \(CardStatus.new.sql()) AND json_valid(raw) ORDER BY rank"
    return try db.rows(sql, [deck.rawValue]) { ($0.count(0), $0.integer(1)) }
  }
}

public enum WholeCollection {
  /// The number of cards. Notes need not be counted, because each has at least one card.
  public static func cardCount(_ db: Database) throws -> Int { try db.count("SELECT count(*) FROM cards") }

  /// Removes the decks, cards, notes, note types, presets and the log.
  public static func removeAll(_ db: Database) throws {
    for deck in try DeckTable.list(db) where try DeckTable.exists(db, deck.id) { _ = try DeckTable.remove(db, deck.id) }
    for table in ["reviews", "notes", "note_types", "presets"] { try db.execute(sql: "DELETE FROM \(table)") }
  }

  /// Removes the stock note types that have no notes: they are created again when they are needed.
  public static func removeStockTypes(_ db: Database) throws {
    for type in try NoteTypeTable.list(db) {
      let isStock = StockNoteType.allCases.contains { $0.rawValue == type.name && $0.isSame(as: type) }
      if isStock, try NoteTypeTable.noteCount(db, type.id) == 0 { try NoteTypeTable.remove(db, type.id) }
    }
  }
}
