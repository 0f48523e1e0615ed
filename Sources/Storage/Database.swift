// An open database: statements, transactions and savepoints. Invariant: one thread uses it at a time, which
// `ExclusiveDatabase` ensures; a cached statement is not open when it is returned again.

import CSQLite
import Glibc

/// A database that `Store` or `ExclusiveDatabase` lends for the duration of a closure.
///
///     try db.execute(sql: "INSERT INTO tags (name) VALUES (?)", arguments: ["animal"])
///     let names = try db.rows("SELECT name FROM tags") { $0.text(0) }
public final class Database {
  /// The most statements in the cache. Queries that a user types are not cached.
  private static let cacheLimit = 500

  let connection: Connection
  private var cachedStatements: [String: Statement] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// The path of the file, as messages name it.
  public var path: String { connection.path }

  func close() throws(StorageError) {
    cachedStatements.removeAll()
    try connection.close()
  }

  /// Runs statements, separated by semicolons, without caching them. Each binds the arguments that are left over.
  public func execute(sql: String, arguments: StatementArguments = []) throws(StorageError) {
    let outcome = sql.withCString { start in
      Result { () throws(StorageError) in try execute(start, arguments) }
    }
    try outcome.get()
  }

  private func execute(_ start: UnsafePointer<CChar>, _ arguments: StatementArguments) throws(StorageError) {
    var rest = start
    var taken = 0
    while rest.pointee != 0 {
      let (pointer, next) = try connection.prepare(rest, flags: 0)
      rest = next
      guard let pointer else { break }
      let statement = Statement(connection, pointer)
      try statement.bind(arguments, from: &taken)
      try statement.finish()
    }
    if taken < arguments.count { throw connection.failure(SQLITE_RANGE, "there are more arguments than parameters") }
  }

  public func run(_ sql: String, _ arguments: StatementArguments = []) throws(StorageError) {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }

  public func cachedStatement(sql: String) throws(StorageError) -> Statement {
    if let statement = cachedStatements[sql], !statement.isOpen { return statement }
    let made = try Statement(connection, sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
    if cachedStatements.count >= Database.cacheLimit { cachedStatements.removeAll() }
    cachedStatements[sql] = made
    return made
  }

  public func rows<T>(_ sql: String, _ arguments: StatementArguments = [], _ read: (Row) throws -> T) throws -> [T] {
    var found: [T] = []
    try forEachRow(sql, arguments) { found.append(try read($0)) }
    return found
  }

  public func firstRow<T>(_ sql: String, _ arguments: StatementArguments = [], _ read: (Row) throws -> T) throws -> T? {
    try cachedStatement(sql: sql).first(arguments, read)
  }

  /// Returns the number in the first row of a query; 0 if there is none.
  public func count(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
    try firstRow(sql, arguments) { $0.count(0) } ?? 0
  }

  public func hasRow(_ sql: String, _ arguments: StatementArguments = []) throws -> Bool {
    let statement = try cachedStatement(sql: sql)
    try statement.bind(arguments)
    return try statement.hasRow()
  }

  /// Calls the body with each row of a query, while `goesOn` returns true.
  public func forEachRow(
    _ sql: String, while goesOn: () -> Bool = { true }, _ arguments: StatementArguments = [],
    _ body: (Row) throws -> Void
  ) throws {
    let statement = try cachedStatement(sql: sql)
    try statement.bind(arguments)
    try statement.forEachRow(while: goesOn, body)
  }

  /// Rows that the last statement itself inserted, changed or removed.
  public var changesCount: Int { Int(sqlite3_changes(connection.pointer)) }

  /// Rows that were inserted, changed or removed since the database was opened.
  public var totalChanges: Int { Int(sqlite3_total_changes(connection.pointer)) }

  /// A number that differs once another connection has committed something that a statement here can see.
  public var dataVersion: Int { get throws { try count("PRAGMA data_version") } }

  /// The number of pages of the file, including those that are not committed.
  var pageCount: Int { get throws { try count("PRAGMA page_count") } }

  public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(connection.pointer) }

  /// Calls the body with the SQL of each statement that starts, with its arguments filled in; nil stops the tracing.
  public func trace(_ body: ((String) -> Void)?) {
    tracing = body.map(Tracing.init)
    let context = tracing.map { Unmanaged.passUnretained($0).toOpaque() }
    sqlite3_trace_v2(
      connection.pointer, context == nil ? 0 : UInt32(SQLITE_TRACE_STMT),
      { _, context, statement, _ in
        guard let context, let text = sqlite3_expanded_sql(statement.map { OpaquePointer($0) }) else { return 0 }
        defer { sqlite3_free(text) }
        Unmanaged<Tracing>.fromOpaque(context).takeUnretainedValue().body(String(cString: text))
        return 0
      }, context)
  }

  private final class Tracing {
    let body: (String) -> Void
    init(_ body: @escaping (String) -> Void) { self.body = body }
  }

  private var tracing: Tracing?

