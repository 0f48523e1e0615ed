// A row of `cards` that is written: the one list of its columns.
// Invariant: every writer of a card uses this row, or names the columns that it takes from it.

import Storage

/// A card's own row; what it shows is in its note.
struct NewCardRow {
  /// In the order in which a row is put.
  enum Column: Int, CaseIterable {
    case id, note, ord, deck, rank, content, document, created, modified, suspended, state, step, due, stability
    case difficulty, reps, lapses, lastReview, flag, buried, buriedUntil
  }

  /// Nil: SQLite gives it one.
  var id: Int64?
  let note: Int64
  let ordinal: Int
  var deck: DeckID
  var rank: Int64
  /// See `CardText.content`.
  let content: Int64
  /// Seconds since 1970, the time of its creation.
  let now: Double
  var document: String?
  var schedule = CardSchedule()
  var isSuspended = false
  var flag = 0
  var burial: Burial?
  var buriedUntil: Double?

  init(note: Int64, ordinal: Int, deck: DeckID, rank: Int64, content: Int64, now: Double) {
    (self.note, self.ordinal, self.deck, self.rank) = (note, ordinal, deck, rank)
    (self.content, self.now) = (content, now)
  }

  static let columnCount = Column.allCases.count
  /// The table with the columns that a row has.
  static let target = "cards (\(Column.allCases.map { columnName($0) }.joined(separator: ", ")))"
  static let insertion =
    "INSERT INTO \(target) VALUES (\(repeatElement("?", count: columnCount).joined(separator: ", ")))"

  /// Gives the columns their values.
  func put(into row: some ColumnBinding) {
    func put(_ column: Column, _ value: Int64) { row.put(column.rawValue, value) }
    func put(_ column: Column, _ value: Double?) { row.put(column.rawValue, value) }
    if let id { put(.id, id) } else { put(.id, nil) }
    put(.note, note)
    put(.ord, Int64(ordinal))
    put(.deck, deck.rawValue)
    put(.rank, rank)
    put(.content, content)
    row.put(Column.document.rawValue, text: document)
    put(.created, now)
    put(.modified, now)
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
  }
}

/// A column's name in SQL from its case: `last_review` of `lastReview`.
func columnName(_ column: some Any) -> String {
  "\(column)".reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
}
