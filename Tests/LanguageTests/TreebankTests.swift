// Lemmas, words and sentences compared with treebanks of Universal Dependencies. They are not part of the sources: the
// files that Scripts/treebanks downloads are used if DECKHAND_TREEBANKS names their folder. Invariant: the treebanks'
// own words and sentences are compared, without names, numbers and punctuation.

import Files
import Glibc
import Lexicon
import TestSupport

@testable import Language

private let folder = getenv("DECKHAND_TREEBANKS").map { String(cString: $0) } ?? ""

@Suite(.enabled(if: !folder.isEmpty, "DECKHAND_TREEBANKS names no folder")) struct TreebankTests {
  /// A test set, and the required results, in percent.
  struct Wanted: CustomTestStringConvertible {
    let name: String
    let lemmas: Double
    /// For verbs with enclitic pronouns; nil if the language does not write them together.
    var clitics: Double?
    /// Precision of the ends of sentences.
    let sentences: Double
    /// F score of the words.
    let words: Double
    var testDescription: String { name }
  }

  static let wanted = [
    Wanted(name: "es_gsd", lemmas: 91.9, clitics: 94, sentences: 99, words: 99.6),
    Wanted(name: "es_pud", lemmas: 94.3, clitics: 94, sentences: 99, words: 99.6),
    Wanted(name: "it_isdt", lemmas: 92.3, clitics: 97, sentences: 97.5, words: 99.6),
    Wanted(name: "it_vit", lemmas: 92.7, clitics: 97, sentences: 97.5, words: 99.6),
    Wanted(name: "en_ewt", lemmas: 95.7, sentences: 97.5, words: 97),
    Wanted(name: "en_gum", lemmas: 96.9, sentences: 97.5, words: 99),
    Wanted(name: "pt_pud", lemmas: 95, sentences: 99, words: 99),
    Wanted(name: "fr_gsd", lemmas: 92, sentences: 99, words: 97.5),
  ]

  @Test(arguments: wanted)
  func `a treebank's lemmas, words and sentences are found`(wanted: Wanted) throws {
    guard let treebank = try Treebank("\(folder)/\(wanted.name).conllu") else { return }
    let code = String(wanted.name.prefix(2))
    let language = try #require(Language.known.first { $0.code.hasPrefix(code) })
    let shared = getenv("DECKHAND_LANGUAGE_DATA").map { [String(cString: $0)] } ?? []
    let library = LanguageLibrary(
      ownFolder: "/none", sharedFolders: ["/usr/share"] + shared, spellingFolders: ["/usr/share/hunspell"]
    ) { false }
    let lemmatizer = library.lemmatizer(of: language)
    guard lemmatizer.missing == nil else { return }
    let figures = treebank.figures(lemmatizer)
    print("\(wanted.name): \(figures)")
    #expect(figures.lemmas >= wanted.lemmas && figures.sentences >= wanted.sentences && figures.words >= wanted.words)
    if let clitics = wanted.clitics, let found = figures.clitics { #expect(found >= clitics) }
  }

  @Test func `Spanish words have meanings`() throws {
    guard let treebank = try Treebank("\(folder)/es_gsd.conllu") else { return }
    let spanish = try #require(Language.named("spanish"))
    let library = LanguageLibrary(ownFolder: "/none", sharedFolders: ["/usr/share"], spellingFolders: []) { false }
    guard library.lemmatizer(of: spanish).missing == nil else { return }
    let lemmas = treebank.contentLemmas
    let share = 100 * Double(lemmas.count { !library.translations(of: $0, in: spanish).isEmpty }) / Double(lemmas.count)
    print("es_gsd: \((share * 10).rounded() / 10) % of \(lemmas.count) lemmas have meanings")
    #expect(share >= 83)
  }
}

/// German with a table of forms, which Scripts/treebanks makes. Texts are read whole, and capitals count.
@Suite(.enabled(if: fileExists(folder + "/de.forms.tsv"), "there is no table of German forms"))
struct GermanTreebankTests {
  @Test(arguments: [("de_gsd", 94.5, 92, 82), ("de_gsd-dev", 94.2, 92, 82), ("de_pud", 92, 92, 82)])
  func `German words have their lemmas, and verbs their particles`(
    name: String, lemmas: Double, precision: Double, recall: Double
  ) throws {
    guard let treebank = try Treebank("\(folder)/\(name).conllu") else { return }
    let text = try #require(try FileText.read(folder + "/de.forms.tsv", limit: 1 << 26, isInterrupted: { false }))
    let table = Dictionary(
      text.utf8.split(separator: UInt8(ascii: "\n")).map { line in
        let cells = line.split(separator: UInt8(ascii: "\t")).map { String(Substring($0)) }
        return (cells[0], cells[1])
      }, uniquingKeysWith: { first, _ in first })
    let german = try #require(Language.named("german"))
    let lemmatizer = Lemmatizer(german, overrides: [:], analysers: [], wordNet: nil, missing: nil) { nil }
    lemmatizer.table = { form in table[form].map { [$0] } ?? [] }
    let figures = try treebank.germanFigures(lemmatizer)
    print("\(name): \(figures)")
    #expect(figures.lemmas >= lemmas && figures.precision >= precision && figures.recall >= recall)
  }
}

/// The reader of Apertium's files compared with Apertium's own, on each form of the treebanks.
@Suite(.enabled(if: !folder.isEmpty && fileExists("/usr/bin/lt-proc"))) struct AnalyserPeerTests {
  @Test(arguments: [
    ("apertium-eng-spa/spa-eng", ["es_gsd", "es_pud"]), ("apertium-cat-ita/ita-cat", ["it_isdt", "it_vit"]),
  ])
  func `readings are those of lt-proc`(name: String, treebanks: [String]) throws {
    let path = "/usr/share/apertium/\(name).automorf.bin"
    let forms = try Set(
      treebanks.compactMap { try Treebank("\(folder)/\($0).conllu") }.flatMap(\.forms).filter { form in
        form.unicodeScalars.allSatisfy { $0.properties.isAlphabetic && !$0.properties.isUppercase }
      }
    ).sorted()
    guard fileExists(path), !forms.isEmpty else { return }
    let file = try TransducerFile(path) { false }
    let answer = try Child(["/usr/bin/lt-proc", "-c", path], environment: ["LC_ALL=C.UTF-8"]).finish(
      input: forms.map { $0 + "\n" }.joined())
    try #require(answer.lines.count == forms.count)
    var differing: [String] = []
    for (form, line) in zip(forms, answer.lines) {
      let readings = Set(line.dropFirst().dropLast().split(separator: "/").dropFirst().map(String.init))
      let ours = Set(file.readings(of: form))
      if readings != (ours.isEmpty ? ["*" + form] : ours) { differing.append(form) }
    }
    print("\(name): \(forms.count) forms, \(differing.count) differ")
    #expect(differing.isEmpty)
  }
}

/// The test set of a treebank (CoNLL-U).
private struct Treebank {
  struct Word {
    let form: String
    let lemma: String
    let part: String
    var written = ""
    /// The numbers of the word and of its head, and whether it is the particle of that.
    var number = 0
    var head = 0
    var isParticle = false
  }

  struct Sentence {
    var text = ""
    /// The surface forms, as written.
    var surfaces: [String] = []
    var words: [Word] = []
    /// Verbs with enclitic pronouns, and their lemmas.
    var clitics: [(form: String, lemma: String)] = []
  }

  struct Figures: CustomStringConvertible {
    var lemmas = 0.0
    var clitics: Double?
    var sentences = 0.0
    var words = 0.0
    var description: String {
      func percent(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
      let clitics = clitics.map { ", clitics \(percent($0))" } ?? ""
      return "lemmas \(percent(lemmas))\(clitics), ends of sentences \(percent(sentences)), words \(percent(words))"
    }
  }

  private var sentences: [Sentence] = []
  private let isEnglish: Bool

  /// Returns nil if the file was not downloaded.
  init?(_ path: String) throws {
    isEnglish = path.contains("/en_")
    guard fileExists(path), let text = try FileText.read(path, limit: 1 << 26, isInterrupted: { false }), !text.isEmpty
    else { return nil }
    var current = Sentence()
    var (range, end): (String?, Int) = (nil, 0)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty {
        if !current.words.isEmpty { sentences.append(current) }
        (current, range, end) = (Sentence(), nil, 0)
      } else if line.hasPrefix("# text = ") {
        current.text = String(line.dropFirst(9))
      } else if !line.hasPrefix("#") {
        let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        if cells[0].contains(".") { continue }
        if let dash = cells[0].firstIndex(of: "-") {
          (range, end) = (cells[1], Int(cells[0][cells[0].index(after: dash)...]) ?? 0)
          if !isEnglish { current.surfaces.append(cells[1]) }
          continue
        }
        let number = Int(cells[0]) ?? 0
        let word = Word(
          form: cells[1], lemma: cells[2].lowercased(), part: cells[3], written: cells[2], number: number,
          head: Int(cells[6]) ?? 0, isParticle: cells[7] == "compound:prt")
        if number > end || isEnglish { current.surfaces.append(cells[1]) }
        if let form = range, number <= end, word.part == "PRON", let verb = current.words.last, verb.part == "VERB" {
          if !isEnglish { current.clitics.append((form.lowercased(), verb.lemma)) }
          range = nil
        }
        current.words.append(word)
      }
    }
  }

  /// The surface forms in lower case.
  var forms: [String] { sentences.flatMap(\.surfaces).map { $0.lowercased() } }

  /// The lemmas of nouns, verbs, adjectives and adverbs, each once.
  var contentLemmas: Set<String> {
    Set(sentences.flatMap(\.words).filter { Self.isContent($0) }.map(\.lemma))
  }

  private static func isContent(_ word: Word) -> Bool {
    ["NOUN", "VERB", "ADJ", "ADV"].contains(word.part) && word.lemma != "_"
  }

  func figures(_ lemmatizer: Lemmatizer) -> Figures {
    var figures = Figures()
    (figures.lemmas, figures.clitics) = lemmaFigures(lemmatizer)
    (figures.sentences, figures.words) = spanFigures(lemmatizer.tables)
    return figures
  }

  /// Shares, in percent, of content words with their lemma, of found verbs with a particle that are right, and of those
  /// that are found. The lemma of a verb is that without its particle.
  func germanFigures(_ lemmatizer: Lemmatizer) throws -> (lemmas: Double, precision: Double, recall: Double) {
    var (right, all, found, wanted, both) = (0, 0, 0, 0, 0)
    for sentence in sentences {
      var builder = TextBuilder(lemmatizer)
      builder.add(sentence.text, at: TextPlace(file: 0)) { _ in }
      let index = try builder.finish { _ in }
      var tokens = index.sentences.flatMap(index.pieces).compactMap { piece, token in token.map { (piece, $0) } }[...]
      var placed: [Int: TextToken] = [:]
      for word in sentence.words {
        guard let place = tokens.prefix(8).firstIndex(where: { $0.0 == word.form }) else { continue }
        placed[word.number] = tokens[place].1
        tokens = tokens[(place + 1)...]
      }
      let particles = sentence.words.filter(\.isParticle)
      wanted += particles.count
      found += index.tokens.count(where: \.isPart)
      both += particles.count { particle in
        guard let own = placed[particle.number], let verb = placed[particle.head] else { return false }
        return own.isPart && own.form == verb.form
      }
      for word in sentence.words where Self.isContent(word) {
        all += 1
        let token = placed[word.number].flatMap(index.lemma).map { index.lemmas[Int($0)].text }
        // A word with a hyphen is one in the treebank only.
        let lemma = token ?? lemmatizer.lemma(of: word.form)
        let particle = particles.first { $0.head == word.number }?.form ?? ""
        if lemma == word.written || lemma == particle + word.written { right += 1 }
      }
    }
    func percent(_ part: Int, _ whole: Int) -> Double { (1_000 * Double(part) / Double(max(1, whole))).rounded() / 10 }
    return (percent(right, all), percent(both, found), percent(both, wanted))
  }

  /// Among equally likely lemmas the one more frequent in the text counts, as when reading a text.
  private func lemmaFigures(_ lemmatizer: Lemmatizer) -> (Double, Double?) {
    var weights: [String: Int] = [:]
    func candidates(_ form: String) -> [LemmaCandidate] {
      lemmatizer.candidates(of: normalize(form.replacingApostrophes, language: lemmatizer.language))
    }
    for word in sentences.lazy.flatMap(\.words) {
      let some = candidates(word.form)
      for candidate in some { weights[candidate.lemma, default: 0] += 1 }
    }
    func lemma(_ form: String) -> String {
      Lemmatizer.chosen(candidates(form), form: form.lowercased()) { weights[$0] ?? 0 }[0]
    }
    var (right, all) = (0, 0)
    for word in sentences.lazy.flatMap(\.words)
    where Self.isContent(word) {
      all += 1
      if lemma(word.form).lowercased() == word.lemma { right += 1 }
    }
    let clitics = sentences.flatMap(\.clitics)
    let found = clitics.count { lemma($0.form) == $0.lemma }
    return (100 * Double(right) / Double(all), clitics.isEmpty ? nil : 100 * Double(found) / Double(clitics.count))
  }

  /// All sentences in one paragraph, separated by spaces; a sentence ends with its last word.
  private func spanFigures(_ tables: WordTables) -> (Double, Double) {
    var (text, ends, wanted): (String, Set<Int>, Set<Range<Int>>) = ("", [], [])
    for sentence in sentences {
      let place = text.utf8.count
      let bytes = Array(sentence.text.utf8)
      var (start, end) = (0, 0)
      for surface in sentence.surfaces {
        // The full stop of an abbreviation is not part of the word here.
        let form = Array((surface.hasSuffix(".") ? String(surface.dropLast()) : surface).utf8)
        guard
          let found = (start...max(start, bytes.count - form.count)).first(where: { bytes[$0...].starts(with: form) })
        else { continue }
        start = found + form.count
        guard surface.contains(where: { $0.isLetter || $0.isNumber }) else { continue }
        wanted.insert(place + found..<place + start)
        end = place + start
      }
      ends.insert(end)
      text += sentence.text + " "
    }
    var (foundEnds, foundWords): (Set<Int>, Set<Range<Int>>) = ([], [])
    text.withUTF8 { bytes in
      Tokenizer(tables: tables).forEachSentence(in: bytes, watch: { _ in }) { _, words in
        foundEnds.insert(words[words.endIndex - 1].end)
        for word in words { foundWords.insert(word.start..<word.end) }
      }
    }
    let right = Double(foundWords.intersection(wanted).count)
    let f = 200 * right / Double(foundWords.count + wanted.count)
    return (100 * Double(foundEnds.intersection(ends).count) / Double(foundEnds.count), f)
  }
}
