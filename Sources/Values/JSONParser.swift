// Parses a JSON text (RFC 8259) into a value, within limits, and reports where it is wrong.
// Invariant: work and memory are proportional to the text's length; no input can trap, and an accepted text is
// represented completely. The fields of each record are sorted by name.

import Text

/// Parses one text. An instance is used for one `parse`.
public struct JSONParser {
  private var tokens: JSONTokens<JSONBytes>
  private let limits: JSONLimits
  private let keepsLast: Bool
  private var values = 0

  /// - Parameter keepsLast: whether the last of several fields with the same name counts, as for most other programs;
  ///   otherwise such a record is an error.
  public static func parse(
    _ bytes: [UInt8], limits: JSONLimits, keepsLast: Bool = false
  ) throws(JSONFailure) -> Value {
    guard bytes.count <= limits.bytes else {
      throw JSONFailure(reason: .tooLong(limit: limits.bytes), line: 1, column: 1)
    }
    var parser = JSONParser(tokens: JSONTokens(JSONBytes(bytes)), limits: limits, keepsLast: keepsLast)
    return try parser.whole()
  }

  private init(tokens: JSONTokens<JSONBytes>, limits: JSONLimits, keepsLast: Bool) {
    self.tokens = tokens
    self.limits = limits
    self.keepsLast = keepsLast
  }

  private mutating func whole() throws(JSONFailure) -> Value {
    let value = try value(depth: 0)
    try tokens.skipBlanks()
    guard tokens.source.next == nil else { throw unexpected("the end of the file") }
    return value
  }

