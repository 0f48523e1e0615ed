// One dictionary, in any file format: its headwords, and the text of each. Invariant: it is opened once; its headwords
// are in memory and its texts on disk, or both on disk if it was indexed; damage is an error that names the file.

import Files
import Text

final class WordDictionary {
  /// The largest file of headwords, in bytes.
  static let headwordLimit = 512 << 20

  private let place: DictionaryPlace
  /// nil for an indexed dictionary.
  private let records: (any DictionaryRecords)?
  private let index: DictionaryIndex?
  private let isInterrupted: () -> Bool
  private var tables: [HeadwordForm: HeadwordTable] = [:]

  /// - Parameter areForms: a table has lemmas in place of meanings.
  /// - Parameter isInterrupted: polled while its files are read, and while its headwords are put into a table.
  /// - Throws: `FileError`, `DictionaryError.damaged`.
  init(_ place: DictionaryPlace, areForms: Bool = false, isInterrupted: @escaping () -> Bool) throws {
    (self.place, self.isInterrupted) = (place, isInterrupted)
    index = place.format == .indexed ? try DictionaryIndex(place.path) : nil
    records =
      switch place.format {
      case .indexed: nil
      case .dictd: try DictdRecords(place.path, isInterrupted)
      case .starDict: try StarDictRecords(place.path, isInterrupted)
      case .table: try TableRecords(place.path, hasForms: areForms, isInterrupted)
      }
  }

  func hasTable(_ form: HeadwordForm) -> Bool { records == nil || tables[form] != nil }

  private func table(_ form: HeadwordForm, _ records: any DictionaryRecords) throws -> HeadwordTable {
    if let table = tables[form] { return table }
    let table = try HeadwordTable(records.offsets, form) { offset in
      if offset & 0x3FF == 0, isInterrupted() { throw FileError(place.path, .read, .interrupted) }
      return records.headword(at: offset)
    }
    tables[form] = table
    return table
  }

  /// Returns the entries of a word, in the order of the dictionary; each once, even if several headwords lead to it.
  func meanings(of word: String, _ form: HeadwordForm) throws -> [Meaning] {
    var (meanings, texts): ([Meaning], Set<String>) = ([], [])
    func add(_ headword: String, _ text: String, _ isMarkup: Bool) {
      guard !text.isEmpty, texts.insert(text).inserted else { return }
      meanings.append(Meaning(dictionary: place.name, word: headword, text: text, isMarkup: isMarkup))
    }
    for entry in indexed(word, form) where entry.kind == .meaning || entry.kind == .markup {
      add(entry.headword, entry.text, entry.kind == .markup)
    }
    guard let records else { return meanings }
    let table = try table(form, records)
    for offset in table.offsets(of: Array(word.utf8)[...], headword: records.headword) {
      let headword = String(decoding: records.headword(at: offset), as: UTF8.self)
      for (text, isMarkup) in try records.texts(at: offset) { add(headword, text, isMarkup) }
    }
    return meanings
  }

  /// Adds the words that it explains.
  func addHeadwords(to words: inout HeadwordSet) {
    index?.forEachHeadword { kind, word in if kind == .meaning || kind == .markup { words.insert(word) } }
    for offset in records?.offsets ?? [] { words.insert(records?.headword(at: Int(offset)) ?? []) }
  }

  func lemmas(of word: String, _ form: HeadwordForm) throws -> [String] {
    var lemmas = remarks(.form, on: word, form)
    guard let records, records.hasForms else { return lemmas }
    for offset in try table(form, records).offsets(of: Array(word.utf8)[...], headword: records.headword) {
      if let lemma = records.lemma(at: offset), !lemmas.contains(lemma) { lemmas.append(lemma) }
    }
    return lemmas
  }

  /// Returns what the dictionary says about a word besides its meanings, each once.
  func remarks(_ kind: DictionaryEntryKind, on word: String, _ form: HeadwordForm) -> [String] {
    indexed(word, form).reduce(into: []) { remarks, entry in
      if entry.kind == kind, !remarks.contains(entry.text) { remarks.append(entry.text) }
    }
  }

  private func indexed(
    _ word: String, _ form: HeadwordForm
  ) -> [(kind: DictionaryEntryKind, headword: String, text: String)] {
    guard let index else { return [] }
    let key = form.key(Array(word.utf8)[...])
    return index.entries(of: word).filter { form.key(Array($0.headword.utf8)[...]) == key }
  }

  func add(to index: DictionaryIndexWriter) throws {
    guard let records else { return }
    for (number, offset) in records.offsets.enumerated() {
      if number & 0x3FF == 0, isInterrupted() { throw FileError(place.path, .read, .interrupted) }
      let headword = String(decoding: records.headword(at: Int(offset)), as: UTF8.self)
      if let lemma = records.lemma(at: Int(offset)) {
        try index.add(.form, headword, lemma)
        continue
      }
      for (text, isMarkup) in try records.texts(at: Int(offset)) {
        try index.add(isMarkup ? .markup : .meaning, headword, text)
      }
    }
  }
}

/// The entries in the files of a dictionary. An offset is where the record of an entry begins.
protocol DictionaryRecords {
  var offsets: [UInt32] { get }
  func headword(at offset: Int) -> ArraySlice<UInt8>
  /// Returns the texts of the entry, trimmed, and whether each is markup.
  func texts(at offset: Int) throws -> [(text: String, isMarkup: Bool)]
  var hasForms: Bool { get }
  /// Returns the headword of which the entry's headword is a form.
  func lemma(at offset: Int) -> String?
}

