// Rows that are written by one statement many at a time, because beginning and ending a statement is half of what
// SQLite does for a row; and by a second thread, while the first makes more of them.
// Invariant: rows are written in their order, those of one statement all or none; those that are not written wait. The
// database is used by nobody else while rows are under way: whoever wants to calls `settle` or `write` before.

public import GRDB
import GRDBSQLite
public import Storage

/// A row whose columns are given their values; the first is 0.
///
///     target.put(0, 12)
///     target.put(1, text: "animal")
public protocol ColumnBinding {
  func put(_ column: Int, _ value: Int64)
  func put(_ column: Int, _ value: Double?)
  func put(_ column: Int, text: String?)
  func put(_ column: Int, text: TextBytes)
}

extension RepeatedStatement: ColumnBinding {
  public func put(_ column: Int, _ value: Int64) { bind(Int32(clamping: column + 1), value) }
  public func put(_ column: Int, _ value: Double?) { bind(Int32(clamping: column + 1), value) }
  public func put(_ column: Int, text: String?) { bind(Int32(clamping: column + 1), text) }
  /// The bytes stay the caller's until `run`.
  public func put(_ column: Int, text: TextBytes) { bind(Int32(clamping: column + 1), inPlace: text) }
}

/// Rows on their way into a table, or each into several.
///
///     let batch = try RowBatch(db, into: "tags (mod, name, count)", "?1, *", shared: 1, columns: 2)
///     batch.putShared(1, now)
///     batch.put(0, text: bytes)
///     batch.put(1, 12)
///     try batch.writeRow()
///     try batch.write()
public final class RowBatch: ColumnBinding {
  /// Rows of one statement: more of them gain little.
  static let rows = 64
  /// Rows under way are at most so many times as many, those of other batches of the lane counted in.
  static let ahead = 6

  private let target: Target
  private let columns: Int
  private let lane: WorkLane?
  private var filling: RowBuffer
  /// Rows that were handed over, in their order. None is reused before it is known to be written.
  private var handed: [RowBuffer] = []
  private var empty: [RowBuffer] = []
  /// Whether the second thread may be at work for this batch.
  private(set) var isUnderWay = false

  /// A table that each row goes into.
  public struct Part: Sendable {
    /// The table and its columns.
    let target: String
    /// What they are given: `*` for a row's own values, or `column1` and so on for some of them; `?1` and so on for
    /// those that all rows share.
    let values: String

    public init(into target: String, _ values: String) { (self.target, self.values) = (target, values) }
  }

  /// The statements, for whichever thread writes.
  private final class Target {
    private let kept: [Statement]
    private let connection: OpaquePointer?
    private let shared: Int
    private let limit: Int32
    let statements: [OpaquePointer]

    init(_ db: Database, _ sql: [String], shared: Int, limit: Int) throws {
      kept = try sql.map { try db.makeStatement(sql: $0) }
      (statements, connection) = (kept.map(\.sqliteStatement), db.sqliteConnection)
      (self.shared, self.limit) = (shared, Int32(clamping: limit))
    }

    func write(_ rows: RowBuffer) throws {
      if rows.count == 0 { return }
      if statements.count == 1 { try run(statements[0], rows) } else { try runAll(rows) }
      rows.isWritten = true
    }

    private func run(_ statement: OpaquePointer, _ rows: RowBuffer) throws {
      rows.bind(statement, from: Int32(clamping: shared + 1))
      sqlite3_bind_int64(statement, limit, Int64(rows.count))
      defer { sqlite3_reset(statement) }
      guard sqlite3_step(statement) == SQLITE_DONE else { throw failure(connection) }
    }

    /// Where one statement fails, what those before it did is taken back.
    private func runAll(_ rows: RowBuffer) throws {
      try execute("SAVEPOINT rows")
      do { for statement in statements { try run(statement, rows) } } catch {
        // Where SQLite has taken the transaction back there is nothing to go back to: the error says why.
        if sqlite3_get_autocommit(connection) == 0 { try execute("ROLLBACK TO rows; RELEASE rows") }
        throw error
      }
      try execute("RELEASE rows")
    }

    private func execute(_ sql: StaticString) throws {
      let result = sql.utf8Start.withMemoryRebound(to: CChar.self, capacity: sql.utf8CodeUnitCount + 1) {
        sqlite3_exec(connection, $0, nil, nil, nil)
      }
      guard result == SQLITE_OK else { throw failure(connection) }
    }
  }

