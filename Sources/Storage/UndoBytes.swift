// Encodes rows as bytes for the undo log, and decodes them.
// Invariant: decoding never goes beyond the given bytes; malformed bytes are an error, never a trap.

import CSQLite
import Values

/// The log of a step cannot be decoded.
struct UndoDamage: Error {}

/// Appends numbers and SQLite values.
struct UndoWriter {
  private(set) var bytes: [UInt8] = []
  var count: Int { bytes.count }

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func integer(_ value: Int64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends a number; small ones of either sign take few bytes: zigzag, seven bits a byte, the lowest first.
  mutating func short(_ value: Int64) {
    var rest = UInt64(bitPattern: value << 1) ^ UInt64(bitPattern: value >> 63)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func count(_ value: Int) {
    withUnsafeBytes(of: UInt32(clamping: value).littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func raw(_ value: some Collection<UInt8>) {
    count(value.count)
    bytes.append(contentsOf: value)
  }

  mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  mutating func setCount(_ value: Int, at place: Int) {
    withUnsafeBytes(of: UInt32(clamping: value).littleEndian) {
      for (index, byte) in $0.enumerated() { bytes[place + index] = byte }
    }
  }

  mutating func truncate(to count: Int) { bytes.removeLast(bytes.count - count) }

  /// Appends an SQLite value, preceded by its type.
  mutating func value(_ value: OpaquePointer?) {
    let type = value.map { sqlite3_value_type($0) } ?? SQLITE_NULL
    byte(UInt8(clamping: type))
    switch type {
    case SQLITE_INTEGER: short(sqlite3_value_int64(value))
    case SQLITE_FLOAT: integer(Int64(bitPattern: sqlite3_value_double(value).bitPattern))
    case SQLITE_TEXT:
      let start = sqlite3_value_text(value)
      raw(UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value))))
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(value)
      raw(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value))))
    default: break
    }
  }
}

/// Decodes what `UndoWriter` wrote, without copying the bytes.
struct UndoReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var place: Int
  let end: Int

  init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>? = nil) {
    self.bytes = bytes
    place = range?.lowerBound ?? 0
    end = range?.upperBound ?? bytes.count
  }

  var isAtEnd: Bool { place >= end }

  private mutating func take(_ count: Int) throws -> Range<Int> {
    guard count >= 0, end - place >= count else { throw UndoDamage() }
    defer { place += count }
    return place..<place + count
  }

  mutating func byte() throws -> UInt8 { bytes[try take(1).lowerBound] }

  mutating func integer() throws -> Int64 {
    Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: try take(8).lowerBound, as: Int64.self))
  }

  mutating func short() throws -> Int64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      let next = try byte()
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
    }
    throw UndoDamage()
  }

  mutating func count() throws -> Int {
    Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: try take(4).lowerBound, as: UInt32.self)))
  }

  mutating func raw() throws -> Range<Int> { try take(count()) }

  mutating func text() throws -> String { String(decoding: bytes[try raw()], as: UTF8.self) }

  /// Binds the next value in place; the bytes must stay valid until the statement has run.
  mutating func bind(_ statement: Statement, _ index: Int) throws {
    let index = Int32(clamping: index)
    switch Int32(try byte()) {
    case SQLITE_INTEGER: statement.bind(index, try short())
    case SQLITE_FLOAT: statement.bind(index, Double(bitPattern: UInt64(bitPattern: try integer())))
    case SQLITE_TEXT:
      UnsafeRawBufferPointer(rebasing: bytes[try raw()]).withMemoryRebound(to: UInt8.self) {
        statement.bind(index, inPlace: $0)
      }
    case SQLITE_BLOB: statement.bind(index, inPlace: UnsafeRawBufferPointer(rebasing: bytes[try raw()]))
    default: statement.bindNull(index)
    }
  }

  /// Returns the next value; for a blob, a text with its size.
  mutating func value() throws -> Value {
    switch Int32(try byte()) {
    case SQLITE_INTEGER: .integer(Int(try short()))
    case SQLITE_FLOAT: .number(Double(bitPattern: UInt64(bitPattern: try integer())))
    case SQLITE_TEXT: .text(try text())
    case SQLITE_BLOB: .text("\(try raw().count) bytes")
    default: .null
    }
  }

  mutating func skipValue() throws {
    switch Int32(try byte()) {
    case SQLITE_INTEGER: _ = try short()
    case SQLITE_FLOAT: _ = try take(8)
    case SQLITE_TEXT, SQLITE_BLOB: _ = try raw()
    default: break
    }
  }
}
