// Reads JSON text (RFC 8259) within bounds and says where it is wrong.
// Invariant: work and memory grow with the text's length only; nothing that the text holds can trap, and a text that is
// accepted is represented whole.

import Text

/// What one text may hold at the most.
public struct JSONLimits: Equatable, Sendable {
  /// Bytes of the whole text.
  public var bytes: Int
  /// Arrays and objects within each other.
  public var depth: Int
  /// Values of all kinds together.
  public var values: Int
  /// Bytes of one string.
  public var string: Int

  public init(bytes: Int, depth: Int, values: Int, string: Int) {
    self.bytes = bytes
    self.depth = depth
    self.values = values
    self.string = string
  }
}

/// Where and why a text is not JSON, or more of it than is allowed.
public struct JSONFailure: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    /// What stood in place of what was expected; found is nil at the end of the text.
    case expected(String, found: String?)
    case notUTF8
    case controlCharacter
    case badEscape
    case loneSurrogate
    case keyTwice(String)
    case tooLong(limit: Int)
    case tooDeep(limit: Int)
    case tooMany(limit: Int)
    case stringTooLong(limit: Int)
  }

  public let reason: Reason
  /// 1-based; the column counts characters (Unicode scalars).
  public let line: Int
  public let column: Int
}

/// Parses one text. A value of this type is good for one `parse`.
public struct JSONParser {
  private let bytes: [UInt8]
  private let limits: JSONLimits
  private var position = 0
  private var values = 0

  public static func parse(_ bytes: [UInt8], limits: JSONLimits) throws(JSONFailure) -> JSONValue {
    guard bytes.count <= limits.bytes else {
      throw JSONFailure(reason: .tooLong(limit: limits.bytes), line: 1, column: 1)
    }
    var parser = JSONParser(bytes: bytes, limits: limits)
    return try parser.whole()
  }

