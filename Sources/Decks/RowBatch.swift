// Rows that are written by one statement many at a time: beginning and ending a statement is half of what SQLite does
// for a row.
// Invariant: rows that wait are written in their order, all or none of them; a failed write leaves them waiting. Texts
// are copied when they are bound.

public import GRDB
import GRDBSQLite

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

/// Rows on their way into a table.
///
///     let batch = try RowBatch(db, into: "tags (mod, name, count)", "?1, *", shared: 1, columns: 2)
///     batch.putShared(1, now)
///     batch.put(0, text: bytes)
///     batch.put(1, 12)
///     try batch.writeRow()
///     try batch.write()
public final class RowBatch: ColumnBinding {
  /// Rows of one statement: more of them gain little.
  static let rows = 16
  private static let room = 1 << 15

  private let kept: Statement
  private let statement: OpaquePointer
  private let connection: OpaquePointer?
  private let shared: Int
  private let columns: Int
  /// Rows that wait.
  public private(set) var count = 0
  /// Texts of waiting rows; longer ones are copied by SQLite.
  private let texts = UnsafeMutablePointer<UInt8>.allocate(capacity: RowBatch.room)
  private var used = 0
  private var hasCopies = false

  /// - Parameters:
  ///   - target: the table and its columns.
  ///   - values: what they are given: `*` for a row's own values, `?1` and so on for those that all rows share.
  ///   - shared: how many of the latter there are.
  ///   - columns: how many values a row has.
  ///   - replaces: whether a row takes the place of one that has its key.
  public init(
    _ db: Database, into target: String, _ values: String, shared: Int = 0, columns: Int, replaces: Bool = false
  ) throws {
    let row = "(" + Array(repeating: "?", count: columns).joined(separator: ", ") + ")"
    let all = Array(repeating: row, count: RowBatch.rows).joined(separator: ", ")
    let limit = shared + columns * RowBatch.rows + 1
    // The first `?` without a number comes after the highest number before it.
    kept = try db.makeStatement(
      sql: "INSERT \(replaces ? "OR REPLACE " : "")INTO \(target) SELECT \(values) FROM (VALUES \(all)) LIMIT ?\(limit)"
    )
    statement = kept.sqliteStatement
    connection = db.sqliteConnection
    (self.shared, self.columns) = (shared, columns)
  }

  deinit { texts.deallocate() }

  // MARK: Values

  /// A value that all rows share, until they are written. The first is 1.
  public func putShared(_ place: Int, _ value: Int64) { sqlite3_bind_int64(statement, Int32(clamping: place), value) }

  public func putShared(_ place: Int, _ value: Double) {
    sqlite3_bind_double(statement, Int32(clamping: place), value)
  }

  /// A column of the row that comes next. The first is 0.
  public func put(_ column: Int, _ value: Int64) { put(column, value, row: count) }

  /// A column of a row that waits.
  func put(_ column: Int, _ value: Int64, row: Int) { sqlite3_bind_int64(statement, place(column, row), value) }

  public func put(_ column: Int, _ value: Double?) {
    guard let value else { return putNull(column) }
    sqlite3_bind_double(statement, place(column, count), value)
  }

  private func putNull(_ column: Int) { sqlite3_bind_null(statement, place(column, count)) }

  public func put(_ column: Int, text: TextBytes) { put(column, text: text, row: count) }

  func put(_ column: Int, text: TextBytes, row: Int) {
    let place = place(column, row)
    guard let start = text.baseAddress, !text.isEmpty else {
      sqlite3_bind_text(statement, place, "", 0, nil)
      return
    }
    guard text.count <= RowBatch.room - used else {
      hasCopies = true
      // SQLITE_TRANSIENT, a macro that Swift cannot see: SQLite copies the text.
      let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      start.withMemoryRebound(to: CChar.self, capacity: text.count) {
        _ = sqlite3_bind_text(statement, place, $0, Int32(clamping: text.count), transient)
      }
      return
    }
    let copy = texts + used
    copy.update(from: start, count: text.count)
    used += text.count
    copy.withMemoryRebound(to: CChar.self, capacity: text.count) {
      _ = sqlite3_bind_text(statement, place, $0, Int32(clamping: text.count), nil)
    }
  }

  public func put(_ column: Int, text: String?) {
    guard var text else { return putNull(column) }
    text.withUTF8 { put(column, text: $0) }
  }

  private func place(_ column: Int, _ row: Int) -> Int32 { Int32(clamping: shared + row * columns + column + 1) }

  // MARK: Rows

  public var isFull: Bool { count == RowBatch.rows }

  /// The row whose columns were bound waits from now on. There must be room: see `isFull`.
  public func endRow() { count += 1 }

  /// The same; once there are enough, all are written.
  public func writeRow() throws {
    endRow()
    if isFull { try write() }
  }

  /// Writes the rows that wait.
  public func write() throws {
    if count == 0 { return }
    sqlite3_bind_int64(statement, Int32(clamping: shared + columns * RowBatch.rows + 1), Int64(count))
    let code = sqlite3_step(statement)
    guard code == SQLITE_DONE else {
      let message = String(cString: sqlite3_errmsg(connection))
      let extended = sqlite3_extended_errcode(connection)
      sqlite3_reset(statement)
      throw DatabaseError(resultCode: ResultCode(rawValue: extended), message: message)
    }
    sqlite3_reset(statement)
    forget()
  }

  /// Gives up the rows that wait.
  func forget() {
    if hasCopies { sqlite3_clear_bindings(statement) }
    (count, used, hasCopies) = (0, 0, false)
  }
}
