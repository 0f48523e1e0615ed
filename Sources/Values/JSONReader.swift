// Streaming access to JSON (RFC 8259) for callers that know its structure: a list of cards of which only one is held at
// a time, an object whose values keep their exact text.
// Invariant: invalid JSON is rejected with its position, a duplicate name in an object with that name; numbers keep
// their exact text; depth and the size of a row are limited.

import Text

/// A JSON value in its original text.
public enum JSONPiece: Equatable, Sendable {
  case text(String)
  /// Any value except a text: `12.50`, `true`, `[1,2]`.
  case json(String)
}

extension JSONString {
  /// Why the text cannot be stored: it contains NUL or half of a surrogate pair.
  public var invalidReason: String? {
    if loneSurrogate != nil { return "contains half of a surrogate pair (\\uD800 to \\uDFFF)" }
    return hasNull ? "contains a NUL character (\\u0000)" : nil
  }

  /// `invalidReason`, or that the text is not UTF-8.
  public var anyInvalidReason: String? { invalidReason ?? invalidUTF8(bytes) }
}

private func invalidUTF8(_ bytes: [UInt8]) -> String? {
  bytes.withUnsafeBufferPointer { firstInvalidByte($0) }.map { "is not UTF-8 at byte \($0 + 1)" }
}

/// The names of one object, for detecting duplicates.
public struct JSONNames {
  private var known: Set<[UInt8]> = []

  public init() {}

  /// Adds a name. Returns why the object cannot be stored if the name is a duplicate.
  public mutating func add(_ name: JSONString) -> String? {
    if known.insert(name.bytes).inserted { return nil }
    return "contains the key \(quoted(String(decoding: name.bytes, as: UTF8.self))) twice"
  }
}

/// Reads the structure of a JSON text: lists, objects, values.
///
///     var reader = JSONReader(source, rowLimit: 1_000_000)
///     try reader.expect(UInt8(ascii: "["))
public struct JSONReader<Source: JSONSource> {
  public var tokens: JSONTokens<Source>
  private let depthLimit: Int
  private let rowLimit: Int
  private var rowStart = 0

  /// - Parameters:
  ///   - depthLimit: how deeply lists and objects may be nested in one value.
  ///   - rowLimit: the maximum number of bytes from one `beginRow` to the next.
  public init(_ source: Source, depthLimit: Int = 32, rowLimit: Int) {
    tokens = JSONTokens(source)
    self.depthLimit = depthLimit
    self.rowLimit = rowLimit
  }

  /// Begins a row: the bytes from here on count towards its limit.
  public mutating func beginRow() { rowStart = tokens.source.offset }

  /// - Throws: the source's `tooLong` if the row exceeds its limit.
  public mutating func checkRow() throws(Source.Failure) {
    if tokens.source.offset - rowStart > rowLimit { throw try tokens.source.failure(.tooLong(limit: rowLimit)) }
  }

  // MARK: Structure

  public mutating func skipBlanks() throws(Source.Failure) { try tokens.skipBlanks() }

  /// Skips whitespace and this byte.
  public mutating func expect(_ byte: UInt8) throws(Source.Failure) {
    try skipBlanks()
    guard try tokens.source.peek() == byte else { throw try tokens.source.failure(.expected(quoted(byte))) }
    tokens.source.skip()
  }

  /// After a value: returns whether another one follows; otherwise consumes the closing bracket.
  public mutating func hasNext(until close: UInt8) throws(Source.Failure) -> Bool {
    try skipBlanks()
    switch try tokens.source.peek() {
    case UInt8(ascii: ","):
      tokens.source.skip()
      return true
    case close:
      tokens.source.skip()
      return false
    case nil: throw try tokens.source.failure(.expected(quoted(close)))
    default: throw try tokens.source.failure(.expected("\",\" or \(quoted(close))"))
    }
  }

  /// Whether the list or object that was just opened is empty; its closing bracket is then consumed.
  public mutating func isEmpty(until close: UInt8) throws(Source.Failure) -> Bool {
    try skipBlanks()
    guard try tokens.source.peek() == close else { return false }
    tokens.source.skip()
    return true
  }

  /// Reads the name of a member and the colon after it.
  public mutating func name() throws(Source.Failure) -> JSONString {
    try skipBlanks()
    try expectText("the name of a value in quotes")
    let name = try text()
    try expect(UInt8(ascii: ":"))
    try skipBlanks()
    return name
  }

  /// Reads a value in its original text, and why it cannot be stored.
  public mutating func piece() throws(Source.Failure) -> (value: JSONPiece, invalidReason: String?) {
    if try tokens.source.peek() == UInt8(ascii: "\"") {
      let text = try text()
      return (.text(String(decoding: text.bytes, as: UTF8.self)), text.anyInvalidReason)
    }
    var raw: [UInt8] = []
    let invalidReason = try value(into: &raw) ?? invalidUTF8(raw)
    return (.json(String(decoding: raw, as: UTF8.self)), invalidReason)
  }