  /// - Parameters:
  ///   - target: the table and its columns.
  ///   - values: what they are given: see `Part.values`.
  ///   - shared: how many values all rows share.
  ///   - columns: how many values a row has.
  ///   - replaces: whether a row takes the place of one that has its key.
  ///   - lane: writes full batches meanwhile; batches of one database share one. Nil: all is written here.
  public convenience init(
    _ db: Database, into target: String, _ values: String, shared: Int = 0, columns: Int, replaces: Bool = false,
    lane: WorkLane? = nil
  ) throws {
    try self.init(
      db, [Part(into: target, values)], shared: shared, columns: columns, replaces: replaces, lane: lane)
  }

  /// Rows that each go into several tables, in their order; those of one statement into all of them or none.
  public init(
    _ db: Database, _ parts: [Part], shared: Int = 0, columns: Int, replaces: Bool = false, lane: WorkLane? = nil
  ) throws {
    let all = (0..<RowBatch.rows).map { row in
      "(" + (1...columns).map { "?\(shared + row * columns + $0)" }.joined(separator: ", ") + ")"
    }.joined(separator: ", ")
    let limit = shared + columns * RowBatch.rows + 1
    let verb = replaces ? "INSERT OR REPLACE" : "INSERT"
    let sql = parts.map { "\(verb) INTO \($0.target) SELECT \($0.values) FROM (VALUES \(all)) LIMIT ?\(limit)" }
    target = try Target(db, sql, shared: shared, limit: limit)
    (self.columns, self.lane) = (columns, lane)
    filling = RowBuffer(rows: RowBatch.rows, columns: columns)
  }

  deinit { drain() }

  /// A second thread for the batches of a database.
  public static func makeLane() -> WorkLane { WorkLane(ahead: ahead) }

  // MARK: Values

  /// A value that all rows share, given before the first of them. The first is 1.
  public func putShared(_ place: Int, _ value: Int64) {
    for statement in target.statements { sqlite3_bind_int64(statement, Int32(clamping: place), value) }
  }

  public func putShared(_ place: Int, _ value: Double) {
    for statement in target.statements { sqlite3_bind_double(statement, Int32(clamping: place), value) }
  }

  /// A column of the row that comes next. The first is 0.
  public func put(_ column: Int, _ value: Int64) { filling.put(column, value, row: filling.count) }

  public func put(_ column: Int, _ value: Double?) { filling.put(column, value, row: filling.count) }

  public func put(_ column: Int, text: TextBytes) { filling.put(column, text: text, row: filling.count) }

  public func put(_ column: Int, text: String?) {
    guard var text else { return filling.putNull(column, row: filling.count) }
    text.withUTF8 { put(column, text: $0) }
  }

  // MARK: Rows

  public var isFull: Bool { filling.isFull }

  /// The row whose columns were put waits from now on. There must be room: see `isFull`.
  public func endRow() { filling.endRow() }

  /// The same; once there are enough, all are handed over.
  public func writeRow() throws {
    endRow()
    if isFull { try handOver() }
  }

  /// Rows that are not written, once none is under way.
  var waitingCount: Int {
    drain()
    return handed.reduce(filling.count) { $0 + ($1.isWritten ? 0 : $1.count) }
  }

  /// The rows that were not handed over.
  var fillingRows: RowBuffer { filling }

  /// The rows that are not written, in their order, when none is under way.
  var waitingRows: [RowBuffer] { handed.filter { !$0.isWritten } + [filling] }

  /// Has the rows that wait written meanwhile.
  public func handOver() throws {
    guard let lane else { return try write() }
    if filling.count == 0 { return }
    let (rows, target) = (filling, self.target)
    isUnderWay = true
    guard try lane.add({ try target.write(rows) }) else { return try settle() }
    handed.append(rows)
    // All but the last of what the lane was given is done.
    while handed.count > RowBatch.ahead + 1, handed[0].isWritten { reuse(handed.removeFirst()) }
    filling = empty.popLast() ?? RowBuffer(rows: RowBatch.rows, columns: columns)
  }

  private func reuse(_ rows: RowBuffer) {
    rows.forget()
    empty.append(rows)
  }

  /// Waits until nothing is being written, by other batches of the lane either; a failure stays to be told by `settle`.
  func drain() { lane?.drain() }

  /// Waits until what was handed over is written, of other batches of the lane too: they use the same database. Rows
  /// that failed, and those after them, wait.
  public func settle() throws {
    guard let lane else { return }
    defer {
      handed.filter(\.isWritten).forEach(reuse)
      handed.removeAll { $0.count == 0 }
    }
    isUnderWay = false
    try lane.wait()
  }

  /// Writes the rows that wait.
  public func write() throws {
    try settle()
    while let rows = handed.first {
      try target.write(rows)
      reuse(handed.removeFirst())
    }
    try target.write(filling)
    filling.forget()
  }

  /// Gives up the rows that wait.
  func forget() {
    drain()
    handed.forEach(reuse)
    handed.removeAll()
    filling.forget()
  }
}
