// The bases of an account: each row of the server as it was at the last sync.
// Invariant: a base is what the server has, or what the current operation is sending to it. `state` is what the local
// row held when both sides agreed; NULL means that the row is to be sent whole.

import Decks
import Exchange
import Storage
import Templates
import Values

/// A row as the server had it at the last sync.
struct Base {
  /// Whether a local row has this id, or had it when both sides agreed.
  let isHere: Bool
  /// Seconds since 1970.
  let modified: Int64
  let json: String
  let state: String?

  /// - Parameter row: the columns `here`, `modified`, `json` and `state`.
  init(_ row: Row) {
    (isHere, modified, json) = (row.integer(0) != 0, row.integer(1), row.text(2))
    state = row.optionalText(3)
  }

  /// The JSON object of a deck, a preset or a note type.
  var record: Value.Record { ServerRows.record(json) }
  /// The JSON list of a note or a card; nil if `json` is not a list.
  var list: [Value]? { ServerRows.parse(json)?.list }
}

final class Bases {
  let db: Database
  private let find: Statement
  private let writing: Statement
  private var ownMarks: [SyncedTable: Statement] = [:]
  private var agreements: [SyncedTable: [Statement]] = [:]
  /// For each id known to be taken, a later id such that all ids between the two are taken as well.
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
  }

  subscript(kind: BaseKind, id: Int64) -> Base? {
    get throws { try find.first([kind.rawValue, id], Base.init) }
  }

  /// Whether the server has the row and it is, or was when both sides agreed, also a local row.
  func isHere(_ kind: BaseKind, _ id: Int64) throws -> Bool { try self[kind, id]?.isHere ?? false }

  /// Stores a remote row as the base.
  func put(_ kind: BaseKind, _ id: Int64, modified: Int64 = 0, _ json: String, isHere: Bool) throws {
    try writing.execute(arguments: [kind.rawValue, id, modified, json, isHere])
    if isHere, let table = kind.table, table == .notes || table == .noteTypes { try dropBase(table, id) }
  }

  /// Stores a remote deck, preset or note type as the base.
  func put(_ kind: BaseKind, _ id: Int64, _ record: Value.Record, isHere: Bool) throws {
    try put(kind, id, modified: Int64(record["mod"]?.integer ?? 0), BaseKind.json(kind, id, record), isHere: isHere)
  }

  /// Stores the creation time and the settings of the server's collection.
  func putSettings(_ head: StagedHead) throws {
    let settings: Value.Record = ["crt": .integer(head.created), "conf": .record(head.settings)]
    try put(.settings, 0, settings, isHere: false)
  }

  /// Drops a base that equals the local row: such a row is its own base.
  private func dropBase(_ table: SyncedTable, _ id: Int64) throws {
    let statement = try ownMarks[table] ?? Statement(db, table.ownMark)
    ownMarks[table] = statement
    try statement.execute(arguments: [id])
    if db.changesCount > 0 { try removeBase(table.rawValue, id) }
  }

  /// Drops the bases of rows whose local edits were reverted.
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
    try db.run("DELETE FROM bases WHERE kind = ? AND id = ?", [kind, id])
  }

  /// Records whether a remote row has a local row.
  func setHere(_ kind: BaseKind, _ id: Int64, _ isHere: Bool) throws {
    if let base = try self[kind, id] { try keep(base, kind, id, isHere: isHere) }
  }

  /// Stores again a base that was read before a local row with its id was recreated: that row is not its own base.
  func keep(_ base: Base, _ kind: BaseKind, _ id: Int64, isHere: Bool) throws {
    try put(kind, id, modified: base.modified, base.json, isHere: isHere)
    try forgetRemoved(kind, id)
  }

  private func forgetRemoved(_ kind: BaseKind, _ id: Int64) throws {
    try db.run("DELETE FROM undo_removed WHERE kind = ? AND id = ?", [kind.rawValue, id])
  }

  /// Records that the local row agrees with the remote row, so it has no local edit.
  func agree(_ kind: BaseKind, _ id: Int64) throws {
    guard let table = kind.table else { return }
    let statements = try agreements[table] ?? table.agreements.map { try Statement(db, $0) }
    agreements[table] = statements
    for statement in statements { try statement.execute(arguments: [id]) }
    try dropBase(table, id)
  }

  /// Whether a local row has a local edit.
  func isChanged(_ table: SyncedTable, _ id: Int64, _ base: Base) throws -> Bool {
    let sql = "SELECT \(table.state) FROM \(table.name) WHERE id = ?"
    return try db.firstRow(sql, [id]) { $0.optionalText(0) } != .some(base.state)
  }

  /// Marks the deck of a card as a local edit.
  func disagreeOnDeck(card id: Int64) throws { try setPart("deck", of: id, to: "NULL") }

  /// Records that the time of a card's last answer is not a local edit.
  func agreeOnLastReview(card id: Int64) throws {
    try setPart("last_review", of: id, to: "(SELECT last_review FROM cards WHERE cards.id = bases.id)")
  }

  /// Makes the cards of a note be sent whole.
  func forgetState(cardsOf note: Int64) throws {
    try SyncedTable.cards.keep(db, NoteTable.cards(db, of: NoteID(rawValue: note)).map(\.rawValue))
    let sql = """
      UPDATE bases SET state = NULL
      WHERE kind = \(BaseKind.card.rawValue) AND id IN (SELECT id FROM cards WHERE note = ?)
      """
    try db.run(sql, [note])
  }

  /// Sets one value of the state in the base of a card: see `SyncedTable.state`.
  private func setPart(_ name: String, of card: Int64, to value: String) throws {
    let sql = """
      UPDATE bases SET state = json_set(state, '$.\(name)', \(value))
      WHERE kind = \(BaseKind.card.rawValue) AND id = ?
      """
    try db.run(sql, [card])
  }

  /// Stores a grave: the server deleted the row, or the grave is being sent.
  func bury(_ kind: BaseKind, _ id: Int64, isSent: Bool = false) throws {
    try removeBase(kind.rawValue, id)
    try forgetRemoved(kind, id)
    let sql = """
      INSERT INTO sent_graves (kind, id, sent) VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET sent = max(sent, ?3)
      """
    try db.run(sql, [kind.rawValue, id, isSent])
  }

  /// Removes the grave of a row that the server has again: another client restored it under its old id.
  func unbury(_ kind: BaseKind, _ id: Int64) throws {
    try db.run("DELETE FROM sent_graves WHERE kind = ? AND id = ?", [kind.rawValue, id])
  }

  /// Whether the grave of a row was sent from here, even if that sync was undone afterwards.
  func wasBuriedHere(_ kind: BaseKind, _ id: Int64) throws -> Bool {
    let sql = "SELECT 1 FROM sent_graves WHERE kind = ? AND id = ? AND sent = 1"
    return try db.hasRow(sql, [kind.rawValue, id])
  }

  /// Whether the server has, or had, a row with this id.
  func isTaken(_ kind: BaseKind, _ id: Int64) throws -> Bool {
    let grave = "SELECT 1 FROM sent_graves WHERE kind = ? AND id = ?"
    return try self[kind, id] != nil || db.hasRow(grave, [kind.rawValue, id])
  }

  /// Returns the next id that no local row has and that the server neither has nor had. When it is called for many
  /// rows in sequence, each search continues where the previous one ended.
  func freeID(_ kind: BaseKind, after id: Int64) throws -> Int64 {
    var (free, passed) = (id, [Int64]())
    repeat {
      passed.append(free)
      free = taken[kind]?[free] ?? (free == .max ? 1 : free + 1)
    } while try isTaken(kind, free) || kind.table?.has(db, free) ?? false
    for id in passed { taken[kind, default: [:]][id] = free }
    return free
  }

  func all(_ kind: BaseKind) throws -> [(id: Int64, base: Base)] {
    let sql = "SELECT here, modified, json, state, id FROM server_rows WHERE kind = ? ORDER BY id"
    return try db.rows(sql, [kind.rawValue]) { ($0.integer(4), Base($0)) }
  }

  /// Returns how many rows the server has according to the bases.
  func counts() throws -> SyncCounts {
    var found: [Int: Int] = [:]
    try db.forEachRow("SELECT kind, count(*) FROM bases GROUP BY kind") { found[$0.count(0)] = $0.count(1) }
    for table in SyncedTable.allCases {
      for rows in [table.own, table.removed] {
        found[table.rawValue, default: 0] += try db.count("SELECT count(*) FROM \(rows)")
      }
    }
    func count(_ kind: BaseKind) -> Int { found[kind.rawValue, default: 0] }
    let answers =
      try db.count(
        """
        SELECT (SELECT count(*) FROM reviews WHERE NOT \(Unsent.sql))
          + (SELECT count(*) FROM bases WHERE kind = \(BaseKind.review.rawValue)
             AND NOT EXISTS (SELECT 1 FROM reviews WHERE reviews.id = bases.id AND NOT \(Unsent.sql)))
        """
      )
    return SyncCounts(
      cards: count(.card), notes: count(.note), answers: answers, types: count(.noteType), decks: count(.deck),
      presets: count(.preset))
  }

  func changedParts(of card: Int64, since state: String?) throws -> CardChanges {
    guard let state, let was = ServerRows.parse(state)?.record,
      let now = try db.firstRow("SELECT \(SyncedTable.cards.state) FROM cards WHERE id = ?", [card], { $0.text(0) }),
      let parts = ServerRows.parse(now)?.record
    else { return .all }
    var changes: CardChanges = []
    for part in parts.fields where was[part.name] != part.value {
      switch part.name {
      case "deck": changes.insert(.deck)
      case "place": changes.insert(.place)
      case "suspended", "buried": changes.insert(.hiding)
      case "flag": changes.insert(.flag)
      default: changes.insert(.schedule)
      }
    }
    return changes
  }
}

