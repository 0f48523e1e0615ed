// Cards that a sync changes: known by the ids that they have elsewhere, renewed in place.
// Invariant: a card that is here keeps its own id and its place unless the change says otherwise.

public import Storage

/// What is here of a card, for deciding whose is kept.
public struct KnownCard: Equatable, Sendable {
  public let id: CardID
  public let deck: DeckID
  public let note: Int64
  /// When its texts, its marks or its schedule were changed, in seconds since 1970.
  public let modified: Int64
  public let isNew: Bool
  /// Seconds since 1970.
  public let lastReview: Double?
}

/// What a card is beside its schedule.
public struct CardMarks: Equatable, Sendable {
  let deck: DeckID
  let rank: Int64
  let isSuspended: Bool
  let buried: Int64
  let buriedUntil: Double?
  let flag: Int
}

extension CardTable {
  private static let known = "id, deck, max(modified, ifnull(last_review, 0)), state = 0, last_review, note"

  private static func known(_ row: Row) -> KnownCard {
    KnownCard(
      id: CardID(rawValue: row.integer(0)), deck: DeckID(rawValue: row.integer(1)),
      note: row.integer(5), modified: Int64(min(1e11, max(0, row.number(2)))), isNew: row.integer(3) != 0,
      lastReview: row.optionalNumber(4))
  }

  public static func known(_ db: Database, _ id: Int64) throws -> KnownCard? {
    try db.firstRow("SELECT \(known) FROM cards WHERE id = ?", [id], known)
  }

  /// The card that has an id elsewhere, or else the one of that place of a note.
  public static func known(_ db: Database, foreign: Int64, note: Int64, ordinal: Int) throws -> KnownCard? {
    let sql = "SELECT \(known) FROM cards WHERE id = (SELECT card FROM anki_cards WHERE anki = ?)"
    return try db.firstRow(sql, [foreign], known)
      ?? db.firstRow("SELECT \(known) FROM cards WHERE note = ? AND ord = ?", [note, ordinal], known)
  }

  /// Gives a card that is here the schedule, the deck and the marks of a row from elsewhere.
  /// - Parameter keepsRank: its place in the deck, where it stays in it.
  public static func renew(_ db: Database, _ known: KnownCard, to card: ReceivedCard, keepsRank: Bool) throws {
    let id = known.id.rawValue
    if !(keepsRank && card.deck == known.deck) {
      try setDeck(db, known, to: card.deck, rank: freeRank(db, card))
    }
    let schedule = card.schedule
    try change(
      db,
      """
      UPDATE cards SET suspended = ?, state = ?, step = ?, due = ?, stability = ?, difficulty = ?, reps = ?,
        lapses = ?, last_review = ?, flag = ?, buried = ?, buried_until = ?, ord = ? WHERE id = ?
      """,
      [
        card.isSuspended ? 1 : 0, schedule.state.rawValue, schedule.step, schedule.due, schedule.stability,
        schedule.difficulty, schedule.reps, schedule.lapses, schedule.lastReview, card.flag, card.burial?.rawValue ?? 0,
        card.burial == nil ? nil : card.buriedUntil, card.ordinal, id,
      ])
    try setForeign(db, known.id, id: card.foreignID, modified: card.foreignModified, raw: card.raw)
    try NoteTable.renewPlaces(db, of: [known.id], now: Double(card.foreignModified))
  }

  /// Brings a card to a deck, at a rank that is free there.
  public static func setDeck(_ db: Database, _ known: KnownCard, to deck: DeckID, rank: Int64) throws {
    try change(db, "UPDATE cards SET deck = ?, rank = ? WHERE id = ?", [deck.rawValue, rank, known.id.rawValue])
    try NoteTable.renewPlaces(db, of: [known.id], now: Double(known.modified))
  }

  private static func freeRank(_ db: Database, _ card: ReceivedCard) throws -> Int64 {
    let sql = "SELECT 1 FROM cards WHERE deck = ? AND rank = ?"
    let isTaken = try db.firstRow(sql, [card.deck.rawValue, card.rank]) { _ in true } ?? false
    return isTaken ? try CardOrder.rank(db, card.deck, for: .bottom) : card.rank
  }

