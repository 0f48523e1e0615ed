// Streaming access to JSON (RFC 8259) from any byte source, in memory or a file that is read in pieces: for callers
// that know its structure, such as a list of cards of which only one is held at a time. Invariant: invalid JSON is
// rejected with its position, a duplicate name in an object with that name; numbers keep their exact text; depth and
// the size of a row are limited; a text or a number takes time and memory proportional to its length.

import Text

/// A source of the bytes of a JSON text.
public protocol JSONSource {
  associatedtype Failure: Error

  /// Returns the next byte without consuming it; nil at the end.
  mutating func peek() throws(Failure) -> UInt8?
  /// Consumes the byte that `peek` returned.
  mutating func skip()
  /// Consumes the available bytes that need no unescaping, and appends them.
  mutating func takePlain(into content: inout [UInt8]) throws(Failure)
  /// The number of consumed bytes: the position for errors.
  var offset: Int { get }
  /// Starts recording the consumed bytes.
  mutating func record()
  /// Returns the bytes consumed since `record`.
  mutating func takeRecorded() -> [UInt8]
  /// Creates the error for the current position; the source says what it found in place of what was expected.
  mutating func failure(_ reason: JSONFailure.Reason) throws(Failure) -> Failure
}

/// The content of a text, and the problematic characters in it.
public struct JSONString {
  public var bytes: [UInt8] = []
  /// Whether it contains NUL.
  public var hasNull = false
  /// The offset of an escape that is half of a surrogate pair.
  public var loneSurrogate: Int?

  @inlinable public init() {}

  /// Why the text cannot be stored: it contains NUL or half of a surrogate pair.
  public var invalidReason: String? {
    if loneSurrogate != nil { return "contains half of a surrogate pair (\\uD800 to \\uDFFF)" }
    return hasNull ? "contains a NUL character (\\u0000)" : nil
  }

  /// `invalidReason`, or that the text is not UTF-8.
  public var anyInvalidReason: String? { invalidReason ?? invalidUTF8(bytes) }
}

/// A JSON value in its original text.
public enum JSONPiece: Equatable, Sendable {
  case text(String)
  /// Any value except a text: `12.50`, `true`, `[1,2]`.
  case json(String)
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

/// Whether a byte in a text needs no escape: it is not a quote, a backslash or a control character.
@inlinable public func isPlainInJSON(_ byte: UInt8) -> Bool {
  byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}

/// Reads the structure of a JSON text: lists, objects, values.
///
///     var reader = JSONReader(source, rowLimit: 1_000_000)
///     try reader.expect(UInt8(ascii: "["))
public struct JSONReader<Source: JSONSource> {
  public var source: Source
  private let depthLimit: Int
  private let rowLimit: Int
  private var rowStart = 0

  /// - Parameters:
  ///   - depthLimit: how deeply lists and objects may be nested in one value.
  ///   - rowLimit: the maximum number of bytes from one `beginRow` to the next.
  public init(_ source: Source, depthLimit: Int = 32, rowLimit: Int) {
    (self.source, self.depthLimit, self.rowLimit) = (source, depthLimit, rowLimit)
  }

  /// Begins a row: the bytes from here on count towards its limit.
  public mutating func beginRow() { rowStart = source.offset }

  /// - Throws: the source's `tooLong` if the row exceeds its limit.
  public mutating func checkRow() throws(Source.Failure) {
    if source.offset - rowStart > rowLimit { throw try source.failure(.tooLong(limit: rowLimit)) }
  }

  private var left: Int { rowLimit - (source.offset - rowStart) }

  @inlinable mutating func expected(_ what: String) throws(Source.Failure) -> Source.Failure {
    try source.failure(.expected(what, found: nil))
  }

  // MARK: Structure

  @inlinable public mutating func skipBlanks() throws(Source.Failure) {
    while let byte = try source.peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { source.skip() }
  }

  /// Consumes a byte if it is the next one.
  @inlinable mutating func take(_ byte: UInt8) throws(Source.Failure) -> Bool {
    guard try source.peek() == byte else { return false }
    source.skip()
    return true
  }

  /// Skips whitespace and this byte.
  public mutating func expect(_ byte: UInt8) throws(Source.Failure) {
    try skipBlanks()
    guard try take(byte) else { throw try expected(quoted(byte)) }
  }

  /// After a value: returns whether another one follows; otherwise consumes the closing bracket.
  public mutating func hasNext(until close: UInt8) throws(Source.Failure) -> Bool {
    try skipBlanks()
    guard let next = try source.peek() else { throw try expected(quoted(close)) }
    guard next == UInt8(ascii: ",") || next == close else { throw try expected("\",\" or \(quoted(close))") }
    source.skip()
    return next != close
  }