extension BaseKind {
  /// Returns the JSON that a base stores for a deck, a preset or a note type. A note type is stored as the local
  /// table writes it, so that it can be its own base.
  static func json(_ kind: BaseKind, _ id: Int64, _ record: Value.Record) -> String {
    let asReceived = Value.record(record).json
    if kind != .noteType { return asReceived }
    do throws(NoteError) { return try NoteType(received: record, id: id).json } catch {
      // A note type that cannot be stored locally.
      return asReceived
    }
  }
}

extension SyncedTable {
  /// Marks a row as its own base if it equals its base.
  fileprivate var ownMark: String {
    """
    UPDATE \(name) SET usn = 0
    WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM sent_graves WHERE kind = \(rawValue) AND id = ?1)
      AND \(row) = (SELECT \(same) FROM bases WHERE kind = \(rawValue) AND id = ?1 AND here)
    """
  }

  /// Writes the remote row into the local row, as far as it has columns for it, and records the latter in the base.
  fileprivate var agreements: [String] {
    let base = "bases WHERE kind = \(rawValue) AND id = ?1"
    let state = "SELECT \(self.state) FROM \(name) WHERE \(name).id = ?1"
    let kept = "UPDATE \(name) SET json = ifnull((SELECT json FROM \(base)), json) WHERE id = ?1"
    return (self == .decks || self == .presets ? [kept] : [])
      + ["UPDATE bases SET state = (\(state)) WHERE kind = \(rawValue) AND id = ?1"]
  }

  /// A base, written the way `row` writes it.
  private var same: String {
    switch self {
    case .cards: "json(bases.json)"
    case .notes: "json_array(\((0..<11).map { $0 == 4 ? "0" : "bases.json ->> \($0)" }.joined(separator: ", ")))"
    case .decks, .noteTypes, .presets: "bases.json"
    }
  }
}
