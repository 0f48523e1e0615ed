// The bases: the rows of a server as they were at the last sync, one by one.
// Invariant: a base is what the server has, or what it is sent in the operation under way; `state` is what the row here
// held when both agreed, NULL where it is to be sent whole.

import Decks
import Exchange
import Storage
import Templates
import Values

/// A row as the server had it.
struct Base {
  /// Whether there is a row of its id here, or was when both agreed.
  let isHere: Bool
  /// Seconds since 1970.
  let modified: Int64
  let json: String
  let state: String?

  /// - Parameter row: of `here`, `modified`, `json` and `state`.
  init(_ row: Row) {
    (isHere, modified, json) = (row.integer(0) != 0, row.integer(1), row.text(2))
    state = row.optionalText(3)
  }

  /// Of a deck, a preset or a note type.
  var record: Value.Record { ServerRows.record(json) }
  /// Of a note or a card; nil for what is none.
  var list: [Value]? { ServerRows.parse(json)?.list }
}

/// The bases of an account.
///
///     let base = try bases[.card, id]   // also where the card here is its own base
final class Bases {
  let db: Database
  private let find: Statement
  private let writing: Statement
  private let removal: Statement
  private let hasGrave: Statement
  private var ownMarks: [SyncedTable: Statement] = [:]
  private var agreements: [SyncedTable: [Statement]] = [:]
  /// By ids that are taken, one after them before which all are.
  private var taken: [BaseKind: [Int64: Int64]] = [:]

  init(_ db: Database) throws {
    self.db = db
    find = try Statement(db, "SELECT here, modified, json, state FROM server_rows WHERE kind = ?1 AND id = ?2")
    writing = try Statement(
      db,
      """
      INSERT INTO bases (kind, id, modified, json, here) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (kind, id) DO UPDATE SET modified = ?3, json = ?4, here = ?5, state = NULL
      """)
    removal = try Statement(db, "DELETE FROM bases WHERE kind = ?1 AND id = ?2")
    hasGrave = try Statement(db, "SELECT 1 FROM sent_graves WHERE kind = ?1 AND id = ?2")
  }

  subscript(kind: BaseKind, id: Int64) -> Base? {
    get throws {
      find.bind(1, kind.rawValue)
      find.bind(2, id)
      return try find.first(Base.init)
    }
  }

  /// Whether the server has a row that is here, or was when both agreed.
  func isHere(_ kind: BaseKind, _ id: Int64) throws -> Bool { try self[kind, id]?.isHere ?? false }

  /// Keeps a remote row as the base.
  func put(_ kind: BaseKind, _ id: Int64, modified: Int64 = 0, _ json: String, isHere: Bool) throws {
    writing.bind(1, kind.rawValue)
    writing.bind(2, id)
    writing.bind(3, modified)
    writing.bind(4, json)
    writing.bind(5, isHere ? 1 : 0)
    try writing.run()
    if isHere, let table = kind.table, table == .notes || table == .noteTypes { try dropBase(table, id) }
  }

  /// Keeps a remote deck, preset or note type as the base.
  func put(_ kind: BaseKind, _ id: Int64, _ record: Value.Record, isHere: Bool) throws {
    try put(
      kind, id, modified: Int64(record["mod"]?.integer ?? 0), BaseKind.json(kind, id, record), isHere: isHere)
  }

  /// Drops a base that the row here equals: the row is its own base.
  private func dropBase(_ table: SyncedTable, _ id: Int64) throws {
    let statement = try ownMarks[table] ?? Statement(db, table.ownMark)
    ownMarks[table] = statement
    statement.bind(1, id)
    try statement.run()
    if db.changesCount > 0 { try removeBase(table.rawValue, id) }
  }

  /// Drops the bases of rows that were changed back.
  func dropAgreed() throws {
    for table in SyncedTable.allCases {
      let sql = """
        SELECT b.id FROM bases b JOIN \(table.name) ON \(table.name).id = b.id
        WHERE kind = \(table.rawValue) AND here AND b.state IS \(table.state)
        """
      for id in try db.rows(sql, [], { $0.integer(0) }) { try dropBase(table, id) }
    }
  }

