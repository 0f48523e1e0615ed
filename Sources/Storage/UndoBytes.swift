// Encodes rows as bytes for the undo log, and decodes them, by the reader and the writer of frames.
// Invariant: decoding never goes beyond the given bytes; malformed bytes are an error (`WireError`), never a trap.

import CSQLite
import Values
import Wire

extension WireWriter {
  /// Appends a number; small ones of either sign take few bytes: zigzag, seven bits a byte, the lowest first.
  mutating func short(_ value: Int64) {
    var rest = UInt64(bitPattern: value << 1) ^ UInt64(bitPattern: value >> 63)
    while rest >= 0x80 {
      byte(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    byte(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends an SQLite value, preceded by its type.
  mutating func value(_ value: OpaquePointer?) {
    let type = value.map { sqlite3_value_type($0) } ?? SQLITE_NULL
    byte(UInt8(clamping: type))
    switch type {
    case SQLITE_INTEGER: short(sqlite3_value_int64(value))
    case SQLITE_FLOAT: number(sqlite3_value_double(value))
    case SQLITE_TEXT: data(sqlite3_value_text(value).map { UnsafeRawPointer($0) }, of: value)
    case SQLITE_BLOB: data(sqlite3_value_blob(value), of: value)
    default: break
    }
  }

  private mutating func data(_ start: UnsafeRawPointer?, of value: OpaquePointer?) {
    data(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value))))
  }
}

extension WireReader {
  mutating func short() throws(WireError) -> Int64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      let next = try byte()
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
    }
    throw WireError()
  }

  /// Binds the next value in place; the bytes must stay valid until the statement has run.
  mutating func bind(_ statement: Statement, _ index: Int) throws(WireError) {
    let index = Int32(clamping: index)
    switch Int32(try byte()) {
    case SQLITE_INTEGER: statement.bind(index, try short())
    case SQLITE_FLOAT: statement.bind(index, try number())
    case SQLITE_TEXT: statement.bind(index, inPlace: try data())
    case SQLITE_BLOB: statement.bind(index, inPlace: UnsafeRawBufferPointer(try data()))
    default: statement.bindNull(index)
    }
  }

  /// Returns the next value; for a blob, a text with its size.
  mutating func value() throws(WireError) -> Value {
    switch Int32(try byte()) {
    case SQLITE_INTEGER: .integer(Int(try short()))
    case SQLITE_FLOAT: .number(try number())
    case SQLITE_TEXT: .text(try text())
    case SQLITE_BLOB: .text("\(try data().count) bytes")
    default: .null
    }
  }

  mutating func skipValue() throws(WireError) {
    switch Int32(try byte()) {
    case SQLITE_INTEGER: _ = try short()
    case SQLITE_FLOAT: _ = try number()
    case SQLITE_TEXT, SQLITE_BLOB: _ = try data()
    default: break
    }
  }
}
