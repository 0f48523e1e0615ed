// The bases of notes and cards: the rows that both sides had at the last sync. Source: SyncRules.md, "Merging".
// Invariant: a row whose `usn` is 0 is its own base, unless it has another; whoever changes or removes one keeps the
// base before.

public import Storage

/// A table whose rows are their own bases until they are changed here.
///
///     try SyncedTable.cards.keep(db, [card])   // before it is changed
public enum SyncedTable: Int, CaseIterable, Sendable {
  // As Anki numbers deletions.
  case cards = 0
  case notes = 1

  /// `bases` has the other rows of a server, each as JSON, by what they are and their ids there: what was changed here,
  /// what has no place here, whose `local` is NULL, and what is not of these tables. `state` is what the row here held
  /// when both said the same.
  ///
  /// `undo_removed` has the bases of rows that were removed here. Undoing passes over it: one whose row is here again
  /// says nothing. `sent_graves` has what was deleted here and there: an id of it is never given again; `sent` is 1 for
  /// what was deleted here. Undoing leaves them: what comes back goes under another id.
  static let tables = """
    CREATE TABLE bases (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind INTEGER NOT NULL,
      remote INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      json TEXT NOT NULL,
      local INTEGER,
      state TEXT
    ) STRICT;
    CREATE UNIQUE INDEX bases_remote ON bases(kind, remote);
    CREATE INDEX bases_local ON bases(kind, local) WHERE local IS NOT NULL;
    CREATE TABLE undo_removed (
      kind INTEGER NOT NULL,
      id INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      json TEXT NOT NULL,
      PRIMARY KEY (kind, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sent_graves (
      kind INTEGER NOT NULL,
      remote INTEGER NOT NULL,
      sent INTEGER NOT NULL,
      PRIMARY KEY (kind, remote)
    ) STRICT, WITHOUT ROWID;
    """

  public var name: String { "\(self)" }

  /// A row as Anki has it. The number of the sync is 0 in it, and the texts that rows are sorted and compared by are
  /// empty, as on their way.
  public var row: String {
    switch self {
    case .cards:
      """
      '[' || id || ',' || note || ',' || ifnull((SELECT remote FROM bases WHERE kind = 2 AND local = cards.deck), 1)
        || ',' || ord || ',' || substr(raw, instr(raw, ',') + 1)
      """
    case .notes: "json_array(id, guid, type, mod, 0, tags, fields, '', '', 0, data)"
    }
  }

  /// When a row was changed there, in seconds since 1970.
  private var modified: String { self == .cards ? "raw ->> 1" : "mod" }

  /// What shows that a row was changed; a note that was changed is unsent.
  public var state: String {
    switch self {
    case .cards:
      """
      json_array(cards.deck, iif(cards.state = 0, cards.rank, NULL), cards.suspended, cards.buried, cards.flag,
        cards.state, cards.step, cards.due, cards.stability, cards.difficulty, cards.reps, cards.lapses,
        cards.last_review)
      """
    case .notes: "NULL"
    }
  }

  // MARK: Bases

  /// The rows that are their own bases.
  public var own: String { "\(name) WHERE NOT \(Unsent.sql) AND \(hasNoOther(name))" }

  /// The bases of rows that were removed.
  public var removed: String {
    "undo_removed WHERE kind = \(rawValue) AND id NOT IN (SELECT id FROM \(name)) AND \(hasNoOther("undo_removed"))"
  }

  /// What a server had of both tables at the last sync, as rows of `bases`.
  public static var rows: String {
    let tables = allCases.map { table in
      """
      UNION ALL SELECT \(table.rawValue), id, \(table.modified), \(table.row), id, \(table.state) FROM \(table.own)
      UNION ALL SELECT kind, id, modified, json, id, NULL FROM \(table.removed)
      """
    }
    return "SELECT kind, remote, modified, json, local, state FROM bases \(tables.joined(separator: "\n"))"
  }

  /// Whether a row has no base in `bases`, and was not deleted on the server.
  private func hasNoOther(_ table: String) -> String {
    ["bases", "sent_graves"]
      .map { "NOT EXISTS (SELECT 1 FROM \($0) WHERE kind = \(rawValue) AND remote = \(table).id)" }
      .joined(separator: " AND ")
  }

  // MARK: Keeping them

  /// Called before rows are changed in what a server gets.
  /// - Parameter condition: in SQL, of the rows that are changed so.
  public func keep(_ db: Database, _ ids: some Sequence<Int64>, where condition: String = "1") throws {
    let sql = """
      INSERT INTO bases (kind, remote, modified, json, local, state)
      SELECT \(rawValue), id, \(modified), \(row), id, \(state) FROM \(own)
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
}
