// Reading rows straight from SQLite.
// Invariant: no value in a row can trap. GRDB's rows do on one of another type than asked for, which a damaged or
// forged file may hold; here SQLite converts it.

public import GRDB
import GRDBSQLite

/// The row that a statement stands on.
///
///     let names = try db.rows("SELECT name FROM decks") { $0.text(0) }
public struct Columns {
  let statement: OpaquePointer

  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  public func count(_ column: Int32) -> Int { Int(clamping: integer(column)) }

  public func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  public func number(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

  public func optionalNumber(_ column: Int32) -> Double? { isNull(column) ? nil : number(column) }

  /// Bytes that are not UTF-8 are replaced.
  public func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  public func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// A text's bytes in place, good until the statement goes on.
  public func bytes(_ column: Int32) -> TextBytes {
    guard let start = sqlite3_column_text(statement, column) else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
  }

  /// The bytes of a blob in place, good until the statement goes on; nothing for another kind of value.
  public func blob(_ column: Int32) -> UnsafeRawBufferPointer {
    guard sqlite3_column_type(statement, column) == SQLITE_BLOB else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(
      start: sqlite3_column_blob(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
  }

  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
}

extension Database {
  /// Every row of a query. The body must not run the same query again.
  public func rows<T>(_ sql: String, _ arguments: StatementArguments = [], _ read: (Columns) throws -> T) throws -> [T]
  {
    var found: [T] = []
    try forEachRow(sql, arguments) { found.append(try read($0)) }
    return found
  }

  /// The first row of a query.
  public func firstRow<T>(_ sql: String, _ arguments: StatementArguments = [], _ read: (Columns) throws -> T) throws
    -> T?
  {
    let statement = try cachedStatement(sql: sql)
    try statement.setArguments(arguments)
    defer { sqlite3_reset(statement.sqliteStatement) }
    return try step(statement.sqliteStatement) ? try read(Columns(statement: statement.sqliteStatement)) : nil
  }

  public func forEachRow(
    _ sql: String, while goesOn: () -> Bool = { true }, _ arguments: StatementArguments = [],
    _ body: (Columns) throws -> Void
  ) throws {
    try forEachRow(of: cachedStatement(sql: sql), while: goesOn, arguments, body)
  }

  /// The same of a statement that is not kept: what a user asks for is another one each time.
  func forEachRow(
    of statement: Statement, while goesOn: () -> Bool = { true }, _ arguments: StatementArguments = [],
    _ body: (Columns) throws -> Void
  ) throws {
    try statement.setArguments(arguments)
    defer { sqlite3_reset(statement.sqliteStatement) }
    while goesOn(), try step(statement.sqliteStatement) { try body(Columns(statement: statement.sqliteStatement)) }
  }

  /// - Returns: false when there are no more rows.
  private func step(_ statement: OpaquePointer) throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(sqliteConnection)))
    }
  }
}
