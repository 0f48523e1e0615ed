// Recovers the readable rows of a damaged database into a new file. Invariant: rows are only read from the damaged
// file; every row that SQLite can still read is tried, and the losses are reported.

import Files
import Glibc

/// Rows that were not recovered.
public struct SalvageLoss: Equatable, Sendable {
  public let table: String
  /// An inclusive range of row ids; nil if not even those are known.
  public let rows: ClosedRange<Int64>?
  /// Whether the rows can be read but contradict others.
  public let isContradiction: Bool

  init(_ table: String, _ rows: ClosedRange<Int64>?, isContradiction: Bool = false) {
    (self.table, self.rows, self.isContradiction) = (table, rows, isContradiction)
  }

  /// "rows 100 to 140 of cards"
  public var words: String {
    guard let rows else { return "an unknown part of \(table)" }
    let place =
      rows.lowerBound == rows.upperBound ? "row \(rows.lowerBound)" : "rows \(rows.lowerBound) to \(rows.upperBound)"
    return "\(place) of \(table)" + (isContradiction ? ", contradicting other rows" : "")
  }
}

extension NewStore {
  /// Recovers the readable rows of a file with the same tables. Undo steps are not recovered.
  /// - Parameter damaged: a copy, which is changed.
  /// - Returns: the losses, table by table.
  public func salvage(from damaged: String) throws -> [SalvageLoss] {
    var losses: [SalvageLoss] = []
    try make { db in
      if try !attach(damaged, db) {
        // The same SQL makes all collections, so their schemas are on the same pages.
        let pages = "SELECT pageno FROM dbstat WHERE name IN ('sqlite_schema', 'sqlite_master')"
        let last = try db.count("SELECT max(rootpage) FROM sqlite_schema")
        try replaceHeader(over: damaged, pages: db.rows(pages) { $0.count(0) }, least: last)
        try db.execute(sql: "ATTACH ? AS damaged", arguments: [damaged])
      }
      for table in try UndoTable.all(db) {
        var salvage = TableSalvage(db, table)
        try salvage.run()
        losses += salvage.losses
      }
      do throws(StorageError) { try copySequences(db, from: "damaged") } catch {
        // Each counter is then the id of the table's last row.
        if !error.isOfRow { throw error }
      }
    }
    return losses
  }

  /// - Returns: false, with nothing attached, if its schema cannot be read or differs from that of the new file.
  private func attach(_ damaged: String, _ db: Database) throws -> Bool {
    do throws(StorageError) { try db.execute(sql: "ATTACH ? AS damaged", arguments: [damaged]) } catch {
      guard error.isOfRow || error.isOfSchema else { throw error }
      return false
    }
    do {
      if try DatabaseSchema(db, "main").differingObjects(in: DatabaseSchema(db, "damaged")).isEmpty { return true }
    } catch let error as StorageError where error.isOfRow || error.isOfSchema {
      // The caller replaces the header and the schema.
    }
    try db.execute(sql: "DETACH damaged")
    return false
  }

  /// Overwrites the header and the schema of the damaged file with the new ones, and drops its list of free pages.
  /// - Parameter least: the smallest number of pages; a truncated file is extended with empty ones.
  private func replaceHeader(over damaged: String, pages: [Int], least: Int) throws {
    let source = try ByteFile(path, followingLinks: false, isInterrupted: isInterrupted)
    let head = try source.bytes(at: 0, count: 100)
    let size = Int(head[16]) << 8 | Int(head[17])
    let count = max(least, (try FileFacts.at(damaged)?.size ?? 0) / size)
    let file = Glibc.open(damaged, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw FileError(damaged, .open) }
    defer { Glibc.close(file) }
    guard ftruncate(file, off_t(count * size)) == 0 else { throw FileError(damaged, .write) }
    for page in pages {
      var bytes = try source.bytes(at: (page - 1) * size, count: size)
      if page == 1 {
        // SQLite's "Database File Format": 18 and 19 tell of a WAL, 28 the page count, 32 and 36 the free list.
        let mode: UInt8 = fileExists(damaged + "-wal") ? 2 : 1
        (bytes[18], bytes[19]) = (mode, mode)
        for (index, shift) in zip(28..<32, [24, 16, 8, 0]) { bytes[index] = UInt8(count >> shift & 0xFF) }
        for index in 32..<40 { bytes[index] = 0 }
      }
      guard pwrite(file, bytes, size, off_t((page - 1) * size)) == size else { throw FileError(damaged, .write) }
    }
  }
}

