// The tables whose rows a sync server has too, under the same ids, and the bases of these rows: what both sides had at
// the last sync. Source: SyncRules.md, "Merging".
// Invariant: a row whose `usn` is 0 is its own base, unless it has another; whoever changes or removes one keeps the
// base before.

public import Storage

/// A table whose rows are their own bases until they are changed here.
///
///     try SyncedTable.cards.keep(db, [card])   // before it is changed
public enum SyncedTable: Int, CaseIterable, Sendable {
  // As Anki numbers deletions, as far as it does.
  case cards = 0
  case notes = 1
  case decks = 2
  case noteTypes = 3
  case presets = 4

  /// The kind of a base that is a row of the log.
  public static let removedReview = 5

  /// `bases` has the other rows of a server, each as JSON, by what they are and their ids: what was changed here, what
  /// has no place here, and what is not of these tables. `here` is 1 where there is a row of that id here, or was when
  /// both sides agreed; `state` is what that row held then.
  ///
  /// `undo_removed` has the bases of rows that were removed here. Undoing passes over it: one whose row is here again
  /// has no meaning. `sent_graves` has what was deleted here and there: an id of it is never given again; `sent` is 1
  /// for what was deleted here. Undoing leaves them: what comes back goes under another id.
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

  /// Spelled out: the name that Swift has for a case is looked for at run time, a quarter of the program's start.
  public var name: String {
    switch self {
    case .cards: "cards"
    case .notes: "notes"
    case .decks: "decks"
    case .noteTypes: "note_types"
    case .presets: "presets"
    }
  }

  /// A row as Anki has it. In those of cards and notes the number of the sync is 0, and the texts that rows are sorted
  /// and compared by are empty, as on their way.
  public var row: String {
    switch self {
    case .cards: "'[' || id || ',' || note || ',' || deck || ',' || ord || ',' || substr(raw, instr(raw, ',') + 1)"
    case .notes: "json_array(id, guid, type, mod, 0, tags, fields, '', '', 0, data)"
    case .decks, .noteTypes, .presets: "json"
    }
  }

  /// When a row was changed there, in seconds since 1970.
  private var modified: String {
    switch self {
    case .cards: "raw ->> 1"
    case .notes, .noteTypes: "mod"
    case .decks, .presets: "CAST(ifnull(json ->> '$.mod', 0) AS INTEGER)"
    }
  }

  /// What shows that a row was changed; a note or a note type that was changed is unsent.
  public var state: String {
    switch self {
    case .cards:
      """
      json_array(cards.deck, iif(cards.state = 0, cards.rank, NULL), cards.suspended, cards.buried, cards.flag,
        cards.state, cards.step, cards.due, cards.stability, cards.difficulty, cards.reps, cards.lapses,
        cards.last_review)
      """
    case .decks: "json_array(decks.name, decks.preset, decks.options)"
    case .presets: "json_array(presets.name, presets.options)"
    case .notes, .noteTypes: "NULL"
    }
  }

  // MARK: Bases

  /// The rows that are their own bases.
  public var own: String { "\(name) WHERE NOT \(Unsent.sql) AND \(hasNoOther(name))" }

  /// The bases of rows that were removed.
  public var removed: String {
    "undo_removed WHERE kind = \(rawValue) AND id NOT IN (SELECT id FROM \(name)) AND \(hasNoOther("undo_removed"))"
  }

  /// What a server had of all these tables at the last sync, as rows of `bases`.
  public static var rows: String {
    let tables = allCases.map { table in
      """
      UNION ALL SELECT \(table.rawValue), id, \(table.modified), \(table.row), 1, \(table.state) FROM \(table.own)
      UNION ALL SELECT kind, id, modified, json, 1, NULL FROM \(table.removed)
      """
    }
    return "SELECT kind, id, modified, json, here, state FROM bases \(tables.joined(separator: "\n"))"
  }

  /// Whether a row has no base in `bases`, and was not deleted on the server.
  private func hasNoOther(_ table: String) -> String {
    ["bases", "sent_graves"]
      .map { other in
        "NOT EXISTS (SELECT 1 FROM \(other) WHERE \(other).kind = \(rawValue) AND \(other).id = \(table).id)"
      }
      .joined(separator: " AND ")
  }

  // MARK: Keeping them

  /// Called before rows are changed in what a server gets.
  /// - Parameter condition: in SQL, of the rows that are changed so.
  public func keep(_ db: Database, _ ids: some Sequence<Int64>, where condition: String = "1") throws {
    let sql = """
      INSERT INTO bases (kind, id, modified, json, here, state)
      SELECT \(rawValue), id, \(modified), \(row), 1, \(state) FROM \(own)
        AND id IN (SELECT value FROM json_each(?)) AND \(condition)
      """
    try db.cachedStatement(sql: sql).execute(arguments: [CardTable.list(ids)])
  }

  /// Called before cards get other places in their decks: those of new ones alone are a server's.
  static func keepPlaces(_ db: Database, _ ids: some Sequence<CardID>) throws {
    try SyncedTable.cards.keep(db, ids.lazy.map(\.rawValue), where: CardStatus.new.sql())
  }

  /// What is to be run before rows are removed.
  /// - Parameter ids: in SQL.
  func keepRemoved(_ ids: String) -> String {
    """
    INSERT OR REPLACE INTO undo_removed (kind, id, modified, json)
    SELECT \(rawValue), id, \(modified), \(row) FROM \(own) AND id IN (\(ids))
    """
  }

  /// Removes a row that nothing names.
  /// - Returns: false where there is none.
  @discardableResult
  func remove(_ db: Database, _ id: Int64) throws -> Bool {
    try db.execute(sql: keepRemoved("?"), arguments: [id])
    try db.execute(sql: "DELETE FROM \(name) WHERE id = ?", arguments: [id])
    return db.changesCount > 0
  }
}
