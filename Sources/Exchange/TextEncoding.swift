// The encodings that files of cards are read in, by name and by a file's first bytes.
// Invariant: a file that may be UTF-8 is read as UTF-8.

import Text

/// How a file's text is written.
///
///     try TextEncoding(named: "ISO-8859-1")   // .latin1
public enum TextEncoding: String, Sendable, CaseIterable {
  case utf8 = "utf-8"
  case latin1 = "latin-1"
  /// In either order of bytes; without a mark at the beginning the lower byte is first.
  case utf16 = "utf-16"
  /// What Windows wrote before Unicode in Western Europe; the five bytes that it leaves open are control characters.
  case windows1252 = "windows-1252"

  /// The names that `--encoding` takes.
  public static var allNames: [String] { allCases.map(\.rawValue) }

  /// - Throws: `unknownEncoding`.
  public init(named name: String) throws(ExchangeError) {
    let lowered = name.lowercased()
    guard let encoding = Self.aliases[lowered] ?? TextEncoding(rawValue: lowered) else {
      throw .unknownEncoding(name: name)
    }
    self = encoding
  }
}

extension TextEncoding {
  /// What the same encodings are called elsewhere.
  private static let aliases: [String: TextEncoding] = [
    "utf8": .utf8, "utf16": .utf16, "latin1": .latin1, "iso-8859-1": .latin1, "cp1252": .windows1252,
  ]
}

extension TextEncoding {
  /// The encoding of a text that begins like that: UTF-16 by its mark or by the zero bytes of Latin letters,
  /// Windows-1252 when there are bytes beyond ASCII and none of them makes a character of UTF-8.
  static func found(in start: ArraySlice<UInt8>) -> TextEncoding {
    let first = Array(start.prefix(2))
    if first == [0xFF, 0xFE] || first == [0xFE, 0xFF] { return .utf16 }
    if zeroParity(of: start.prefix(64)) != nil { return .utf16 }
    return hasOnlySingleBytes(start) ? .windows1252 : .utf8
  }

  /// Where the zero bytes of Latin letters in UTF-16 are: 0 for the first byte of each pair, 1 for the second; nil when
  /// the bytes do not look so.
  static func zeroParity(of bytes: ArraySlice<UInt8>) -> Int? {
    let pairs = bytes.count / 2
    let zeros = [0, 1].map { parity in
      stride(from: parity, to: pairs * 2, by: 2).count { bytes[bytes.startIndex + $0] == 0 }
    }
    return [0, 1].first { zeros[$0] * 2 > pairs && zeros[1 - $0] == 0 }
  }

  private static func hasOnlySingleBytes(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.contains(where: { $0 >= 0x80 }) else { return false }
    return bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < bytes.count {
        if bytes[index] < 0x80 {
          index += 1
          continue
        }
        let rest = UnsafeBufferPointer(rebasing: bytes[index..<min(index + 4, bytes.count)])
        // A character that the end cuts may be one of UTF-8.
        if firstInvalidByte(rest) != 0 || bytes.count - index < 4 && (0xC2...0xF4).contains(bytes[index]) {
          return false
        }
        index += 1
      }
      return true
    }
  }
}
