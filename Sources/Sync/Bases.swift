// The rows of a server as they were at the last sync, one by one.
// Invariant: a base is what the server has, or what it is given in the operation under way; `state` is what the row
// here held when both agreed, NULL where it is to be sent whole.

import Decks
import Exchange
import Storage
import Values

/// A row as the server had it.
struct Base {
  /// The row here; nil where there is none.
  let local: Int64?
  /// Seconds since 1970.
  let modified: Int64
  let json: String
  let state: String?

  /// - Parameter row: of `local`, `modified`, `json` and `state`.
  init(_ row: Row) {
    (local, modified, json) = (row.optionalInteger(0), row.integer(1), row.text(2))
    state = row.optionalText(3)
  }
}

/// The bases of an account.
///
///     let base = try bases[.card, id]   // also where the card here is its own base
final class Bases {
  let db: Database
  private let find: Statement
  private var ownBases: [SyncedTable: Statement] = [:]
  private let findRemote: Statement
  private let writing: Statement
  private let removal: Statement
  private let hasGrave: Statement
  private var states: [BaseKind: Statement] = [:]

  init(_ db: Database) throws {
    self.db = db
    find = try Statement(db, "SELECT local, modified, json, state FROM server_rows WHERE kind = ?1 AND remote = ?2")
    findRemote = try Statement(db, "SELECT remote FROM server_rows WHERE kind = ?1 AND local = ?2")
    writing = try Statement(
      db,
      """
      INSERT INTO bases (kind, remote, modified, json, local) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (kind, remote) DO UPDATE SET modified = ?3, json = ?4, local = ?5, state = NULL
      """)
    removal = try Statement(db, "DELETE FROM bases WHERE kind = ?1 AND remote = ?2")
    hasGrave = try Statement(db, "SELECT 1 FROM sent_graves WHERE kind = ?1 AND remote = ?2")
  }

  subscript(kind: BaseKind, remote: Int64) -> Base? {
    get throws {
      find.bind(1, kind.rawValue)
      find.bind(2, remote)
      return try find.first(Base.init)
    }
  }

  /// The id that a row here has on the server.
  func remote(_ kind: BaseKind, of local: Int64) throws -> Int64? {
    findRemote.bind(1, kind.rawValue)
    findRemote.bind(2, local)
    return try findRemote.first { $0.integer(0) }
  }

  /// Keeps a row as the server has it.
  func put(_ kind: BaseKind, _ remote: Int64, modified: Int64 = 0, _ json: String, local: Int64?) throws {
    writing.bind(1, kind.rawValue)
    writing.bind(2, remote)
    writing.bind(3, modified)
    writing.bind(4, json)
    writing.bind(5, local)
    try writing.run()
    if kind == .note, local != nil { try dropBase(.notes, remote) }
  }

  /// Where the row here is what the server has, it is its own base.
  private func dropBase(_ table: SyncedTable, _ id: Int64) throws {
    let statement = try ownBases[table] ?? Statement(db, table.ownMark)
    ownBases[table] = statement
    statement.bind(1, id)
    try statement.run()
    if db.changesCount > 0 { try removeBase(table.rawValue, id) }
  }

  /// Rows that were changed back are their own bases again.
  func dropAgreed() throws {
    for table in SyncedTable.allCases {
      let sql = """
        SELECT remote FROM bases b JOIN \(table.name) ON \(table.name).id = b.local
        WHERE kind = \(table.rawValue) AND b.state IS \(table.state)
        """
      for id in try db.rows(sql, [], { $0.integer(0) }) { try dropBase(table, id) }
    }
  }

  private func removeBase(_ kind: Int, _ remote: Int64) throws {
    removal.bind(1, kind)
    removal.bind(2, remote)
    try removal.run()
  }

  func setLocal(_ kind: BaseKind, _ remote: Int64, to local: Int64?) throws {
    if let table = kind.table, let base = try self[kind, remote] {
      try put(kind, remote, modified: base.modified, base.json, local: local)
      return try forgetRemoved(table, remote)
    }
    try db.cachedStatement(sql: "UPDATE bases SET local = ? WHERE kind = ? AND remote = ?")
      .execute(arguments: [local, kind.rawValue, remote])
  }

  private func forgetRemoved(_ table: SyncedTable, _ remote: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM undo_removed WHERE kind = ? AND id = ?")
      .execute(arguments: [table.rawValue, remote])
  }

  /// The row here says what the server's does.
  func agree(_ kind: BaseKind, _ remote: Int64) throws {
    let statement = try states[kind] ?? Statement(db, Bases.agreement(kind, "remote = ?1"))
    states[kind] = statement
    statement.bind(1, remote)
    try statement.run()
    if kind == .card { try dropBase(.cards, remote) }
  }

  /// Of a card that both have: the deck of the one here is to be sent.
  func disagreeOnDeck(card remote: Int64) throws { try setPart(0, of: remote, to: "NULL") }

  /// Of a card that both have: when the one here was answered last is nothing that was changed.
  func agreeOnLastReview(card remote: Int64) throws {
    try setPart(12, of: remote, to: "(SELECT last_review FROM cards WHERE id = local)")
  }

  /// The cards of a note here are to be sent, whole.
  func forgetState(cardsOf note: Int64) throws {
    try SyncedTable.cards.keep(db, NoteTable.cards(db, of: NoteID(rawValue: note)).map(\.rawValue))
    let sql = """
      UPDATE bases SET state = NULL
      WHERE kind = \(BaseKind.card.rawValue) AND local IN (SELECT id FROM cards WHERE note = ?)
      """
    try db.cachedStatement(sql: sql).execute(arguments: [note])
  }