extension DictionaryRecords {
  var hasForms: Bool { false }
  func lemma(at offset: Int) -> String? { nil }

  /// Returns the starts of the lines that contain a tab and are not comments.
  static func lineStarts(_ bytes: [UInt8]) -> [UInt32] {
    var starts: [UInt32] = []
    var start = bytes.withoutMark.startIndex
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      if bytes[start] != UInt8(ascii: "#"), bytes[start..<end].contains(UInt8(ascii: "\t")) {
        starts.append(UInt32(start))
      }
      start = end + 1
    }
    return starts
  }
}

/// `NAME.index` and `NAME.dict` or `NAME.dict.dz` in the format of dictd: each line has a headword, offset and length,
/// the numbers in base 64 (dictfmt(1), dictd(8)).
struct DictdRecords: DictionaryRecords {
  private let path: String
  private let bytes: [UInt8]
  private let packed: PackedText
  let offsets: [UInt32]

  init(_ path: String, _ isInterrupted: @escaping () -> Bool) throws {
    self.path = path
    bytes = try FileText.bytes(path, limit: WordDictionary.headwordLimit, isInterrupted: isInterrupted)
    packed = try PackedText(ofPathWithout: String(path.dropLast(6)), isInterrupted)
    let bytes = bytes
    // Entries about the dictionary itself are not headwords; `dictfmt --allchars` keeps their hyphens.
    let inner = ["00database", "00-database-"].map { Array($0.utf8) }
    offsets = Self.lineStarts(bytes).filter { start in !inner.contains { bytes[Int(start)...].starts(with: $0) } }
  }

  func headword(at offset: Int) -> ArraySlice<UInt8> { fields(at: offset)[0] }

  func texts(at offset: Int) throws -> [(text: String, isMarkup: Bool)] {
    let fields = fields(at: offset)
    guard fields.count >= 3, let start = Self.number(fields[1]), let count = Self.number(fields[2]) else {
      throw DictionaryError.damaged(path: path, reason: "byte \(offset): headword, offset and length expected")
    }
    return [(String(decoding: try packed.bytes(at: start, count: count), as: UTF8.self).trimmed, false)]
  }

  private func fields(at offset: Int) -> [ArraySlice<UInt8>] {
    let line = bytes[offset...].prefix { $0 != UInt8(ascii: "\n") }
    return line.split(separator: UInt8(ascii: "\t"), maxSplits: 3, omittingEmptySubsequences: false)
  }

  /// Parses a number in base 64 without padding, the highest digit first.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    if digits.isEmpty || digits.count > 9 { return nil }
    var number = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): number = number << 6 | Int(digit - 65)
      case UInt8(ascii: "a")...UInt8(ascii: "z"): number = number << 6 | Int(digit - 97 + 26)
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 6 | Int(digit - 48 + 52)
      case UInt8(ascii: "+"): number = number << 6 | 62
      case UInt8(ascii: "/"): number = number << 6 | 63
      default: return nil
      }
    }
    return number
  }
}

/// A table made by the user: each line has a word, a tab, and its meaning; further columns are further meanings. In a
/// table of forms, the second column is the lemma.
struct TableRecords: DictionaryRecords {
  private let path: String
  private let bytes: [UInt8]
  let offsets: [UInt32]
  let hasForms: Bool

  init(_ path: String, hasForms: Bool, _ isInterrupted: @escaping () -> Bool) throws {
    (self.path, self.hasForms) = (path, hasForms)
    let bytes = try FileText.bytes(path, limit: WordDictionary.headwordLimit, isInterrupted: isInterrupted)
    if String(validating: bytes, as: UTF8.self) == nil {
      throw DictionaryError.damaged(path: path, reason: "it is not UTF-8")
    }
    self.bytes = bytes
    offsets = Self.lineStarts(bytes)
  }

  func headword(at offset: Int) -> ArraySlice<UInt8> { bytes[offset...].prefix { $0 != UInt8(ascii: "\t") } }

  func lemma(at offset: Int) -> String? {
    guard hasForms else { return nil }
    let rest = bytes[offset...].drop { $0 != UInt8(ascii: "\t") }.dropFirst()
    return String(decoding: rest.prefix { $0 != UInt8(ascii: "\t") && $0 != UInt8(ascii: "\n") }, as: UTF8.self).trimmed
  }

  func texts(at offset: Int) throws -> [(text: String, isMarkup: Bool)] {
    let line = bytes[offset...].prefix(PackedText.entryLimit + 1).prefix { $0 != UInt8(ascii: "\n") }
    if line.count > PackedText.entryLimit {
      throw DictionaryError.damaged(
        path: path, reason: "the entry at byte \(offset) has more than \(PackedText.entryLimit) bytes")
    }
    return line.split(separator: UInt8(ascii: "\t")).dropFirst().map {
      (String(decoding: $0, as: UTF8.self).trimmed, false)
    }
  }
}

extension PackedText {
  /// Opens the texts next to a file of headwords: `PATH.dict`, or compressed.
  init(ofPathWithout path: String, _ isInterrupted: @escaping () -> Bool) throws {
    try self.init(fileExists(path + ".dict") ? path + ".dict" : path + ".dict.dz", isInterrupted)
  }
}
