// The form of text that searches compare: lower case, without diacritics, kana and Hangul composed.
// Invariant: folding works on UTF-8 instead of Strings, so that a deck of 100,000 cards is searched in an instant;
// bytes that are not valid UTF-8 are copied unchanged.

import CSearch
import Text

enum Folding {
  /// The folded form of each scalar below `limit`: itself, another scalar, or 0 for a combining mark, which is dropped.
  private static let limit = 0x2000
  private static let table: [UInt32] = makeTable()

  static func fold(_ text: String) -> [UInt8] {
    var folded: [UInt8] = []
    var text = text
    text.withUTF8 { fold($0, into: &folded) }
    return folded
  }

  /// Appends the folded text.
  static func fold(_ bytes: UnsafeBufferPointer<UInt8>, into folded: inout [UInt8]) {
    let start = folded.count
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte < 0x80 {
        folded.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
        index += 1
        continue
      }
      let (value, length) = decode(bytes, index)
      if length == 0 {
        folded.append(byte)
        index += 1
      } else {
        if !isJoining(value) || !join(value, &folded, from: start) { append(value, to: &folded) }
        index += length
      }
    }
  }

  private static func append(_ value: UInt32, to folded: inout [UInt8]) {
    if value < UInt32(limit) {
      encode(table[Int(value)], into: &folded)
    } else if let scalar = Unicode.Scalar(value), !scalar.isCombiningDiacritic {
      folded.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
    }
  }

  /// Whether NFC joins a character with the one before it, and it is not a diacritic: a voicing mark of kana, a vowel
  /// or a final consonant of Hangul.
  private static func isJoining(_ value: UInt32) -> Bool {
    switch value {
    case 0x1161...0x1175, 0x11A8...0x11C2, 0x3099, 0x309A: true
    default: false
    }
  }

  /// Joins a character with the last one of the text.
  /// - Returns: false if the two do not make one character.
  private static func join(_ value: UInt32, _ folded: inout [UInt8], from start: Int) -> Bool {
    // All characters that can be joined have three bytes.
    guard folded.count - start >= 3, let scalar = Unicode.Scalar(value) else { return false }
    let joined = (String(decoding: folded.suffix(3), as: UTF8.self) + String(scalar)).composed
    guard joined.unicodeScalars.count == 1 else { return false }
    folded.removeLast(3)
    folded.append(contentsOf: joined.utf8)
    return true
  }

  private static func makeTable() -> [UInt32] {
    (0..<UInt32(limit)).map { value in
      guard let scalar = Unicode.Scalar(value) else { return value }
      return scalar.isCombiningDiacritic ? 0 : lowered(scalar.withoutDiacritics)
    }
  }

  /// The scalar in lower case; itself if that is several. ς, at the end of a word, is σ, because Σ may be either.
  static func lowered(_ scalar: Unicode.Scalar) -> UInt32 {
    if scalar == "ς" { return 0x3C3 }
    let lower = scalar.properties.lowercaseMapping.unicodeScalars
    return lower.count == 1 ? lower.first?.value ?? scalar.value : scalar.value
  }

  /// Decodes the scalar of two to four bytes at an index; length 0 if the bytes are not well formed.
  static func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> (value: UInt32, length: Int) {
    let first = bytes[index]
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0
    guard length > 0, index + length <= bytes.count else { return (0, 0) }
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for offset in 1..<length {
      guard bytes[index + offset] & 0xC0 == 0x80 else { return (0, 0) }
      value = value << 6 | UInt32(bytes[index + offset] & 0x3F)
    }
    return (value, length)
  }

  private static func encode(_ value: UInt32, into folded: inout [UInt8]) {
    if value == 0 { return }
    if value < 0x80 {
      folded.append(UInt8(value))
    } else if value < 0x800 {
      folded.append(UInt8(0xC0 | value >> 6))
      folded.append(UInt8(0x80 | value & 0x3F))
    } else {
      folded.append(UInt8(0xE0 | value >> 12))
      folded.append(UInt8(0x80 | value >> 6 & 0x3F))
      folded.append(UInt8(0x80 | value & 0x3F))
    }
  }
}

/// What a text must contain to match: the pieces in this order, with anything between them.
struct TextPattern: Equatable {
  /// Folded, without the stars.
  let pieces: [[UInt8]]
  /// Whether the first piece must begin the text and the last must end it.
  let isWhole: Bool

  /// - Parameter parts: the texts between the stars. Adjacent stars count as one.
  init(_ parts: [String], isWhole: Bool) {
    pieces = parts.enumerated().filter { $0.offset == 0 || $0.offset == parts.count - 1 || !$0.element.isEmpty }
      .map { Folding.fold($0.element) }
    self.isWhole = isWhole
  }

  func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var start = 0
    var end = text.count
    var middle = pieces[...]
    if isWhole, let first = middle.popFirst() {
      guard let last = middle.popLast() else { return text.elementsEqual(first) }
      guard text.starts(with: first), text.count - first.count >= last.count,
        text.suffix(last.count).elementsEqual(last)
      else { return false }
      start = first.count
      end = text.count - last.count
    }
    for piece in middle {
      guard let found = TextPattern.find(piece, in: text, from: start, to: end) else { return false }
      start = found + piece.count
    }
    return true
  }

  private static func find(
    _ piece: [UInt8], in text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
  ) -> Int? {
    if piece.isEmpty { return start }
    // The time of `memmem` is proportional to the text, also where the piece overlaps itself.
    guard end - start >= piece.count, let base = text.baseAddress,
      let found = memmem(base + start, end - start, piece, piece.count)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }
}
