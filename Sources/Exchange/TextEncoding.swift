// The encodings of files of cards: by name, by detection from a file's first bytes, and their conversion to UTF-8.
// Invariant: a file that may be UTF-8 is read as UTF-8; unpaired surrogates and a trailing odd byte become U+FFFD.

import Glibc
import Templates
import Text

/// The encoding of a file's text.
///
///     try TextEncoding(named: "ISO-8859-1")   // .latin1
public enum TextEncoding: String, Sendable, CaseIterable {
  case utf8 = "utf-8", latin1 = "latin-1"
  /// In either byte order. Without a byte order mark it is little-endian, unless the zero bytes of Latin letters show
  /// that it is big-endian.
  case utf16 = "utf-16"
  /// The Windows encodings before Unicode: of Central Europe, of Cyrillic, of Western Europe, of Greek, Turkish, Hebrew
  /// and Arabic.
  case windows1250 = "windows-1250"
  case windows1251 = "windows-1251", windows1252 = "windows-1252", windows1253 = "windows-1253"
  case windows1254 = "windows-1254", windows1255 = "windows-1255", windows1256 = "windows-1256", koi8R = "koi8-r"

  public static var allNames: [String] { allCases.map(\.rawValue) }
  /// All names in lowercase, with those that other programs use.
  public static var spellings: Set<String> { Set(allNames).union(aliases.keys) }

  public init(named name: String) throws(ExchangeError) {
    let lowered = name.lowercased()
    guard let encoding = Self.aliases[lowered] ?? TextEncoding(rawValue: lowered) else {
      throw .unknownEncoding(name: name)
    }
    self = encoding
  }
}

extension TextEncoding {
  /// Returns a text in UTF-8 in this encoding; nil if a character of it is not in the encoding. UTF-16 is little-endian
  /// and begins with a byte order mark.
  public func encoded(_ text: [UInt8]) -> [UInt8]? {
    switch self {
    case .utf8: return text
    case .utf16:
      let units = String(decoding: text, as: UTF8.self).utf16
      return [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    default:
      var bytes: [UInt8] = []
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
        if scalar.isASCII {
          bytes.append(UInt8(scalar.value))
        } else if scalar.value != 0xFFFD, let place = upperCharacters?.firstIndex(where: { $0 == scalar.value }) {
          bytes.append(UInt8(0x80 + place))
        } else {
          return nil
        }
      }
      return bytes
    }
  }

  /// The characters of the bytes 0x80 to 0xFF in an encoding with one byte per character; nil for the others, and when
  /// the C library cannot convert it. As in browsers, a byte that is not assigned is the control character of its value
  /// below 0xA0, and U+FFFD above.
  var upperCharacters: [UInt16]? { Self.upperCharacters[self] }

  var hasUpperCharacters: Bool { self != .utf8 && self != .utf16 }

  private static let upperCharacters = Dictionary(
    uniqueKeysWithValues: allCases.compactMap { encoding in
      encoding.hasUpperCharacters ? characters(of: encoding).map { (encoding, $0) } : nil
    })

  private static func characters(of encoding: TextEncoding) -> [UInt16]? {
    guard let converter = iconv_open("UTF-16LE", encoding == .latin1 ? "LATIN1" : encoding.rawValue),
      converter != iconv_t(bitPattern: -1)
    else { return nil }
    defer { iconv_close(converter) }
    return (UInt8(0x80)...0xFF).map { value in
      // Browsers know this point of Hebrew, the C library does not.
      if value == 0xCA, encoding == .windows1255 { return 0x5BA }
      return unit(of: value, converter) ?? (value < 0xA0 ? UInt16(value) : 0xFFFD)
    }
  }

  private static func unit(of byte: UInt8, _ converter: iconv_t) -> UInt16? {
    var (byte, unit, left, room) = (CChar(bitPattern: byte), UInt16(0), 1, MemoryLayout<UInt16>.size)
    withUnsafeMutablePointer(to: &byte) { byte in
      withUnsafeMutableBytes(of: &unit) { unit in
        var input: UnsafeMutablePointer<CChar>? = byte
        var output = unit.baseAddress?.assumingMemoryBound(to: CChar.self)
        _ = iconv(converter, &input, &left, &output, &room)
        // A letter that may be joined with the next is written when the state is reset.
        _ = iconv(converter, nil, nil, &output, &room)
      }
    }
    return room == 0 ? UInt16(littleEndian: unit) : nil
  }

