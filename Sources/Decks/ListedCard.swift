// A row of the view `card_rows`, read in place: what a list shows is copied once, from SQLite's own memory.
// Invariant: a row is valid until the next one is read; each column is read by its name.

public import Storage

/// A card that is being read. Its texts are bytes, and in a damaged file they may be anything.
public struct ListedCard {
  /// The columns of the view, in the order in which a row is read.
  enum Column: Int32, CaseIterable {
    case id, deck, guid, prompt, answer, tags, fields, document, created, mod, suspended, state, step, due, interval
    case stability, difficulty, reps, lapses, lastReview, note, ord, flag, buried, buriedUntil, raw, noteGuid, noteType
    case noteFields
  }

  /// The columns to select for rows that are read as cards; other columns may follow.
  static let columns = Column.allCases.map { columnName($0) }.joined(separator: ", ")
  /// A query for the same columns, except that NULL takes the place of the texts of the card, its note and its type;
  /// then those of the note that are sent with the card.
  static var sentQuery: String {
    let columns = Column.allCases.map { column in
      switch column {
      case .guid, .prompt, .answer, .tags, .noteGuid, .noteType, .noteFields: "NULL"
      case .fields: NoteData.fieldsSQL
      default: "cards.\(columnName(column))"
      }
    }.joined(separator: ", ")
    return """
      SELECT \(columns), notes.guid, notes.type, notes.mod, notes.tags, notes.fields, \(NoteTable.foreignData)
      FROM cards LEFT JOIN notes ON notes.id = cards.note
      """
  }
  /// The index of the first column that follows.
  static let next = Int32(Column.allCases.count)

  let row: Row

  init(_ row: Row) { self.row = row }

  private func integer(_ column: Column) -> Int64 { row.integer(column.rawValue) }
  private func number(_ column: Column) -> Double { row.number(column.rawValue) }
  private func optionalNumber(_ column: Column) -> Double? { row.optionalNumber(column.rawValue) }
  private func bytes(_ column: Column) -> TextBytes { row.bytes(column.rawValue) }

  public var id: CardID { CardID(rawValue: integer(.id)) }
  public var deck: DeckID { DeckID(rawValue: integer(.deck)) }
  public var guid: TextBytes { bytes(.guid) }
  public var prompt: TextBytes { bytes(.prompt) }
  public var answer: TextBytes { bytes(.answer) }
  /// The tags, separated by spaces.
  public var tags: TextBytes {
    var padded = bytes(.tags)[...]
    while padded.first == UInt8(ascii: " ") { padded.removeFirst() }
    while padded.last == UInt8(ascii: " ") { padded.removeLast() }
    return TextBytes(rebasing: padded)
  }
  public var hasFields: Bool { !row.isNull(Column.fields.rawValue) }
  public var hasDocument: Bool { !row.isNull(Column.document.rawValue) }
  /// Seconds since 1970.
  public var created: Double { number(.created) }
  public var modified: Double { number(.mod) }
  public var isSuspended: Bool { integer(.suspended) != 0 }
  public var state: CardState { CardState(stored: integer(.state)) }
  public var note: NoteID { NoteID(rawValue: integer(.note)) }
  public var noteGuid: TextBytes { bytes(.noteGuid) }
  /// The name of the type of its note.
  public var noteType: TextBytes { bytes(.noteType) }
  /// The fields of its note as HTML, in the order of its type.
  public var noteFields: [TextBytes] {
    bytes(.noteFields).split(separator: NoteFieldText.separator, omittingEmptySubsequences: false).map {
      TextBytes(rebasing: $0)
    }
  }
  public var ordinal: Int { StoredCard.ordinal(integer(.ord)) }
  public var flag: Int { row.count(Column.flag.rawValue) }
  public var burial: Burial? { Burial(rawValue: integer(.buried)) }
  public var buriedUntil: Double? { optionalNumber(.buriedUntil) }

  /// Its row in Anki as it was received; nil if it did not come from Anki.
  public var raw: String? { row.optionalText(Column.raw.rawValue) }