  /// Reads a text in quotes, unescaped.
  public mutating func text() throws(Source.Failure) -> JSONString {
    let left = rowLimit - (tokens.source.offset - rowStart)
    let limit = rowLimit
    var source = tokens.source
    return try tokens.text { count throws(Source.Failure) in
      if count > left { throw try source.failure(.tooLong(limit: limit)) }
    }
  }

  // MARK: Values

  /// Appends any value in its original text, without the whitespace between its parts. Returns why a text in it cannot
  /// be stored.
  @discardableResult
  public mutating func value(into raw: inout [UInt8], depth: Int = 0) throws(Source.Failure) -> String? {
    switch try tokens.source.peek() {
    case UInt8(ascii: "{"): return try nested(into: &raw, depth: depth + 1, close: UInt8(ascii: "}"))
    case UInt8(ascii: "["): return try nested(into: &raw, depth: depth + 1, close: UInt8(ascii: "]"))
    case UInt8(ascii: "\""): return try written(into: &raw).invalidReason
    case UInt8(ascii: "t"): try word("true", into: &raw)
    case UInt8(ascii: "f"): try word("false", into: &raw)
    case UInt8(ascii: "n"): try word("null", into: &raw)
    case UInt8(ascii: "-"): try number(into: &raw)
    case let byte? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte): try number(into: &raw)
    default: throw try tokens.source.failure(.expected("a value"))
    }
    return nil
  }

  /// Skips any value. The limit of a row is for each text and number in it, not for the list or object that holds them.
  public mutating func skip(depth: Int = 0) throws(Source.Failure) {
    let isObject = try tokens.source.peek() == UInt8(ascii: "{")
    let isList = try tokens.source.peek() == UInt8(ascii: "[")
    guard isObject || isList else {
      var raw: [UInt8] = []
      beginRow()
      try value(into: &raw)
      return
    }
    if depth == depthLimit { throw try tokens.source.failure(.tooDeep(limit: depthLimit)) }
    tokens.source.skip()
    let close = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    var isFirst = true
    while try isFirst ? !isEmpty(until: close) : hasNext(until: close) {
      isFirst = false
      beginRow()
      if isObject { _ = try name() } else { try skipBlanks() }
      try skip(depth: depth + 1)
    }
  }

  private mutating func nested(into raw: inout [UInt8], depth: Int, close: UInt8) throws(Source.Failure) -> String? {
    if depth > depthLimit { throw try tokens.source.failure(.tooDeep(limit: depthLimit)) }
    raw.append(try tokens.source.peek() ?? 0)
    tokens.source.skip()
    var invalidReason: String?
    var isFirst = true
    var names = JSONNames()
    while try isFirst ? !isEmpty(until: close) : hasNext(until: close) {
      if !isFirst { raw.append(UInt8(ascii: ",")) }
      isFirst = false
      if close == UInt8(ascii: "}") {
        let name = try member(into: &raw)
        invalidReason = name.invalidReason ?? names.add(name) ?? invalidReason
      }
      try skipBlanks()
      invalidReason = try value(into: &raw, depth: depth) ?? invalidReason
      try checkRow()
    }
    raw.append(close)
    return invalidReason
  }

  private mutating func member(into raw: inout [UInt8]) throws(Source.Failure) -> JSONString {
    try skipBlanks()
    try expectText("the name of a value in quotes")
    let name = try written(into: &raw)
    try expect(UInt8(ascii: ":"))
    raw.append(UInt8(ascii: ":"))
    return name
  }

  private mutating func word(_ word: String, into raw: inout [UInt8]) throws(Source.Failure) {
    try tokens.word(word)
    raw.append(contentsOf: word.utf8)
  }

  private mutating func number(into raw: inout [UInt8]) throws(Source.Failure) {
    let left = raw.count + rowLimit - (tokens.source.offset - rowStart)
    let limit = rowLimit
    var source = tokens.source
    try tokens.number(into: &raw) { count throws(Source.Failure) in
      if count > left { throw try source.failure(.tooLong(limit: limit)) }
    }
  }

  /// Appends a text in quotes exactly as it is in the source.
  private mutating func written(into raw: inout [UInt8]) throws(Source.Failure) -> JSONString {
    tokens.source.record()
    let text = try text()
    raw.append(contentsOf: tokens.source.takeRecorded())
    return text
  }

  private mutating func expectText(_ what: String) throws(Source.Failure) {
    guard try tokens.source.peek() == UInt8(ascii: "\"") else { throw try tokens.source.failure(.expected(what)) }
  }

  private func quoted(_ byte: UInt8) -> String { "\"\(Character(Unicode.Scalar(byte)))\"" }
}

// MARK: Text in memory

/// Whether a text is exactly one JSON value, nested at most 32 levels deep.
public func isJSON(_ text: String) -> Bool {
  let bytes = Array(text.utf8)
  var reader = JSONReader(JSONBytes(bytes), rowLimit: bytes.count)
  do {
    var raw: [UInt8] = []
    try reader.skipBlanks()
    let invalidReason = try reader.value(into: &raw)
    try reader.skipBlanks()
    return invalidReason == nil && reader.tokens.source.peek() == nil
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
