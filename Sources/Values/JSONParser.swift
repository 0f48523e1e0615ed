// Parses a JSON text (RFC 8259) into a value, within limits, and reports where it is wrong.
// Invariant: work and memory are proportional to the text's length; no input can trap, and an accepted text is
// represented completely. The fields of each record are sorted by name, unless their order is asked for.

import Text

/// Parses one text. An instance is used for one `parse`.
public struct JSONParser {
  private var reader: JSONReader<JSONBytes>
  private let limits: JSONLimits
  private let keepsLast: Bool
  private let keepsOrder: Bool
  private var values = 0

  /// - Parameter keepsLast: whether the last of several fields with the same name counts, as for most other programs;
  ///   otherwise such a record is an error.
  /// - Parameter keepsOrder: whether the fields of a record stay in their order.
  public static func parse(
    _ bytes: [UInt8], limits: JSONLimits, keepsLast: Bool = false, keepsOrder: Bool = false
  ) throws(JSONFailure) -> Value {
    guard bytes.count <= limits.bytes else {
      throw JSONFailure(reason: .tooLong(limit: limits.bytes), line: 1, column: 1)
    }
    var parser = JSONParser(bytes, limits, keepsLast: keepsLast, keepsOrder: keepsOrder)
    let value = try parser.value(depth: 0)
    try parser.reader.skipBlanks()
    guard parser.reader.source.next == nil else { throw try parser.reader.expected("the end of the file") }
    return value
  }

  private init(_ bytes: [UInt8], _ limits: JSONLimits, keepsLast: Bool, keepsOrder: Bool) {
    (self.limits, self.keepsLast, self.keepsOrder) = (limits, keepsLast, keepsOrder)
    reader = JSONReader(JSONBytes(bytes), rowLimit: limits.bytes)
  }

  private mutating func value(depth: Int) throws(JSONFailure) -> Value {
    try reader.skipBlanks()
    values += 1
    guard values <= limits.values else { throw reader.source.failure(.tooMany(limit: limits.values)) }
    switch reader.source.next {
    case UInt8(ascii: "{"): return .record(try record(depth: depth + 1))
    case UInt8(ascii: "["): return .list(try list(depth: depth + 1))
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): return try number()
    default: throw try reader.expected("a value")
    }
  }

  private mutating func word(_ word: String, _ value: Value) throws(JSONFailure) -> Value {
    try reader.word(word)
    return value
  }

  private mutating func enter(depth: Int) throws(JSONFailure) {
    guard depth <= limits.depth else { throw reader.source.failure(.tooDeep(limit: limits.depth)) }
    reader.source.skip()
  }

  private mutating func list(depth: Int) throws(JSONFailure) -> [Value] {
    try enter(depth: depth)
    var list: [Value] = []
    if try reader.isEmpty(until: UInt8(ascii: "]")) { return list }
    repeat { list.append(try value(depth: depth)) } while try reader.hasNext(until: UInt8(ascii: "]"))
    return list
  }

  private mutating func record(depth: Int) throws(JSONFailure) -> Value.Record {
    try enter(depth: depth)
    var fields: [Value.Record.Field] = []
    if try reader.isEmpty(until: UInt8(ascii: "}")) { return Value.Record() }
    repeat {
      try reader.beginName()
      let name = try text()
      try reader.expect(UInt8(ascii: ":"))
      fields.append(Value.Record.Field(name: name, value: try value(depth: depth)))
    } while try reader.hasNext(until: UInt8(ascii: "}"))
    return try sorted(fields)
  }

  private mutating func sorted(_ fields: [Value.Record.Field]) throws(JSONFailure) -> Value.Record {
    let isSorted = fields.indices.dropFirst().allSatisfy { Value.Record.inOrder(fields[$0 - 1].name, fields[$0].name) }
    let sorted = isSorted ? fields : fields.sorted { Value.Record.inOrder($0.name, $1.name) }
    // Over indices: pairs from `zip` are generic types, whose metadata would be made at program start.
    var hasTwins = false
    for index in sorted.indices.dropFirst() where sorted[index].name.utf8.elementsEqual(sorted[index - 1].name.utf8) {
      // The error is at the closing brace.
      guard keepsLast else { throw reader.source.failure(.keyTwice(sorted[index].name), at: reader.source.offset - 1) }
      hasTwins = true
    }
    if keepsOrder, !isSorted { return Value.Record(fields.map { ($0.name, $0.value) }) }
    // Sorting kept the order of fields with the same name.
    return hasTwins ? Value.Record(sorted.map { ($0.name, $0.value) }) : Value.Record(sorted: sorted)
  }

  private mutating func number() throws(JSONFailure) -> Value {
    if let whole = reader.source.takeShortInteger() { return .integer(whole) }
    let tooLong = JSONFailure.Reason.stringTooLong(limit: 1000)
    var digits: [UInt8] = []
    try reader.number(into: &digits, upTo: 1000, orElse: tooLong)
    guard digits.count <= 1000 else { throw reader.source.failure(tooLong) }
    let text = String(decoding: digits, as: UTF8.self)
    // An integer is written as it was read, except -0.
    if text != "-0", let whole = Int(text) { return .integer(whole) }
    return .number(Value.Number(checked: text))
  }

  private mutating func text() throws(JSONFailure) -> String {
    let start = reader.source.offset + 1
    if let text = try reader.source.takeShortText(limit: limits.string) { return text }
    let text = try reader.text(upTo: limits.string, orElse: .stringTooLong(limit: limits.string))
    if let start = text.loneSurrogate { throw reader.source.failure(.loneSurrogate, at: start) }
    guard let valid = String(validating: text.bytes, as: UTF8.self) else {
      throw reader.source.failure(.notUTF8, at: start)
    }
    return valid
  }
}

