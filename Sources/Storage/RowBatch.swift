// Inserts rows, many with one statement, because starting and ending a statement is half of SQLite's work for a row. A
// second thread can write them while the first produces more. Invariant: rows are written in order, those of one
// statement all or none; rows that are not written stay in the batch. The second thread gets rows that it owns and its
// own statement, nothing else; all others who use the database wait for it in `Connection`.

import CSQLite
import Synchronization

/// A batch of rows to insert into one table, or each row into several tables.
///
///     let batch = try RowBatch(db, into: "tags (mod, name, count)", "?1, *", shared: 1, columns: 2)
///     batch.putShared(1, now)
///     batch.put(0, text: bytes)
///     batch.put(1, 12)
///     try batch.writeRow()
///     try batch.flush()
public final class RowBatch: ColumnBinding {
  /// Rows per statement; more gain little.
  public static let rows = 256
  /// The most full buffers that wait in the lane, including those of other batches.
  public static let ahead = 4

  private let connection: Connection
  private let statements: [Statement]
  private let target: RowTarget
  private let columns: Int
  private let lane: WorkLane?
  private var filling: RowBuffer
  /// Buffers that were handed to the lane, in order.
  private var submitted: [(rows: RowBuffer, mark: WrittenMark)] = []
  private var empty: [RowBuffer] = []
  /// Whether the second thread may be writing for this batch.
  public private(set) var isUnderWay = false

  /// A flag, readable from other threads, that is set once the rows are in the table.
  private final class WrittenMark: Sendable {
    private let flag = Atomic<Bool>(false)
    var isSet: Bool { flag.load(ordering: .acquiring) }
    func set() { flag.store(true, ordering: .releasing) }
  }

  /// A table that each row is inserted into.
  public struct Part: Sendable {
    /// The table and its columns.
    let target: String
    /// The values for these columns: `*` for all values of the row, or `column1` and so on for some of them; `?1` and
    /// so on for values that all rows share.
    let values: String

    public init(into target: String, _ values: String) { (self.target, self.values) = (target, values) }

    /// Returns the indexes, from 0, of the row's values that the part uses.
    func used(of columns: Int) -> [Int] {
      if values.utf8.contains(UInt8(ascii: "*")) { return Array(0..<columns) }
      let named = values.split { !$0.isLetter && !$0.isNumber }.filter { $0.hasPrefix("column") }
      return Set(named.compactMap { Int($0.dropFirst(6)) }).map { $0 - 1 }.filter((0..<columns).contains).sorted()
    }
  }

  /// - Parameter inLane: whether a second thread writes full buffers in the background.
  public convenience init(
    _ db: Database, into target: String, _ values: String, shared: Int = 0, columns: Int, verb: String = "INSERT",
    inLane: Bool = false
  ) throws(StorageError) {
    try self.init(
      db, [Part(into: target, values)], shared: shared, columns: columns, verb: verb, inLane: inLane)
  }

  /// Creates a batch that inserts each row into several tables, in order; the rows of one statement into all or none.
  public init(
    _ db: Database, _ parts: [Part], shared: Int = 0, columns: Int, verb: String = "INSERT", inLane: Bool = false
  ) throws(StorageError) {
    // Each parameter follows the one before it. SQLite keeps a list of those with numbers, and searches it for each.
    let row = repeatElement("?", count: columns).joined(separator: ",")
    let others = repeatElement(", (\(row))", count: RowBatch.rows - 1).joined()
    let all = "(?\(shared + 1)\(row.dropFirst()))\(others)"
    let limit = shared + columns * RowBatch.rows + 1
    connection = db.connection
    var made: [Statement] = []
    for part in parts {
      made.append(
        try Statement(db, "\(verb) INTO \(part.target) SELECT \(part.values) FROM (VALUES \(all)) LIMIT ?"))
    }
    statements = made
    target = RowTarget(db, zip(made, parts).map { ($0, used: $1.used(of: columns)) }, shared: shared, limit: limit)
    self.columns = columns
    lane = inLane ? db.connection.sharedLane() : nil
    filling = RowBuffer(rows: RowBatch.rows, columns: columns)
  }

  /// The statements must not be freed while the lane uses them.
  deinit { connection.wait() }

  /// Binds a value that all rows share, before the first row. The first index is 1.
  public func putShared(_ place: Int, _ value: Int64) {
    for statement in statements { statement.bind(Int32(clamping: place), value) }
  }

  /// Sets a column of the next row. The first index is 0.
  public func put(_ column: Int, _ value: Int64) { filling.put(column, value, row: filling.count) }

  public func put(_ column: Int, _ value: Double?) { filling.put(column, value, row: filling.count) }

  public func put(_ column: Int, text: UnsafeBufferPointer<UInt8>) {
    filling.put(column, text: text, row: filling.count)
  }

  /// Sets a column to two texts joined by a byte.
  public func put(
    _ column: Int, _ first: UnsafeBufferPointer<UInt8>, _ separator: UInt8, _ second: UnsafeBufferPointer<UInt8>
  ) { filling.put(column, first, separator, second, row: filling.count) }

  public func put(_ column: Int, text: String?) {
    guard var text else { return filling.putNull(column, row: filling.count) }
    text.withUTF8 { put(column, text: $0) }
  }

