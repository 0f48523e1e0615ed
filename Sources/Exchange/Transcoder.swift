// Converts text of other encodings to UTF-8, chunk by chunk.
// Invariant: a character that is split between chunks is completed by the next chunk; unpaired surrogates and a
// trailing odd byte become U+FFFD, so that nothing is lost silently.

struct Transcoder {
  private let encoding: TextEncoding
  private let upperCharacters: [UInt16]?
  private let withoutMark: Bool
  private var isBigEndian: Bool?
  private var oddByte: UInt8?
  private var highHalf: UInt16?

  /// - Parameter isBigEndian: the byte order of UTF-16 without a byte order mark; a mark overrides it.
  init(_ encoding: TextEncoding, isBigEndian: Bool = false) {
    self.encoding = encoding
    upperCharacters = CodePage.characters(of: encoding)
    withoutMark = isBigEndian
  }

  mutating func append(_ bytes: ArraySlice<UInt8>, to text: inout [UInt8]) {
    text.reserveCapacity(text.count + bytes.count * 3 / 2)
    if let upperCharacters {
      for byte in bytes { append(UInt32(byte < 0x80 ? UInt16(byte) : upperCharacters[Int(byte) - 0x80]), to: &text) }
      return
    }
    switch encoding {
    case .utf16: for byte in bytes { take(byte, &text) }
    case .latin1: for byte in bytes { append(UInt32(byte), to: &text) }
    default: text.append(contentsOf: bytes)
    }
  }

  /// Ends the text; an incomplete character becomes U+FFFD.
  mutating func finish(_ text: inout [UInt8]) {
    if highHalf != nil || oddByte != nil { append(0xFFFD, to: &text) }
    (highHalf, oddByte) = (nil, nil)
  }

  /// Returns the byte of a character in an encoding with one byte per character; nil if it has none.
  static func byte(of value: UInt32, in encoding: TextEncoding) -> UInt8? {
    guard value >= 0x80, let characters = CodePage.characters(of: encoding) else { return UInt8(exactly: value) }
    guard value != 0xFFFD, let place = characters.firstIndex(where: { $0 == value }) else { return nil }
    return UInt8(0x80 + place)
  }

  private mutating func take(_ byte: UInt8, _ text: inout [UInt8]) {
    guard let first = oddByte else {
      oddByte = byte
      return
    }
    oddByte = nil
    let hasMark = (first, byte) == (0xFF, 0xFE) || (first, byte) == (0xFE, 0xFF)
    let isBig = isBigEndian ?? (hasMark ? first == 0xFE : withoutMark)
    if isBigEndian == nil {
      isBigEndian = isBig
      if hasMark { return }
    }
    take(unit: isBig ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first), &text)
  }

  private mutating func take(unit: UInt16, _ text: inout [UInt8]) {
    let high = highHalf
    highHalf = nil
    if UTF16.isTrailSurrogate(unit), let high {
      return append(0x10000 + UInt32(high - 0xD800) << 10 + UInt32(unit - 0xDC00), to: &text)
    }
    if high != nil { append(0xFFFD, to: &text) }
    if UTF16.isLeadSurrogate(unit) { highHalf = unit } else { append(UInt32(unit), to: &text) }
  }

  private func append(_ value: UInt32, to text: inout [UInt8]) {
    let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
    text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }
}