/// A JSON text in memory.
struct JSONBytes: JSONSource {
  typealias Failure = JSONFailure

  private let bytes: [UInt8]
  private(set) var offset = 0
  private var recordStart = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    offset = bytes.withoutMark.startIndex
  }

  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  func peek() -> UInt8? { next }

  mutating func skip() { offset += 1 }

  mutating func record() { recordStart = offset }

  mutating func takeRecorded() -> [UInt8] { Array(bytes[recordStart..<offset]) }

  private func endOfPlain(from start: Int) -> Int {
    var end = start
    while end < bytes.count, isPlainInJSON(bytes[end]) { end += 1 }
    return end
  }

  mutating func takePlain(into content: inout [UInt8]) {
    let end = endOfPlain(from: offset)
    content.append(contentsOf: bytes[offset..<end])
    offset = end
  }

  /// Reads a text without escapes, without copying its bytes first; nil if it contains anything else.
  mutating func takeShortText(limit: Int) throws(JSONFailure) -> String? {
    let start = offset + 1
    let end = endOfPlain(from: start)
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return nil }
    offset = end
    guard end - start <= limit else { throw failure(.stringTooLong(limit: limit)) }
    guard let text = String(validating: bytes[start..<end], as: UTF8.self) else { throw failure(.notUTF8, at: start) }
    offset += 1
    return text
  }

  /// Reads an integer of at most 18 digits in canonical form; nil if something else is next.
  mutating func takeShortInteger() -> Int? {
    var place = offset
    let isNegative = next == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let start = place
    var value = 0
    while place < bytes.count, place - start < 18, isDigit(bytes[place]) {
      value = value * 10 + Int(bytes[place] - 0x30)
      place += 1
    }
    guard place > start, bytes[start] != 0x30 || (place == start + 1 && !isNegative) else { return nil }
    if place < bytes.count, bytes[place] == 0x2E || bytes[place] | 0x20 == 0x65 || isDigit(bytes[place]) { return nil }
    offset = place
    return isNegative ? -value : value
  }

  func failure(_ reason: JSONFailure.Reason) -> JSONFailure { failure(reason, at: offset) }

  func failure(_ reason: JSONFailure.Reason, at place: Int) -> JSONFailure {
    let place = min(place, bytes.count)
    var reason = reason
    if case .expected(let what, nil) = reason, place < bytes.count {
      let byte = bytes[place]
      let found = byte < 0x80 ? "\"\(Character(Unicode.Scalar(byte)))\"" : "another character"
      reason = .expected(what, found: found)
    }
    let (line, column) = Self.place(of: place, in: bytes)
    return JSONFailure(reason: reason, line: line, column: column)
  }

  /// Returns the line and the column of an offset, from 1; the column counts characters.
  static func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
    let before = bytes[..<offset]
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    // Continuation bytes (10xxxxxx) do not count.
    return (before.count { $0 == 0x0A } + 1, before[start...].count { $0 & 0xC0 != 0x80 } + 1)
  }
}

/// Whether a text is exactly one JSON value, nested at most 32 levels deep.
public func isJSON(_ text: String) -> Bool {
  let bytes = Array(text.utf8)
  var reader = JSONReader(JSONBytes(bytes), rowLimit: bytes.count)
  do {
    var raw: [UInt8] = []
    try reader.skipBlanks()
    let invalidReason = try reader.value(into: &raw)
    try reader.skipBlanks()
    return invalidReason == nil && reader.source.peek() == nil
  } catch {
    // Here, invalid JSON is a result, not a failure.
    return false
  }
}

/// Returns the members of an object in their original order and text.
///
///     try jsonMembers(of: #"{"level":1.50}"#)   // [("level", .json("1.50"))]
public func jsonMembers(of text: String) throws(JSONFailure) -> [(name: String, value: JSONPiece)] {
  let bytes = Array(text.utf8)
  var reader = JSONReader(JSONBytes(bytes), rowLimit: bytes.count)
  var members: [(name: String, value: JSONPiece)] = []
  try reader.expect(UInt8(ascii: "{"))
  if try reader.isEmpty(until: UInt8(ascii: "}")) { return members }
  repeat {
    let name = try reader.name()
    members.append((String(decoding: name.bytes, as: UTF8.self), try reader.piece().value))
  } while try reader.hasNext(until: UInt8(ascii: "}"))
  return members
}
