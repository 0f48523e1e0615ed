// What the current unit has changed so far, row by row: a dry run shows it and rolls it back.
// Invariant: reading the changes changes nothing; each row is counted once, by its net change.

public import Values
import Wire

public struct RowChange: Sendable {
  public enum Kind: String, CaseIterable, Sendable { case added, changed, removed }

  public let kind: Kind
  /// The old column values; for a changed row only those of changed columns. Empty for a new row.
  public let before: [(name: String, value: Value)]
  /// All current column values; empty for a removed row.
  public let after: [(name: String, value: Value)]

  public init(_ kind: Kind, before: [(name: String, value: Value)], after: [(name: String, value: Value)]) {
    (self.kind, self.before, self.after) = (kind, before, after)
  }
}

public struct TableChanges: Sendable {
  public let table: String
  public fileprivate(set) var counts: [RowChange.Kind: Int] = [:]
  /// The first changes of each kind.
  public fileprivate(set) var rows: [RowChange] = []
}

/// Columns of a table that do not count as a change by themselves.
public struct IgnoredColumns {
  let names: Set<String>
  /// The table whose values the rows also show: if rows of it are changed, no column is ignored.
  let shown: String?

  public init(_ names: Set<String>, showing shown: String? = nil) { (self.names, self.shown) = (names, shown) }
}

extension Store {
  /// Returns what the current unit has changed.
  /// - Parameters:
  ///   - limit: how many rows of each kind and table are returned; nil for all.
  ///   - ignored: by table; a row that differs only in these columns does not count as changed.
  public func pendingChanges(limit: Int?, ignoring ignored: [String: IgnoredColumns] = [:]) throws -> [TableChanges] {
    guard let recorder, hasOpenTransaction else { return [] }
    return try access("reading the changes") { db in
      let rows = try UndoneRows(recorder.encoded(), recorder.tables)
      return try PendingRows(rows: rows, limit: limit ?? .max, ignored: ignored).changes(db)
    }
  }
}

struct PendingRows {
  let rows: UndoneRows
  let limit: Int
  let ignored: [String: IgnoredColumns]

  private enum Place: Hashable {
    case row(Int64)
    case key([UInt8])
  }

  /// What is known of a row's state before the unit.
  private struct Old {
    var values: [Int: Value] = [:]
    var wasRemoved = false
  }

  func changes(_ db: Database) throws -> [TableChanges] {
    var found: [Int: TableChanges] = [:]
    let (order, olds) = try touched()
    func shown(_ index: Int) -> String? { ignored[rows.tables[index].name]?.shown }
    // Tables that show another one come after it.
    for index in rows.tables.indices.filter({ shown($0) == nil }) + rows.tables.indices.filter({ shown($0) != nil }) {
      let table = rows.tables[index]
      guard let known = table.known else { continue }
      let isShown = found.values.contains { $0.table == shown(index) && $0.counts[.changed] != nil }
      let columns = isShown ? [] : ignored[table.name]?.names ?? []
      var changes = TableChanges(table: table.name)
      var replaced: Set<Place> = []
      for place in order[index] ?? [] {
        guard let old = olds[index]?[place] else { continue }
        try compare(db, known, place, old, ignoring: columns, &changes, &replaced)
      }
      try addNew(db, known, table, replaced, &changes)
      if !changes.counts.isEmpty { found[index] = changes }
    }
    return rows.tables.indices.compactMap { found[$0] }
  }

  /// Returns, for each table, the rows that existed before, in the order of their first change.
  private func touched() throws -> (order: [Int: [Place]], olds: [Int: [Place: Old]]) {
    var (order, olds): ([Int: [Place]], [Int: [Place: Old]]) = ([:], [:])
    try rows.forEachChunk { events in
      for event in events {
        guard let table = rows.tables[event.table].known else { continue }
        var reader = WireReader(event.payload)
        if table.isKeyed, event.kind == .changed { for _ in table.key { try reader.skipValue() } }
        let place = table.isKeyed ? Place.key(try table.key(of: event)) : .row(event.row)
        if olds[event.table]?[place] == nil { order[event.table, default: []].append(place) }
        try note(event, &reader, &olds[event.table, default: [:]][place, default: Old()])
      }
    }
    return (order, olds)
  }

