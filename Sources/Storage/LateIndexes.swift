// Indexes that are written after the rows of a long batch. Their values come in no order, so that each row would change
// another page: once an index is larger than the cache, this takes more time than all else; sorted, a fifth of it.
// Invariant: an index that was dropped is made again, by its own SQL, in the transaction that dropped it, or a rollback
// restores it. Until then queries find the same rows, only slower.

import CSQLite

/// Indexes that a batch drops when it becomes long, and makes again from all rows.
///
///     let indexes = LateIndexes(db, ["cards_content"])
///     try indexes.willWriteBuffer(after: rows.drain)   // before each full buffer
///     try indexes.make()
public final class LateIndexes {
  private let db: Database
  private let names: [String]
  private var buffers = 0
  /// The SQL of the indexes that are dropped now.
  private var dropped: [String] = []
  /// How many buffers are written before: to drop an index and to make it takes as long as some hundred rows. An index
  /// of a table with four times as many rows stays: to make it takes longer.
  private static let first = 16

  /// - Parameter names: the indexes, in the order in which the schema has them: they become its last ones.
  public init(_ db: Database, _ names: [String]) { (self.db, self.names) = (db, names) }

  /// Drops the indexes, once, after some buffers; not while a statement reads, because SQLite would refuse.
  /// - Parameter drain: waits for the second thread; what it throws is thrown, and nothing is dropped.
  public func willWriteBuffer(after drain: () throws -> Void) throws {
    buffers += 1
    guard buffers == LateIndexes.first else { return }
    try drain()
    if !db.isReading { try drop() }
  }

  func drop() throws {
    for name in names {
      let sql = "SELECT sql, tbl_name FROM sqlite_master WHERE type = 'index' AND name = ?"
      guard let (sql, table) = try db.firstRow(sql, [name], { ($0.text(0), $0.text(1)) }) else { continue }
      if try db.hasRow("SELECT 1 FROM \(table) LIMIT 1 OFFSET \(4 * LateIndexes.first * RowBatch.rows)") { continue }
      try db.execute(sql: "DROP INDEX \(name)")
      dropped.append(sql)
    }
  }

  /// Makes the indexes that are dropped; if one cannot be made, the next call tries again. Sorting them takes no more
  /// memory than the cache had.
  public func make() throws(StorageError) {
    if dropped.isEmpty { return }
    try db.execute(sql: "PRAGMA temp_store = FILE; PRAGMA cache_size = -2048")
    let outcome = Result { () throws(StorageError) in
      while let sql = dropped.first {
        try db.execute(sql: sql)
        dropped.removeFirst()
      }
    }
    try db.execute(sql: DatabaseFile.memory.map { "PRAGMA \($0)" }.joined(separator: ";"))
    try outcome.get()
  }
}

extension Database {
  /// Whether a statement gave a row and was neither run to its end nor reset.
  fileprivate var isReading: Bool {
    var next = sqlite3_next_stmt(connection.pointer, nil)
    while let statement = next {
      if sqlite3_stmt_busy(statement) != 0 { return true }
      next = sqlite3_next_stmt(connection.pointer, statement)
    }
    return false
  }
}
