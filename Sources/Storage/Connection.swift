// An open database as SQLite's library knows it: what statements and the database share of it.
// Invariant: it is closed when the last of those that hold it is gone, so that no statement outlives it; every error of
// SQLite becomes a `StorageError` here. SQLite's handles are given out only while no second thread writes: whoever asks
// for one waits until it is done.

import CSQLite
import Glibc

/// Sets up SQLite for the whole process; whoever opens a database reads it first.
private let isConfigured = deckhand_configure_sqlite() == SQLITE_OK

final class Connection {
  private let handle: OpaquePointer
  /// The second thread that writes rows, while batches hold it.
  private weak var lane: WorkLane?
  /// Whether rows were given to the lane that are not known to be written.
  private(set) var isLent = false
  /// The database's file, as messages name it.
  let path: String
  /// What is being done, as messages name it.
  var operation = "reading"
  /// Asked while statements run.
  private var poll: StatementPoll?
  private var isClosed = false

  /// - Parameters:
  ///   - address: a path, ":memory:", or an address that begins with "file:" where the flags say so.
  ///   - flags: SQLite's, without those that every connection has.
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

  // MARK: The second thread

  /// SQLite's handle, once no second thread uses it.
  var pointer: OpaquePointer {
    if isLent { wait() }
    return handle
  }

  /// The handle for what the lane does.
  var lentPointer: OpaquePointer { handle }

  /// The one second thread of this database: at most one at a time.
  func sharedLane() -> WorkLane {
    if let lane { return lane }
    let made = WorkLane(ahead: RowBatch.ahead)
    lane = made
    return made
  }

  /// Rows are on their way to the lane.
  func lend() { isLent = true }

  /// Waits until the lane is idle. A failure of it stays, and so does the lending.
  func wait() {
    lane?.waitUntilIdle()
    if lane?.failure == nil { isLent = false }
  }

  /// Waits until the lane is idle.
  /// - Throws: what failed there, until its batch took it: nothing is read or changed on top of rows that are missing.
  func drain() throws(StorageError) {
    wait()
    if let failure = lane?.failure { throw failure }
  }

  /// What is to be taken back is taken back whatever the lane says.
  func afterAnyFailure(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    wait()
    let before = isLent
    isLent = false
    defer { isLent = before }
    try body()
  }

  /// No statement may be left.
  func close() throws(StorageError) {
    if isClosed { return }
    let code = sqlite3_close(pointer)
    guard code == SQLITE_OK else { throw failure(code) }
    isClosed = true
  }

  /// What SQLite said last.
  func failure() -> StorageError { failure(sqlite3_extended_errcode(pointer)) }

  func failure(_ code: Int32) -> StorageError { failure(code, String(cString: sqlite3_errmsg(pointer))) }

  func failure(_ code: Int32, _ detail: String) -> StorageError {
    StorageError.ofSQLite(code, detail, path: path, operation: operation)
  }

  /// Statements that take long ask whether they are to end.
  func interrupt(by poll: StatementPoll) {
    self.poll = poll
    sqlite3_progress_handler(
      pointer, StatementPoll.steps,
      { context in
        context.map { Unmanaged<StatementPoll>.fromOpaque($0).takeUnretainedValue().isInterrupted() } == true ? 1 : 0
      },
      Unmanaged.passUnretained(poll).toOpaque())
  }

  /// The next statement of a text.
  /// - Parameters:
  ///   - start: ends with a zero byte.
  ///   - flags: SQLite's.
  /// - Returns: nil where only blanks and comments are left; what comes after the statement.
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

/// Whether statements that take long are to end.
final class StatementPoll: Sendable {
  /// Steps of SQLite's machine between two questions.
  static let steps: Int32 = 5_000
  let isInterrupted: @Sendable () -> Bool

  init(_ isInterrupted: @escaping @Sendable () -> Bool) { self.isInterrupted = isInterrupted }
}