extension Database {
  /// Applies the `ON DELETE` action to each row whose reference points to nothing: clears the reference or deletes the
  /// row. Rows of keys without such an action stay.
  public func applyDeleteActions() throws {
    let sql = """
      SELECT DISTINCT found."table", keys."from", keys."table", keys."to", keys.on_delete
      FROM pragma_foreign_key_check AS found JOIN pragma_foreign_key_list(found."table") AS keys ON keys.id = found.fkid
      """
    let keys = try rows(sql) { row in (0..<5).map { row.text($0) } }
    for key in keys {
      let (table, column) = (UndoTable.quoted(key[0]), UndoTable.quoted(key[1]))
      let rows = "WHERE \(column) NOT IN (SELECT \(UndoTable.quoted(key[3])) FROM \(UndoTable.quoted(key[2])))"
      if key[4] == "SET NULL" { try execute(sql: "UPDATE \(table) SET \(column) = NULL \(rows)") }
      if key[4] == "CASCADE" { try execute(sql: "DELETE FROM \(table) \(rows)") }
    }
  }
}

private struct TableSalvage {
  private let db: Database
  private let table: UndoTable
  private(set) var losses: [SalvageLoss] = []
  /// How many statements may still fail before the rest of the table is given up.
  private var attempts = 20_000

  init(_ db: Database, _ table: UndoTable) { (self.db, self.table) = (db, table) }

  mutating func run() throws {
    // Copies the row id even if no column is an alias of it, because losses are reported by row id.
    let columns = (table.isKeyed ? [] : ["rowid"]) + table.columns.map(UndoTable.quoted)
    let names = columns.joined(separator: ", ")
    let rows = "INTO main.\(table.quoted) (\(names)) SELECT \(names) FROM damaged.\(table.quoted)"
    let start = "INSERT OR IGNORE " + rows
    if table.isKeyed { return try copyKeyed("INSERT OR REPLACE " + rows) }
    guard let (low, high) = bounds() else {
      if try !attempt(start) { losses.append(SalvageLoss(table.name, nil)) }
      return
    }
    if low <= high { try copy(low...high, start) }
    try listMissing()
  }

  /// Copies the rows of a table without row ids: all of them, or else as many as can be read from either end.
  private mutating func copyKeyed(_ rows: String) throws {
    if try attempt(rows) { return }
    for order in ["ASC", "DESC"] {
      let keys = table.key.map { "\(UndoTable.quoted(table.columns[$0])) \(order)" }.joined(separator: ", ")
      var (readable, unreadable) = (0, 1)
      while unreadable < Self.mostKeyed, try attempt("\(rows) ORDER BY \(keys) LIMIT \(unreadable)") {
        (readable, unreadable) = (unreadable, unreadable * 2)
      }
      while readable + 1 < unreadable {
        let middle = (readable + unreadable) / 2
        if try attempt("\(rows) ORDER BY \(keys) LIMIT \(middle)") { readable = middle } else { unreadable = middle }
      }
    }
    losses.append(SalvageLoss(table.name, nil))
  }

  /// The most rows of a damaged table without row ids that are copied from either end.
  private static let mostKeyed = 1 << 24

  /// Returns the first and the last row id, as far as they can be read.
  private func bounds() -> (Int64, Int64)? {
    func id(_ order: String) -> Int64? {
      readable("SELECT rowid FROM damaged.\(table.quoted) ORDER BY rowid \(order) LIMIT 1")
    }
    guard let low = id("ASC") ?? id("DESC").map({ min(1, $0) }) else {
      // A table that cannot be read may have rows.
      return readable("SELECT NOT EXISTS (SELECT 1 FROM damaged.\(table.quoted))") == 1 ? (1, 0) : nil
    }
    // The counter has the highest row id that was ever assigned.
    let counter = readable("SELECT seq FROM damaged.sqlite_sequence WHERE name = ?", [table.name])
    let high = id("DESC") ?? counter ?? low &+ 1_000_000
    // One of the two ids is itself damaged.
    return low <= high ? (low, high) : (.min, .max)
  }

