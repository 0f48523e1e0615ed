// A card's own row in the table `cards`: the single list of its columns, for writing and reading.
// Invariant: all code that inserts a card uses this row, or names the columns that it takes from it.
//
// `raw`, the row that Anki has of the card, is one text instead of eleven columns. It is the card at the last sync,
// while the other columns are its present state: a `due` in Anki's days beside ours in seconds would store one fact
// in two forms. Nothing is searched or sorted by a part of it; only two queries read the position of new cards. A
// card's row for a server is its ids and the rest of this text, so SQLite compares a row with its base as one text.

import Storage

/// A card's own row. What the card shows is in its note.
public struct StoredCard: Equatable, Sendable {
  /// The columns in the order in which a row is written and read.
  enum Column: Int, CaseIterable {
    case id, note, ord, deck, rank, content, document, created, mod, suspended, state, step, due, interval, stability
    case difficulty, reps, lapses, lastReview, flag, buried, buriedUntil, raw
  }

  public var id: CardID
  public var note: NoteID
  public var ordinal: Int
  public var deck: DeckID
  public var rank: Int64
  /// See `CardText.content`.
  var content: Int64
  /// The times when the card was added to the collection and when it was last changed, in seconds since 1970.
  var created: Double
  public var modified: Double
  var document: String?
  public var schedule = CardSchedule()
  public var isSuspended = false
  public var flag = 0
  public var burial: Burial?
  /// The end of a burial, in seconds since 1970.
  public var buriedUntil: Double?
  /// Its row in Anki when it was received or sent; nil for a card that was neither.
  public var raw: String?

  /// Creates a card that comes from elsewhere: its note and its texts are not known yet.
  public init(id: CardID, ordinal: Int, deck: DeckID, rank: Int64, modified: Double) {
    (self.id, self.ordinal, self.deck, self.rank, self.modified) = (id, ordinal, deck, rank, modified)
    (note, content, created) = (NoteID(rawValue: 0), 0, modified)
  }

  /// Creates a new card.
  init(id: CardID, note: NoteID, ordinal: Int, deck: DeckID, rank: Int64, content: Int64, now: Double) {
    self.init(id: id, ordinal: ordinal, deck: deck, rank: rank, modified: now)
    (self.note, self.content) = (note, content)
  }

  /// The time of the last change or answer, whichever is later, in whole seconds since 1970.
  public var changed: Int64 { Int64(min(1e11, max(0, modified, schedule.lastReview ?? 0))) }

  /// The index in a column `ord`. In a damaged file it may be any number.
  static func ordinal(_ column: Int64) -> Int { Int(Int32(clamping: column)) }

  private static let names = Column.allCases.map { columnName($0) }.joined(separator: ", ")
  static let columnCount = Column.allCases.count
  /// The table with the columns of a row, for INSERT.
  static let target = "cards (\(names))"
  static let insertion =
    "INSERT INTO \(target) VALUES (\(repeatElement("?", count: columnCount).joined(separator: ", ")))"
  static let query = "SELECT \(names) FROM cards"

  /// Binds the values of all columns.
  func put(into row: some ColumnBinding) {
    func put(_ column: Column, _ value: Int64) { row.put(column.rawValue, value) }
    func put(_ column: Column, _ value: Double?) { row.put(column.rawValue, value) }
    put(.id, id.rawValue)
    put(.note, note.rawValue)
    put(.ord, Int64(ordinal))
    put(.deck, deck.rawValue)
    put(.rank, rank)
    put(.content, content)
    row.put(Column.document.rawValue, text: document)
    put(.created, created)
    put(.mod, modified)
    put(.suspended, isSuspended ? 1 : 0)
    put(.state, schedule.state.rawValue)
    put(.step, Int64(schedule.step))
    put(.due, schedule.due)
    put(.interval, schedule.interval.map(Double.init))
    put(.stability, schedule.stability)
    put(.difficulty, schedule.difficulty)
    put(.reps, Int64(schedule.reps))
    put(.lapses, Int64(schedule.lapses))
    put(.lastReview, schedule.lastReview)
    put(.flag, Int64(flag))
    put(.buried, burial?.rawValue ?? 0)
    put(.buriedUntil, burial == nil ? nil : buriedUntil)
    row.put(Column.raw.rawValue, text: raw)
  }

  /// - Parameter row: a row of `query`.
  init(_ row: Row) {
    func integer(_ column: Column) -> Int64 { row.integer(Int32(column.rawValue)) }
    func number(_ column: Column) -> Double? { row.optionalNumber(Int32(column.rawValue)) }
    id = CardID(rawValue: integer(.id))
    note = NoteID(rawValue: integer(.note))
    ordinal = StoredCard.ordinal(integer(.ord))
    deck = DeckID(rawValue: integer(.deck))
    rank = integer(.rank)
    content = integer(.content)
    document = row.optionalText(Int32(Column.document.rawValue))
    (created, modified) = (number(.created) ?? 0, number(.mod) ?? 0)
    isSuspended = integer(.suspended) != 0
    schedule.state = CardState(stored: integer(.state))
    schedule.step = Int(clamping: integer(.step))
    (schedule.due, schedule.lastReview) = (number(.due), number(.lastReview))
    schedule.interval = CardSchedule.interval(number(.interval))
    (schedule.stability, schedule.difficulty) = (number(.stability), number(.difficulty))
    (schedule.reps, schedule.lapses) = (Int(clamping: integer(.reps)), Int(clamping: integer(.lapses)))
    flag = Int(clamping: integer(.flag))
    (burial, buriedUntil) = (Burial(rawValue: integer(.buried)), number(.buriedUntil))
    raw = row.optionalText(Int32(Column.raw.rawValue))
  }
}

/// The SQL name of a column from the name of its case: `last_review` for `lastReview`.
func columnName(_ column: some Any) -> String {
  "\(column)".reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
}
