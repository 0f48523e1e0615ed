// Reads CoNLL-U (the format of Universal Dependencies) and finds its words in the text that was analysed. Invariant:
// the words are in text order and do not overlap; a sentence has at most 1,000 of them; an analysis of another text is
// refused as a whole.
//
// A word is a piece of the text: a range of words, such as `dámelo`, is one, with the lemma of the word in it that
// matters most. A particle that belongs to a verb is a part of that: `gave … up`.

import Glibc
import Lexicon
import Text

struct AnalysedWord: Equatable {
  /// `open` is a word of which the analysis does not say what it is.
  enum Kind { case word, name, number, part, open }

  /// Its bytes in the text, and the index of its paragraph.
  var range: Range<Int>
  let paragraph: Int
  var lemma: String
  var kind: Kind
  var reading: String
  /// The index, in its sentence, of the verb that it is a part of.
  var verb: Int?
}

/// A line of an analysis. A range of words has the number of its last one too.
struct AnalysisRow {
  /// The parts of speech; the one that matters most in a range comes first.
  static let parts = "VERB NOUN ADJ ADV PROPN NUM INTJ AUX PRON ADP DET PART SCONJ CCONJ X".split(separator: " ")

  let id, last, head: Int
  let form, lemma, part, reading: String
  let isParticle: Bool
  /// Whether a headword may consist of it and its neighbours. X is what prefixes are.
  var joins: Bool { part == "NOUN" || part == "VERB" || part == "ADJ" || part == "ADV" || part == "X" }

  /// - Parameter cells: the ten columns.
  init(_ id: Int, _ last: Int, _ cells: [Slice<UnsafeBufferPointer<UInt8>>]) {
    func text(_ column: Int) -> String { AnalysisReader.text(cells[column]) }
    (self.id, self.last, head, form, part) = (id, last, Int(text(6)) ?? 0, text(1), text(3))
    lemma = cells[2].elementsEqual("_".utf8) ? form : text(2)
    isParticle = cells[7].elementsEqual("compound:prt".utf8) && ["ADP", "ADV", "PART", "ADJ"].contains(part)
    let found = cells[9].split(separator: UInt8(ascii: "|")).first { $0.starts(with: "Reading=".utf8) }
    reading = found.map { AnalysisReader.text($0.dropFirst(8)) } ?? ""
  }
}

struct AnalysisReader {
  /// A word with its line, or with the one of its range that matters most.
  typealias Unit = (word: AnalysedWord, row: AnalysisRow)

  /// The languages in which a particle precedes the lemma of its verb, `anrufen`; in others it follows, `give up`.
  private static let prefixing: Set<String> = ["de", "nl", "af", "hu"]

  /// In NFC, with the bytes of its paragraphs.
  let text: UnsafeBufferPointer<UInt8>
  let paragraphs: [Range<Int>]
  /// Of the program or the file, for errors.
  let name: String
  let language: Language
  let tokenizer: Tokenizer
  /// If given, neighbouring words that are one of them are joined: 不快 and 感 to 不快感.
  let headwords: HeadwordSet?
  private(set) var line = 0, rows: [AnalysisRow] = []
  /// Where the next word is looked for: a byte, and the paragraph that contains it.
  private(set) var place = 0, paragraph = 0
  private(set) var placed = 0, dropped = 0
  /// The last sentence, whose end depends on what follows.
  private(set) var last: (range: Range<Int>, words: [AnalysedWord])?