  /// Whether a transaction is active. SQLite itself ends the transaction when the disk is full.
  public var isInsideTransaction: Bool { sqlite3_get_autocommit(connection.pointer) == 0 }

  /// Throws if the file, or its write-ahead log, is no longer at its path: nobody would find what is written to it.
  /// Another process deletes the log if it finds no lock of this one: closing any descriptor of the file drops SQLite's
  /// locks. So does a program that synchronizes folders.
  func requireInPlace() throws(StorageError) {
    var hasMoved: Int32 = 0
    let code = sqlite3_file_control(connection.pointer, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    let isInPlace = code != SQLITE_OK || hasMoved == 0
    if isInPlace, logFiles.allSatisfy({ fileNumber(of: $0.path) == $0.number }) { return }
    let detail = "it or its log was removed or replaced while this program had it open; start the program again"
    throw StorageError.unreadable(path: connection.path, detail: detail)
  }

  /// The write-ahead log and its index, as they were when the database was opened.
  private var logFiles: [(path: String, number: ino_t)] = []

  /// Remembers the write-ahead log, for `requireInPlace`.
  func noteLog() {
    guard let name = sqlite3_db_filename(connection.pointer, "main"), name.pointee != 0 else { return }
    for path in ["-wal", "-shm"].map({ String(cString: name) + $0 }) {
      if let number = fileNumber(of: path) { logFiles.append((path, number)) }
    }
  }

  /// Begins a transaction that holds the write lock.
  public func begin() throws(StorageError) { try run("BEGIN IMMEDIATE") }

  public func commit() throws(StorageError) { try run("COMMIT") }

  func rollback() throws(StorageError) {
    try connection.ignoringLaneFailure { () throws(StorageError) in try run("ROLLBACK") }
  }

  public func transaction<T>(_ body: () throws -> T) throws -> T {
    try begin()
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      if isInsideTransaction { try rollback() }
      throw error
    }
  }

  /// Runs the body in a savepoint of the active transaction. If the body throws, only its own changes are rolled back.
  public func savepoint<T>(_ body: () throws -> T) throws -> T {
    try run("SAVEPOINT part")
    do {
      let result = try body()
      guard isInsideTransaction else { throw StorageError.rolledBack(path: connection.path) }
      try run("RELEASE part")
      return result
    } catch {
      if isInsideTransaction {
        try connection.ignoringLaneFailure { () throws(StorageError) in
          try run("ROLLBACK TO part")
          try run("RELEASE part")
        }
      }
      throw error
    }
  }

  /// Replaces the content of the other database with the content of this one.
  /// - Parameters:
  ///   - pages: how many pages are copied before `progress` is called; -1 for all.
  ///   - progress: receives the number of copied pages and of all pages. If it throws, the copying ends.
  ///   - whenLocked: called once nobody else can change the other database, before anything in it is replaced. If it
  ///     throws, the copying ends.
  func backup(
    to other: Database, pages: Int32 = -1, progress: (Int, Int) throws -> Void = { _, _ in },
    whenLocked: () throws -> Void = {}
  ) throws {
    guard let copying = sqlite3_backup_init(other.connection.pointer, "main", connection.pointer, "main") else {
      throw other.connection.failure()
    }
    // Copies no page yet, only takes the lock.
    var code = sqlite3_backup_step(copying, 0)
    do {
      if code == SQLITE_OK { try whenLocked() }
      while code == SQLITE_OK {
        code = sqlite3_backup_step(copying, pages)
        let total = Int(sqlite3_backup_pagecount(copying))
        try progress(total - Int(sqlite3_backup_remaining(copying)), total)
      }
    } catch {
      sqlite3_backup_finish(copying)
      throw error
    }
    let end = sqlite3_backup_finish(copying)
    guard code == SQLITE_DONE else { throw other.connection.failure(code, String(cString: sqlite3_errstr(code))) }
    guard end == SQLITE_OK else { throw other.connection.failure(end) }
  }

  func setTriggers(areOn: Bool) { _ = deckhand_enable_triggers(connection.pointer, areOn ? 1 : 0) }

  /// Registers a collation that compares texts case-insensitively, for ASCII letters only.
  func addCollation(_ name: String) {
    sqlite3_create_collation_v2(
      connection.pointer, name, SQLITE_UTF8, nil,
      { _, firstCount, first, secondCount, second in
        let first = UnsafeRawBufferPointer(start: first, count: Int(firstCount)).lazy.map(small)
        let second = UnsafeRawBufferPointer(start: second, count: Int(secondCount)).lazy.map(small)
        if first.elementsEqual(second) { return 0 }
        return first.lexicographicallyPrecedes(second) ? -1 : 1
      }, nil)
  }
}

/// Returns the inode of the file at a path; nil if there is none.
private func fileNumber(of path: String) -> ino_t? {
  var facts = stat()
  return stat(path, &facts) == 0 ? facts.st_ino : nil
}

private func small(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

public var sqliteVersion: String { String(cString: sqlite3_libversion()) }
