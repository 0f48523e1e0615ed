// A damaged database: what can be read of it is brought over into a new file.
// Invariant: the damaged file is only read; every row that SQLite can still read is tried, and what it cannot is told.

/// Rows that could not be read.
public struct SalvageLoss: Equatable, Sendable {
  public let table: String
  /// Row ids from one to another, both included; nil where not even those are known.
  public let rows: ClosedRange<Int64>?

  /// "rows 100 to 140 of cards"
  public var words: String {
    guard let rows else { return "a part of \(table) of which nothing is known" }
    return rows.count == 1
      ? "row \(rows.lowerBound) of \(table)" : "rows \(rows.lowerBound) to \(rows.upperBound) of \(table)"
  }
}

extension Store {
  /// Writes what can be read of this file to a new one with the same tables. The steps of undo are left out.
  /// - Returns: what could not be read, table by table.
  public static func salvage(from damaged: String, to target: String, migrations: [Migration]) throws -> [SalvageLoss] {
    let made = Store(path: target, migrations: migrations)
    try made.operation("making a new collection") { _ in }
    try made.close()
    let database = try ExclusiveDatabase(target)
    var losses: [SalvageLoss] = []
    try database.use { db in
      // What refers to a lost row is mended afterwards.
      try db.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF")
      try db.execute(sql: "ATTACH ? AS damaged", arguments: [damaged])
      for table in try UndoTable.all(db) {
        var salvage = TableSalvage(db, table)
        try salvage.run()
        losses += salvage.losses
      }
      try db.execute(sql: "DETACH damaged")
    }
    try database.close()
    return losses
  }
}

/// Brings over one table.
private struct TableSalvage {
  private let db: Database
  private let table: UndoTable
  private(set) var losses: [SalvageLoss] = []
  /// Statements that may still fail before the rest is given up.
  private var patience = 20_000

  init(_ db: Database, _ table: UndoTable) { (self.db, self.table) = (db, table) }

  mutating func run() throws {
    guard let columns = common() else { return losses.append(SalvageLoss(table: table.name, rows: nil)) }
    if columns.isEmpty { return }
    let names = columns.map { UndoTable.quoted($0) }.joined(separator: ", ")
    let start = "INSERT OR IGNORE INTO main.\(table.quoted) (\(names)) SELECT \(names) FROM damaged.\(table.quoted)"
    if table.isKeyed {
      if try !attempt(start) { losses.append(SalvageLoss(table: table.name, rows: nil)) }
      return
    }
    guard let (low, high) = bounds() else {
      if try !attempt(start) { losses.append(SalvageLoss(table: table.name, rows: nil)) }
      return
    }
    if low <= high { try copy(low...high, start) }
  }

  /// The columns that both files have; nil when the damaged one cannot tell.
  private func common() -> [String]? {
    do {
      let there = try String.fetchAll(
        db, sql: "SELECT name FROM pragma_table_info(?, 'damaged')", arguments: [table.name])
      return table.columns.map(\.name).filter(there.contains)
    } catch { return nil }
  }

  /// The first and the last row id, as far as they can be read.
  private func bounds() -> (Int64, Int64)? {
    func id(_ order: String) -> Int64? {
      do {
        return try Int64.fetchOne(db, sql: "SELECT rowid FROM damaged.\(table.quoted) ORDER BY rowid \(order) LIMIT 1")
      } catch { return nil }
    }
    guard let low = id("ASC") ?? id("DESC").map({ min(1, $0) }) else { return isEmpty ? (1, 0) : nil }
    return (low, id("DESC") ?? counter ?? low &+ 1_000_000)
  }

  private var isEmpty: Bool {
    do {
      return try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM damaged.\(table.quoted))") ?? true
    } catch { return false }
  }

  /// The highest row id that was ever given.
  private var counter: Int64? {
    do {
      return try Int64.fetchOne(
        db, sql: "SELECT seq FROM damaged.sqlite_sequence WHERE name = ?", arguments: [table.name])
    } catch { return nil }
  }

  /// Copies rows; where that fails, each half of them.
  private mutating func copy(_ rows: ClosedRange<Int64>, _ start: String) throws {
    let sql = "\(start) WHERE rowid BETWEEN \(rows.lowerBound) AND \(rows.upperBound)"
    if try attempt(sql) { return }
    patience -= 1
    guard rows.lowerBound < rows.upperBound, patience > 0 else { return lose(rows) }
    let middle = rows.lowerBound + (rows.upperBound - rows.lowerBound) / 2
    try copy(rows.lowerBound...middle, start)
    try copy(middle + 1...rows.upperBound, start)
  }

  private mutating func lose(_ rows: ClosedRange<Int64>) {
    if let last = losses.last?.rows, last.upperBound + 1 == rows.lowerBound {
      losses[losses.count - 1] = SalvageLoss(table: table.name, rows: last.lowerBound...rows.upperBound)
    } else {
      losses.append(SalvageLoss(table: table.name, rows: rows))
    }
  }

  /// Runs a statement, which is a transaction of its own; false, and nothing was done, when what it reads is damaged.
  private func attempt(_ sql: String) throws -> Bool {
    do {
      try db.execute(sql: sql)
      return true
    } catch  where error.isOfContents {
      return false
    }
  }
}
