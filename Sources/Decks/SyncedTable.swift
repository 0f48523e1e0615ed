// The tables whose rows a sync server also has, under the same ids, and the bases of these rows: what both sides had at
// the last sync. Source: SyncRules.md, "Merging".
// Invariant: a row whose `usn` is 0 is its own base, unless it has another one; all code that changes or removes a row
// saves the base first. A row of a server has the same id as there; a local row that happens to have this id gets
// another. All code that changes a note, a note type or the log marks the row as unsent in the same statement.

public import Storage

/// A table whose rows are their own bases until they are changed here.
public enum SyncedTable: Int, CaseIterable, Sendable {
  // Anki uses the same numbers for the kinds of its graves, as far as it has them.
  case cards = 0
  case notes = 1
  case decks = 2
  case noteTypes = 3
  case presets = 4

  /// The kind of a base that is a removed row of the log.
  static let removedReview = 5

  /// `bases` has the other rows of a server, each as JSON, by kind and id: rows that were changed here, rows that
  /// cannot be stored here, and rows that are not of these tables. `here` is 1 if there is a local row with that id,
  /// or was when both sides agreed; `state` is the state of that row at that time.
  ///
  /// `undo_removed` has the bases of rows that were removed here. Undo ignores it: an entry whose row exists again
  /// has no meaning. `sent_graves` has the rows that were deleted here and on the server: such an id is never used
  /// again; `sent` is 1 if the row was deleted here. Undo does not change it: a row that is restored gets another id.
  static let tables = """
    CREATE TABLE bases (
      kind INTEGER NOT NULL,
      id INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      json TEXT NOT NULL,
      here INTEGER NOT NULL DEFAULT 0,
      state TEXT,
      PRIMARY KEY (kind, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE undo_removed (
      kind INTEGER NOT NULL,
      id INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      json TEXT NOT NULL,
      PRIMARY KEY (kind, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sent_graves (
      kind INTEGER NOT NULL,
      id INTEGER NOT NULL,
      sent INTEGER NOT NULL,
      PRIMARY KEY (kind, id)
    ) STRICT, WITHOUT ROWID;
    """

  public var name: String { Self.names[rawValue] }

  /// Written out, because Swift looks up the names of cases at run time, which took a quarter of the program's start.
  private static let names = ["cards", "notes", "decks", "note_types", "presets"]

  /// SQL for a row in the form that Anki has. For cards and notes, the number of the sync is 0, and the texts by
  /// which rows are sorted and compared are empty, as they are when they are sent.
  public var row: String {
    switch self {
    case .cards: "'[' || id || ',' || note || ',' || deck || ',' || ord || ',' || substr(raw, instr(raw, ',') + 1)"
    case .notes: "json_array(id, guid, type, mod, 0, tags, fields, '', '', 0, data)"
    case .decks, .noteTypes, .presets: "json"
    }
  }

  /// SQL for the time when a row was changed on the server, in seconds since 1970.
  private var modified: String {
    switch self {
    case .cards: "raw ->> 1"
    case .notes, .noteTypes: "mod"
    case .decks, .presets: "CAST(ifnull(json ->> '$.mod', 0) AS INTEGER)"
    }
  }

  /// SQL for the values that show whether a row was changed. For notes and note types, `usn` shows it.
  public var state: String {
    switch self {
    case .cards:
      """
      json_object('deck', cards.deck, 'place', iif(cards.state = 0, cards.rank, NULL), 'suspended', cards.suspended,
        'buried', cards.buried, 'flag', cards.flag, 'state', cards.state, 'step', cards.step, 'due', cards.due,
        'stability', cards.stability, 'difficulty', cards.difficulty, 'reps', cards.reps, 'lapses', cards.lapses,
        'last_review', cards.last_review)
      """
    case .decks: "json_array(decks.name, decks.preset, decks.options)"
    case .presets: "json_array(presets.name, presets.options)"
    case .notes, .noteTypes: "NULL"
    }
  }

  // MARK: Bases

  /// The rows that are their own bases, for FROM.
  public var own: String { "\(name) WHERE NOT \(Unsent.sql) AND \(hasNoOther(name))" }

  /// The bases of removed rows, for FROM.
  public var removed: String {
    "undo_removed WHERE kind = \(rawValue) AND id NOT IN (SELECT id FROM \(name)) AND \(hasNoOther("undo_removed"))"
  }

  /// A query for everything that a server had in these tables at the last sync, as rows of `bases`.
  public static var rows: String {
    let tables = allCases.map { table in
      """
      UNION ALL SELECT \(table.rawValue), id, \(table.modified), \(table.row), 1, \(table.state) FROM \(table.own)
      UNION ALL SELECT kind, id, modified, json, 1, NULL FROM \(table.removed)
      """
    }
    return "SELECT kind, id, modified, json, here, state FROM bases \(tables.joined(separator: "\n"))"
  }

  /// A condition: the row has no base in `bases`, and was not deleted on the server.
  private func hasNoOther(_ table: String) -> String {
    ["bases", "sent_graves"]
      .map { other in
        "NOT EXISTS (SELECT 1 FROM \(other) WHERE \(other).kind = \(rawValue) AND \(other).id = \(table).id)"
      }
      .joined(separator: " AND ")
  }

