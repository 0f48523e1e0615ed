// Reads CoNLL-U (the format of Universal Dependencies), from a program or a file, and finds its words in the text that
// was analysed. Invariant: the words are in text order and do not overlap; a sentence has at most 1,000 of them; an
// analysis of another text is refused as a whole, and leaves nothing in the text.
//
// A word is a piece of the text: a range of words, such as `dámelo`, is one, with the lemma of the word in it that
// matters most. A particle that belongs to a verb is a part of that: `gave … up`.

import Files
public import Lexicon
import Problems
import Text

struct AnalysedWord {
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
  /// Its number in the analysis, and that of the verb if it is a particle.
  fileprivate(set) var id: Int, head: Int?
  fileprivate(set) var isVerb: Bool, joins: Bool
}

/// A line of an analysis. A range of words has the number of its last one too.
struct AnalysisRow {
  typealias Cell = UnsafeBufferPointer<UInt8>

  /// The parts of speech; the one that matters most in a range comes first.
  static let parts = "VERB NOUN ADJ ADV PROPN NUM INTJ AUX PRON ADP DET PART SCONJ CCONJ X".split(separator: " ")

  let id, last: Int
  let form, base, tag, head, relation, notes: Cell
  var part: String { AnalysisReader.text(tag) }
  var lemma: String { AnalysisReader.text(base.elementsEqual("_".utf8) ? form : base) }
  var reading: String {
    var rest = notes[...]
    while !rest.isEmpty {
      let note = rest.prefix { $0 != UInt8(ascii: "|") }
      if note.starts(with: "Reading=".utf8) { return AnalysisReader.text(note.dropFirst(8)) }
      rest = rest.dropFirst(note.count + 1)
    }
    return ""
  }
}

struct AnalysisReader {
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

  static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

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

  private mutating func addRow(_ line: Slice<AnalysisRow.Cell>) throws {
    let columns = line.count { $0 == UInt8(ascii: "\t") } + 1
    guard columns == 10 else { throw failureHere("has \(counted(columns, "column")), and 10 are expected") }
    var rest = line
    func cell(after skipped: Int = 0) -> AnalysisRow.Cell {
      for _ in 0..<skipped { _ = cell() }
      let cell = rest.prefix { $0 != UInt8(ascii: "\t") }
      rest = rest.dropFirst(cell.count + 1)
      return UnsafeBufferPointer(rebasing: cell)
    }
    let id = Self.text(cell())
    // An empty node of the enhanced dependencies.
    if id.utf8.contains(UInt8(ascii: ".")) { return }
    let dash = id.utf8.firstIndex(of: UInt8(ascii: "-")) ?? id.endIndex
    let first = Int(id[..<dash]) ?? 0
    let last = dash == id.endIndex ? first : Int(id[dash...].dropFirst()) ?? 0
    guard first > 0, dash == id.endIndex || first < last else {
      throw failureHere("begins with \(quoted(id)), and a number or a range such as 2-3 is expected")
    }
    let row = AnalysisRow(
      id: first, last: last, form: cell(), base: cell(), tag: cell(), head: cell(after: 2), relation: cell(),
      notes: cell(after: 1))
    guard row.form.count <= 1_000 else { throw failureHere("has a word of more than 1,000 bytes") }
    guard rows.count < 10_000 else { throw failureHere("is in a sentence of more than 10,000 words") }
    rows.append(row)
  }

  private mutating func endSentence(_ body: (Range<Int>, [AnalysedWord]) throws -> Void) throws {
    var (words, rest): ([AnalysedWord], ArraySlice<AnalysisRow>) = ([], rows[...])
    rows = []
    while let row = rest.popFirst() {
      let inner = rest.prefix { $0.id <= row.last && row.last > row.id }
      rest = rest.dropFirst(inner.count)
      // MeCab counts the blank of Japanese as a word.
      if row.form.elementsEqual("\u{3000}".utf8) { continue }
      var range = find(row.form)
      if range == nil {
        var composed = Self.text(row.form).composed
        range = composed.withUTF8 { find($0) }
      }
      guard let range else {
        dropped += 1
        continue
      }
      placed += 1
      guard let word = word(range, inner.isEmpty ? [row] : inner) else { continue }
      // Some analysers divide 2004.
      if let before = words.last, before.kind == .number, word.kind == .number,
        before.range.upperBound == range.lowerBound
      {
        words[words.count - 1].range = before.range.lowerBound..<range.upperBound
      } else {
        words.append(word)
      }
    }
    if let headwords { words = joined(words, headwords) }
    var first = 0
    for next in words.indices.dropFirst() {
      var end = tokenizer.wideEnd(text, after: words[next - 1].range, before: words[next].range)
      if words[next - 1].paragraph != words[next].paragraph || next - first == Tokenizer.longestSentence {
        end = words[next].range.lowerBound
      }
      guard let end else { continue }
      try emit(Array(words[first..<next]), end, body)
      first = next
    }
    if first < words.count { try emit(first == 0 ? words : Array(words[first...]), place, body) }
  }