  private static let aliases: [String: TextEncoding] = [
    "utf8": .utf8, "utf16": .utf16, "latin1": .latin1, "iso-8859-1": .latin1, "cp1250": .windows1250,
    "cp1251": .windows1251, "cp1252": .windows1252, "cp1253": .windows1253, "cp1254": .windows1254,
    "cp1255": .windows1255, "cp1256": .windows1256, "koi8r": .koi8R,
  ]
}

extension TextEncoding {
  /// Returns the encoding that texts of a language had before Unicode, by the language's code (`ru`, `pt-BR`); nil for
  /// a language that is not listed here.
  static func legacy(ofLanguage code: String) -> TextEncoding? {
    switch code.prefix(while: { $0 != "-" && $0 != "_" }).lowercased() {
    case "pl", "cs", "sk", "hu", "hr", "sl", "ro": .windows1250
    case "ru", "uk", "bg", "be", "sr", "mk": .windows1251
    case "el": .windows1253
    case "tr", "az": .windows1254
    case "he": .windows1255
    case "ar", "fa", "ur": .windows1256
    case "en", "de", "fr", "es", "it", "pt", "nl", "da", "sv", "no", "nb", "nn", "fi", "is", "ca", "gl", "eu":
      .windows1252
    default: nil
    }
  }

  /// Returns the encoding that a page names in its XML declaration, or in a `meta` tag near its beginning; nil for one
  /// whose characters have several bytes. As in browsers, Latin-1 means Windows-1252.
  static func declared(by page: [UInt8]) -> TextEncoding? {
    let head = page.prefix(4096)
    var (tags, place) = (TagReading(), head.startIndex)
    while let start = head[place...].firstIndex(of: UInt8(ascii: "<")) {
      guard let (tag, end) = tags.tag(head, start) else {
        place = start + 1
        continue
      }
      place = end
      guard let name = declaredName(in: tag)?.lowercased() else { continue }
      switch aliases[name] ?? TextEncoding(rawValue: name) {
      case .utf8, .utf16: return nil
      case .latin1: return .windows1252
      case let found: return found
      }
    }
    return nil
  }

  private static func declaredName(in tag: HTMLTag) -> String? {
    switch tag.name {
    case "?xml": return tag.attribute("encoding")
    case "meta":
      if let name = tag.attribute("charset") { return name }
      let parts = tag.attribute("content")?.lowercased().split(separator: ";").map { String($0).trimmed }
      return parts?.first { $0.hasPrefix("charset=") }.map { String($0.dropFirst("charset=".count)) }
    default: return nil
    }
  }
}

extension TextEncoding {
  /// Returns the encoding of a text from its first bytes: UTF-16 if there is a byte order mark or the zero bytes of
  /// Latin letters; Windows-1252 if there are bytes beyond ASCII and none of them is part of a UTF-8 character.
  /// - Parameter isWhole: whether these bytes are the whole text, so that its end truncates no character.
  static func found(in start: ArraySlice<UInt8>, isWhole: Bool = false) -> TextEncoding {
    let first = Array(start.prefix(2))
    if first == [0xFF, 0xFE] || first == [0xFE, 0xFF] { return .utf16 }
    if zeroParity(of: start.prefix(64)) != nil { return .utf16 }
    return hasOnlySingleBytes(start, isWhole) ? .windows1252 : .utf8
  }

  /// Returns where the zero bytes of Latin letters in UTF-16 are: 0 for the first byte of each pair, 1 for the
  /// second; nil when there is no such pattern.
  static func zeroParity(of bytes: ArraySlice<UInt8>) -> Int? {
    let pairs = bytes.count / 2
    let zeros = [0, 1].map { parity in
      stride(from: parity, to: pairs * 2, by: 2).count { bytes[bytes.startIndex + $0] == 0 }
    }
    return [0, 1].first { zeros[$0] * 2 > pairs && zeros[1 - $0] == 0 }
  }

  private static func hasOnlySingleBytes(_ bytes: ArraySlice<UInt8>, _ isWhole: Bool) -> Bool {
    guard bytes.contains(where: { $0 >= 0x80 }) else { return false }
    return bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < bytes.count {
        if bytes[index] < 0x80 {
          index += 1
          continue
        }
        let rest = UnsafeBufferPointer(rebasing: bytes[index..<min(index + 4, bytes.count)])
        if firstInvalidByte(rest) != 0 { return false }
        // A character that is truncated by the end may be UTF-8.
        let mayGoOn = !isWhole && rest.count < 4 && (0xC2...0xF4).contains(rest[0])
        if mayGoOn, rest.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) { return false }
        index += 1
      }
      return true
    }
  }
}

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
