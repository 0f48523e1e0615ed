// Converts text of other encodings to UTF-8, chunk by chunk.
// Invariant: a character that is split between chunks is completed by the next chunk; unpaired surrogates and a
// trailing odd byte become U+FFFD, so that nothing is lost silently.

struct Transcoder {
  private let encoding: TextEncoding
  private let upperCharacters: [UInt16]?
  private let withoutMark: Bool
  private var isBigEndian: Bool?
  /// The bytes of UTF-16 that wait for the rest of their character.
  private var pending: [UInt8] = []

  /// - Parameter isBigEndian: the byte order of UTF-16 without a byte order mark; a mark overrides it.
  /// - Throws: `badEncoding` if the C library cannot convert it.
  init(_ encoding: TextEncoding, isBigEndian: Bool = false, path: String) throws(ExchangeError) {
    self.encoding = encoding
    upperCharacters = encoding.upperCharacters
    withoutMark = isBigEndian
    if upperCharacters == nil, encoding.hasUpperCharacters { throw .badEncoding(path: path, encoding: encoding) }
  }

  mutating func append(_ bytes: ArraySlice<UInt8>, to text: inout [UInt8]) {
    text.reserveCapacity(text.count + bytes.count * 3 / 2)
    if let upperCharacters {
      for byte in bytes {
        let scalar = Unicode.Scalar(byte < 0x80 ? UInt16(byte) : upperCharacters[Int(byte) - 0x80])
        text.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
      }
    } else if encoding == .utf16 {
      pending += bytes
      appendUnits(to: &text)
    } else {
      text.append(contentsOf: bytes)
    }
  }

  /// Ends the text; an incomplete character becomes U+FFFD.
  mutating func finish(_ text: inout [UInt8]) {
    if !pending.isEmpty { text.append(contentsOf: UTF8.encodedReplacementCharacter) }
    pending = []
  }

  private mutating func appendUnits(to text: inout [UInt8]) {
    var start = 0
    if isBigEndian == nil, pending.count >= 2 {
      let hasMark = pending.starts(with: [0xFF, 0xFE]) || pending.starts(with: [0xFE, 0xFF])
      isBigEndian = hasMark ? pending[0] == 0xFE : withoutMark
      start = hasMark ? 2 : 0
    }
    let high = isBigEndian == true ? 0 : 1
    var units = stride(from: start, to: pending.count - 1, by: 2).map { place in
      UInt16(pending[place + high]) << 8 | UInt16(pending[place + 1 - high])
    }
    var end = start + units.count * 2
    if let last = units.last, UTF16.isLeadSurrogate(last) {
      units.removeLast()
      end -= 2
    }
    pending.removeFirst(end)
    text.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
  }
}
