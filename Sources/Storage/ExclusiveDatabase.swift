// Owns an open database and lends it for the duration of a closure.
// Invariant: nobody else has the connection, and it is not lent while a second thread writes. That thread gets only
// what may cross threads, never a `Database` or a `Statement`.

import CSQLite

/// A database file that this process opened, separate from the user's own `Store`.
public final class ExclusiveDatabase {
  /// How a file is opened.
  enum Mode {
    case writing
    case reading
    /// The file does not change: it is read without locks, and SQLite creates no files next to it.
    case immutable
    /// No other process may open it, and its write-ahead log is read too. SQLite keeps the index of the log in memory.
    case immutableWithLog
  }

  private let database: Database

  /// Opens a file, or creates it if it is missing.
  /// - Parameter schema: that of its tables, for a file of this program whose rows are changed.
  public convenience init(_ path: String, schema: Schema? = nil) throws {
    try self.init(path, .writing, settings: [])
    if let schema { try database.addFunctions(of: schema) }
  }

  /// - Parameter path: nil for an in-memory database.
  init(
    _ path: String?, _ mode: Mode, settings: [String], collations: [String] = [], poll: StatementPoll? = nil
  ) throws(StorageError) {
    let address = path.map { mode.address(of: $0) }
    database = Database(
      try Connection(address ?? ":memory:", flags: mode.flags, path: path ?? "the database in memory"))
    if let poll { database.connection.interrupt(by: poll) }
    for name in collations { database.addCollation(name) }
    // Before anything is read.
    let locking = mode == .immutableWithLog ? ["locking_mode = EXCLUSIVE"] : []
    for setting in locking + ["foreign_keys = ON"] + settings { try database.execute(sql: "PRAGMA \(setting)") }
    // Throws if the file is not a database.
    try database.run("SELECT 1 FROM sqlite_master LIMIT 1")
  }

  /// From now on refuses to read anything but ordinary tables, and values longer than a limit.
  /// - Parameter schema: that of its tables, for a file of this program.
  func readOnlyTables(of schema: Schema?, longest: Int?) throws(StorageError) {
    if let schema { try database.addFunctions(of: schema) }
    if let longest { sqlite3_limit(database.connection.pointer, SQLITE_LIMIT_LENGTH, Int32(clamping: longest)) }
    database.connection.readOnly(try ReadableTables(of: database))
  }

  /// Lends the database until the body returns, once everything that the second thread was given is written.
  public func use<T>(_ body: (Database) throws -> T) throws -> T {
    try database.connection.drain()
    return try body(database)
  }

  /// Lends the database; errors name `operation`.
  func use<T>(for operation: String, _ body: (Database) throws -> T) throws -> T {
    let before = database.connection.operation
    database.connection.operation = operation
    defer { database.connection.operation = before }
    return try use(body)
  }

  var totalChanges: Int { database.totalChanges }

  /// Closes the database. All its statements must be gone.
  public func close() throws(StorageError) { try database.close() }
}

extension ExclusiveDatabase.Mode {
  /// The flags of `sqlite3_open_v2`.
  fileprivate var flags: Int32 {
    switch self {
    case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .reading: SQLITE_OPEN_READONLY
    case .immutable, .immutableWithLog: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    }
  }

  /// What `sqlite3_open_v2` is given for a path.
  fileprivate func address(of path: String) -> String {
    switch self {
    case .writing, .reading: path
    case .immutable: DatabaseFile.immutable(path)
    case .immutableWithLog: DatabaseFile.address(path, "mode=ro&vfs=unix-none")
    }
  }
}