  /// Finds a word in the text, here or up to 200 characters ahead, within one paragraph.
  private mutating func find(_ form: AnalysisRow.Cell) -> Range<Int>? {
    while place < text.count, case let (scalar, length) = Tokenizer.scalar(text, place),
      scalar.value <= 0x20 || scalar.value == 0x3000 || scalar.value < 0x3000 && scalar.properties.isWhitespace
    { place += length }
    var (index, number) = (place, paragraph)
    guard let first = form.first else { return nil }
    for _ in 0...200 {
      while number < paragraphs.count, index >= paragraphs[number].upperBound { number += 1 }
      guard number < paragraphs.count else { return nil }
      let end = index + form.count
      if text[index] == first, end <= paragraphs[number].upperBound, text[index..<end].elementsEqual(form) {
        (place, paragraph) = (end, number)
        return index..<end
      }
      index += Tokenizer.scalar(text, index).length
    }
    return nil
  }

  /// Returns the word of a piece of the text; nil for a piece without letters and digits.
  private func word(_ range: Range<Int>, _ rows: ArraySlice<AnalysisRow>) -> AnalysedWord? {
    func rank(_ row: AnalysisRow) -> Int {
      AnalysisRow.parts.firstIndex { row.tag.elementsEqual($0.utf8) } ?? .max
    }
    let scalars = Self.text(text[range]).unicodeScalars
    guard let main = rows.count == 1 ? rows.first : rows.min(by: { rank($0) < rank($1) }),
      scalars.contains(where: { $0.isLetter || $0.properties.numericType != nil })
    else { return nil }
    let part = main.part
    let isNumber = part == "NUM" && scalars.first?.properties.generalCategory == .decimalNumber
    let isName = part == "PROPN" && rows.allSatisfy { $0.part == part }
    let kind: AnalysedWord.Kind = isName ? .name : isNumber ? .number : part == "_" ? .open : .word
    let isParticle =
      main.relation.elementsEqual("compound:prt".utf8) && ["ADP", "ADV", "PART", "ADJ"].contains(part)
    let head = isParticle ? Int(Self.text(main.head)) : nil
    // X is what prefixes are.
    let joins = kind == .word && (part == "NOUN" || part == "VERB" || part == "ADJ" || part == "ADV" || part == "X")
    return AnalysedWord(
      range: range, paragraph: paragraph, lemma: main.lemma, kind: kind, reading: main.reading, id: main.id,
      head: head, isVerb: part == "VERB" || part == "AUX", joins: joins)
  }

  /// Joins the longest runs of two to five neighbours whose forms, the last as a lemma, are a headword.
  private func joined(_ words: [AnalysedWord], _ headwords: HeadwordSet) -> [AnalysedWord] {
    var (joined, index): ([AnalysedWord], Int) = ([], 0)
    while index < words.count {
      var (found, next, reading) = (words[index], index + 1, words[index].reading)
      let start = found.range.lowerBound
      for last in index + 1..<max(index + 1, min(index + 5, words.count)) where words[index].joins {
        let word = words[last]
        guard word.joins, word.range.lowerBound == words[last - 1].range.upperBound else { break }
        reading = reading.isEmpty || word.reading.isEmpty ? "" : reading + word.reading
        let lemma = Self.text(text[start..<word.range.lowerBound]) + word.lemma
        guard headwords.contains(lemma) else { continue }
        (found, next) = (word, last + 1)
        (found.range, found.lemma, found.reading) = (start..<word.range.upperBound, lemma, reading)
      }
      joined.append(found)
      index = next
    }
    return joined
  }

  /// Ends a sentence: makes each particle a part of its verb, one of each verb, and passes on the sentence before,
  /// which goes on to the end of its paragraph if it is the last one there.
  private mutating func emit(
    _ sentence: [AnalysedWord], _ end: Int, _ body: (Range<Int>, [AnalysedWord]) throws -> Void
  ) throws {
    var words = sentence
    for index in words.indices {
      guard let head = words[index].head, let verb = words.firstIndex(where: { $0.id == head && $0.isVerb }),
        verb != index, !words.contains(where: { $0.verb == verb })
      else { continue }
      let particle = Self.text(text[words[index].range]).lowercased()
      let plain = words[verb].lemma.replacing(text: "_", with: "")
      words[verb].lemma =
        !Self.prefixing.contains(language.baseCode)
        ? "\(words[verb].lemma) \(particle)" : plain.hasPrefix(particle) ? plain : particle + plain
      (words[index].kind, words[index].lemma, words[index].verb) = (.part, "", verb)
    }
    let paragraph = words[0].paragraph
    var start = paragraphs[paragraph].lowerBound
    if let last {
      let isLast = last.words[0].paragraph != paragraph
      if !isLast { start = last.range.upperBound }
      let end = isLast ? paragraphs[last.words[0].paragraph].upperBound : start
      try body(last.range.lowerBound..<end, last.words)
    }
    last = (start..<max(start, min(end, paragraphs[paragraph].upperBound)), words)
  }
}

