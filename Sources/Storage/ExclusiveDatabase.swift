// The holder of an open database: it lends it for the time of a closure.
// Invariant: nobody else has the connection, and none is lent while a second thread writes. That thread is given only
// what may cross threads, and that is neither a `Database` nor a `Statement`.

import CSQLite

/// A database file that this process opened, beside the user's own `Store`.
///
///     let file = try ExclusiveDatabase(path)
///     let count = try file.use { try Int.fetchOne($0, sql: "SELECT count(*) FROM notes") }
///     try file.close()
public final class ExclusiveDatabase {
  /// How a file is opened.
  enum Mode {
    case writing
    case reading
    /// Nobody changes the file: it is read without locks, and without files of SQLite's own beside it.
    case immutable
  }

  private let database: Database

  /// Opens a file, and makes it where it is missing.
  public convenience init(_ path: String) throws { try self.init(path, .writing, settings: []) }

  /// - Parameters:
  ///   - path: nil for a database in memory.
  ///   - settings: pragmas, before anything is read.
  ///   - collations: names of collations that its tables are made with.
  ///   - poll: asked while statements run.
  init(
    _ path: String?, _ mode: Mode, settings: [String], collations: [String] = [], poll: StatementPoll? = nil
  ) throws(StorageError) {
    let address = mode == .immutable ? path.map(DatabaseFile.immutable) : path
    database = Database(
      try Connection(address ?? ":memory:", flags: mode.flags, path: path ?? "the database in memory"))
    if let poll { database.connection.interrupt(by: poll) }
    for name in collations { database.addCollation(name) }
    for setting in ["foreign_keys = ON"] + settings { try database.execute(sql: "PRAGMA \(setting)") }
    // What is no database is refused here.
    _ = try Int.fetchOne(database, sql: "SELECT 1 FROM sqlite_master LIMIT 1")
  }

  /// Lends the database until the body returns, once all that a second thread was given is written.
  public func use<T>(_ body: (Database) throws -> T) throws -> T {
    try database.connection.drain()
    return try body(database)
  }

  /// The same to what an error calls by that name.
  func use<T>(for operation: String, _ body: (Database) throws -> T) throws -> T {
    let before = database.connection.operation
    database.connection.operation = operation
    defer { database.connection.operation = before }
    return try use(body)
  }

  var totalChanges: Int { database.totalChanges }

  /// No statement of it may be left.
  public func close() throws(StorageError) { try database.close() }
}

extension ExclusiveDatabase.Mode {
  /// SQLite's.
  fileprivate var flags: Int32 {
    switch self {
    case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .reading: SQLITE_OPEN_READONLY
    case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    }
  }
}
