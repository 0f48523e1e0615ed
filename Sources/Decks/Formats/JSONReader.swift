// The JSON of cards, read from its beginning to its end (RFC 8259) without ever holding more than one card of it.
// Invariant: what is not JSON is refused with its place; numbers keep their characters; depth and a row's size are
// bounded.

import Values

extension JSONString {
  /// Why it cannot be kept: NUL and halves of surrogate pairs cannot.
  var invalidReason: String? {
    if loneSurrogate != nil { return "holds half of a surrogate pair (\\uD800 to \\uDFFF)" }
    return hasNull ? "holds a NUL character (\\u0000)" : nil
  }

  /// What makes it invalid, or that it is not UTF-8.
  var anyInvalidReason: String? { invalidReason ?? invalidUTF8(bytes) }
}

private func invalidUTF8(_ bytes: [UInt8]) -> String? {
  bytes.withUnsafeBufferPointer { CardText.firstInvalidByte($0) }.map { "is not UTF-8 at byte \($0 + 1)" }
}

final class JSONReader {
  static let depthLimit = 32

  let source: ByteSource
  private var tokens: JSONTokens<ByteSource>
  private var rowStart = 0

  init(_ source: ByteSource) {
    self.source = source
    tokens = JSONTokens(source)
  }

  convenience init(text: String) { self.init(ByteSource(text: text)) }

  /// Whether a text is one JSON value and nothing else.
  static func isValue(_ text: String) -> Bool {
    let reader = JSONReader(text: text)
    do {
      var raw: [UInt8] = []
      try reader.skipBlanks()
      try reader.value(into: &raw, depth: 0)
      try reader.skipBlanks()
      return try reader.source.peek() == nil
    } catch {
      // Not JSON is the answer here, not a failure.
      return false
    }
  }

  /// From here on the bytes count as a row's.
  func beginRow() { rowStart = source.taken }

  // MARK: Structure

  func skipBlanks() throws { try tokens.skipBlanks() }

  func expect(_ byte: UInt8) throws {
    try skipBlanks()
    guard try source.peek() == byte else {
      throw try source.expected("\"\(Character(Unicode.Scalar(byte)))\"")
    }
    source.skip()
  }

  /// After a value: whether another one follows, or the closing bracket, which is taken.
  func goesOn(until close: UInt8) throws -> Bool {
    try skipBlanks()
    switch try source.peek() {
    case UInt8(ascii: ","):
      source.skip()
      return true
    case close:
      source.skip()
      return false
    case nil: throw try source.expected("\"\(Character(Unicode.Scalar(close)))\"")
    default: throw try source.expected("\",\" or \"\(Character(Unicode.Scalar(close)))\"")
    }
  }

  /// Whether the list or object that has just been opened is empty; its closing bracket is taken then.
  func isEmpty(until close: UInt8) throws -> Bool {
    try skipBlanks()
    guard try source.peek() == close else { return false }
    source.skip()
    return true
  }

  /// The name of a member and the colon after it.
  func name() throws -> JSONString {
    try skipBlanks()
    guard try source.peek() == UInt8(ascii: "\"") else { throw try source.expected("the name of a value in quotes") }
    let name = try text()
    try expect(UInt8(ascii: ":"))
    try skipBlanks()
    return name
  }

  /// An object whole: its members in order.
  func object() throws -> [CardField] {
    var fields: [CardField] = []
    try expect(UInt8(ascii: "{"))
    if try isEmpty(until: UInt8(ascii: "}")) { return fields }
    repeat {
      let name = try name()
      fields.append(CardField(String(decoding: name.bytes, as: UTF8.self), try field().value))
    } while try goesOn(until: UInt8(ascii: "}"))
    return fields
  }