  /// Returns the value of a query; nil if there is none, or the damage is on the way to it.
  private func readable(_ sql: String, _ arguments: StatementArguments = []) -> Int64? {
    do { return try db.firstRow(sql, arguments) { $0.isNull(0) ? nil : $0.integer(0) } ?? nil } catch {
      // The caller goes another way.
      return nil
    }
  }

  /// Copies rows; if that fails, tries each half.
  private mutating func copy(_ rows: ClosedRange<Int64>, _ start: String) throws {
    let range = "WHERE rowid BETWEEN \(rows.lowerBound) AND \(rows.upperBound)"
    // The rows of the file replace the stock rows of a new collection.
    let stock =
      "DELETE FROM main.\(table.quoted) \(range) AND rowid IN (SELECT rowid FROM damaged.\(table.quoted) \(range))"
    if try attempt("\(stock); \(start) \(range)") { return try listContradictions(rows) }
    attempts -= 1
    guard rows.lowerBound < rows.upperBound, attempts > 0 else { return lose(rows) }
    // The ids on a damaged page may be any numbers, so their distance may not fit into an `Int64`.
    let half = UInt64(bitPattern: rows.upperBound &- rows.lowerBound) / 2
    let middle = rows.lowerBound &+ Int64(bitPattern: half)
    try copy(rows.lowerBound...middle, start)
    try copy(middle + 1...rows.upperBound, start)
  }

  private mutating func lose(_ rows: ClosedRange<Int64>, isContradiction: Bool = false) {
    var rows = rows
    if let last = losses.last, let before = last.rows, before.upperBound < rows.lowerBound,
      before.upperBound + 1 == rows.lowerBound, last.isContradiction == isContradiction
    {
      losses.removeLast()
      rows = before.lowerBound...rows.upperBound
    }
    losses.append(SalvageLoss(table.name, rows, isContradiction: isContradiction))
  }

  /// Records as lost the rows that were read but that the new file rejected.
  private mutating func listContradictions(_ rows: ClosedRange<Int64>) throws {
    let sql = """
      SELECT rowid FROM damaged.\(table.quoted) AS old WHERE rowid BETWEEN ? AND ?
      AND NOT EXISTS (SELECT 1 FROM main.\(table.quoted) AS new WHERE new.rowid = old.rowid) ORDER BY rowid
      """
    for row in try db.rows(sql, [rows.lowerBound, rows.upperBound], { $0.integer(0) }) {
      lose(row...row, isContradiction: true)
    }
  }

  /// Records as lost the rows that an index of the damaged file lists but that no page of the table yielded.
  private mutating func listMissing() throws {
    let known = Set(losses.compactMap(\.rows))
    for index in try indexes() {
      let sql = """
        SELECT rowid FROM damaged.\(table.quoted) AS old INDEXED BY \(UndoTable.quoted(index))
        WHERE NOT EXISTS (SELECT 1 FROM main.\(table.quoted) AS new WHERE new.rowid = old.rowid) ORDER BY rowid
        """
      var missing: [Int64] = []
      do { missing = try db.rows(sql) { $0.integer(0) } } catch let error as StorageError where error.isOfRow {
        continue
      }
      for row in missing where !known.contains(where: { $0.contains(row) }) { lose(row...row) }
      return
    }
  }

  private func indexes() throws -> [String] {
    let sql = "SELECT name FROM main.sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql NOT LIKE '% WHERE %'"
    return try db.rows(sql, [table.name]) { $0.text(0) }
  }

  /// Runs statements in a transaction; returns false, with nothing changed, if the data that they read is damaged.
  private func attempt(_ sql: String) throws -> Bool {
    do throws(StorageError) {
      try db.execute(sql: "BEGIN; \(sql); COMMIT")
      return true
    } catch {
      if db.isInsideTransaction { try db.rollback() }
      guard error.isOfRow else { throw error }
      return false
    }
  }
}