  /// Whether the list or object that was just opened is empty; its closing bracket is then consumed.
  public mutating func isEmpty(until close: UInt8) throws(Source.Failure) -> Bool {
    try skipBlanks()
    return try take(close)
  }

  /// Reads the name of a member and the colon after it.
  public mutating func name() throws(Source.Failure) -> JSONString {
    try beginName()
    let name = try text()
    try expect(UInt8(ascii: ":"))
    try skipBlanks()
    return name
  }

  mutating func beginName() throws(Source.Failure) {
    try skipBlanks()
    guard try source.peek() == UInt8(ascii: "\"") else { throw try expected("the name of a value in quotes") }
  }

  /// Reads a value in its original text, and why it cannot be stored.
  public mutating func piece() throws(Source.Failure) -> (value: JSONPiece, invalidReason: String?) {
    if try source.peek() == UInt8(ascii: "\"") {
      let text = try text()
      return (.text(String(decoding: text.bytes, as: UTF8.self)), text.anyInvalidReason)
    }
    var raw: [UInt8] = []
    let invalidReason = try value(into: &raw) ?? invalidUTF8(raw)
    return (.json(String(decoding: raw, as: UTF8.self)), invalidReason)
  }

  private func quoted(_ byte: UInt8) -> String { "\"\(Character(Unicode.Scalar(byte)))\"" }

  // MARK: Values

  /// Appends any value in its original text, without whitespace. Returns why a text in it cannot be stored.
  @discardableResult
  public mutating func value(into raw: inout [UInt8], depth: Int = 0) throws(Source.Failure) -> String? {
    switch try source.peek() {
    case UInt8(ascii: "{"): return try nested(into: &raw, depth: depth + 1, close: UInt8(ascii: "}"))
    case UInt8(ascii: "["): return try nested(into: &raw, depth: depth + 1, close: UInt8(ascii: "]"))
    case UInt8(ascii: "\""): return try written(into: &raw).invalidReason
    case let byte? where byte == UInt8(ascii: "-") || isDigit(byte):
      try number(into: &raw, upTo: raw.count + left, orElse: .tooLong(limit: rowLimit))
    case UInt8(ascii: "t"): try word("true", into: &raw)
    case UInt8(ascii: "f"): try word("false", into: &raw)
    case UInt8(ascii: "n"): try word("null", into: &raw)
    default: throw try expected("a value")
    }
    return nil
  }

  /// Skips any value. The limit of a row is for each text and number in it, not for the list or object that holds them.
  public mutating func skip(depth: Int = 0) throws(Source.Failure) {
    let isObject = try source.peek() == UInt8(ascii: "{")
    let isList = try source.peek() == UInt8(ascii: "[")
    guard isObject || isList else {
      var raw: [UInt8] = []
      beginRow()
      try value(into: &raw)
      return
    }
    if depth == depthLimit { throw try source.failure(.tooDeep(limit: depthLimit)) }
    source.skip()
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
    if depth > depthLimit { throw try source.failure(.tooDeep(limit: depthLimit)) }
    raw.append(try source.peek() ?? 0)
    source.skip()
    var invalidReason: String?
    var isFirst = true
    var names = JSONNames()
    while try isFirst ? !isEmpty(until: close) : hasNext(until: close) {
      if !isFirst { raw.append(UInt8(ascii: ",")) }
      isFirst = false
      if close == UInt8(ascii: "}") {
        try beginName()
        let name = try written(into: &raw)
        try expect(UInt8(ascii: ":"))
        raw.append(UInt8(ascii: ":"))
        invalidReason = name.invalidReason ?? names.add(name) ?? invalidReason
      }
      try skipBlanks()
      invalidReason = try value(into: &raw, depth: depth) ?? invalidReason
      try checkRow()
    }
    raw.append(close)
    return invalidReason
  }

  /// Appends a text in quotes exactly as it is in the source.
  private mutating func written(into raw: inout [UInt8]) throws(Source.Failure) -> JSONString {
    source.record()
    let text = try text()
    raw.append(contentsOf: source.takeRecorded())
    return text
  }

  // MARK: Words and numbers

  mutating func word(_ word: String) throws(Source.Failure) {
    for byte in word.utf8 where try !take(byte) { throw try expected("\"\(word)\"") }
  }