  static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
  }

  private func failure(_ reason: String) -> LanguageError { .badAnalysis(source: name, reason: reason) }
  private func failureHere(_ reason: String) -> LanguageError { failure("line \(grouped(line)) \(reason)") }

  /// Calls `body` with the bytes and the words of each sentence; those of a paragraph leave nothing out between them.
  /// - Throws: `LanguageError.badAnalysis`, and what `body` throws.
  mutating func read(
    _ source: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>, [AnalysedWord]) throws -> Void
  ) throws {
    if firstInvalidByte(source) != nil { throw failure("it is not UTF-8") }
    var start = 0
    while start < source.count {
      let end = source[start...].firstIndex(of: 0x0A) ?? source.count
      line += 1
      guard end - start <= 1 << 16 else { throw failureHere("is longer than 64 KiB") }
      let content = source[start..<(end > start && source[end - 1] == 0x0D ? end - 1 : end)]
      if content.isEmpty { try endSentence(body) } else if content.first != UInt8(ascii: "#") { try addRow(content) }
      start = end + 1
    }
    try endSentence(body)
    guard placed + dropped > 0 else { throw failure("it has no words") }
    if dropped > 5, dropped * 50 > placed + dropped {
      throw failure("\(grouped(dropped)) of \(counted(placed + dropped, "word")) are not in the text")
    }
    if let last { try body(last.range.lowerBound..<paragraphs[last.words[0].paragraph].upperBound, last.words) }
  }

  private mutating func addRow(_ line: Slice<UnsafeBufferPointer<UInt8>>) throws {
    let cells = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard cells.count == 10 else { throw failureHere("has \(counted(cells.count, "column")), and 10 are expected") }
    let id = Self.text(cells[0])
    // An empty node of the enhanced dependencies.
    if id.utf8.contains(UInt8(ascii: ".")) { return }
    let parts = id.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let bounds = parts.map { Int(Substring($0)) ?? 0 }
    guard let first = bounds.first, first > 0, bounds.count < 3, bounds.count == 1 || first < bounds[1] else {
      throw failureHere("begins with \(quoted(id)), and a number or a range such as 2-3 is expected")
    }
    guard cells[1].count <= 1_000 else { throw failureHere("has a word of more than 1,000 bytes") }
    guard rows.count < 10_000 else { throw failureHere("is in a sentence of more than 10,000 words") }
    rows.append(AnalysisRow(first, bounds[bounds.count - 1], cells))
  }

  private mutating func endSentence(_ body: (Range<Int>, [AnalysedWord]) throws -> Void) throws {
    var (units, rest): ([Unit], ArraySlice<AnalysisRow>) = ([], rows[...])
    rows = []
    while let unit = rest.popFirst() {
      let inner = rest.prefix { $0.id <= unit.last && unit.last > unit.id }
      rest = rest.dropFirst(inner.count)
      guard let range = find(unit.form) ?? find(unit.form.composed) else {
        dropped += 1
        continue
      }
      placed += 1
      guard let found = self.unit(range, inner.isEmpty ? [unit] : inner) else { continue }
      // Some analysers divide 2004.
      if let before = units.last?.word, before.kind == .number, found.word.kind == .number,
        before.range.upperBound == range.lowerBound
      {
        units[units.count - 1].word.range = before.range.lowerBound..<range.upperBound
      } else {
        units.append(found)
      }
    }
    if let headwords { units = joined(units, headwords) }
    var first = 0
    for next in units.indices.dropFirst() {
      let (before, word) = (units[next - 1].word, units[next].word)
      var end = tokenizer.wideEnd(text, after: before.range, before: word.range)
      if before.paragraph != word.paragraph || next - first == Tokenizer.longestSentence { end = word.range.lowerBound }
      guard let end else { continue }
      try emit(units[first..<next], end, body)
      first = next
    }
    if first < units.count { try emit(units[first...], place, body) }
  }

  /// Finds a word in the text, here or up to 200 characters ahead, within one paragraph.
  private mutating func find(_ form: String) -> Range<Int>? {
    while place < text.count, case let (scalar, length) = Tokenizer.scalar(text, place),
      scalar.value <= 0x20 || scalar.value == 0x3000 || scalar.value < 0x3000 && scalar.properties.isWhitespace
    { place += length }
    var (form, index, number) = (form, place, paragraph)
    let (text, paragraphs) = (text, paragraphs)
    let range = form.withUTF8 { wanted -> Range<Int>? in
      guard let first = wanted.first, let start = wanted.baseAddress, let bytes = text.baseAddress else { return nil }
      for _ in 0...200 {
        while number < paragraphs.count, index >= paragraphs[number].upperBound { number += 1 }
        guard number < paragraphs.count else { return nil }
        let end = index + wanted.count
        if text[index] == first, end <= paragraphs[number].upperBound,
          memcmp(bytes + index, start, wanted.count) == 0
        {
          return index..<end
        }
        index += Tokenizer.scalar(text, index).length
      }
      return nil
    }
    if let range { (place, paragraph) = (range.upperBound, number) }
    return range
  }

  /// Returns the word of a piece of the text; nil for a piece without letters and digits.
  private func unit(_ range: Range<Int>, _ rows: ArraySlice<AnalysisRow>) -> Unit? {
    func rank(_ row: AnalysisRow) -> Int { AnalysisRow.parts.firstIndex { $0 == row.part } ?? .max }
    let scalars = Self.text(text[range]).unicodeScalars
    guard let main = rows.min(by: { rank($0) < rank($1) }),
      scalars.contains(where: { $0.isLetter || $0.properties.numericType != nil })
    else { return nil }
    let isNumber = main.part == "NUM" && scalars.first?.properties.generalCategory == .decimalNumber
    let isName = rows.allSatisfy { $0.part == "PROPN" }
    let kind: AnalysedWord.Kind = isName ? .name : isNumber ? .number : main.part == "_" ? .open : .word
    let word = AnalysedWord(range: range, paragraph: paragraph, lemma: main.lemma, kind: kind, reading: main.reading)
    return (word, main)
  }

  /// Joins the longest runs of two to five neighbours whose forms, the last as a lemma, are a headword.
  private func joined(_ units: [Unit], _ headwords: HeadwordSet) -> [Unit] {
    func joins(_ unit: Unit) -> Bool { unit.row.joins && unit.word.kind == .word }
    var (joined, rest): ([Unit], ArraySlice<Unit>) = ([], units[...])
    while let unit = rest.popFirst() {
      let start = unit.word.range.lowerBound
      var (end, found, count) = (unit.word.range.upperBound, unit, 0)
      var reading = unit.word.reading
      for (number, next) in rest.prefix(4).enumerated() where joins(unit) {
        guard joins(next), next.word.range.lowerBound == end else { break }
        let lemma = Self.text(text[start..<end]) + next.word.lemma
        end = next.word.range.upperBound
        reading = reading.isEmpty || next.word.reading.isEmpty ? "" : reading + next.word.reading
        guard headwords.contains(lemma) else { continue }
        (count, found) = (number + 1, next)
        (found.word.range, found.word.lemma, found.word.reading) = (start..<end, lemma, reading)
      }
      joined.append(found)
      rest = rest.dropFirst(count)
    }
    return joined
  }

  /// Ends a sentence: makes each particle a part of its verb, one of each verb, and passes on the sentence before,
  /// which goes on to the end of its paragraph if it is the last one there.
  private mutating func emit(
    _ units: ArraySlice<Unit>, _ end: Int, _ body: (Range<Int>, [AnalysedWord]) throws -> Void
  ) throws {
    var (units, taken): ([Unit], Set<Int>) = (Array(units), [])
    for index in units.indices where units[index].row.isParticle {
      let row = units[index].row
      guard let verb = units.firstIndex(where: { $0.row.id == row.head }), verb != index,
        ["VERB", "AUX"].contains(units[verb].row.part), taken.insert(verb).inserted
      else { continue }
      let (lemma, particle) = (units[verb].word.lemma, row.form.lowercased())
      let plain = lemma.replacing(text: "_", with: "")
      units[verb].word.lemma =
        !Self.prefixing.contains(language.baseCode)
        ? "\(lemma) \(particle)" : plain.hasPrefix(particle) ? plain : particle + plain
      (units[index].word.kind, units[index].word.lemma, units[index].word.verb) = (.part, "", verb)
    }
    let paragraph = units[0].word.paragraph
    var start = paragraphs[paragraph].lowerBound
    if let last {
      let isLast = last.words[0].paragraph != paragraph
      if !isLast { start = last.range.upperBound }
      let end = isLast ? paragraphs[last.words[0].paragraph].upperBound : start
      try body(last.range.lowerBound..<end, last.words)
    }
    last = (start..<max(start, min(end, paragraphs[paragraph].upperBound)), units.map(\.word))
  }
}
