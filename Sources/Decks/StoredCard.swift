// A card's own row in the table `cards`: the one list of its columns, for writing it and for reading it.
// Invariant: whoever puts a card into the table does it with this row, or names the columns that it takes from it.
//
// `raw`, the row that Anki has of the card, is one text and not eleven columns. It is what the card was at the last
// sync, while the other columns are what it is now: a `due` in Anki's days beside ours in seconds would be a second
// form of one fact. Nothing is searched or sorted by a part of it; two queries read the position of new cards. And
// a card's row for a server is its ids and the rest of this text, so that SQLite compares a row with its base as
// one text.

import Storage

/// A card's own row; what it shows is in its note.
///
///     var card = StoredCard(id: id, ordinal: 0, deck: deck, rank: 0, modified: 1_700_000_000)
///     card.flag = 2
public struct StoredCard: Equatable, Sendable {
  /// In the order in which a row is put and read.
  enum Column: Int, CaseIterable {
    case id, note, ord, deck, rank, content, document, created, mod, suspended, state, step, due, stability
    case difficulty, reps, lapses, lastReview, flag, buried, buriedUntil, raw
  }

  public var id: CardID
  public var note: NoteID
  public var ordinal: Int
  public var deck: DeckID
  public var rank: Int64
  /// See `CardText.content`.
  var content: Int64
  /// Seconds since 1970: when it came into the collection, and when it was changed.
  var created: Double
  public var modified: Double
  var document: String?
  public var schedule = CardSchedule()
  public var isSuspended = false
  public var flag = 0
  public var burial: Burial?
  /// Of a burial, in seconds since 1970.
  public var buriedUntil: Double?
  /// Its row in Anki as it came or was sent; nil for a card that did neither.
  public var raw: String?

  /// A card as it came from elsewhere: its note and what it shows are not known yet.
  public init(id: CardID, ordinal: Int, deck: DeckID, rank: Int64, modified: Double) {
    (self.id, self.ordinal, self.deck, self.rank, self.modified) = (id, ordinal, deck, rank, modified)
    (note, content, created) = (NoteID(rawValue: 0), 0, modified)
  }

  /// A new card.
  /// - Parameter now: seconds since 1970, the time of its creation.
  init(id: CardID, note: NoteID, ordinal: Int, deck: DeckID, rank: Int64, content: Int64, now: Double) {
    self.init(id: id, ordinal: ordinal, deck: deck, rank: rank, modified: now)
    (self.note, self.content) = (note, content)
  }

  /// When it was changed or answered, whichever is later, in whole seconds since 1970.
  public var changed: Int64 { Int64(min(1e11, max(0, modified, schedule.lastReview ?? 0))) }

  // MARK: Columns

  private static let names = Column.allCases.map { columnName($0) }.joined(separator: ", ")
  static let columnCount = Column.allCases.count
  /// The table with the columns that a row has.
  static let target = "cards (\(names))"
  static let insertion =
    "INSERT INTO \(target) VALUES (\(repeatElement("?", count: columnCount).joined(separator: ", ")))"
  static let query = "SELECT \(names) FROM cards"

  /// Gives the columns their values.
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

  /// - Parameter row: of `query`.
  init(_ row: Row) {
    func integer(_ column: Column) -> Int64 { row.integer(Int32(column.rawValue)) }
    func number(_ column: Column) -> Double? { row.optionalNumber(Int32(column.rawValue)) }
    id = CardID(rawValue: integer(.id))
    note = NoteID(rawValue: integer(.note))
    ordinal = Int(clamping: integer(.ord))
    deck = DeckID(rawValue: integer(.deck))
    rank = integer(.rank)
    content = integer(.content)
    document = row.optionalText(Int32(Column.document.rawValue))
    created = number(.created) ?? 0
    modified = number(.mod) ?? 0
    isSuspended = integer(.suspended) != 0
    schedule.state = CardState(stored: integer(.state))
    schedule.step = Int(clamping: integer(.step))
    (schedule.due, schedule.lastReview) = (number(.due), number(.lastReview))
    (schedule.stability, schedule.difficulty) = (number(.stability), number(.difficulty))
    (schedule.reps, schedule.lapses) = (Int(clamping: integer(.reps)), Int(clamping: integer(.lapses)))
    flag = Int(clamping: integer(.flag))
    burial = Burial(rawValue: integer(.buried))
    buriedUntil = number(.buriedUntil)
    raw = row.optionalText(Int32(Column.raw.rawValue))
  }
}

/// A column's name in SQL from its case: `last_review` of `lastReview`.
func columnName(_ column: some Any) -> String {
  "\(column)".reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
}
