// Writes values as JSON (RFC 8259), whole or in pieces, into a buffer that the caller may empty at any time. Invariant:
// the same value always gives the same bytes, and reading them gives the same value; memory holds only bytes not taken.

import Text

public struct JSONWriter {
  public enum Layout: Sendable {
    /// One line, for programs and terminals: `{"a": [1, 2]}`. Characters that a terminal could act on are escaped.
    case line
    /// Like `line`, without spaces: `{"a":[1,2]}`.
    case compact
    /// For files that are compared: names sorted, indentation by two spaces, a list of plain numbers on one line.
    case file
    /// As Python writes a file with sorted names and an indentation of four: each element of a list on its own line.
    case python

    fileprivate var indentation: Int? { self == .file ? 2 : self == .python ? 4 : nil }
  }

  /// The bytes written and not yet taken.
  public private(set) var bytes: [UInt8] = []
  private let layout: Layout
  /// The maximum depth; deeper values are written as null.
  private let deepest: Int
  /// Whether a comma is needed before the next name or value.
  private var isAfterValue = false
  private var isAfterName = false
  /// Whether the open list has only numbers, and the layout writes such a list on one line.
  private var isOnOneLine = false
  /// How many records and lists are open.
  private var depth = 0

  public init(_ layout: Layout, deepest: Int = .max) { (self.layout, self.deepest) = (layout, deepest) }

  /// The text of a value in the layout for files, with a final line end.
  public static func bytes(of value: Value) -> [UInt8] {
    var writer = JSONWriter(.file)
    writer.bytes.reserveCapacity(1024)
    writer.write(value)
    writer.add("\n")
    return writer.bytes
  }

  public static func text(of value: Value) -> String { String(decoding: bytes(of: value), as: UTF8.self) }

  /// Returns the bytes written so far and clears them.
  public mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  /// Moves the bytes written so far to the end of another buffer.
  public mutating func take(into others: inout [UInt8]) {
    others.append(contentsOf: bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  /// A position that `rewind` can return to.
  public struct Mark {
    fileprivate let count: Int
    fileprivate let depth: Int
    fileprivate let isAfterValue: Bool
  }

  /// The current end of the output; valid until bytes are taken.
  public var mark: Mark { Mark(count: bytes.count, depth: depth, isAfterValue: isAfterValue) }

  /// Removes what was written after the mark.
  public mutating func rewind(to mark: Mark) {
    bytes.removeLast(bytes.count - mark.count)
    (isAfterValue, depth) = (mark.isAfterValue, mark.depth)
  }

  /// Writes a value where one is expected: the whole text, or an element of an open list.
  public mutating func write(_ value: Value) {
    guard depth < deepest else { return write(json: "null") }
    switch value {
    case .null: write(json: "null")
    case .boolean(let flag): write(json: flag ? "true" : "false")
    case .integer(let number): write(json: String(number))
    case .number(let number): write(json: number.text)
    case .text(let text): write(text)
    case .list(let values):
      beginList()
      isOnOneLine = layout == .file && values.allSatisfy(\.isNumeric)
      for value in values { write(value) }
      endList()
      isOnOneLine = false
    case .record(let record):
      beginRecord()
      for field in layout.indentation == nil ? record.fields : record.sortedFields {
        name(field.name)
        write(field.value)
      }
      endRecord()
    }
  }

  public mutating func write(_ text: String) {
    separate()
    add(quoted: text)
  }

  /// Writes a text given as bytes; invalid UTF-8 is replaced.
  public mutating func write(_ text: UnsafeBufferPointer<UInt8>) {
    guard text.isPlainASCII else { return write(String(decoding: text, as: UTF8.self)) }
    separate()
    bytes.append(UInt8(ascii: "\""))
    add(escaped: text)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a value that is already JSON.
  public mutating func write(json: String) {
    separate()
    add(json)
  }

  /// Writes the name of the next value in an open record.
  public mutating func name(_ name: String) {
    separate()
    add(quoted: name)
    add(layout == .compact ? ":" : ": ")
    (isAfterValue, isAfterName) = (false, true)
  }

  public mutating func field(_ name: String, _ text: String) {
    self.name(name)
    write(text)
  }

  public mutating func beginRecord() { begin("{") }
  public mutating func endRecord() { end("}") }
  public mutating func beginList() { begin("[") }
  public mutating func endList() { end("]") }

  public mutating func endLine() {
    add("\n")
    isAfterValue = false
  }

  private mutating func begin(_ bracket: String) {
    separate()
    add(bracket)
    isAfterValue = false
    depth += 1
  }

  private mutating func end(_ bracket: String) {
    depth -= 1
    if isAfterValue { breakLine() }
    add(bracket)
    isAfterValue = true
  }

  private mutating func separate() {
    if isAfterValue { add(layout == .line || isOnOneLine ? ", " : ",") }
    if depth > 0, !isAfterName { breakLine() }
    (isAfterValue, isAfterName) = (true, false)
  }

  private mutating func breakLine() {
    guard !isOnOneLine, let indentation = layout.indentation else { return }
    bytes.append(0x0A)
    bytes.append(contentsOf: repeatElement(0x20, count: depth * indentation))
  }

  private mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func add(quoted text: String) {
    var text = text
    bytes.append(UInt8(ascii: "\""))
    text.withUTF8 { add(escaped: $0) }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Copies runs of bytes that need no escape.
  private mutating func add(escaped text: UnsafeBufferPointer<UInt8>) {
    var start = 0
    var place = 0
    while place < text.count {
      let length = escapedLength(text, at: place)
      if length == 0 {
        place += 1
        continue
      }
      bytes.append(contentsOf: text[start..<place])
      addEscape(text[place..<place + length])
      place += length
      start = place
    }
    bytes.append(contentsOf: text[start...])
  }

  /// Returns the length in bytes of a character that must be escaped; 0 for one that must not.
  private func escapedLength(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Int {
    let byte = text[place]
    if byte < 0x80 { return isPlainInJSON(byte) && byte != 0x7F ? 0 : 1 }
    guard layout.indentation == nil, byte == 0xC2 || byte == 0xE2 else { return 0 }
    // U+0080 to U+009F.
    if byte == 0xC2 { return place + 1 < text.count && text[place + 1] < 0xA0 ? 2 : 0 }
    guard place + 2 < text.count else { return 0 }
    switch (text[place + 1], text[place + 2]) {
    // U+2028 to U+202E, U+2066 to U+2069: line separators and bidirectional control characters.
    case (0x80, 0xA8...0xAE), (0x81, 0xA6...0xA9): return 3
    default: return 0
    }
  }

  private mutating func addEscape(_ character: Slice<UnsafeBufferPointer<UInt8>>) {
    switch character.first {
    case UInt8(ascii: "\""): add("\\\"")
    case UInt8(ascii: "\\"): add("\\\\")
    case 0x0A: add("\\n")
    case 0x0D: add("\\r")
    case 0x09: add("\\t")
    default:
      for scalar in String(decoding: character, as: UTF8.self).unicodeScalars {
        let hex = String(scalar.value, radix: 16)
        add("\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
      }
    }
  }
}

extension Value {
  /// The value as one line of JSON.
  public var json: String { json(deepest: .max) }

  /// Returns the value as JSON; values deeper than `deepest` are written as null.
  public func json(_ layout: JSONWriter.Layout = .line, deepest: Int = .max) -> String {
    var writer = JSONWriter(layout, deepest: deepest)
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
