// A deck's cards on their way out into a package: with their notes, schedules and what they were elsewhere.
// Invariant: one walk in the order of the deck; memory holds one card.

public import Storage

/// The row of a card that is sent out; its bytes are good until the walk goes on.
public struct SentCard {
  private let row: Row

  fileprivate static let columns = """
    id, guid, prompt, answer, tags, (fields IS NOT NULL) + 2 * (document IS NOT NULL), created, modified, suspended, \
    state, step, due, stability, difficulty, reps, lapses, last_review, note, ord, flag, buried, buried_until, \
    anki, amod, raw
    """

  init(_ row: Row) { self.row = row }

  public var id: CardID { CardID(rawValue: row.integer(0)) }
  public var guid: TextBytes { row.bytes(1) }
  public var prompt: TextBytes { row.bytes(2) }
  public var answer: TextBytes { row.bytes(3) }
  /// The column: ` animal farm `.
  public var tags: TextBytes { row.bytes(4) }
  /// Whether it keeps fields of its own, which no note does.
  public var hasFields: Bool { row.integer(5) & 1 != 0 }
  public var hasDocument: Bool { row.integer(5) & 2 != 0 }
  /// Seconds since 1970.
  public var created: Double { row.number(6) }
  public var modified: Double { row.number(7) }
  public var isSuspended: Bool { row.integer(8) != 0 }
  public var note: NoteID { NoteID(rawValue: row.integer(17)) }
  public var ordinal: Int { row.count(18) }
  public var flag: Int { row.count(19) }
  public var buriedUntil: Double? { row.optionalNumber(21) }
  public var burial: Burial? { Burial(rawValue: row.integer(20)) }
  /// The id that it has elsewhere; nil where it has none yet.
  public var foreignID: Int64? { row.optionalInteger(22) }
  /// When it was changed there, in seconds since 1970.
  public var foreignModified: Int64 { row.integer(23) }
  /// Its row there as it came.
  public var raw: String? { row.optionalText(24) }

  public var schedule: CardSchedule {
    var schedule = CardSchedule()
    schedule.state = CardState(rawValue: row.integer(9)) ?? .new
    schedule.step = row.count(10)
    schedule.due = row.optionalNumber(11)
    schedule.stability = row.optionalNumber(12)
    schedule.difficulty = row.optionalNumber(13)
    schedule.reps = row.count(14)
    schedule.lapses = row.count(15)
    schedule.lastReview = row.optionalNumber(16)
    return schedule
  }
}

/// The cards of a deck, top first.
public final class SentCards {
  private let walk: Statement

  public init(_ db: Database, in deck: DeckID) throws {
    let sql = """
      SELECT \(SentCard.columns) FROM cards LEFT JOIN anki_cards ON anki_cards.card = cards.id
      WHERE deck = ?1 ORDER BY rank
      """
    walk = try Statement(db, sql, [deck.rawValue])
  }

  /// Nil after the last.
  public func next() throws -> SentCard? { try walk.next().map(SentCard.init) }
}

/// Cards that go out one by one.
public final class SentCardReader {
  private let statement: Statement

  public init(_ db: Database) throws {
    let sql = "SELECT \(SentCard.columns) FROM cards LEFT JOIN anki_cards ON anki_cards.card = cards.id WHERE id = ?1"
    statement = try Statement(db, sql)
  }

  /// Lends a card's row; nil where it was removed.
  public func with<T>(_ id: CardID, _ body: (SentCard) throws -> T) throws -> T? {
    statement.bind(1, id.rawValue)
    return try statement.first { try body(SentCard($0)) }
  }
}