  /// A value as a field keeps it, and why it cannot be kept.
  func field() throws -> (value: CardFieldValue, invalidReason: String?) {
    if try source.peek() == UInt8(ascii: "\"") {
      let text = try text()
      return (.text(String(decoding: text.bytes, as: UTF8.self)), text.anyInvalidReason)
    }
    var raw: [UInt8] = []
    let invalidReason = try value(into: &raw, depth: 0) ?? invalidUTF8(raw)
    return (.json(String(decoding: raw, as: UTF8.self)), invalidReason)
  }

  // MARK: Values

  /// Any value, appended as it is written. Returns why a text in it cannot be kept.
  @discardableResult
  func value(into raw: inout [UInt8], depth: Int) throws -> String? {
    switch try source.peek() {
    case UInt8(ascii: "{"): return try nested(into: &raw, depth: depth + 1, close: UInt8(ascii: "}"))
    case UInt8(ascii: "["): return try nested(into: &raw, depth: depth + 1, close: UInt8(ascii: "]"))
    case UInt8(ascii: "\""):
      return try written(into: &raw).invalidReason
    case UInt8(ascii: "t"): try word("true", into: &raw)
    case UInt8(ascii: "f"): try word("false", into: &raw)
    case UInt8(ascii: "n"): try word("null", into: &raw)
    case UInt8(ascii: "-"): try number(into: &raw)
    case let byte? where JSONReader.isDigit(byte): try number(into: &raw)
    default: throw try source.expected("a value")
    }
    return nil
  }

  private func nested(into raw: inout [UInt8], depth: Int, close: UInt8) throws -> String? {
    if depth > JSONReader.depthLimit {
      throw DeckError.tooLarge(
        path: source.path, line: source.line, what: "lists and objects stand in each other more than 32 deep")
    }
    raw.append(try source.next() ?? 0)
    var invalidReason: String?
    var isFirst = true
    while try isFirst ? !isEmpty(until: close) : goesOn(until: close) {
      if !isFirst { raw.append(UInt8(ascii: ",")) }
      isFirst = false
      if close == UInt8(ascii: "}") { invalidReason = try member(into: &raw) ?? invalidReason }
      try skipBlanks()
      invalidReason = try value(into: &raw, depth: depth) ?? invalidReason
      try checkRow()
    }
    raw.append(close)
    return invalidReason
  }

  private func member(into raw: inout [UInt8]) throws -> String? {
    try skipBlanks()
    guard try source.peek() == UInt8(ascii: "\"") else { throw try source.expected("the name of a value in quotes") }
    let name = try written(into: &raw)
    try expect(UInt8(ascii: ":"))
    raw.append(UInt8(ascii: ":"))
    return name.invalidReason
  }

  private func word(_ word: String, into raw: inout [UInt8]) throws {
    try tokens.word(word)
    raw.append(contentsOf: word.utf8)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  private func number(into raw: inout [UInt8]) throws {
    try tokens.number(into: &raw) { _ in try checkRow() }
  }

  func checkRow() throws {
    guard source.taken - rowStart > rowLimit else { return }
    throw DeckError.tooLarge(path: source.path, line: source.line, what: "one row has more than 1,000,000 bytes")
  }

  // MARK: Texts

  /// A text in quotes, unescaped.
  func text() throws -> JSONString { try tokens.text { _ in try checkRow() } }

  /// The same; its characters as the file has them are appended.
  private func written(into raw: inout [UInt8]) throws -> JSONString {
    source.record()
    let text = try text()
    raw.append(contentsOf: source.takeRecorded())
    return text
  }
}

extension ByteSource: JSONSource {
  typealias Failure = any Error

  var offset: Int { taken }

  func failure(_ invalidReason: JSONFault) throws -> any Error {
    switch invalidReason {
    case .digit: try expected("a digit")
    case .closingQuote: try expected("the closing quote of a text")
    case .controlCharacter: try expected("an escape (\\n, \\t, \\u0001) in place of a control character")
    case .escape: try expected("one of \" \\ / b f n r t u after a backslash")
    case .hexDigits: try expected("four hexadecimal digits after \\u")
    case .word(let word, _): try expected("\"\(word)\"")
    }
  }
}
