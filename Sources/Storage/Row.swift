// The current row of a statement, read directly from SQLite. Invariant: no value in a row can trap. A damaged or forged
// file may hold a value of another type than the caller asks for; SQLite converts it.

import CSQLite
public import Values

/// A row, valid until its statement advances. Columns are addressed by index, from 0, or by name.
public struct Row {
  let statement: OpaquePointer

  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  public func count(_ column: Int32) -> Int { Int(clamping: integer(column)) }

  public func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  public func number(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

  public func optionalNumber(_ column: Int32) -> Double? { isNull(column) ? nil : number(column) }

  /// Bytes that are not UTF-8 are replaced.
  public func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  public func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// The bytes of a text, not copied, valid until the statement advances.
  public func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    guard let start = sqlite3_column_text(statement, column) else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
  }

  /// The bytes of a blob, not copied, valid until the statement advances; empty for another type of value.
  public func blob(_ column: Int32) -> UnsafeRawBufferPointer {
    guard sqlite3_column_type(statement, column) == SQLITE_BLOB else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(
      start: sqlite3_column_blob(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
  }

  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  /// A value as it is stored; for a blob, a text with its size.
  public func value(_ column: Int32) -> Value {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(Int(integer(column)))
    case SQLITE_FLOAT: .number(number(column))
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .text("\(sqlite3_column_bytes(statement, column)) bytes")
    default: .null
    }
  }

  public var values: [Value] { (0..<sqlite3_column_count(statement)).map(value) }

  public var names: [String] {
    (0..<sqlite3_column_count(statement)).map { sqlite3_column_name(statement, $0).map { String(cString: $0) } ?? "" }
  }

  /// The value of a column by its name; null if there is no such column.
  public subscript(_ name: String) -> Value {
    let column = names.firstIndex(of: name).map { Int32($0) }
    return column.map(value) ?? .null
  }
}
