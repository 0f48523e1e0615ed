// Databases that are not the user's own: those of others, opened only to be read, and new ones that are written out.
// Invariant: nothing that a file of somebody else's says is run: no trigger, no view, no function of its own, and it is
// never written to.

public import GRDB
import GRDBSQLite

/// A SQLite file of another program.
///
///     let queue = try ForeignDatabase.open(path, isInterrupted: isInterrupted)
///     try queue.unsafeReentrantRead { db in ... }
public enum ForeignDatabase {
  /// Opens a file that nobody else uses, to be read.
  /// - Parameters:
  ///   - collations: names of orders of texts that its tables are made with; all go by small letters.
  ///   - isInterrupted: asked while statements run; true ends them.
  public static func open(
    _ path: String, collations: [String] = [], isInterrupted: @escaping @Sendable () -> Bool
  ) throws -> DatabaseQueue {
    _ = sqliteIsConfigured
    var configuration = Configuration()
    configuration.readonly = true
    configuration.allowsUnsafeTransactions = true
    configuration.label = "another program's"
    let poll = StatementPoll(isInterrupted)
    configuration.prepareDatabase { db in
      for name in collations { addCollation(name, db) }
      poll.attach(db)
      for setting in ["trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "mmap_size = 0"] {
        try db.execute(sql: "PRAGMA \(setting)")
      }
    }
    return try DatabaseQueue(path: DatabaseFile.immutable(path), configuration: configuration)
  }

  /// Makes a file that is written once, by this process alone, and thrown away when that fails: without a journal.
  public static func create(_ path: String, isInterrupted: @escaping @Sendable () -> Bool) throws -> DatabaseQueue {
    _ = sqliteIsConfigured
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.label = "new"
    let poll = StatementPoll(isInterrupted)
    configuration.prepareDatabase { db in
      poll.attach(db)
      for setting in [
        "page_size = 4096", "journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE", "cache_size = -4096",
      ] {
        try db.execute(sql: "PRAGMA \(setting)")
      }
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }
}

/// Texts in the order of their small letters, as far as they are ASCII.
private func addCollation(_ name: String, _ db: Database) {
  sqlite3_create_collation_v2(
    db.sqliteConnection, name, SQLITE_UTF8, nil,
    { _, firstCount, first, secondCount, second in
      let first = UnsafeRawBufferPointer(start: first, count: Int(firstCount)).lazy.map(small)
      let second = UnsafeRawBufferPointer(start: second, count: Int(secondCount)).lazy.map(small)
      if first.elementsEqual(second) { return 0 }
      return first.lexicographicallyPrecedes(second) ? -1 : 1
    }, nil)
}

private func small(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

/// Statements that take long ask whether they are to end.
final class StatementPoll: Sendable {
  private static let steps: Int32 = 5_000
  let isInterrupted: @Sendable () -> Bool

  init(_ isInterrupted: @escaping @Sendable () -> Bool) { self.isInterrupted = isInterrupted }

  /// It must outlive the connection.
  func attach(_ db: Database) {
    sqlite3_progress_handler(
      db.sqliteConnection, StatementPoll.steps,
      { context in
        context.map { Unmanaged<StatementPoll>.fromOpaque($0).takeUnretainedValue().isInterrupted() } == true ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque())
  }
}
