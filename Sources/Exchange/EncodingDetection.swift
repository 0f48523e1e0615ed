// Finds the encoding of a text that is not UTF-8, by its bytes and by its language.
// Invariant: nothing here takes more than 64 KiB of a text; a text that is nearly all UTF-8 is UTF-8.

import Text

extension TextEncoding {
  /// Returns the encoding that texts of a language had before Unicode, by the language's code (`ru`, `pt-BR`); nil for
  /// a language that is not listed here.
  static func legacy(ofLanguage code: String) -> TextEncoding? {
    switch base(of: code) {
    case "pl", "cs", "sk", "hu", "hr", "sl", "ro": .windows1250
    case "ru", "uk", "bg", "be", "sr", "mk": .windows1251
    case "el": .windows1253
    case "tr", "az": .windows1254
    case "he": .windows1255
    case "ar", "fa", "ur": .windows1256
    case "ja": .shiftJIS
    case "zh": .gb18030
    case "en", "de", "fr", "es", "it", "pt", "nl", "da", "sv", "no", "nb", "nn", "fi", "is", "ca", "gl", "eu":
      .windows1252
    default: nil
    }
  }

  private static func base(of code: String) -> String { code.prefix { $0 != "-" && $0 != "_" }.lowercased() }

  /// Returns the encoding of a text that is not UTF-8, if its bytes show it; nil if they do not, or if the texts of its
  /// language had one encoding only. Bytes of nearly all UTF-8 show none.
  /// - Parameters:
  ///   - language: a code; nil if it is not known. Then the text must be typical of Japanese, Chinese or Russian.
  ///   - usual: the encoding of the language that is usual, which the encodings of Russian compete with.
  static func detected(in bytes: ArraySlice<UInt8>, language: String?, usual: TextEncoding? = nil) -> TextEncoding? {
    let start = bytes.drop { $0 < 0x80 }.prefix(1 << 16)
    let (japanese, chinese, russian) = ([shiftJIS, eucJP], [gb18030, big5], [windows1251, koi8R])
    // Japanese comes before Chinese, because kana are frequent characters in Chinese encodings.
    let languages: [[TextEncoding]] =
      switch language.map(base) {
      case "ja"?: [japanese]
      case "zh"?: [chinese]
      case "ru"?: [russian]
      case nil: [japanese, chinese + ([nil, windows1252, windows1251].contains(usual) ? russian : [])]
      default: []
      }
    let (good, bad) = languages.isEmpty ? (0, 0) : characters(start)
    // One bad byte or two among others are faults of a text in UTF-8.
    if good >= (bad > 2 ? 8 : 1) * bad { return nil }
    for candidates in languages {
      let scores = candidates.compactMap { encoding in encoding.score(of: start).map { (encoding, score: $0) } }
      guard let (best, score) = scores.max(by: { $0.score < $1.score }) else { continue }
      if language != nil || score >= (russian.contains(best) ? 0.5 : 0.15) { return best }
    }
    return nil
  }

  /// Returns how many characters beyond ASCII a text has as UTF-8, and how many bytes of it are none.
  private static func characters(_ bytes: ArraySlice<UInt8>) -> (good: Int, bad: Int) {
    var (good, bad) = (0, 0)
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars where scalar.value >= 0x80 {
      if scalar == "\u{FFFD}" { bad += 1 } else { good += 1 }
    }
    return (good, bad)
  }

  /// Returns how typical a text is of the language of this encoding, as a part of its characters, at most 1; of a few
  /// characters less. Nil if it is not in this encoding. Japanese has kana and its own marks, Chinese the frequent
  /// characters, which come first in its encodings, Russian more small letters than capitals.
  private func score(of bytes: ArraySlice<UInt8>) -> Double? {
    guard var transcoder = Transcoder(self) else { return nil }
    var text: [UInt8] = []
    transcoder.append(bytes, to: &text)
    var (typical, all, faults) = (0, 0, 0)
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      if scalar.isLetter || !scalar.isASCII { all += 1 }
      switch scalar.value {
      case 0x3001...0x3002, 0x3041...0x30FF, 0x430...0x44F: typical += 1
      case 0x410...0x42F: typical -= 1
      case 0xFF61...0xFF9F: typical -= 2
      case 0xFFFD: faults += 1
      default: continue
      }
    }
    if self == .gb18030 || self == .big5 { typical = frequentCharacters(in: bytes) }
    return faults * 500 > all ? nil : Double(typical) / Double(max(all, 8))
  }

  /// Returns the number of Chinese characters of the first level, by their first bytes.
  private func frequentCharacters(in bytes: ArraySlice<UInt8>) -> Int {
    let frequent: ClosedRange<UInt8> = self == .gb18030 ? 0xB0...0xD7 : 0xA4...0xC6
    var (count, rest) = (0, bytes)
    while let first = rest.popFirst() {
      if frequent.contains(first) { count += 1 }
      // In GB18030 a digit in the second place makes it four bytes.
      if first >= 0x80, let second = rest.popFirst(), (0x30...0x39).contains(second) { rest = rest.dropFirst(2) }
    }
    return count
  }

  /// Returns the encoding of a text of an unknown language from its first bytes: UTF-16, UTF-8, one that is detected,
  /// or Windows-1252 if there are bytes beyond ASCII and none of them is part of a UTF-8 character.
  /// - Parameter isWhole: whether these bytes are the whole text, so that its end truncates no character.
  static func found(in start: ArraySlice<UInt8>, isWhole: Bool = false) -> TextEncoding {
    if isUTF16(start) { return .utf16 }
    var start = start
    for _ in 0..<(isWhole ? 0 : 4) where start.last.map({ $0 >= 0x80 }) == true { start.removeLast() }
    let (good, bad) = characters(start)
    return detected(in: start, language: nil) ?? (good == 0 && bad > 0 ? .windows1252 : .utf8)
  }

  /// Whether a text begins with a byte order mark of UTF-16, or has the zero bytes of Latin letters in it.
  static func isUTF16(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || zeroParity(of: bytes.prefix(64)) != nil
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
}
