// The rules for a card's texts, applied to bytes in place (UTF-8, no NUL, trimmed, bounded), and their stable hash; and
// guids, the identity of a card across collections and files.
// Invariant: nothing here makes a String, except for an argument that is one; the hash never changes, because the
// database stores it. A generated guid is 64 random bits as 11 letters and digits, and no note has it yet. Cards that
// are added one after the other get consecutive guids, so that an index of a million entries is written in order.

import Storage
import Templates
import Text

/// The borrowed bytes of a text; valid only as long as their owner exists.
public typealias TextBytes = UnsafeBufferPointer<UInt8>

enum CardText {
  /// Returns the text without white space at both ends.
  /// - Throws: `badText` naming `what`. A blank text is not an error here.
  static func cleaned(_ bytes: TextBytes, _ what: StaticString) throws(DeckError) -> TextBytes {
    if bytes.count > CardTexts.limit {
      throw .badText(what: "\(what)", reason: "has more than \(grouped(CardTexts.limit)) bytes")
    }
    if let invalidReason = firstInvalidByte(bytes) {
      let reason = bytes[invalidReason] == 0 ? "contains a NUL character" : "is not UTF-8"
      throw .badText(what: "\(what)", reason: "\(reason) at byte \(invalidReason + 1)")
    }
    if hasTooManyMarks(bytes) {
      throw .badText(what: "\(what)", reason: "has more than \(longestMarkRun) combining marks in a row")
    }
    return trimmed(bytes)
  }

  /// Returns the text of a String, checked and trimmed in the same way.
  static func cleaned(_ text: String, _ what: StaticString) throws(DeckError) -> String {
    var text = text
    let result = text.withUTF8 { bytes in
      Result { () throws(DeckError) in String(decoding: try cleaned(bytes, what), as: UTF8.self) }
    }
    return try result.get()
  }

  /// Returns well-formed bytes without characters with the Unicode property White_Space at both ends.
  static func trimmed(_ bytes: TextBytes) -> TextBytes {
    var start = 0
    var end = bytes.count
    while start < end {
      let length = blankLength(bytes, start, end)
      if length == 0 { break }
      start += length
    }
    while end > start {
      var last = end - 1
      while last > start, bytes[last] & 0xC0 == 0x80 { last -= 1 }
      if blankLength(bytes, last, end) != end - last { break }
      end = last
    }
    return TextBytes(rebasing: bytes[start..<end])
  }

  /// The length of the white space character at `index`; 0 if there is none.
  private static func blankLength(_ bytes: TextBytes, _ index: Int, _ end: Int) -> Int {
    let first = bytes[index]
    if isASCIISpace(first) { return 1 }
    if first < 0xC2 { return 0 }
    if first == 0xC2, index + 1 < end { return bytes[index + 1] == 0x85 || bytes[index + 1] == 0xA0 ? 2 : 0 }
    guard index + 2 < end else { return 0 }
    switch (first, bytes[index + 1], bytes[index + 2]) {
    case (0xE1, 0x9A, 0x80), (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80): return 3
    case (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8), (0xE2, 0x80, 0xA9), (0xE2, 0x80, 0xAF): return 3
    default: return 0
    }
  }

  /// The value for the index of content: the hash of the prompt in the upper half, that of the answer in the lower
  /// half; the same for all normal forms of the texts.
  static func content(_ prompt: TextBytes, _ answer: TextBytes) -> Int64 {
    Int64(bitPattern: hash(prompt) << 32 | hash(answer))
  }

  /// Every value that `content` can have for a prompt.
  static func contents(ofPrompt prompt: TextBytes) -> ClosedRange<Int64> {
    let low = hash(prompt) << 32
    return Int64(bitPattern: low)...Int64(bitPattern: low | 0xFFFF_FFFF)
  }

  /// Whether two texts are the same in NFC.
  static func areSame(_ one: TextBytes, _ other: TextBytes) -> Bool {
    if one.count == other.count, one.elementsEqual(other) { return true }
    if !mayCompose(one), !mayCompose(other) { return false }
    return composed(one).utf8.elementsEqual(composed(other).utf8)
  }

  private static func hash(_ text: TextBytes) -> UInt64 {
    if !mayCompose(text) { return UInt64(contentHash(text)) }
    var composed = composed(text)
    return composed.withUTF8 { UInt64(contentHash($0)) }
  }

  private static func composed(_ text: TextBytes) -> String { String(decoding: text, as: UTF8.self).composed }

  /// Whether a text may have another form in NFC. Most letters of most languages are not looked at one by one: what
  /// NFC changes begins with few bytes.
  private static func mayCompose(_ text: TextBytes) -> Bool {
    for index in text.indices where text[index] >= 0xCC {
      func next(_ distance: Int) -> UInt8 { index + distance < text.count ? text[index + distance] : 0 }
      switch text[index] {
      // Greek, Cyrillic and Armenian letters, Chinese characters and syllables of Hangul.
      case 0xCE...0xD5, 0xE4...0xEE: continue
      // Punctuation and symbols.
      case 0xE2 where next(1) != 0x84 && next(1) < 0x8C && (next(1) != 0x80 || next(2) > 0x81): continue
      // Kana, except for their voicing marks.
      case 0xE3 where next(1) != 0x82 || !(0x99...0x9A).contains(next(2)): continue
      default: return true
      }
    }
    return false
  }
}

enum Guid {
  static let length = 11
  private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// Writes 64 bits in base 62, the highest digit first; 62^11 is more than 2^64.
  static func write(_ bits: UInt64, into bytes: UnsafeMutableBufferPointer<UInt8>) {
    var rest = bits
    for index in bytes.indices.reversed() {
      bytes[index] = digits[Int(rest % 62)]
      rest /= 62
    }
  }

  /// Whether no note has any of `count` consecutive guids. Guids sort as texts in the order of their bits.
  static func areFree(_ db: Database, from first: UInt64, count: Int) throws -> Bool {
    let (last, overflow) = first.addingReportingOverflow(UInt64(count) - 1)
    if overflow { return false }
    func guid(_ bits: UInt64) -> String {
      String(unsafeUninitializedCapacity: length) {
        write(bits, into: UnsafeMutableBufferPointer(rebasing: $0[..<length]))
        return length
      }
    }
    let sql = "SELECT 1 FROM notes WHERE guid BETWEEN ? AND ? LIMIT 1"
    return try db.firstRow(sql, [guid(first), guid(last)]) { _ in false } ?? true
  }

  /// Splits the guid of a card like `x/2` into the guid of its note and the card's number less 1; nil for other guids.
  static func parts(_ guid: String) -> (note: String, ordinal: Int)? {
    guard let slash = guid.lastIndex(of: "/"), case let number = guid[guid.index(after: slash)...],
      let place = Int(number), place > 1, String(place) == number
    else { return nil }
    return (String(guid[..<slash]), place - 1)
  }

  static func cleaned(_ given: String) throws -> String? {
    var given = given
    return try given.withUTF8 { try cleaned($0).map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Trims and checks a given guid; returns nil if it is empty, so that one has to be generated.
  static func cleaned(_ bytes: TextBytes) throws(DeckError) -> TextBytes? {
    let guid = try CardText.cleaned(bytes, "guid")
    if guid.count > 200 {
      throw .badGuid(guid: String(decoding: guid, as: UTF8.self), reason: "must have at most 200 bytes")
    }
    for byte in guid where byte < 0x20 || byte == 0x7F {
      throw .badGuid(guid: String(decoding: guid, as: UTF8.self), reason: "must not contain control characters")
    }
    return guid.isEmpty ? nil : guid
  }
}
