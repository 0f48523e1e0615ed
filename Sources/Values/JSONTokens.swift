// The tokens of JSON (RFC 8259), read from any byte source: in memory, or a file that is read in pieces. Invariant:
// invalid JSON is rejected with its position; a token takes time and memory proportional to its length.

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
  /// Creates the error for a fault at the current position.
  mutating func failure(_ fault: JSONFault) throws(Failure) -> Failure
}

/// What can be wrong with a token.
public enum JSONFault: Equatable, Sendable {
  case digit
  case closingQuote
  case controlCharacter
  /// An unknown escape; `start` is the offset of its backslash.
  case escape(start: Int)
  case hexDigits(start: Int)
  /// `true`, `false` or `null` is incomplete; `start` is the offset of its first letter.
  case word(String, start: Int)
  /// Something other than what the text describes was found.
  case expected(String)
  /// Lists and objects are nested too deeply.
  case tooDeep(limit: Int)
  /// A row exceeds its size limit.
  case tooLong(limit: Int)
}

/// The content of a text, and the problematic characters in it.
public struct JSONString {
  public var bytes: [UInt8] = []
  /// Whether it contains NUL.
  public var hasNull = false
  /// The offset of an escape that is half of a surrogate pair.
  public var loneSurrogate: Int?

  @inlinable public init() {}
}

/// Whether a byte in a text needs no escape: it is not a quote, a backslash or a control character.
@inlinable public func isPlainInJSON(_ byte: UInt8) -> Bool {
  byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}

/// Reads tokens from a source. Combining them into lists, records and rows is the caller's job.
public struct JSONTokens<Source: JSONSource> {
  public var source: Source

  @inlinable public init(_ source: Source) { self.source = source }

  @inlinable public mutating func skipBlanks() throws(Source.Failure) {
    while let byte = try source.peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { source.skip() }
  }

  /// Consumes a byte if it is the next one.
  @inlinable public mutating func take(_ byte: UInt8) throws(Source.Failure) -> Bool {
    guard try source.peek() == byte else { return false }
    source.skip()
    return true
  }

  /// Reads `true`, `false` or `null`.
  @inlinable public mutating func word(_ word: String) throws(Source.Failure) {
    let start = source.offset
    for byte in word.utf8 where try !take(byte) { throw try source.failure(.word(word, start: start)) }
  }

  // MARK: Numbers

  /// Reads the characters of a number; `check` is called every 1,000 characters.
  @inlinable public mutating func number(
    into digits: inout [UInt8], check: (Int) throws(Source.Failure) -> Void
  ) throws(Source.Failure) {
    _ = try take(UInt8(ascii: "-"), into: &digits)
    if try !take(UInt8(ascii: "0"), into: &digits) { try self.digits(into: &digits, check) }
    if try take(UInt8(ascii: "."), into: &digits) { try self.digits(into: &digits, check) }
    if let byte = try source.peek(), byte | 0x20 == UInt8(ascii: "e") {
      digits.append(byte)
      source.skip()
      if try !take(UInt8(ascii: "+"), into: &digits) { _ = try take(UInt8(ascii: "-"), into: &digits) }
      try self.digits(into: &digits, check)
    }
  }

  @inlinable mutating func take(_ byte: UInt8, into digits: inout [UInt8]) throws(Source.Failure) -> Bool {
    guard try take(byte) else { return false }
    digits.append(byte)
    return true
  }

  @inlinable mutating func digits(
    into digits: inout [UInt8], _ check: (Int) throws(Source.Failure) -> Void
  ) throws(Source.Failure) {
    let start = digits.count
    while let byte = try source.peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
      digits.append(byte)
      source.skip()
      if digits.count % 1000 == 0 { try check(digits.count) }
    }
    if digits.count == start { throw try source.failure(.digit) }
  }

  // MARK: Texts

  /// Reads a text in quotes, unescaped; the opening quote must be next. `check` is called from time to time with the
  /// number of bytes so far.
  @inlinable public mutating func text(check: (Int) throws(Source.Failure) -> Void) throws(Source.Failure) -> JSONString
  {
    var text = JSONString()
    source.skip()
    while true {
      try source.takePlain(into: &text.bytes)
      try check(text.bytes.count)
      guard let byte = try source.peek() else { throw try source.failure(.closingQuote) }
      if isPlainInJSON(byte) { continue }
      if byte < 0x20 { throw try source.failure(.controlCharacter) }
      let start = source.offset
      source.skip()
      if byte == UInt8(ascii: "\"") { return text }
      try escape(into: &text, start)
    }
  }

  @inlinable mutating func escape(into text: inout JSONString, _ start: Int) throws(Source.Failure) {
    guard let letter = try source.peek() else { throw try source.failure(.closingQuote) }
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
    default: throw try source.failure(.escape(start: start))
    }
    source.skip()
  }

  /// Decodes `\uXXXX`, or two of them that form a surrogate pair.
  @inlinable mutating func scalar(into text: inout JSONString, _ start: Int) throws(Source.Failure) {
    let unit = try hexDigits(start)
    if unit == 0 { text.hasNull = true }
    if let scalar = Unicode.Scalar(unit) {
      return text.bytes.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
    }
    guard unit < 0xDC00, try take(UInt8(ascii: "\\")) else { return text.loneSurrogate = start }
    guard try take(UInt8(ascii: "u")) else {
      text.loneSurrogate = start
      return try escape(into: &text, source.offset - 1)
    }
    let low = try hexDigits(start)
    guard (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    else { return text.loneSurrogate = start }
    text.bytes.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
  }

  @inlinable mutating func hexDigits(_ start: Int) throws(Source.Failure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = try source.peek(), let digit = hexDigitValue(byte) else {
        throw try source.failure(.hexDigits(start: start))
      }
      value = value << 4 | digit
      source.skip()
    }
    return value
  }
}

@inlinable func hexDigitValue(_ byte: UInt8) -> UInt32? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
  case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
  case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
  default: nil
  }
}
