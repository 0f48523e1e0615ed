// Dictionaries of StarDict: `NAME.ifo`, `NAME.idx` or `NAME.idx.gz`, `NAME.dict` or `NAME.dict.dz` (StarDict's
// StarDictFileFormat, version 2.4.2 and 3.0.0).
// Invariant: numbers of the files are checked before they are used.

import CZlib
import Files
import Text

struct StarDictRecords: DictionaryRecords {
  private let path: String
  private let bytes: [UInt8]
  private let packed: PackedText
  /// The kinds of the parts that each entry has; empty when each entry says so itself.
  private let kinds: [UInt8]
  /// Bytes of an offset: 4, or 8.
  private let width: Int
  let offsets: [UInt32]

  /// - Parameter path: of the `.ifo`.
  init(_ path: String, _ isInterrupted: @escaping () -> Bool) throws {
    self.path = path
    let facts = try Self.facts(path, isInterrupted)
    let name = String(path.dropLast(4))
    kinds = Array((facts["sametypesequence"] ?? "").utf8)
    width = facts["idxoffsetbits"] == "64" ? 8 : 4
    bytes = try Self.headwords(name, isInterrupted)
    packed = try PackedText(ofPathWithout: name, isInterrupted)
    offsets = try Self.starts(bytes, width, path)
    // Both stand in each dictionary of StarDict's.
    guard facts["wordcount"] == "\(offsets.count)", facts["idxfilesize"] == "\(bytes.count)" else {
      throw DictionaryError.damaged(
        path: path, reason: "it does not tell the \(offsets.count) headwords that are in its list")
    }
  }

  /// The lines `key=value` of a `.ifo`.
  static func facts(_ path: String, _ isInterrupted: @escaping () -> Bool) throws -> [String: String] {
    let text = String(decoding: try FileText.bytes(path, limit: 1 << 20, isInterrupted: isInterrupted), as: UTF8.self)
    guard text.hasPrefix("StarDict's dict ifo file") else {
      throw DictionaryError.damaged(path: path, reason: "its first line is not StarDict's")
    }
    var facts: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      guard let sign = line.firstIndex(of: "=") else { continue }
      facts[String(line[..<sign]).trimmed] = String(line[line.index(after: sign)...]).trimmed
    }
    return facts
  }

  private static func headwords(_ name: String, _ isInterrupted: @escaping () -> Bool) throws -> [UInt8] {
    let plain = name + ".idx"
    if fileExists(plain) {
      return try FileText.bytes(plain, limit: WordDictionary.headwordLimit, isInterrupted: isInterrupted)
    }
    let path = name + ".idx.gz"
    let packed = try FileText.bytes(path, limit: WordDictionary.headwordLimit / 8, isInterrupted: isInterrupted)
    var bytes = [UInt8](repeating: 0, count: min(WordDictionary.headwordLimit, packed.count * 16 + 1024))
    let count = deckhand_inflate(packed, packed.count, &bytes, bytes.count, 31)
    if count < 0 || count == bytes.count {
      throw DictionaryError.damaged(path: path, reason: "it cannot be unpacked, or to more than 16 times its size")
    }
    return Array(bytes[..<count])
  }

  /// Where each record begins: a headword, NUL, offset, size.
  private static func starts(_ bytes: [UInt8], _ width: Int, _ path: String) throws -> [UInt32] {
    var starts: [UInt32] = []
    var start = 0
    while start < bytes.count {
      guard let end = bytes[start...].firstIndex(of: 0), end + 1 + width + 4 <= bytes.count else {
        throw DictionaryError.damaged(path: path, reason: "its list of headwords ends in the middle of one")
      }
      starts.append(UInt32(start))
      start = end + 1 + width + 4
    }
    return starts
  }

  func headword(at offset: Int) -> ArraySlice<UInt8> { bytes[offset...].prefix { $0 != 0 } }

  func texts(at offset: Int) throws -> [(text: String, isMarkup: Bool)] {
    let numbers = headword(at: offset).endIndex + 1
    let (start, count) = (big(numbers, width), big(numbers + width, 4))
    return parts(of: try packed.bytes(at: start, count: count))
  }

  private func big(_ start: Int, _ count: Int) -> Int {
    Int(truncatingIfNeeded: bytes[start..<start + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  /// The parts of an entry that are text. Those of small letters end with NUL, those of capitals have their size before
  /// them; the last of a known sequence has neither.
  private func parts(of entry: [UInt8]) -> [(text: String, isMarkup: Bool)] {
    var parts: [(text: String, isMarkup: Bool)] = []
    var rest = entry[...]
    var known = kinds[...]
    while !rest.isEmpty {
      let isLast = !kinds.isEmpty && known.count <= 1
      guard let kind = kinds.isEmpty ? rest.popFirst() : known.popFirst() else { break }
      var content = rest
      if !isLast {
        if kind & 0x20 == 0 {
          guard rest.count >= 4 else { break }
          let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
          content = rest.dropFirst(4).prefix(count)
          rest = rest[content.endIndex...]
        } else {
          content = rest.prefix { $0 != 0 }
          rest = rest[content.endIndex...].dropFirst()
        }
      } else {
        rest = []
      }
      let text = String(decoding: content, as: UTF8.self).trimmed
      switch kind {
      // Meaning, in the locale's encoding, phonetic, Chinese pinyin and kana, MediaWiki.
      case UInt8(ascii: "m"), UInt8(ascii: "l"), UInt8(ascii: "t"), UInt8(ascii: "y"), UInt8(ascii: "w"):
        parts.append((text, false))
      // Pango, XDXF, HTML, KingSoft's XML.
      case UInt8(ascii: "g"), UInt8(ascii: "x"), UInt8(ascii: "h"), UInt8(ascii: "k"): parts.append((text, true))
      default: break
      }
    }
    return parts
  }
}
