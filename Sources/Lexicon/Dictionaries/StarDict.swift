// Dictionaries in the format of StarDict: `NAME.ifo`, `NAME.idx` or `NAME.idx.gz`, `NAME.dict` or `NAME.dict.dz`, and
// the further headwords of `NAME.syn` or `NAME.syn.dz` (StarDict's StarDictFileFormat, version 2.4.2 and 3.0.0).
// Invariant: numbers in the files are checked before they are used.

import CZlib
import Files
import Text

struct StarDictRecords: DictionaryRecords {
  /// The records of the `.idx`, and from `synonymStart` on those of the `.syn`.
  private let bytes: [UInt8]
  private let synonymStart: Int
  /// The offsets of the records of the `.idx`: a synonym has the number of one.
  private let starts: [UInt32]
  private let packed: PackedText
  /// The kinds of the parts of each entry; empty if each entry states its own.
  private let kinds: [UInt8]
  /// The size of an offset in bytes: 4 or 8.
  private let width: Int
  let offsets: [UInt32]

  init(_ path: String, _ isInterrupted: @escaping () -> Bool) throws {
    let facts = try Self.facts(path, isInterrupted)
    let name = String(path.dropLast(4))
    kinds = Array((facts["sametypesequence"] ?? "").utf8)
    width = facts["idxoffsetbits"] == "64" ? 8 : 4
    var bytes = try Self.content(name + ".idx", packed: ".gz", isInterrupted) ?? []
    packed = try PackedText(ofPathWithout: name, isInterrupted)
    starts = try Self.starts(bytes[...], width + 4, path)
    // Every StarDict dictionary has both fields.
    guard facts["wordcount"] == "\(starts.count)", facts["idxfilesize"] == "\(bytes.count)" else {
      throw DictionaryError.damaged(
        path: path, reason: "its counts do not match the \(starts.count) headwords in its list")
    }
    synonymStart = bytes.count
    var synonyms: [UInt32] = []
    if facts["synwordcount"] != nil, let more = try Self.content(name + ".syn", packed: ".dz", isInterrupted) {
      bytes += more
      synonyms = try Self.starts(bytes[synonymStart...], 4, path)
    }
    self.bytes = bytes
    offsets = starts + synonyms
  }

  /// Parses the `key=value` lines of a `.ifo`.
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

  /// Reads a file, plain or compressed; nil if neither exists, but the list of headwords is required.
  private static func content(
    _ plain: String, packed ending: String, _ isInterrupted: @escaping () -> Bool
  ) throws -> [UInt8]? {
    if fileExists(plain) {
      return try FileText.bytes(plain, limit: WordDictionary.headwordLimit, isInterrupted: isInterrupted)
    }
    let path = plain + ending
    if !plain.hasSuffix(".idx"), !fileExists(path) { return nil }
    let packed = try FileText.bytes(path, limit: WordDictionary.headwordLimit / 8, isInterrupted: isInterrupted)
    var bytes = [UInt8](repeating: 0, count: min(WordDictionary.headwordLimit, packed.count * 16 + 1024))
    let count = deckhand_inflate(packed, packed.count, &bytes, bytes.count, 31)
    if count < 0 || count == bytes.count {
      throw DictionaryError.damaged(
        path: path, reason: "it cannot be unpacked, or unpacks to more than 16 times its size")
    }
    return Array(bytes[..<count])
  }

  /// Returns where each record begins: a headword, NUL, and `numbers` bytes of numbers.
  private static func starts(_ bytes: ArraySlice<UInt8>, _ numbers: Int, _ path: String) throws -> [UInt32] {
    var starts: [UInt32] = []
    var start = bytes.startIndex
    while start < bytes.endIndex {
      guard let end = bytes[start...].firstIndex(of: 0), end + 1 + numbers <= bytes.endIndex else {
        throw DictionaryError.damaged(path: path, reason: "its list of headwords ends in the middle of one")
      }
      starts.append(UInt32(start))
      start = end + 1 + numbers
    }
    return starts
  }

  func headword(at offset: Int) -> ArraySlice<UInt8> { bytes[offset...].prefix { $0 != 0 } }

  var hasForms: Bool { synonymStart < bytes.count }

  func lemma(at offset: Int) -> String? { target(of: offset).map { String(decoding: headword(at: $0), as: UTF8.self) } }

  /// Returns the offset of the headword that a synonym stands for; nil if the record is not a valid synonym.
  private func target(of offset: Int) -> Int? {
    guard offset >= synonymStart else { return nil }
    let number = big(headword(at: offset).endIndex + 1, 4)
    return starts.indices.contains(number) ? Int(starts[number]) : nil
  }

  func texts(at offset: Int) throws -> [(text: String, isMarkup: Bool)] {
    guard let offset = offset < synonymStart ? offset : target(of: offset) else { return [] }
    let numbers = headword(at: offset).endIndex + 1
    let (start, count) = (big(numbers, width), big(numbers + width, 4))
    return parts(of: try packed.bytes(at: start, count: count))
  }

  private func big(_ start: Int, _ count: Int) -> Int {
    Int(truncatingIfNeeded: bytes[start..<start + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  /// Returns the parts of an entry that are text. Parts whose kind is a small letter end with NUL, those whose kind is
  /// a capital have their size before them; the last part of a known sequence has neither.
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