  public var isFull: Bool { filling.isFull }
  /// Whether no row waits that was not handed over.
  public var isEmpty: Bool { filling.count == 0 }

  /// Ends the row whose columns were set and keeps it waiting. There must be room: see `isFull`.
  public func endRow() { filling.endRow() }

  /// Ends the row; if the buffer is full, hands it over.
  public func writeRow() throws(StorageError) {
    endRow()
    if isFull { try submit() }
  }

  /// The number of rows that are not written; waits first until the lane is idle.
  public var waitingCount: Int {
    connection.wait()
    return submitted.reduce(filling.count) { $0 + ($1.mark.isSet ? 0 : $1.rows.count) }
  }

  /// Lets the body change the rows that were not handed over.
  public func editFilling(_ body: (inout RowBuffer) throws -> Void) rethrows { try body(&filling) }

  /// Lets the body change all rows that are not written, in order.
  public func editWaiting(_ body: (inout RowBuffer) throws -> Void) throws {
    try drain()
    submitted = try submitted.map { part in
      var rows = part.rows
      try body(&rows)
      return (rows, part.mark)
    }
    try body(&filling)
  }

  /// Hands the waiting rows to the second thread.
  public func submit() throws(StorageError) {
    guard let lane else { return try flush() }
    if filling.count == 0 { return }
    let (rows, mark, target) = (filling, WrittenMark(), self.target)
    isUnderWay = true
    connection.isLent = true
    let isAdded = try lane.add { () throws(StorageError) in
      try target.write(rows)
      mark.set()
    }
    guard isAdded else { return try drain() }
    submitted.append((rows, mark))
    // The lane has finished all but the latest buffers, so the oldest can be reused.
    while submitted.count > RowBatch.ahead + 1, submitted[0].mark.isSet { reuse(submitted.removeFirst().rows) }
    filling = empty.popLast() ?? RowBuffer(rows: RowBatch.rows, columns: columns)
  }

  private func reuse(_ rows: consuming RowBuffer) {
    rows.forget()
    empty.append(rows)
  }

  /// Waits until everything handed over is written, also by other batches of the lane: they use the same database.
  /// - Throws: the lane's failure, once; the rows that failed and those after them stay in the batch.
  public func drain() throws(StorageError) {
    isUnderWay = false
    guard let lane else { return try connection.drain() }
    connection.wait()
    let failure = lane.takeFailure()
    connection.wait()
    while let first = submitted.first, first.mark.isSet { reuse(submitted.removeFirst().rows) }
    if let failure { throw failure }
  }

  /// Writes all waiting rows on this thread.
  public func flush() throws(StorageError) {
    try drain()
    while let part = submitted.first {
      try target.write(part.rows)
      reuse(submitted.removeFirst().rows)
    }
    try target.write(filling)
    filling.forget()
  }

  /// Discards all waiting rows.
  public func forget() {
    connection.wait()
    for part in submitted { reuse(part.rows) }
    submitted.removeAll()
    filling.forget()
  }
}

/// The statements that insert rows, used by either thread.
private final class RowTarget: Sendable {
  // The lane gets these handles here and nowhere else. It uses them from when `Connection.isLent` is set to the end of
  // `Connection.wait`; meanwhile the connection gives the first thread no handle. The batch waits before it frees them.
  nonisolated(unsafe) private let statements: [(pointer: OpaquePointer, used: [Int])]
  nonisolated(unsafe) private let connection: OpaquePointer
  private let path: String
  private let shared: Int32
  private let limit: Int32

  init(_ db: Database, _ statements: [(Statement, used: [Int])], shared: Int, limit: Int) {
    self.statements = statements.map { ($0.lentPointer, $1) }
    connection = db.connection.lentPointer
    (self.shared, self.limit) = (Int32(clamping: shared), Int32(clamping: limit))
    path = db.connection.path
  }

  /// Writes the rows with every statement. If one fails, the work of the earlier ones is rolled back.
  func write(_ rows: RowBuffer) throws(StorageError) {
    if rows.count == 0 { return }
    if statements.count == 1 { return try run(statements[0], rows) }
    try run("SAVEPOINT rows")
    do throws(StorageError) { for statement in statements { try run(statement, rows) } } catch {
      // If SQLite has rolled back the transaction, the savepoint is gone; the error gives the reason.
      if sqlite3_get_autocommit(connection) == 0 { try run("ROLLBACK TO rows; RELEASE rows") }
      throw error
    }
    try run("RELEASE rows")
  }

  private func run(_ statement: (pointer: OpaquePointer, used: [Int]), _ rows: RowBuffer) throws(StorageError) {
    let code = rows.bind(statement.pointer, from: shared + 1, statement.used) {
      sqlite3_bind_int64(statement.pointer, limit, Int64(rows.count))
      defer { sqlite3_reset(statement.pointer) }
      return sqlite3_step(statement.pointer)
    }
    if code != SQLITE_DONE { throw failure(code) }
  }

  private func run(_ sql: String) throws(StorageError) {
    let code = sqlite3_exec(connection, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code) }
  }

  private func failure(_ code: Int32) -> StorageError {
    .ofSQLite(code, String(cString: sqlite3_errmsg(connection)), path: path, operation: "writing rows")
  }
}