  private func removeBase(_ kind: Int, _ id: Int64) throws {
    removal.bind(1, kind)
    removal.bind(2, id)
    try removal.run()
  }

  /// Sets whether a remote row has a row here.
  func setHere(_ kind: BaseKind, _ id: Int64, _ isHere: Bool) throws {
    if let base = try self[kind, id] { try keep(base, kind, id, isHere: isHere) }
  }

  /// Keeps a base that was found before a row of its id was made here again: that one is not its own base.
  func keep(_ base: Base, _ kind: BaseKind, _ id: Int64, isHere: Bool) throws {
    try put(kind, id, modified: base.modified, base.json, isHere: isHere)
    try forgetRemoved(kind, id)
  }

  private func forgetRemoved(_ kind: BaseKind, _ id: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM undo_removed WHERE kind = ? AND id = ?")
      .execute(arguments: [kind.rawValue, id])
  }

  /// The row here agrees with the remote row: it has no local edit.
  func agree(_ kind: BaseKind, _ id: Int64) throws {
    guard let table = kind.table else { return }
    let statements = try agreements[table] ?? table.agreements.map { try Statement(db, $0) }
    agreements[table] = statements
    for statement in statements {
      statement.bind(1, id)
      try statement.run()
    }
    try dropBase(table, id)
  }

  /// Whether a row here has a local edit.
  func isChanged(_ table: SyncedTable, _ id: Int64, _ base: Base) throws -> Bool {
    let sql = "SELECT \(table.state) FROM \(table.name) WHERE id = ?"
    return try db.firstRow(sql, [id]) { $0.optionalText(0) } != .some(base.state)
  }

  /// Makes the deck of a card a local edit.
  func disagreeOnDeck(card id: Int64) throws { try setPart(0, of: id, to: "NULL") }

  /// Makes the time of the last answer of a card no local edit.
  func agreeOnLastReview(card id: Int64) throws {
    try setPart(12, of: id, to: "(SELECT last_review FROM cards WHERE cards.id = bases.id)")
  }

  /// Has the cards of a note sent whole.
  func forgetState(cardsOf note: Int64) throws {
    try SyncedTable.cards.keep(db, NoteTable.cards(db, of: NoteID(rawValue: note)).map(\.rawValue))
    let sql = """
      UPDATE bases SET state = NULL
      WHERE kind = \(BaseKind.card.rawValue) AND id IN (SELECT id FROM cards WHERE note = ?)
      """
    try db.cachedStatement(sql: sql).execute(arguments: [note])
  }

  /// Sets a part of the state in the base of a card.
  /// - Parameter index: of the state of a card: see `SyncedTable`.
  private func setPart(_ index: Int, of card: Int64, to value: String) throws {
    let sql = """
      UPDATE bases SET state = json_set(state, '$[\(index)]', \(value))
      WHERE kind = \(BaseKind.card.rawValue) AND id = ?
      """
    try db.cachedStatement(sql: sql).execute(arguments: [card])
  }

  /// Keeps a grave: a row was deleted there, or its grave is sent.
  func bury(_ kind: BaseKind, _ id: Int64, isSent: Bool = false) throws {
    try removeBase(kind.rawValue, id)
    try forgetRemoved(kind, id)
    let sql = """
      INSERT INTO sent_graves (kind, id, sent) VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET sent = max(sent, ?3)
      """
    try db.cachedStatement(sql: sql).execute(arguments: [kind.rawValue, id, isSent])
  }

  /// Forgets the grave of a row that the server has again: another client brought it back under its id.
  func unbury(_ kind: BaseKind, _ id: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM sent_graves WHERE kind = ? AND id = ?")
      .execute(arguments: [kind.rawValue, id])
  }

  /// Whether its grave was sent from here, also where that sync was undone since.
  func wasBuriedHere(_ kind: BaseKind, _ id: Int64) throws -> Bool {
    let sql = "SELECT 1 FROM sent_graves WHERE kind = ? AND id = ? AND sent = 1"
    return try db.hasRow(sql, [kind.rawValue, id])
  }