/// What finds the words of texts in a language: a program, or headwords of dictionaries.
public struct WordDivider {
  public var analyser: TextAnalyser?
  /// The folder where words are kept, and what they are found with, apart from the text, as it was before it was read.
  public var cache: (folder: String, sources: String)?
  public var headwords: HeadwordSet?
  /// Whether words are the longest headwords, rather than those of an analyser joined to headwords.
  public var isByHeadwords = false
  /// Why a language that needs one of them has none here.
  public var failure: LanguageError?

  public init() {}
}

extension TextBuilder {
  /// Finds the words of paragraphs. If the analyser fails, they are found without it, and the index says why.
  /// - Throws: what `watch` throws, or `FileError` if interrupted.
  public mutating func analyse(watch: (Int) throws -> Void) throws {
    if pending.isEmpty { return }
    let (weight, text) = (weight, bytes)
    if let analyser = divider.analyser {
      do {
        return try analyser.withAnalysis(of: text, pending.map(\.bytes), watch: { try watch(weight) }) {
          try add(analysis: $0, named: analyser.name, watch: watch)
        }
      } catch {
        let file = error as? FileError
        guard file?.reason != .interrupted,
          let failed = error as? LanguageError ?? file.map({ .badAnalysis(source: analyser.name, reason: $0.message) })
        else { throw error }
        failure = failed
      }
    }
    failure = failure ?? divider.failure
    try text.withUnsafeBufferPointer { text in
      for (range, place) in pending {
        try findWords(of: UnsafeBufferPointer(rebasing: text[range]), base: range.lowerBound, place, watch)
      }
    }
    pending = []
  }

  /// Finds the words of the paragraphs that wait for an analysis, in CoNLL-U.
  /// - Parameter name: of its file or program, for errors.
  /// - Throws: `LanguageError.badAnalysis`, and what `watch` throws.
  public mutating func add(
    analysis: UnsafeBufferPointer<UInt8>, named name: String, watch: (Int) throws -> Void
  ) throws {
    let (text, paragraphs, tokenCount, sentenceCount) = (bytes, pending, tokens.count, sentences.count)
    do {
      var spelling: [UInt8] = []
      try text.withUnsafeBufferPointer { text in
        var reader = AnalysisReader(
          text: text, paragraphs: paragraphs.map(\.bytes), name: name, language: lemmatizer.language,
          tokenizer: tokenizer, headwords: divider.isByHeadwords ? nil : divider.headwords)
        try reader.read(analysis) { range, words in
          if sentences.count & 0xFF == 0 { try watch(weight) }
          let (first, range) = (UInt32(tokens.count), tokenizer.trimmed(text, range))
          for word in words { add(word, of: words, in: text, &spelling) }
          sentences.append(
            TextSentence(
              bytes: UInt32(range.lowerBound)..<UInt32(range.upperBound), tokens: first..<UInt32(tokens.count),
              place: paragraphs[words[0].paragraph].place))
        }
      }
    } catch {
      tokens.removeSubrange(tokenCount...)
      sentences.removeSubrange(sentenceCount...)
      throw error
    }
    pending = []
  }

  /// Adds a word. Its spelling is its form, its lemma and its reading, with tabs between them.
  private mutating func add(
    _ word: AnalysedWord, of words: [AnalysedWord], in text: UnsafeBufferPointer<UInt8>, _ spelling: inout [UInt8]
  ) {
    let meant = word.verb.map { words[$0] } ?? word
    spelling.removeAll(keepingCapacity: true)
    spelling += text[meant.range]
    for part in [meant.lemma, meant.reading] {
      spelling.append(UInt8(ascii: "\t"))
      spelling += part.utf8
    }
    let isCapital = word.kind == .open && Tokenizer.scalar(text, word.range.lowerBound).scalar.isCapital
    tokens.append(
      TextToken(
        start: UInt32(word.range.lowerBound), end: UInt32(word.range.upperBound),
        form: spelling.withUnsafeBufferPointer { spellings.number(of: $0) }, isName: word.kind == .name,
        isFirst: word.range == words[0].range, isCapital: isCapital, isPart: word.kind == .part))
  }
}