  private mutating func value(depth: Int) throws(JSONFailure) -> Value {
    try tokens.skipBlanks()
    values += 1
    guard values <= limits.values else { throw tokens.source.failure(.tooMany(limit: limits.values)) }
    switch tokens.source.next {
    case UInt8(ascii: "{"): return .record(try record(depth: depth + 1))
    case UInt8(ascii: "["): return .list(try list(depth: depth + 1))
    case UInt8(ascii: "\""): return .text(try text())
    case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): return try number()
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw unexpected("a value")
    }
  }

  private mutating func word(_ word: String, _ value: Value) throws(JSONFailure) -> Value {
    try tokens.word(word)
    return value
  }

  private mutating func enter(depth: Int) throws(JSONFailure) {
    guard depth <= limits.depth else { throw tokens.source.failure(.tooDeep(limit: limits.depth)) }
    tokens.source.skip()
    try tokens.skipBlanks()
  }

  private mutating func list(depth: Int) throws(JSONFailure) -> [Value] {
    try enter(depth: depth)
    var list: [Value] = []
    if try tokens.take(UInt8(ascii: "]")) { return list }
    repeat {
      list.append(try value(depth: depth))
      try tokens.skipBlanks()
    } while try tokens.take(UInt8(ascii: ","))
    guard try tokens.take(UInt8(ascii: "]")) else { throw unexpected("\"]\" or \",\"") }
    return list
  }

  private mutating func record(depth: Int) throws(JSONFailure) -> Value.Record {
    try enter(depth: depth)
    var fields: [Value.Record.Field] = []
    if try tokens.take(UInt8(ascii: "}")) { return Value.Record() }
    repeat {
      try tokens.skipBlanks()
      guard tokens.source.next == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
      let name = try text()
      try tokens.skipBlanks()
      guard try tokens.take(UInt8(ascii: ":")) else { throw unexpected("\":\"") }
      fields.append(Value.Record.Field(name: name, value: try value(depth: depth)))
      try tokens.skipBlanks()
    } while try tokens.take(UInt8(ascii: ","))
    guard tokens.source.next == UInt8(ascii: "}") else { throw unexpected("\"}\" or \",\"") }
    return try sorted(fields)
  }

  /// Returns the fields sorted by name. The closing brace is consumed only if a duplicated name is allowed or there is
  /// none, so that an error is reported before it.
  private mutating func sorted(_ fields: [Value.Record.Field]) throws(JSONFailure) -> Value.Record {
    let isSorted = fields.indices.dropFirst().allSatisfy {
      Value.Record.inOrder(fields[$0 - 1].name, fields[$0].name)
    }
    let sorted = isSorted ? fields : fields.sorted { Value.Record.inOrder($0.name, $1.name) }
    // Over indices: pairs from `zip` are separate generic types, whose metadata would have to be created at program
    // start.
    var hasTwins = false
    for index in sorted.indices.dropFirst() where sorted[index].name.utf8.elementsEqual(sorted[index - 1].name.utf8) {
      guard keepsLast else { throw tokens.source.failure(.keyTwice(sorted[index].name)) }
      hasTwins = true
    }
    tokens.source.skip()
    // Sorting kept the order of fields with the same name.
    return hasTwins ? Value.Record(sorted.map { ($0.name, $0.value) }) : Value.Record(sorted: sorted)
  }

  private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private mutating func number() throws(JSONFailure) -> Value {
    if let whole = tokens.source.takeShortInteger() { return .integer(whole) }
    var digits: [UInt8] = []
    let source = tokens.source
    try tokens.number(into: &digits) { count throws(JSONFailure) in
      if count > 1000 { throw source.failure(.stringTooLong(limit: 1000)) }
    }
    guard digits.count <= 1000 else { throw tokens.source.failure(.stringTooLong(limit: 1000)) }
    let text = String(decoding: digits, as: UTF8.self)
    // An integer is written as it was read, except -0.
    if text != "-0", let whole = Int(text) { return .integer(whole) }
    return .number(Value.Number(checked: text))
  }

  private mutating func text() throws(JSONFailure) -> String {
    let start = tokens.source.offset + 1
    if let text = try tokens.source.takeShortText(limit: limits.string) { return text }
    let (source, limit) = (tokens.source, limits.string)
    let text = try tokens.text { count throws(JSONFailure) in
      if count > limit { throw source.failure(.stringTooLong(limit: limit)) }
    }
    if let start = text.loneSurrogate { throw tokens.source.failure(.loneSurrogate, at: start) }
    guard let valid = String(validating: text.bytes, as: UTF8.self) else {
      throw tokens.source.failure(.notUTF8, at: start)
    }
    return valid
  }

  private func unexpected(_ expected: String) -> JSONFailure { tokens.source.unexpected(expected) }
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

  private static func continuesNumber(_ byte: UInt8) -> Bool {
    byte == 0x2E || byte | 0x20 == 0x65 || (0x30...0x39).contains(byte)
  }

  /// Reads an integer of at most 18 digits in canonical form; nil if something else is next.
  mutating func takeShortInteger() -> Int? {
    var place = offset
    let isNegative = next == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let start = place
    var value = 0
    while place < bytes.count, place - start < 18, (0x30...0x39).contains(bytes[place]) {
      value = value * 10 + Int(bytes[place] - 0x30)
      place += 1
    }
    guard place > start, bytes[start] != 0x30 || (place == start + 1 && !isNegative) else { return nil }
    if place < bytes.count, Self.continuesNumber(bytes[place]) { return nil }
    offset = place
    return isNegative ? -value : value
  }

  func failure(_ fault: JSONFault) -> JSONFailure {
    switch fault {
    case .digit: unexpected("a digit")
    case .closingQuote: unexpected("a closing quote")
    case .controlCharacter: failure(JSONFailure.Reason.controlCharacter)
    case .escape(let start), .hexDigits(let start): failure(.badEscape, at: start)
    case .word(_, let start): unexpected("a value", at: start)
    case .expected(let what): unexpected(what)
    case .tooDeep(let limit): failure(JSONFailure.Reason.tooDeep(limit: limit))
    case .tooLong(let limit): failure(JSONFailure.Reason.tooLong(limit: limit))
    }
  }

  func unexpected(_ expected: String, at place: Int? = nil) -> JSONFailure {
    let place = place ?? offset
    let found = place < bytes.count ? bytes[place] : nil
    let shown = found.map { $0 < 0x80 ? "\"\(Character(Unicode.Scalar($0)))\"" : "another character" }
    return failure(.expected(expected, found: shown), at: place)
  }

  func failure(_ reason: JSONFailure.Reason, at place: Int? = nil) -> JSONFailure {
    let (line, column) = Self.place(of: min(place ?? offset, bytes.count), in: bytes)
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