  /// What a card is beside its schedule.
  public static func marks(_ db: Database, _ id: CardID) throws -> CardMarks? {
    let sql = "SELECT deck, rank, suspended, buried, buried_until, flag FROM cards WHERE id = ?"
    return try db.firstRow(sql, [id.rawValue]) { row in
      CardMarks(
        deck: DeckID(rawValue: row.integer(0)), rank: row.integer(1), isSuspended: row.integer(2) != 0,
        buried: row.integer(3), buriedUntil: row.optionalNumber(4), flag: row.count(5))
    }
  }

  /// Gives a card some of its marks back.
  public static func restore(
    _ db: Database, _ known: KnownCard, _ marks: CardMarks, place: Bool, hiding: Bool, flag: Bool
  ) throws {
    let id = known.id
    if place, let now = try self.known(db, id.rawValue) {
      let sql = "SELECT 1 FROM cards WHERE deck = ? AND rank = ? AND id <> ?"
      let isTaken = try db.firstRow(sql, [marks.deck.rawValue, marks.rank, id.rawValue]) { _ in true } ?? false
      try setDeck(db, now, to: marks.deck, rank: isTaken ? lowestRank(db, in: marks.deck) : marks.rank)
    }
    if hiding {
      try change(
        db, "UPDATE cards SET suspended = ?, buried = ?, buried_until = ? WHERE id = ?",
        [marks.isSuspended ? 1 : 0, marks.buried, marks.buriedUntil, id.rawValue])
    }
    if flag { try change(db, "UPDATE cards SET flag = ? WHERE id = ?", [marks.flag, id.rawValue]) }
    try NoteTable.renewPlaces(db, of: [id], now: Double(known.modified))
  }

  /// What a card is elsewhere.
  public static func setForeign(_ db: Database, _ card: CardID, id: Int64, modified: Int64, raw: String) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO anki_cards (card, anki, amod, usn, raw) VALUES (?1, ?2, ?3, 0, ?4)
        ON CONFLICT (card) DO UPDATE SET anki = ?2, amod = ?3, usn = 0, raw = ?4
        """
    ).execute(arguments: [card.rawValue, id, modified, raw])
  }

  /// A card is nothing elsewhere any more.
  public static func removeForeign(_ db: Database, _ card: CardID) throws {
    try db.cachedStatement(sql: "DELETE FROM anki_cards WHERE card = ?").execute(arguments: [card.rawValue])
  }

  /// A free rank below all cards of a deck, for one that comes.
  public static func lowestRank(_ db: Database, in deck: DeckID) throws -> Int64 {
    try CardOrder.rank(db, deck, for: .bottom)
  }

  /// The positions elsewhere of the new cards right above and below one in its deck.
  public static func positionsAround(_ db: Database, _ card: KnownCard) throws -> (above: Int?, below: Int?) {
    func near(_ relation: String, _ order: String) throws -> Int? {
      let sql = """
        SELECT iif(json_valid(raw), raw ->> 2, NULL) FROM cards JOIN anki_cards ON card = cards.id
        WHERE deck = ?1 AND state = 0 AND rank \(relation) (SELECT rank FROM cards WHERE id = ?2)
        ORDER BY rank \(order) LIMIT 1
        """
      return try db.firstRow(sql, [card.deck.rawValue, card.id.rawValue]) { $0.optionalInteger(0) }?
        .map { Int(clamping: $0) }
    }
    return (try near("<", "DESC"), try near(">", "ASC"))
  }

  /// The places of a deck's new cards, top first: the position that each has elsewhere, and its rank.
  public static func newPlaces(_ db: Database, in deck: DeckID) throws -> [(position: Int, rank: Int64)] {
    let sql = """
      SELECT raw ->> 2, rank FROM cards JOIN anki_cards ON card = cards.id
      WHERE deck = ? AND state = 0 AND json_valid(raw) ORDER BY rank
      """
    return try db.rows(sql, [deck.rawValue]) { ($0.count(0), $0.integer(1)) }
  }
}