  private mutating func word(_ word: String, into raw: inout [UInt8]) throws(Source.Failure) {
    try self.word(word)
    raw.append(contentsOf: word.utf8)
  }

  /// Reads the characters of a number. A longer one is the given failure, at the latest 1,000 characters later.
  @inlinable mutating func number(
    into digits: inout [UInt8], upTo limit: Int, orElse reason: JSONFailure.Reason
  ) throws(Source.Failure) {
    _ = try take(UInt8(ascii: "-"), into: &digits)
    if try !take(UInt8(ascii: "0"), into: &digits) { try self.digits(into: &digits, limit, reason) }
    if try take(UInt8(ascii: "."), into: &digits) { try self.digits(into: &digits, limit, reason) }
    if let byte = try source.peek(), byte | 0x20 == UInt8(ascii: "e") {
      digits.append(byte)
      source.skip()
      if try !take(UInt8(ascii: "+"), into: &digits) { _ = try take(UInt8(ascii: "-"), into: &digits) }
      try self.digits(into: &digits, limit, reason)
    }
  }

  @inlinable mutating func take(_ byte: UInt8, into digits: inout [UInt8]) throws(Source.Failure) -> Bool {
    guard try take(byte) else { return false }
    digits.append(byte)
    return true
  }

  @inlinable mutating func digits(
    into digits: inout [UInt8], _ limit: Int, _ reason: JSONFailure.Reason
  ) throws(Source.Failure) {
    let start = digits.count
    while let byte = try source.peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
      digits.append(byte)
      source.skip()
      if digits.count % 1000 == 0, digits.count > limit { throw try source.failure(reason) }
    }
    if digits.count == start { throw try expected("a digit") }
  }

  // MARK: Texts

  /// Reads a text in quotes, unescaped.
  public mutating func text() throws(Source.Failure) -> JSONString {
    try text(upTo: left, orElse: .tooLong(limit: rowLimit))
  }

  /// Reads a text in quotes; the opening quote must be next. A longer text is the given failure.
  @inlinable mutating func text(
    upTo limit: Int, orElse reason: JSONFailure.Reason
  ) throws(Source.Failure) -> JSONString {
    var text = JSONString()
    source.skip()
    while true {
      try source.takePlain(into: &text.bytes)
      if text.bytes.count > limit { throw try source.failure(reason) }
      guard let byte = try source.peek() else { throw try expected("the closing quote of a text") }
      if isPlainInJSON(byte) { continue }
      if byte < 0x20 { throw try source.failure(.controlCharacter) }
      let start = source.offset
      source.skip()
      if byte == UInt8(ascii: "\"") { return text }
      try escape(into: &text, start)
    }
  }

  @inlinable mutating func escape(into text: inout JSONString, _ start: Int) throws(Source.Failure) {
    guard let letter = try source.peek() else { throw try expected("the closing quote of a text") }
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.bytes.append(letter)
    case UInt8(ascii: "b"): text.bytes.append(0x08)
    case UInt8(ascii: "f"): text.bytes.append(0x0C)
    case UInt8(ascii: "n"): text.bytes.append(0x0A)
    case UInt8(ascii: "r"): text.bytes.append(0x0D)
    case UInt8(ascii: "t"): text.bytes.append(0x09)
    case UInt8(ascii: "u"):
      source.skip()
      return try scalar(into: &text, start)
    default: throw try source.failure(.badEscape)
    }
    source.skip()
  }

  /// Decodes `\uXXXX`, or two of them that form a surrogate pair.
  @inlinable mutating func scalar(into text: inout JSONString, _ start: Int) throws(Source.Failure) {
    let unit = try hexDigits()
    if unit == 0 { text.hasNull = true }
    if let scalar = Unicode.Scalar(unit) {
      return text.bytes.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
    }
    guard unit < 0xDC00, try take(UInt8(ascii: "\\")) else { return text.loneSurrogate = start }
    guard try take(UInt8(ascii: "u")) else {
      text.loneSurrogate = start
      return try escape(into: &text, source.offset - 1)
    }
    let low = try hexDigits()
    guard (0xDC00...0xDFFF).contains(low), let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    else { return text.loneSurrogate = start }
    text.bytes.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
  }

  @inlinable mutating func hexDigits() throws(Source.Failure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = try source.peek(), let digit = hexDigitValue(byte) else { throw try source.failure(.badEscape) }
      value = value << 4 | digit
      source.skip()
    }
    return value
  }
}

@inlinable func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

@inlinable func hexDigitValue(_ byte: UInt8) -> UInt32? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
  case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
  case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
  default: nil
  }
}