  /// Puts another value into the state of a card.
  /// - Parameter index: of the state of a card: see `SyncedTable`.
  private func setPart(_ index: Int, of card: Int64, to value: String) throws {
    let sql = """
      UPDATE bases SET state = json_set(state, '$[\(index)]', \(value))
      WHERE kind = \(BaseKind.card.rawValue) AND remote = ?
      """
    try db.cachedStatement(sql: sql).execute(arguments: [card])
  }

  /// Keeps of the bases of a kind for which a condition holds what the rows here say.
  static func agreement(_ kind: BaseKind, _ condition: String) -> String {
    let (table, state) = kind.stated
    return """
      UPDATE bases SET state = (SELECT \(state) FROM \(table) WHERE \(table).id = local)
      WHERE kind = \(kind.rawValue) AND \(condition)
      """
  }

  /// A row was deleted there, or its deletion is sent.
  func bury(_ kind: BaseKind, _ remote: Int64, isSent: Bool = false) throws {
    try removeBase(kind.rawValue, remote)
    if let table = kind.table { try forgetRemoved(table, remote) }
    let sql = """
      INSERT INTO sent_graves (kind, remote, sent) VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET sent = max(sent, ?3)
      """
    try db.cachedStatement(sql: sql).execute(arguments: [kind.rawValue, remote, isSent])
  }

  /// Whether its deletion was sent from here, also where that sync was undone since.
  func wasBuriedHere(_ kind: BaseKind, _ remote: Int64) throws -> Bool {
    let sql = "SELECT 1 FROM sent_graves WHERE kind = ? AND remote = ? AND sent = 1"
    return try db.firstRow(sql, [kind.rawValue, remote]) { _ in true } ?? false
  }

  /// Whether an id of the server's is in use or was.
  func isTaken(_ kind: BaseKind, _ remote: Int64) throws -> Bool {
    if try self[kind, remote] != nil { return true }
    return try wasDeleted(kind, remote)
  }

  func wasDeleted(_ kind: BaseKind, _ remote: Int64) throws -> Bool {
    hasGrave.bind(1, kind.rawValue)
    hasGrave.bind(2, remote)
    return try hasGrave.first { _ in true } ?? false
  }

  /// Every base of a kind, but of notes and cards.
  func all(_ kind: BaseKind) throws -> [(remote: Int64, base: Base)] {
    let sql = "SELECT local, modified, json, state, remote FROM bases WHERE kind = ? ORDER BY remote"
    return try db.rows(sql, [kind.rawValue]) { ($0.integer(4), Base($0)) }
  }

  /// What the server has after all this.
  func counts() throws -> SyncCounts {
    var found: [Int: Int] = [:]
    try db.forEachRow("SELECT kind, count(*) FROM bases GROUP BY kind") { found[$0.count(0)] = $0.count(1) }
    for table in SyncedTable.allCases {
      for rows in [table.own, table.removed] {
        found[table.rawValue, default: 0] += try db.firstRow("SELECT count(*) FROM \(rows)") { $0.count(0) } ?? 0
      }
    }
    func count(_ kind: BaseKind) -> Int { found[kind.rawValue] ?? 0 }
    let reviews =
      try db.firstRow(
        """
        SELECT (SELECT count(*) FROM reviews WHERE NOT \(Unsent.sql))
          + (SELECT count(*) FROM bases WHERE kind = \(BaseKind.review.rawValue)
             AND NOT EXISTS (SELECT 1 FROM reviews WHERE id = remote AND NOT \(Unsent.sql)))
        """
      ) { $0.count(0) } ?? 0
    return SyncCounts(
      cards: count(.card), notes: count(.note), reviews: reviews, types: count(.noteType), decks: count(.deck),
      presets: count(.preset))
  }
}

extension Bases {
  /// The local edits of a card.
  func changedParts(of card: Int64, since state: String?) throws -> CardChanges {
    guard let state, let was = ServerRows.parse(state)?.list, was.count == 13,
      let now = try db.firstRow("SELECT \(SyncedTable.cards.state) FROM cards WHERE id = ?", [card], { $0.text(0) }),
      let parts = ServerRows.parse(now)?.list, parts.count == 13
    else { return .all }
    var changes: CardChanges = []
    let isSame = zip(was, parts).map { $0 == $1 }
    if !isSame[0] { changes.insert(.deck) }
    if !isSame[1] { changes.insert(.place) }
    if !isSame[2] || !isSame[3] { changes.insert(.hiding) }
    if !isSame[4] { changes.insert(.flag) }
    if isSame[5...].contains(false) { changes.insert(.schedule) }
    return changes
  }
}

extension BaseKind {
  /// The table of the rows here, and what shows that one was changed.
  var stated: (table: String, state: String) {
    switch self {
    case .card: ("cards", SyncedTable.cards.state)
    case .deck: ("decks", BaseKind.deckState)
    case .preset: ("presets", BaseKind.presetState)
    case .noteType: ("note_types", "NULL")
    default: ("notes", "NULL")
    }
  }
}

extension SyncedTable {
  /// Marks a row as its own base where that is so.
  fileprivate var ownMark: String {
    """
    UPDATE \(name) SET usn = 0 WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM sent_graves WHERE kind = \(rawValue) AND remote = ?1)
      AND \(row) = (SELECT \(same) FROM bases WHERE kind = \(rawValue) AND remote = ?1 AND local = ?1)
    """
  }

  /// A base as `row` would write it.
  private var same: String {
    switch self {
    case .cards: "json(json)"
    case .notes: "json_array(\((0..<11).map { $0 == 4 ? "0" : "json ->> \($0)" }.joined(separator: ", ")))"
    }
  }
}
