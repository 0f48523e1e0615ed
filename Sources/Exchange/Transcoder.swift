// Converts text of other encodings to UTF-8, chunk by chunk.
// Invariant: a character that is split between chunks is completed by the next chunk; unpaired surrogates and a
// trailing odd byte become U+FFFD, so that nothing is lost silently.

struct Transcoder {
  private let encoding: TextEncoding
  private let withoutMark: Bool
  private var isBigEndian: Bool?
  private var oddByte: UInt8?
  private var highHalf: UInt16?

  /// - Parameter isBigEndian: the byte order of UTF-16 without a byte order mark; a mark overrides it.
  init(_ encoding: TextEncoding, isBigEndian: Bool = false) {
    self.encoding = encoding
    withoutMark = isBigEndian
  }

  mutating func append(_ bytes: ArraySlice<UInt8>, to text: inout [UInt8]) {
    text.reserveCapacity(text.count + bytes.count * 3 / 2)
    switch encoding {
    case .utf8: text.append(contentsOf: bytes)
    case .latin1: for byte in bytes { append(UInt32(byte), to: &text) }
    case .windows1252: for byte in bytes { append(Self.windows1252(byte), to: &text) }
    case .utf16: for byte in bytes { take(byte, &text) }
    }
  }

  /// Ends the text; an incomplete character becomes U+FFFD.
  mutating func finish(_ text: inout [UInt8]) {
    if highHalf != nil || oddByte != nil { append(0xFFFD, to: &text) }
    (highHalf, oddByte) = (nil, nil)
  }

  /// The characters for 0x80 to 0x9F, by the Encoding Standard (whatwg.org, index windows-1252).
  private static let windows1252: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D, 0x8F,
    0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E,
    0x178,
  ]

  private static func windows1252(_ byte: UInt8) -> UInt32 {
    (0x80...0x9F).contains(byte) ? windows1252[Int(byte) - 0x80] : UInt32(byte)
  }

  /// Returns the byte of a character in Latin-1 or Windows-1252; nil if it has none.
  static func byte(of value: UInt32, in encoding: TextEncoding) -> UInt8? {
    if encoding == .windows1252, value >= 0x80, let place = windows1252.firstIndex(of: value) {
      return UInt8(0x80 + place)
    }
    let isOfTable = encoding == .windows1252 && (0x80...0x9F).contains(value)
    return isOfTable ? nil : UInt8(exactly: value)
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