  public var schedule: CardSchedule {
    var schedule = CardSchedule()
    (schedule.state, schedule.step) = (state, row.count(Column.step.rawValue))
    (schedule.due, schedule.lastReview) = (optionalNumber(.due), optionalNumber(.lastReview))
    schedule.interval = CardSchedule.interval(optionalNumber(.interval))
    (schedule.stability, schedule.difficulty) = (optionalNumber(.stability), optionalNumber(.difficulty))
    (schedule.reps, schedule.lapses) = (row.count(Column.reps.rawValue), row.count(Column.lapses.rawValue))
    return schedule
  }

  public func fields() throws -> [CardField] { try FieldText.list(row.optionalText(Column.fields.rawValue)) }

  /// Its note, in a row of `SentCards`.
  /// - Throws: `gone` in a damaged file without the note.
  public func sentNote() throws -> NoteRecord {
    if row.isNull(SentNoteColumn.guid.index) { throw DeckError.gone(what: "the note") }
    return NoteTable.record(note, row, from: SentNoteColumn.guid.index)
  }

  public func record() throws -> CardRecord {
    CardRecord(
      id: id, deck: deck, guid: row.text(Column.guid.rawValue), prompt: row.text(Column.prompt.rawValue),
      answer: row.text(Column.answer.rawValue), tags: Tags.list(row.text(Column.tags.rawValue)),
      fields: try fields(), document: row.optionalText(Column.document.rawValue), created: created, modified: modified,
      isSuspended: isSuspended, schedule: schedule, note: note, ordinal: ordinal, flag: flag, buriedUntil: buriedUntil)
  }
}

extension CardTable {
  /// Reads the rows of cards in the order of their ids in the slice, each with its index; removed cards are skipped.
  /// The body must not call this function. A single statement reads all rows, so they are from one moment.
  public static func forEachRow(
    _ db: Database, _ ids: ArraySlice<CardID>, _ body: (Int, ListedCard) throws -> Void
  ) throws {
    // SQLite reads the list from first to last, and looks up each id.
    let sql = """
      SELECT \(ListedCard.columns), place FROM (SELECT key AS place, value AS wanted FROM json_each(?))
      CROSS JOIN card_rows WHERE card_rows.id = wanted
      """
    try db.forEachRow(sql, [list(ids.lazy.map(\.rawValue))]) { row in
      try body(ids.startIndex + row.count(ListedCard.next), ListedCard(row))
    }
  }

  /// The ids as a JSON list for SQLite's `json_each`.
  static func list(_ ids: some Sequence<Int64>) -> String { "[" + ids.map { String($0) }.joined(separator: ",") + "]" }
}

/// The columns of a card's note that are sent with it; all are NULL in a damaged file without the note.
public enum SentNoteColumn: Int32 {
  case guid, type, modified, tags, fields, data

  /// Its index in a row.
  public var index: Int32 { ListedCard.next + rawValue }
}

/// Cards, each with its note, that are exported, sent or compared; what they show is not read.
public final class SentCards {
  private let statement: Statement

  /// The cards of a deck, top first.
  public init(_ db: Database, in deck: DeckID) throws {
    statement = try Statement(db, "\(ListedCard.sentQuery) WHERE deck = ?1 ORDER BY rank", [deck.rawValue])
  }

  /// Single cards.
  public init(_ db: Database) throws { statement = try Statement(db, "\(ListedCard.sentQuery) WHERE cards.id = ?1") }

  /// The next card of the deck, and its row with the columns of its note; nil after the last.
  public func next() throws -> (card: ListedCard, row: Row)? { try statement.next().map { (ListedCard($0), $0) } }

  /// Lends the row of a single card to `body`; nil if the card was removed.
  public func with<T>(_ id: CardID, _ body: (ListedCard) throws -> T) throws -> T? {
    statement.bind(1, id.rawValue)
    return try statement.first { try body(ListedCard($0)) }
  }
}
