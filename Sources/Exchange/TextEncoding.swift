// The encodings of files: by name, and their conversion to UTF-8 and back.
// Invariant: bytes that are not in the encoding, unpaired surrogates and a trailing odd byte become U+FFFD.

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
  /// The encodings of Japanese and Chinese before Unicode.
  case shiftJIS = "shift_jis", eucJP = "euc-jp"
  case gb18030, big5

  public static var allNames: [String] { allCases.map(\.rawValue) }
  /// All names in lowercase, with those that other programs use.
  public static var spellings: Set<String> { Set(allNames).union(aliases.keys).union(refused) }
  /// The names of encodings that switch between tables within a text. They are not read.
  static let refused: Set<String> = ["hz", "iso-2022-jp"]

  public init(named name: String) throws(ExchangeError) {
    let lowered = name.lowercased()
    guard let encoding = Self.aliases[lowered] ?? TextEncoding(rawValue: lowered) else {
      throw .unknownEncoding(name: name)
    }
    self = encoding
  }

  /// Returns a text in UTF-8 in this encoding; nil if a character of it is not in the encoding. UTF-16 is little-endian
  /// and begins with a byte order mark.
  public func encoded(_ text: [UInt8]) -> [UInt8]? {
    switch self {
    case .utf8: return text
    case .utf16:
      let units = String(decoding: text, as: UTF8.self).utf16
      return [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    case .shiftJIS, .eucJP, .gb18030, .big5:
      var bytes: [UInt8] = []
      guard let conversion = Conversion(from: "UTF-8", to: table), conversion.convert(text[...], to: &bytes) == (0, 0)
      else { return nil }
      _ = conversion.convert([], to: &bytes)
      return bytes
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

  var hasUpperCharacters: Bool { self != .utf8 && self != .utf16 && !isMultibyte }

  var isMultibyte: Bool { [.shiftJIS, .eucJP, .gb18030, .big5].contains(self) }

  /// The table of the C library. Those of Microsoft have what people wrote beyond the standards, such as `①`.
  fileprivate var table: String {
    switch self {
    case .latin1: "LATIN1"
    case .shiftJIS: "CP932"
    case .eucJP: "EUC-JP-MS"
    case .big5: "BIG5-HKSCS"
    default: rawValue
    }
  }

  private static let upperCharacters = Dictionary(
    uniqueKeysWithValues: allCases.compactMap { encoding in
      encoding.hasUpperCharacters ? characters(of: encoding).map { (encoding, $0) } : nil
    })

  private static func characters(of encoding: TextEncoding) -> [UInt16]? {
    guard let conversion = Conversion(from: encoding.table, to: "UTF-8") else { return nil }
    return (UInt8(0x80)...0xFF).map { value in
      // Browsers know this point of Hebrew, the C library does not.
      if value == 0xCA, encoding == .windows1255 { return 0x5BA }
      var text: [UInt8] = []
      let isKnown = conversion.convert([value], to: &text) == (0, 0)
      // A letter that may be joined with the next is written at the end.
      _ = conversion.convert([], to: &text)
      let unit = isKnown ? String(decoding: text, as: UTF8.self).utf16.first : nil
      return unit ?? (value < 0xA0 ? UInt16(value) : 0xFFFD)
    }
  }

  private static let aliases: [String: TextEncoding] = [
    "utf8": .utf8, "utf16": .utf16, "latin1": .latin1, "iso-8859-1": .latin1, "cp1250": .windows1250,
    "cp1251": .windows1251, "cp1252": .windows1252, "cp1253": .windows1253, "cp1254": .windows1254,
    "cp1255": .windows1255, "cp1256": .windows1256, "koi8r": .koi8R, "sjis": .shiftJIS, "cp932": .shiftJIS,
    "ms932": .shiftJIS, "windows-31j": .shiftJIS, "gbk": .gb18030, "gb2312": .gb18030, "big5-hkscs": .big5,
    "cp950": .big5,
  ]

  /// Returns the encoding that a page names in its XML declaration, or in a `meta` tag near its beginning; nil for
  /// UTF-8 and UTF-16. As in browsers, Latin-1 means Windows-1252.
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

struct Transcoder {
  private let encoding: TextEncoding
  private let upperCharacters: [UInt16]?
  private let conversion: Conversion?
  private let withoutMark: Bool
  private var isBigEndian: Bool?
  /// The bytes that wait for the rest of their character.
  private var pending: [UInt8] = []

  /// Returns nil if the C library cannot convert it.
  /// - Parameter isBigEndian: the byte order of UTF-16 without a byte order mark; a mark overrides it.
  init?(_ encoding: TextEncoding, isBigEndian: Bool = false) {
    self.encoding = encoding
    upperCharacters = encoding.upperCharacters
    conversion = encoding.isMultibyte ? Conversion(from: encoding.table, to: "UTF-8") : nil
    withoutMark = isBigEndian
    if encoding.isMultibyte ? conversion == nil : encoding.hasUpperCharacters && upperCharacters == nil { return nil }
  }

  mutating func append(_ bytes: ArraySlice<UInt8>, to text: inout [UInt8]) {
    text.reserveCapacity(text.count + bytes.count * 3 / 2)
    if let upperCharacters {
      for byte in bytes {
        let scalar = Unicode.Scalar(byte < 0x80 ? UInt16(byte) : upperCharacters[Int(byte) - 0x80])
        text.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
      }
    } else if let conversion {
      pending += bytes
      var end = 0
      while end < pending.count {
        let (left, error) = conversion.convert(pending[end...], to: &text)
        end = pending.count - left
        if error != EILSEQ { break }
        text.append(contentsOf: UTF8.encodedReplacementCharacter)
        end += 1
      }
      pending.removeFirst(end)
    } else if encoding == .utf16 {
      pending += bytes
      appendUnits(to: &text)
    } else {
      text.append(contentsOf: bytes)
    }
  }

  /// Ends the text; an incomplete character becomes U+FFFD.
  mutating func finish(_ text: inout [UInt8]) {
    _ = conversion?.convert([], to: &text)
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

/// A conversion by the C library, which goes on from one piece of a text to the next.
private final class Conversion {
  private let handle: iconv_t

  /// Returns nil if the C library has no table for an encoding.
  init?(from source: String, to target: String) {
    guard let handle = iconv_open(target, source), handle != iconv_t(bitPattern: -1) else { return nil }
    self.handle = handle
  }

  deinit { iconv_close(handle) }

  /// Converts bytes up to the first that cannot be. No bytes end the text: what waits for more is written.
  /// - Returns: how many bytes are left, and why: `EILSEQ` if they are not in the encoding, `EINVAL` if they are the
  ///   beginning of a character.
  func convert(_ bytes: ArraySlice<UInt8>, to text: inout [UInt8]) -> (left: Int, error: Int32) {
    var (left, error) = (bytes.count, Int32(0))
    bytes.withUnsafeBytes { bytes in
      var input = bytes.isEmpty ? nil : UnsafeMutablePointer(mutating: bytes.bindMemory(to: CChar.self).baseAddress)
      repeat {
        text += [UInt8](unsafeUninitializedCapacity: 1 << 12) { buffer, count in
          var output = UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
          var room = buffer.count
          error = iconv(handle, &input, &left, &output, &room) == -1 ? errno : 0
          count = buffer.count - room
        }
      } while error == E2BIG
    }
    return (left, error)
  }
}
