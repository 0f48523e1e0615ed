// Statements with bytes as arguments, straight through SQLite: GRDB's blobs are Foundation's `Data`.
// Invariant: what is bound is copied by SQLite or outlives the statement's run.

import GRDB
import GRDBSQLite

/// An argument of a statement.
enum RawArgument {
  case integer(Int64)
  case number(Double)
  case text(String?)
  case bytes([UInt8]?)
}

extension Database {
  /// Runs a statement and gives each row to the body.
  func raw(_ sql: String, _ arguments: [RawArgument] = [], _ row: (OpaquePointer) throws -> Void = { _ in }) throws {
    let kept = try cachedStatement(sql: sql)
    let statement = kept.sqliteStatement
    sqlite3_reset(statement)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
      withExtendedLifetime(kept) {}
    }
    for (index, argument) in arguments.enumerated() { bind(statement, Int32(clamping: index + 1), argument) }
    while try step(statement) { try row(statement) }
  }

  private func bind(_ statement: OpaquePointer, _ index: Int32, _ argument: RawArgument) {
    // SQLITE_TRANSIENT, a macro that Swift cannot see: SQLite copies what is bound.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch argument {
    case .integer(let value): sqlite3_bind_int64(statement, index, value)
    case .number(let value): sqlite3_bind_double(statement, index, value)
    case .text(let text?): sqlite3_bind_text(statement, index, text, Int32(clamping: text.utf8.count), transient)
    case .bytes(let bytes?) where bytes.isEmpty: sqlite3_bind_zeroblob(statement, index, 0)
    case .bytes(let bytes?):
      _ = bytes.withUnsafeBytes {
        sqlite3_bind_blob(statement, index, $0.baseAddress, Int32(clamping: $0.count), transient)
      }
    case .text(nil), .bytes(nil): sqlite3_bind_null(statement, index)
    }
  }

  /// - Returns: false when there are no more rows.
  func step(_ statement: OpaquePointer) throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      throw DatabaseError(
        resultCode: ResultCode(rawValue: sqlite3_extended_errcode(sqliteConnection)),
        message: String(cString: sqlite3_errmsg(sqliteConnection)))
    }
  }
}

/// The text of a column, empty when it has none.
func rawText(_ statement: OpaquePointer, _ column: Int32) -> String {
  sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
}

/// The bytes of a column; nil for NULL.
func rawBytes(_ statement: OpaquePointer, _ column: Int32) -> [UInt8]? {
  guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
  let start = sqlite3_column_blob(statement, column)
  return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
}
