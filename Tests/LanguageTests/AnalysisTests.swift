// Words that other programs find: CoNLL-U and its places in a text, programs that write it, headwords of dictionaries.
// See Fixtures/analyses, Fixtures/chinese.tsv and Fixtures/japanese_terms.tsv.

import Files
import Glibc
import Lexicon
import Problems
import TestSupport
import Testing
import Text

@testable import Language

@Suite struct AnalysisTests {
  private let folder = TemporaryFolder()
  private let german, japanese: Language

  init() throws {
    (german, japanese) = (try #require(Language.base("de")), try #require(Language.base("ja")))
  }

  private func lines(_ name: String) throws -> [String] {
    try fixtureText(name).split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
  }

  /// The bytes of the paragraphs of a text, which empty lines separate.
  private func paragraphs(_ text: String) -> [Range<Int>] {
    var (found, start): ([Range<Int>], Int) = ([], 0)
    for paragraph in text.split(at: "\n\n") {
      found.append(start..<start + paragraph.utf8.count)
      start += paragraph.utf8.count + 2
    }
    return found
  }

  /// Returns the words of an analysis as rows of the tables in Fixtures/analyses.
  private func rows(
    _ analysis: [UInt8], of text: String, _ language: Language, headwords: HeadwordSet? = nil
  ) throws -> [String] {
    let (bytes, tokenizer) = (Array(text.utf8), Tokenizer(tables: WordTables(code: language.code)))
    var (rows, sentence): ([String], Int) = ([], 0)
    try bytes.withUnsafeBufferPointer { text in
      var reader = AnalysisReader(
        text: text, paragraphs: paragraphs(String(decoding: text, as: UTF8.self)), name: "a", language: language,
        tokenizer: tokenizer, headwords: headwords)
      func add(_ word: AnalysedWord, first: Int) {
        let form = String(decoding: text[word.range], as: UTF8.self)
        let place = "\(sentence)\t\(word.range.lowerBound)\t\(word.range.upperBound)"
        let verb = word.verb.map { String(first + $0) } ?? ""
        rows.append("\(place)\t\(form)\t\(word.lemma)\t\(word.kind)\t\(verb)\t\(word.reading)")
      }
      try analysis.withUnsafeBufferPointer { analysis in
        try reader.read(analysis) { _, words in
          let first = rows.count
          words.forEach { add($0, first: first) }
          sentence += 1
        }
      }
    }
    return rows
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    try FileText.bytes(fixturePath("analyses/\(name)"), limit: 1 << 20) { false }
  }

  @Test(arguments: ["english", "german", "japanese", "spanish"])
  func `the words of CoNLL-U are found in the text`(name: String) throws {
    let (text, language) = (try fixtureText("analyses/\(name).txt"), try #require(Language.named(name)))
    #expect(try rows(bytes("\(name).conllu"), of: text, language) == lines("analyses/\(name).tsv"))
  }

  @Test(arguments: [
    ("columns", "line 1 has 4 columns, and 10 are expected"), ("other_text", "39 of 39 words are not in the text"),
    ("range_backwards", "line 1 begins with \"3-1\", and a number or a range such as 2-3 is expected"),
    ("not_utf8", "it is not UTF-8"),
  ])
  func `a damaged analysis is refused with what is wrong`(name: String, reason: String) throws {
    #expect(throws: LanguageError.badAnalysis(source: "a", reason: reason)) {
      try rows(bytes("damaged/\(name).conllu"), of: fixtureText("analyses/german.txt"), german)
    }
  }

  @Test func `an analysis is refused beyond its limits`() throws {
    let row = "1\tword\tword\tNOUN\t_\t_\t_\t_\t_\t_\n"
    for (analysis, reason) in [
      (row.replacing(text: "word", with: String(repeating: "w", count: 1_001)), "a word of more than 1,000 bytes"),
      (String(repeating: row, count: 10_001), "a sentence of more than 10,000 words"),
      ("# " + String(repeating: "x", count: 1 << 16), "longer than 64 KiB"),
      ("x" + row, "begins with \"x1\", and a number"),
      ("# none\n\n", "it has no words"),
    ] {
      let error = #expect(throws: LanguageError.self) { try rows(Array(analysis.utf8), of: "word", german) }
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
  }

  @Test(arguments: ["head_outside", "head_itself", "one_missing", "no_end", "crlf"])
  func `of an analysis with small faults the rest is used`(name: String) throws {
    let text = try fixtureText("analyses/german.txt")
    var wanted = try lines("analyses/german.tsv")
    func change(_ row: Int, _ old: String, _ new: String) {
      wanted[row] = wanted[row].replacing(text: old, with: new)
    }
    if name.hasPrefix("head_") {
      change(1, "anrufen", "rufen")
      change(7, "an\t\tpart\t1\t", "an\tan\tword\t\t")
    }
    if name == "head_outside" {
      change(8, "zumachen", "machen")
      change(11, "zu\t\tpart\t8\t", "zu\tzu\tword\t\t")
    }
    if name == "one_missing" {
      wanted.remove(at: 3)
      change(10, "part\t8", "part\t7")
    }
    #expect(try rows(bytes("damaged/\(name).conllu"), of: text, german) == wanted)
  }

  @Test func `neighbouring words are joined to headwords`() throws {
    let parts = ["名詞-数": "NUM", "名詞": "NOUN", "動詞": "VERB", "助動詞": "AUX"]
    for line in try lines("japanese_terms.tsv") {
      let columns = line.split(separator: "\t").map(String.init)
      var (headwords, text, rows): (HeadwordSet, String, String) = (HeadwordSet(), "", "")
      for word in columns[1].split(separator: " ") { headwords.insert(word.utf8) }
      for (number, word) in columns[0].split(separator: " ").enumerated() {
        let cells = word.split(separator: "/").map(String.init)
        let part = parts[cells[2]] ?? parts[String(cells[2].prefix { $0 != "-" })] ?? "ADP"
        rows += "\(number + 1)\t\(cells[0])\t\(cells[1])\t\(part)\t_\t_\t_\t_\t_\t_\n"
        text += cells[0]
      }
      let found = try self.rows(Array(rows.utf8), of: text, japanese, headwords: headwords)
      let wanted = columns[2].split(separator: " ").map(String.init)
      #expect(found.map { $0.split(separator: "\t")[4] } == wanted.map { $0[...] }, "\(columns[0])")
    }
  }

  @Test func `Chinese words are the longest headwords from the left`() throws {
    var headwords = HeadwordSet()
    for word in try lines("chinese_words.txt") { headwords.insert(word.utf8) }
    let tokenizer = Tokenizer(tables: WordTables(code: "zh"), headwords: headwords)
    for line in try lines("chinese.tsv") {
      let columns = line.split(separator: "\t").map(String.init)
      var (text, found): (String, [String]) = (columns[0], [])
      text.withUTF8 { bytes in
        tokenizer.forEachSentence(in: bytes, watch: { _ in }) { _, words in
          found += words.map { String(decoding: bytes[$0.start..<$0.end], as: UTF8.self) }
        }
      }
      #expect(found == columns[1].split(separator: " ").map(String.init), "\(columns[0])")
    }
  }

  // MARK: Programs

  private let clock = TestClock()

  /// - Parameter isHasty: whether each wait counts as a second.
  private func analyser(_ script: String, isHasty: Bool = true) -> TextAnalyser {
    var environment = clock.environment
    let clock = clock
    environment.clocks.pause = { _ in
      clock.pass(isHasty ? 1 : 0.01)
      usleep(10_000)
    }
    return TextAnalyser(["/bin/sh", "-c", script], name: "test", environment)
  }

  private func text(_ paragraphs: [String], _ analyser: TextAnalyser, _ language: Language) throws -> TextIndex {
    var divider = WordDivider()
    divider.analyser = analyser
    divider.cache = (folder.file("analysed"), "\(analyser.words)")
    var builder = TextBuilder(
      Lemmatizer(language, overrides: [:], analysers: [], wordNet: nil, missing: nil) { nil }, divider)
    for paragraph in paragraphs { builder.add(paragraph, at: TextPlace(file: 0)) { _ in } }
    return try builder.finish { _ in }
  }

  @Test func `a program is sent the text, and its words have their lemmas in two places`() throws {
    let source = fixturePath("analyses/german.conllu")
    let script = "cat > \(folder.path)/sent; echo >> \(folder.path)/runs; cat \(source)"
    let paragraphs = [
      "Er ruft seinen Freund in Köln morgen an. „Mach die Tür zu“,\nsagt Anna.", "Die 2 Häuser gefallen ihr nicht.",
    ]
    let analyser = analyser(script)
    for round in 0..<3 {
      let kept = try Folder.names(in: folder.file("analysed"))
      if round == 2 { for name in kept { try folder.write("damage", to: "analysed/\(name)") } }
      let text = try text(paragraphs, analyser, german)
      #expect(text.failure == nil && text.sentences.count == 3 && text.tokens.count == 20)
      let marked = text.pieces(of: text.sentences[0]).filter { piece in
        piece.token.flatMap(text.lemma).map { text.lemmas[Int($0)].text } == "anrufen"
      }
      #expect(marked.map(\.text) == ["ruft", "an"])
      let view = TextView(text) { _ in .unknown }
      #expect(view.words == 15 && view.passedOver == 3 && text.lemmas.first { $0.text == "anrufen" }?.count == 1)
    }
    let sent = try FileText.read(folder.file("sent"), limit: 1_000) { false }
    #expect(sent == paragraphs.joined(separator: "\n\n").replacing(text: "“,\n", with: "“, "))
    // The second time the words were kept, and the third time they were damaged.
    #expect(try FileText.read(folder.file("runs"), limit: 100) { false } == "\n\n")
  }

  @Test(arguments: [
    ("head -c 500 /dev/urandom", "it is not UTF-8"), ("exec yes", "it wrote more than"),
    ("sleep 1000", "it wrote nothing for 60 seconds"), ("echo spoken >&2; exit 3", "spoken"), ("exit 3", "status 3"),
    ("exit 0", "status 0"), ("printf '1\\tx\\n'", "line 1 has 2 columns"),
  ])
  func `a program that fails is named, and the text is read without it`(script: String, reason: String) throws {
    let text = try text(["Er ruft an. Sie kommt."], analyser(script), german)
    #expect(text.failure?.message.contains("test") == true && text.failure?.message.contains(reason) == true)
    #expect(text.sentences.count == 2 && text.lemmas.map(\.text) == ["er", "ruft", "an", "sie", "kommt"])
    #expect(try Folder.names(in: folder.file("analysed")) == [])
  }

  @Test func `a long paragraph is sent in pieces`() throws {
    let bytes = Array(String(repeating: "本を読む。", count: 10_000).utf8)
    let pieces = String(decoding: TextAnalyser.sent(bytes, [0..<bytes.count]), as: UTF8.self).split(at: "\n\n")
    // Each has at most 8,192 words, and an analysis may have 10,000 of a sentence.
    #expect(pieces.count == 19 && pieces.allSatisfy { $0.utf8.count <= 1 << 13 && $0.hasSuffix("。") })
    #expect(pieces.joined().utf8.elementsEqual(bytes))
  }

  @Test(.enabled(if: fileExists("/var/lib/mecab/dic/ipadic-utf8"), "mecab-ipadic-utf8 is not installed"))
  func `MeCab's words are read, with their readings`() throws {
    let text = try text(
      ["猫が　魚を食べました。　２００４年だ。"], analyser(japanese.reading.division.script, isHasty: false), japanese)
    try #require(text.failure == nil && text.sentences.count == 2 && text.tokens.count > 4)
    let words = text.pieces(of: text.sentences[0]).compactMap { piece, token in
      token.flatMap(text.lemma).map { "\(piece) \(text.lemmas[Int($0)].text)" }
    }
    #expect(words == ["猫 猫", "が が", "魚 魚", "を を", "食べ 食べる", "まし ます", "た た"])
    #expect(text.reading(of: text.tokens[4]) == "タベ")
    #expect(text.pieces(of: text.sentences[1]).first { $0.token != nil }?.text == "２００４")
  }

  @Test(arguments: [
    ("食べる", "食べ", "タベ", "たべる"), ("行く", "行っ", "イッ", "いく"), ("来る", "来", "キ", "くる"), ("猫", "猫", "ネコ", "ねこ"),
    ("取り引きする", "取り引きし", "トリヒキシ", "とりひきする"), ("テレビ", "テレビ", "テレビ", nil), ("猫", "猫", "", nil),
    ("学", "学", "xué", "xué"),
  ])
  func `a dictionary form is read as its forms are`(lemma: String, form: String, reading: String, wanted: String?) {
    #expect(readingOfLemma(lemma, form: form, reading: reading) == wanted)
  }
}