  private init(bytes: [UInt8], limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  private mutating func whole() throws(JSONFailure) -> JSONValue {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    let value = try value(depth: 0)
    skipBlanks()
    guard position == bytes.count else { throw unexpected("the end of the file") }
    return value
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func value(depth: Int) throws(JSONFailure) -> JSONValue {
    skipBlanks()
    values += 1
    guard values <= limits.values else { throw failure(.tooMany(limit: limits.values)) }
    switch next {
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
    case UInt8(ascii: "\""): return .string(try string())
    case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): return .number(try number())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw unexpected("a value")
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONFailure) -> JSONValue {
    guard bytes[position...].starts(with: word.utf8) else { throw unexpected("a value") }
    position += word.utf8.count
    return value
  }

  private mutating func enter(depth: Int) throws(JSONFailure) {
    guard depth <= limits.depth else { throw failure(.tooDeep(limit: limits.depth)) }
    position += 1
    skipBlanks()
  }

  private mutating func array(depth: Int) throws(JSONFailure) -> [JSONValue] {
    try enter(depth: depth)
    var list: [JSONValue] = []
    if take("]") { return list }
    repeat {
      list.append(try value(depth: depth))
      skipBlanks()
    } while take(",")
    guard take("]") else { throw unexpected("\"]\" or \",\"") }
    return list
  }

  private mutating func object(depth: Int) throws(JSONFailure) -> JSONObject {
    try enter(depth: depth)
    var members: [JSONObject.Member] = []
    if take("}") { return JSONObject() }
    repeat {
      skipBlanks()
      guard next == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
      let key = try string()
      skipBlanks()
      guard take(":") else { throw unexpected("\":\"") }
      members.append(JSONObject.Member(key: key, value: try value(depth: depth)))
      skipBlanks()
    } while take(",")
    guard next == UInt8(ascii: "}") else { throw unexpected("\"}\" or \",\"") }
    return try sorted(members)
  }

  /// The members in the order of their keys. The closing brace is passed only when no key stands twice.
  private mutating func sorted(_ members: [JSONObject.Member]) throws(JSONFailure) -> JSONObject {
    let sorted = members.sorted { JSONObject.inOrder($0.key, $1.key) }
    // Over indices: pairs by `zip` are types of their own, which would have to be made at the start of the program.
    for index in sorted.indices.dropFirst() where sorted[index].key.utf8.elementsEqual(sorted[index - 1].key.utf8) {
      throw failure(.keyTwice(sorted[index].key))
    }
    position += 1
    return JSONObject(sorted: sorted)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let byte = next, UInt32(byte) == character.value else { return false }
    position += 1
    return true
  }

  // MARK: - Numbers

  private mutating func number() throws(JSONFailure) -> JSONNumber {
    let start = position
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    guard position - start <= 1000 else { throw failure(.stringTooLong(limit: 1000)) }
    return JSONNumber(checked: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private mutating func digits() throws(JSONFailure) {
    let start = position
    while let byte = next, isDigit(byte) { position += 1 }
    guard position > start else { throw unexpected("a digit") }
  }

  // MARK: - Strings

  private mutating func string() throws(JSONFailure) -> String {
    position += 1
    let start = position
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
    if next == UInt8(ascii: "\"") {
      let text = try text(of: bytes[start..<position], from: start)
      position += 1
      return text
    }
    return try escapedString(from: start)
  }

  /// The slow way: what was read so far holds no escape, the rest may.
  private mutating func escapedString(from start: Int) throws(JSONFailure) -> String {
    var content = Array(bytes[start..<position])
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw failure(.controlCharacter) }
      guard content.count <= limits.string else { throw failure(.stringTooLong(limit: limits.string)) }
      position += 1
      if byte == UInt8(ascii: "\\") { try escape(into: &content) } else { content.append(byte) }
    }
    guard next != nil else { throw unexpected("a closing quote") }
    let text = try text(of: content[...], from: start)
    position += 1
    return text
  }

  private func text(of content: ArraySlice<UInt8>, from start: Int) throws(JSONFailure) -> String {
    guard content.count <= limits.string else { throw failure(.stringTooLong(limit: limits.string)) }
    guard let text = String(validating: content, as: UTF8.self) else { throw failure(.notUTF8, at: start) }
    return text
  }

  private mutating func escape(into content: inout [UInt8]) throws(JSONFailure) {
    guard let letter = next else { throw unexpected("a closing quote") }
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(letter)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"): content.append(contentsOf: String(try escapedScalar()).utf8)
    default: throw failure(.badEscape, at: position - 2)
    }
  }

  private mutating func escapedScalar() throws(JSONFailure) -> Character {
    let start = position - 2
    let first = try fourHexDigits(from: start)
    if let scalar = Unicode.Scalar(first) { return Character(scalar) }
    guard first < 0xDC00, take("\\"), take("u") else { throw failure(.loneSurrogate, at: start) }
    let second = try fourHexDigits(from: start)
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    else { throw failure(.loneSurrogate, at: start) }
    return Character(scalar)
  }

  private mutating func fourHexDigits(from start: Int) throws(JSONFailure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw failure(.badEscape, at: start)
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }

  // MARK: - Failures

  private func unexpected(_ expected: String) -> JSONFailure {
    let found = next.map { byte in
      byte < 0x80 ? "\"\(Character(Unicode.Scalar(byte)))\"" : "another character"
    }
    return failure(.expected(expected, found: found))
  }

  private func failure(_ reason: JSONFailure.Reason, at offset: Int? = nil) -> JSONFailure {
    let before = bytes[..<min(offset ?? position, bytes.count)]
    let line = before.count { $0 == 0x0A } + 1
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    // Bytes that go on a character (10xxxxxx) do not count.
    let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
    return JSONFailure(reason: reason, line: line, column: column)
  }
}

extension JSONFailure {
  /// What was expected, or which bound was passed: for a message that names file, line and column before it.
  public var words: String {
    switch reason {
    case .expected(let expected, let found):
      "\(expected) expected, \(found.map { "\($0) found" } ?? "the file ends here")"
    case .notUTF8: "not UTF-8 in this text"
    case .controlCharacter: "a control character stands in a text; write it as \\u and its number"
    case .badEscape: "no such escape; \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four hexadecimal digits expected"
    case .loneSurrogate: "half a character: a \\u from D800 to DFFF needs its other half"
    case .keyTwice(let key): "the key \(quoted(key)) stands twice in this object"
    case .tooLong(let limit): "the file is larger than \(grouped(limit >> 20)) MiB"
    case .tooDeep(let limit): "lists and objects more than \(limit) deep"
    case .tooMany(let limit): "more than \(grouped(limit)) values"
    case .stringTooLong(let limit): "longer than \(grouped(limit)) bytes"
    }
  }
}