  // MARK: Saving bases

  /// Saves the bases of rows, before something that is sent to a server is changed in them.
  /// - Parameter condition: an SQL condition for the rows that change.
  public func keep(_ db: Database, _ ids: some Sequence<Int64>, where condition: String = "1") throws {
    let sql = """
      INSERT INTO bases (kind, id, modified, json, here, state)
      SELECT \(rawValue), id, \(modified), \(row), 1, \(state) FROM \(own)
        AND id IN (SELECT value FROM json_each(?)) AND \(condition)
      """
    // In parts, because SQLite holds a whole list, parsed.
    let ids = Array(ids)
    for start in stride(from: 0, to: ids.count, by: 10_000) {
      try db.run(sql, [CardTable.list(ids[start..<min(start + 10_000, ids.count)])])
    }
  }

  /// Saves the bases of cards before they get other places in their decks: a server only has the places of new cards.
  static func savePlaces(_ db: Database, _ ids: some Sequence<CardID>) throws {
    try SyncedTable.cards.keep(db, ids.lazy.map(\.rawValue), where: CardStatus.new.sql())
  }

  /// The statement that saves the bases of rows before they are removed.
  /// - Parameter ids: an SQL query for the ids.
  func saveRemovedSQL(_ ids: String) -> String {
    """
    INSERT OR REPLACE INTO undo_removed (kind, id, modified, json)
    SELECT \(rawValue), id, \(modified), \(row) FROM \(own) AND id IN (\(ids))
    """
  }

  /// Removes a row that no other row refers to.
  /// - Returns: false if there is none.
  @discardableResult
  func remove(_ db: Database, _ id: Int64) throws -> Bool {
    try db.execute(sql: saveRemovedSQL("?"), arguments: [id])
    try db.execute(sql: "DELETE FROM \(name) WHERE id = ?", arguments: [id])
    return db.changesCount > 0
  }

  public func has(_ db: Database, _ id: Int64) throws -> Bool {
    try db.hasRow("SELECT 1 FROM \(name) WHERE id = ?", [id])
  }

  /// An id for a new row: the milliseconds since 1970, or the next after the last id that was used. An id far in the
  /// future is ignored.
  public func freeID(_ db: Database, now: Double) throws -> Int64 {
    let first = max(1, NoteTable.firstID(now: now))
    let sql = """
      SELECT max(?1, ifnull(max(id), 0) + 1, ifnull(
        (SELECT seq FROM sqlite_sequence WHERE name = '\(name)' AND seq < ?2), 0) + 1)
      FROM \(name) WHERE id < ?2
      """
    return try db.firstRow(sql, [first, first + CardTable.ahead]) { $0.integer(0) } ?? first
  }

  /// The id of a new deck or preset.
  /// - Parameter name: identifies the deck or preset that every collection of Anki has.
  /// - Parameter wanted: used if no row has this id.
  func newID(_ db: Database, named name: String, wanted: Int64?, now: Double) throws -> Int64 {
    let wanted = wanted ?? (name == DeckRecord.firstName ? Int64(DeckRecord.firstNumber) : nil)
    if let wanted, (1...1_000_000_000_000_000).contains(wanted), try !has(db, wanted) { return wanted }
    return try freeID(db, now: now)
  }

  /// Gives a row another id, which no row may have; references to it follow.
  public func renumber(_ db: Database, _ id: Int64, to new: Int64) throws {
    let json = "iif(json = '{}', json, json_set(json, '$.id', ?1))"
    try db.execute(
      sql: "UPDATE \(name) SET id = ?1, json = \(json), \(Unsent.sql) WHERE id = ?2", arguments: [new, id])
  }

  /// Gives the local row that has an id, if there is one, another id.
  public func makeRoom(_ db: Database, for id: Int64, now: Double) throws {
    if try has(db, id) { try renumber(db, id, to: freeID(db, now: now)) }
  }

  /// Gives a row the id that it has on a server; another row that has this id gets a new one.
  public func take(_ db: Database, _ id: Int64, by row: Int64, now: Double) throws {
    try makeRoom(db, for: id, now: now)
    try renumber(db, row, to: id)
  }

  // MARK: The rows in Anki

  /// A deck or a preset as it was last received or sent; `{}` for one that was neither.
  public func json(_ db: Database, _ id: Int64) throws -> String {
    try db.firstRow("SELECT json FROM \(name) WHERE id = ?", [id]) { $0.text(0) } ?? "{}"
  }

  /// Stores what came with a deck or a preset, unless something was stored earlier.
  public func receive(_ db: Database, _ id: Int64, json: String) throws {
    try db.execute(
      sql: "UPDATE \(name) SET json = ? WHERE id = ? AND json = '{}' AND \(Unsent.sql)", arguments: [json, id])
  }
}

/// The mark of a row that was made or changed here since it was last sent, in SQL and in Swift.
public enum Unsent {
  /// The condition on a row of `notes`, `note_types` or `reviews`. After SET, it marks the row.
  public static let sql = "usn = -1"

  /// - Parameter usn: the value of the column `usn`.
  public static func holds(usn: Int64) -> Bool { usn == -1 }
}
