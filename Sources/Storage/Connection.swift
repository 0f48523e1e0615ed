// An open SQLite connection: the state that `Statement` and `Database` share. Invariant: the connection is closed once
// its last owner is gone, so no statement outlives it; every SQLite error becomes a `StorageError` here. `pointer`
// gives out SQLite's handle only while no second thread writes: a caller waits until that thread is done.

import CSQLite
import Glibc

/// Configures SQLite for the whole process; each `Connection` reads it before it opens a database.
private let isConfigured = deckhand_configure_sqlite() == SQLITE_OK

final class Connection {
  private let handle: OpaquePointer
  /// The second thread that writes rows; alive while a batch holds it.
  private weak var lane: WorkLane?
  /// Whether the lane was given rows that may not be written yet.
  var isLent = false
  /// The path of the database file, as messages name it.
  let path: String
  /// The current operation, as messages name it.
  var operation = "reading"
  private var poll: StatementPoll?
  /// The only tables that statements may read; nil for all.
  private(set) var readable: ReadableTables?
  private var isClosed = false

  /// - Parameter address: a path, ":memory:", or a URI that begins with "file:" if the flags allow it.
  init(_ address: String, flags: Int32, path: String) throws(StorageError) {
    _ = isConfigured
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(address, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let opened else {
      let detail = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw StorageError.ofSQLite(code, detail, path: path, operation: "opening")
    }
    (handle, self.path) = (opened, path)
    sqlite3_busy_timeout(opened, 100)
    _ = deckhand_refuse_quoted_texts(opened)
  }

  deinit { if !isClosed { sqlite3_close_v2(handle) } }

  /// SQLite's handle; waits until no second thread uses it.
  var pointer: OpaquePointer {
    if isLent { wait() }
    return handle
  }

  var lentPointer: OpaquePointer { handle }

  /// Returns the second thread of this database, which all batches share; creates it if there is none.
  func sharedLane() -> WorkLane {
    if let lane { return lane }
    let made = WorkLane(ahead: RowBatch.ahead)
    lane = made
    return made
  }

  /// Waits until the lane is idle. If the lane failed, the failure is kept and the handle stays lent.
  func wait() {
    lane?.waitUntilIdle()
    if lane?.failure == nil { isLent = false }
  }

  /// Waits until the lane is idle.
  /// - Throws: the failure of the lane, until its batch takes it: nothing is read or changed while rows are missing.
  func drain() throws(StorageError) {
    wait()
    if let failure = lane?.failure { throw failure }
  }

  /// Runs a rollback even if the lane failed: statements in the body do not throw the lane's failure.
  func ignoringLaneFailure(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    wait()
    let before = isLent
    isLent = false
    defer { isLent = before }
    try body()
  }

  /// Closes the connection. All its statements must be gone.
  func close() throws(StorageError) {
    if isClosed { return }
    let code = sqlite3_close(pointer)
    guard code == SQLITE_OK else { throw failure(code) }
    isClosed = true
  }

  /// Returns an error of SQLite: by default its most recent one, in its own words.
  func failure(_ code: Int32? = nil, _ detail: String? = nil) -> StorageError {
    StorageError.ofSQLite(
      code ?? sqlite3_extended_errcode(pointer), detail ?? String(cString: sqlite3_errmsg(pointer)), path: path,
      operation: operation)
  }

  func interrupt(by poll: StatementPoll) {
    self.poll = poll
    sqlite3_progress_handler(
      pointer, StatementPoll.steps,
      { context in
        context.map { Unmanaged<StatementPoll>.fromOpaque($0).takeUnretainedValue().isInterrupted() } == true ? 1 : 0
      }, Unmanaged.passUnretained(poll).toOpaque())
  }

  func readOnly(_ tables: ReadableTables) {
    readable = tables
    sqlite3_set_authorizer(
      pointer,
      { context, action, table, _, schema, _ in
        guard action == SQLITE_READ, let context, let table, schema.map({ String(cString: $0) }) == "main" else {
          return SQLITE_OK
        }
        let tables = Unmanaged<ReadableTables>.fromOpaque(context).takeUnretainedValue()
        return tables.contains(String(cString: table)) ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(tables).toOpaque())
  }

  /// Prepares the next statement of a text.
  /// - Parameter start: SQL that ends with a zero byte.
  /// - Returns: the statement, nil if only whitespace and comments are left; and the text after it.
  func prepare(
    _ start: UnsafePointer<CChar>, flags: UInt32
  ) throws(StorageError) -> (statement: OpaquePointer?, rest: UnsafePointer<CChar>) {
    var made: OpaquePointer?
    var rest: UnsafePointer<CChar>?
    guard !isClosed else { throw failure(SQLITE_MISUSE, "the database is closed") }
    let code = sqlite3_prepare_v3(pointer, start, -1, flags, &made, &rest)
    guard code == SQLITE_OK else { throw failure(code) }
    return (made, rest ?? start + Int(strlen(start)))
  }
}

/// Decides whether long-running statements are interrupted.
final class StatementPoll: Sendable {
  /// Steps of SQLite's virtual machine between two calls of `isInterrupted`.
  static let steps: Int32 = 5_000
  let isInterrupted: @Sendable () -> Bool

  init(_ isInterrupted: @escaping @Sendable () -> Bool) { self.isInterrupted = isInterrupted }
}