  private func note(_ event: UndoneRows.Event, _ reader: inout WireReader, _ old: inout Old) throws {
    if event.kind == .removed { old.wasRemoved = true }
    var next = 0
    while reader.left > 0 {
      let column = event.kind == .removed ? next : Int(try reader.byte())
      let value = try reader.value()
      if event.kind == .changed { try reader.skipValue() }
      if old.values[column] == nil { old.values[column] = value }
      next += 1
    }
  }

  private func compare(
    _ db: Database, _ table: UndoTable, _ place: Place, _ old: Old, ignoring ignored: Set<String>,
    _ changes: inout TableChanges, _ replaced: inout Set<Place>
  ) throws {
    let names = table.columns
    guard let now = try current(db, table, place) else {
      if old.wasRemoved { changes.add(.removed, named(old.values, names), [], limit) }
      return
    }
    if old.wasRemoved { replaced.insert(place) }
    let changed = old.values.filter { $0.key < now.count && !PendingRows.isSame(now[$0.key], $0.value) }
    if changed.allSatisfy({ names.indices.contains($0.key) && ignored.contains(names[$0.key]) }) { return }
    changes.add(.changed, named(changed, names), Array(zip(names, now)).map { ($0, $1) }, limit)
  }

  /// Texts are compared by their bytes, as SQLite compares them, not by canonical equivalence.
  private static func isSame(_ first: Value, _ second: Value) -> Bool {
    guard let text = first.text, let other = second.text else { return first == second }
    return text.utf8.elementsEqual(other.utf8)
  }

  private func named(_ values: [Int: Value], _ names: [String]) -> [(name: String, value: Value)] {
    values.sorted { $0.key < $1.key }.filter { names.indices.contains($0.key) }.map { (names[$0.key], $0.value) }
  }

  private func current(_ db: Database, _ table: UndoTable, _ place: Place) throws -> [Value]? {
    var found: [Value]?
    switch place {
    case .row(let row): found = try db.firstRow("SELECT * FROM \(table.quoted) WHERE rowid = ?", [row]) { $0.values }
    case .key(let key): try rowsByKey(db, table, key) { found = $0 }
    }
    return found
  }

  private func rowsByKey(_ db: Database, _ table: UndoTable, _ key: [UInt8], _ body: ([Value]) -> Void) throws {
    let statement = try db.cachedStatement(sql: "SELECT * FROM \(table.quoted) WHERE \(table.keyCondition(from: 1))")
    try table.bind(key, to: statement) { try statement.forEachRow { body($0.values) } }
  }

  private func addNew(
    _ db: Database, _ table: UndoTable, _ new: UndoneRows.Table, _ replaced: Set<Place>, _ changes: inout TableChanges
  ) throws {
    let names = table.columns
    for span in new.spans {
      var left = limit
      let within = "FROM \(table.quoted) WHERE rowid BETWEEN ?1 AND ?2"
      let sql = "SELECT rowid, * \(within) ORDER BY rowid"
      try db.forEachRow(sql, while: { left > 0 }, [span.lowerBound, span.upperBound]) { row in
        if replaced.contains(.row(row.integer(0))) { return }
        left -= 1
        changes.add(.added, [], zip(names, row.values.dropFirst()).map { ($0, $1) }, limit)
      }
      guard left == 0 else { continue }
      let old = replaced.count { if case .row(let row) = $0 { span.contains(row) } else { false } }
      let all = try db.count("SELECT count(*) \(within)", [span.lowerBound, span.upperBound])
      changes.counts[.added, default: 0] += all - old - limit
    }
    for key in new.keys where !replaced.contains(.key(key)) {
      try rowsByKey(db, table, key) { row in changes.add(.added, [], zip(names, row).map { ($0, $1) }, limit) }
    }
  }
}

extension TableChanges {
  fileprivate mutating func add(
    _ kind: RowChange.Kind, _ before: [(name: String, value: Value)], _ after: [(name: String, value: Value)],
    _ limit: Int
  ) {
    counts[kind, default: 0] += 1
    if counts[kind, default: 0] <= limit { rows.append(RowChange(kind, before: before, after: after)) }
  }
}
