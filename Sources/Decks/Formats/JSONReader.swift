// JSON read from its beginning to its end (RFC 8259), without ever holding more than one card of it.
// Invariant: what is not JSON is refused with its place; numbers keep their characters; depth and a row's size are
// bounded.

/// A text of JSON, and whether it can be kept: NUL and halves of surrogate pairs cannot.
struct JSONString {
  var bytes: [UInt8] = []
  var invalidReason: String?

  /// What makes it invalid, or that it is not UTF-8.
  var anyInvalidReason: String? {
    invalidReason
      ?? bytes.withUnsafeBufferPointer { CardText.firstInvalidByte($0) }.map { "is not UTF-8 at byte \($0 + 1)" }
  }
}

final class JSONReader {
  static let depthLimit = 32

  let source: ByteSource
  private var rowStart = 0

  init(_ source: ByteSource) { self.source = source }

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

  func skipBlanks() throws {
    while let byte = try source.peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { source.skip() }
  }

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
    var raw = JSONString()
    raw.invalidReason = try value(into: &raw.bytes, depth: 0)
    return (.json(String(decoding: raw.bytes, as: UTF8.self)), raw.anyInvalidReason)
  }

  // MARK: Values

  /// Any value, appended as it is written. Returns why a text in it cannot be kept.
  @discardableResult
  func value(into raw: inout [UInt8], depth: Int) throws -> String? {
    switch try source.peek() {
    case UInt8(ascii: "{"): return try nested(into: &raw, depth: depth + 1, close: UInt8(ascii: "}"))
    case UInt8(ascii: "["): return try nested(into: &raw, depth: depth + 1, close: UInt8(ascii: "]"))
    case UInt8(ascii: "\""):
      var written: [UInt8]? = []
      let text = try text(written: &written)
      raw.append(contentsOf: written ?? [])
      return text.invalidReason
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
    var written: [UInt8]? = []
    let name = try text(written: &written)
    raw.append(contentsOf: written ?? [])
    try expect(UInt8(ascii: ":"))
    raw.append(UInt8(ascii: ":"))
    return name.invalidReason
  }

  private func word(_ word: StaticString, into raw: inout [UInt8]) throws {
    for byte in "\(word)".utf8 {
      guard try source.peek() == byte else { throw try source.expected("\"\(word)\"") }
      source.skip()
      raw.append(byte)
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  private func number(into raw: inout [UInt8]) throws {
    if try source.peek() == UInt8(ascii: "-") { raw.append(try source.next() ?? 0) }
    if try source.peek() == UInt8(ascii: "0") {
      raw.append(try source.next() ?? 0)
    } else {
      try digits(into: &raw)
    }
    if try source.peek() == UInt8(ascii: ".") {
      raw.append(try source.next() ?? 0)
      try digits(into: &raw)
    }
    if let byte = try source.peek(), byte | 0x20 == UInt8(ascii: "e") {
      raw.append(try source.next() ?? 0)
      if let sign = try source.peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        raw.append(try source.next() ?? 0)
      }
      try digits(into: &raw)
    }
  }

  private func digits(into raw: inout [UInt8]) throws {
    var count = 0
    while let byte = try source.peek(), JSONReader.isDigit(byte) {
      raw.append(byte)
      source.skip()
      count += 1
      if count % 1024 == 0 { try checkRow() }
    }
    if count == 0 { throw try source.expected("a digit") }
  }

  func checkRow() throws {
    guard source.taken - rowStart > rowLimit else { return }
    throw DeckError.tooLarge(path: source.path, line: source.line, what: "one row has more than 1,000,000 bytes")
  }

  // MARK: Texts

  func text() throws -> JSONString {
    var none: [UInt8]?
    return try text(written: &none)
  }

  /// A text in quotes, unescaped. With `written`, the characters as the file has them are appended to it too.
  private func text(written: inout [UInt8]?) throws -> JSONString {
    var text = JSONString()
    written?.append(UInt8(ascii: "\""))
    source.skip()
    while true {
      guard let byte = try source.peek() else { throw try source.expected("the closing quote of a text") }
      if byte < 0x20 { throw try source.expected("an escape (\\n, \\t, \\u0001) in place of a control character") }
      source.skip()
      written?.append(byte)
      if byte == UInt8(ascii: "\"") { return text }
      if byte == UInt8(ascii: "\\") {
        try escape(into: &text, written: &written)
      } else {
        text.bytes.append(byte)
      }
      if text.bytes.count & 0xFFF == 0xFFF { try checkRow() }
    }
  }

  private func escape(into text: inout JSONString, written: inout [UInt8]?) throws {
    guard let byte = try source.peek() else { throw try source.expected("the closing quote of a text") }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.bytes.append(byte)
    case UInt8(ascii: "b"): text.bytes.append(0x08)
    case UInt8(ascii: "f"): text.bytes.append(0x0C)
    case UInt8(ascii: "n"): text.bytes.append(0x0A)
    case UInt8(ascii: "r"): text.bytes.append(0x0D)
    case UInt8(ascii: "t"): text.bytes.append(0x09)
    case UInt8(ascii: "u"):
      source.skip()
      written?.append(byte)
      return try character(into: &text, written: &written)
    default: throw try source.expected("one of \" \\ / b f n r t u after a backslash")
    }
    source.skip()
    written?.append(byte)
  }

  /// The character of `\uXXXX`, or of two of them that make a surrogate pair.
  private func character(into text: inout JSONString, written: inout [UInt8]?) throws {
    let unit = try hexDigits(&written)
    if unit == 0 { text.invalidReason = "holds a NUL character (\\u0000)" }
    guard (0xD800...0xDFFF).contains(unit) else { return append(unit, to: &text) }
    guard unit < 0xDC00, try source.peek() == UInt8(ascii: "\\") else { return loneSurrogate(&text) }
    source.skip()
    written?.append(UInt8(ascii: "\\"))
    guard try source.peek() == UInt8(ascii: "u") else {
      loneSurrogate(&text)
      return try escape(into: &text, written: &written)
    }
    source.skip()
    written?.append(UInt8(ascii: "u"))
    let low = try hexDigits(&written)
    guard (0xDC00...0xDFFF).contains(low) else { return loneSurrogate(&text) }
    append(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), to: &text)
  }

  private func loneSurrogate(_ text: inout JSONString) {
    text.invalidReason = "holds half of a surrogate pair (\\uD800 to \\uDFFF)"
  }

  private func hexDigits(_ written: inout [UInt8]?) throws -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = try source.peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw try source.expected("four hexadecimal digits after \\u")
      }
      value = value << 4 | UInt32(digit)
      source.skip()
      written?.append(byte)
    }
    return value
  }

  private func append(_ value: UInt32, to text: inout JSONString) {
    guard let scalar = Unicode.Scalar(value) else { return }
    text.bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }
}