  /// Whether the server has a row of an id, or had one.
  func isTaken(_ kind: BaseKind, _ id: Int64) throws -> Bool {
    if try self[kind, id] != nil { return true }
    hasGrave.bind(1, kind.rawValue)
    hasGrave.bind(2, id)
    return try hasGrave.hasRow()
  }

  /// The next id that no row has here, and none has or had on the server. Of many rows that come one after the other
  /// each begins where the one before it ended.
  func freeID(_ kind: BaseKind, after id: Int64) throws -> Int64 {
    var (free, passed) = (id, [Int64]())
    repeat {
      passed.append(free)
      free = taken[kind]?[free] ?? (free == .max ? 1 : free + 1)
    } while try isTaken(kind, free) || kind.table?.has(db, free) ?? false
    for id in passed { taken[kind, default: [:]][id] = free }
    return free
  }

  /// Every base of a kind.
  func all(_ kind: BaseKind) throws -> [(id: Int64, base: Base)] {
    let sql = "SELECT here, modified, json, state, id FROM server_rows WHERE kind = ? ORDER BY id"
    return try db.rows(sql, [kind.rawValue]) { ($0.integer(4), Base($0)) }
  }

  /// How many rows the server has by the bases.
  func counts() throws -> SyncCounts {
    var found: [Int: Int] = [:]
    try db.forEachRow("SELECT kind, count(*) FROM bases GROUP BY kind") { found[$0.count(0)] = $0.count(1) }
    for table in SyncedTable.allCases {
      for rows in [table.own, table.removed] {
        found[table.rawValue, default: 0] += try db.count("SELECT count(*) FROM \(rows)")
      }
    }
    func count(_ kind: BaseKind) -> Int { found[kind.rawValue, default: 0] }
    let reviews =
      try db.count(
        """
        SELECT (SELECT count(*) FROM reviews WHERE NOT \(Unsent.sql))
          + (SELECT count(*) FROM bases WHERE kind = \(BaseKind.review.rawValue)
             AND NOT EXISTS (SELECT 1 FROM reviews WHERE reviews.id = bases.id AND NOT \(Unsent.sql)))
        """
      )
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
  /// What a base keeps of a deck, a preset or a note type. A type is kept as the table here has it, so that it can be
  /// its own base.
  static func json(_ kind: BaseKind, _ id: Int64, _ record: Value.Record) -> String {
    let told = Value.record(record).json
    if kind != .noteType { return told }
    do throws(NoteError) { return try NoteType(received: record, id: id).json } catch {
      // A type that has no row here.
      return told
    }
  }
}

extension SyncedTable {
  /// Marks a row as its own base where that is so.
  fileprivate var ownMark: String {
    """
    UPDATE \(name) SET usn = 0 WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM sent_graves WHERE kind = \(rawValue) AND id = ?1)
      AND \(row) = (SELECT \(same) FROM bases WHERE kind = \(rawValue) AND id = ?1 AND here)
    """
  }

  /// Writes the remote row into the row here, as far as that has a column for it, and into the base what the row holds.
  fileprivate var agreements: [String] {
    let base = "bases WHERE kind = \(rawValue) AND id = ?1"
    let state = "SELECT \(self.state) FROM \(name) WHERE \(name).id = ?1"
    let kept = "UPDATE \(name) SET json = ifnull((SELECT json FROM \(base)), json) WHERE id = ?1"
    return (self == .decks || self == .presets ? [kept] : [])
      + ["UPDATE bases SET state = (\(state)) WHERE kind = \(rawValue) AND id = ?1"]
  }

  /// A base as `row` would write it.
  private var same: String {
    switch self {
    case .cards: "json(bases.json)"
    case .notes: "json_array(\((0..<11).map { $0 == 4 ? "0" : "bases.json ->> \($0)" }.joined(separator: ", ")))"
    case .decks, .noteTypes, .presets: "bases.json"
    }
  }
}
