// Records as text: `KEY TAB JSON LF`, or JSON alone; in a key, tab, line feed, carriage return and backslash are
// written as `\t \n \r \\`. Invariant: what is written reads back as the same key and value; each record is one line.

import LuaRuntime
import Values

/// What is escaped in a key, with the letter after the backslash.
private let escapes: [(byte: UInt8, letter: UInt8)] = [
  (0x09, UInt8(ascii: "t")), (0x0A, UInt8(ascii: "n")), (0x0D, UInt8(ascii: "r")), (0x5C, 0x5C),
]

/// Writes records into bytes, which the caller reads after each.
struct RecordWriter {
  private(set) var bytes: [UInt8] = []

  mutating func begin() { bytes.removeAll(keepingCapacity: true) }

  mutating func add(key: UnsafeBufferPointer<UInt8>) {
    if key.contains(where: { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D || $0 == 0x5C }) {
      for byte in key { bytes += escapes.first { $0.byte == byte }.map { [0x5C, $0.letter] } ?? [byte] }
    } else {
      bytes.append(contentsOf: key)
    }
    bytes.append(0x09)
  }

  /// Adds the value at an index of the stack, and a line feed.
  /// - Throws: `LuaFailure` for what JSON cannot represent.
  mutating func add(value index: Int, of stack: borrowing LuaStack) throws {
    if stack.kind(index) == .number, let number = stack.wholeNumber(index) {
      bytes.append(contentsOf: String(number).utf8)
    } else {
      guard let value = try stack.value(index).plain else {
        throw LuaFailure.message(
          "emit: a value that JSON can represent expected "
            + "(numbers that are finite, text in UTF-8, booleans, tables of these), got \(stack.typeName(index))")
      }
      var writer = JSONWriter(.compact)
      writer.write(value)
      bytes.append(contentsOf: writer.bytes)
    }
    bytes.append(0x0A)
  }
}

struct RecordText {
  /// The key and the tab after it, which `sort` compares as parts of the line.
  let key: UnsafeRawBufferPointer
  let json: UnsafeRawBufferPointer

  /// Fails for a line without a tab.
  init?(_ line: UnsafeRawBufferPointer) {
    guard let tab = line.firstIndex(of: 0x09) else { return nil }
    key = UnsafeRawBufferPointer(rebasing: line[...tab])
    json = UnsafeRawBufferPointer(rebasing: line[(tab + 1)...])
  }

  /// Returns the original key of an escaped one; nil for a backslash that begins no escape.
  static func plain(_ key: [UInt8]) -> [UInt8]? {
    guard key.contains(0x5C) else { return key }
    var plain: [UInt8] = []
    var index = 0
    while index < key.count {
      guard key[index] == 0x5C else {
        plain.append(key[index])
        index += 1
        continue
      }
      let letter = index + 1 < key.count ? key[index + 1] : 0
      guard let escape = escapes.first(where: { $0.letter == letter }) else { return nil }
      plain.append(escape.byte)
      index += 2
    }
    return plain
  }

  /// Parses a whole number of at most 15 digits, the most common value; nil for any other JSON.
  static func wholeNumber(_ json: UnsafeRawBufferPointer) -> Int? {
    guard let first = json.first, json.count <= 15, first != UInt8(ascii: "0") || json.count == 1 else { return nil }
    var number = 0
    for byte in json {
      guard byte &- 0x30 < 10 else { return nil }
      number = number * 10 + Int(byte - 0x30)
    }
    return number
  }
}
