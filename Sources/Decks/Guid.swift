// The identity of a card across collections and files.
// Invariant: a generated guid is 64 random bits as 11 letters and digits, and no note has it yet. Cards that are
// added one after the other get consecutive guids, so that an index of a million entries is written in order.

import Storage

enum Guid {
  static let length = 11
  private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// Writes 64 bits in base 62, the highest digit first; 62^11 is more than 2^64.
  static func write(_ bits: UInt64, into bytes: UnsafeMutableBufferPointer<UInt8>) {
    var rest = bits
    for index in bytes.indices.reversed() {
      bytes[index] = digits[Int(rest % 62)]
      rest /= 62
    }
  }

  /// Whether no note has any of `count` consecutive guids. Guids sort as texts in the order of their bits.
  static func areFree(_ db: Database, from first: UInt64, count: Int) throws -> Bool {
    let (last, overflow) = first.addingReportingOverflow(UInt64(count) - 1)
    if overflow { return false }
    func guid(_ bits: UInt64) -> String {
      String(unsafeUninitializedCapacity: length) {
        write(bits, into: UnsafeMutableBufferPointer(rebasing: $0[..<length]))
        return length
      }
    }
    let sql = "SELECT 1 FROM notes WHERE guid BETWEEN ? AND ? LIMIT 1"
    return try db.firstRow(sql, [guid(first), guid(last)]) { _ in false } ?? true
  }

  /// Splits the guid of a card like `x/2` into the guid of its note and the card's number less 1; nil for other
  /// guids.
  static func parts(_ guid: String) -> (note: String, ordinal: Int)? {
    guard let slash = guid.lastIndex(of: "/"), case let number = guid[guid.index(after: slash)...],
      let place = Int(number), place > 1, String(place) == number
    else { return nil }
    return (String(guid[..<slash]), place - 1)
  }

  /// Trims and checks a given guid; returns nil if it is empty, so that one has to be generated.
  static func cleaned(_ bytes: TextBytes) throws(DeckError) -> TextBytes? {
    let guid = try CardText.cleaned(bytes, "guid")
    if guid.count > 200 {
      throw .badGuid(guid: String(decoding: guid, as: UTF8.self), reason: "must have at most 200 bytes")
    }
    for byte in guid where byte < 0x20 || byte == 0x7F {
      throw .badGuid(guid: String(decoding: guid, as: UTF8.self), reason: "must not contain control characters")
    }
    return guid.isEmpty ? nil : guid
  }
}
