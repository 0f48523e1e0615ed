// The dictionary form of a word. Sources, in order: the user's table, function words, tables of forms, the analysers or
// WordNet, forms listed in dictionaries, the affixes of a spelling dictionary, and finally the form itself.
// Invariant: the result for a form never changes; without any data every form is its own lemma. A form is in small
// letters, but in German with a table of forms it keeps the capital that makes it a noun. A language that is not known
// uses the rules that all have in common.

public import Lexicon
import Text

/// Finds the dictionary forms of a language's words.
///
///     let lemmatizer = library.lemmatizer(of: spanish)
///     lemmatizer.lemma(of: "casas")    // "casa"
///     lemmatizer.lemmas(of: "casas")   // ["casa", "casar"]
public final class Lemmatizer {
  public let language: Language
  let tables: WordTables
  /// The Debian package with missing data that would give better results; nil if nothing is missing.
  public let missing: String?
  private let overrides: [String: String]
  /// Returns the lemmas of a form in tables of forms; nil without such a table.
  var table: ((String) -> [String])?
  private let analysers: [TransducerFile]
  private let wordNet: WordNetForms?
  private let dictionaryForms: (String) -> [String]
  private let stems: () -> AffixStems?
  private lazy var spelling: AffixStems? = stems()
  private var known: [String: [LemmaCandidate]] = [:]

  /// Whether there is data, so that a form unknown to it is probably a name.
  var hasData: Bool { wordNet != nil || !analysers.isEmpty || table != nil }

  /// - Parameter stems: called once, for the first word that nothing else recognises.
  init(
    _ language: Language, overrides: [String: String], analysers: [TransducerFile], wordNet: WordNetForms?,
    missing: String?, dictionaryForms: @escaping (String) -> [String] = { _ in [] }, stems: @escaping () -> AffixStems?
  ) {
    (self.language, self.overrides, self.analysers, self.wordNet) = (language, overrides, analysers, wordNet)
    (self.missing, self.dictionaryForms, self.stems) = (missing, dictionaryForms, stems)
    tables = WordTables(code: language.baseCode)
  }

  /// Returns the likeliest lemma of a form without context.
  public func lemma(of form: String) -> String { lemmas(of: form)[0] }

  /// Returns the lemmas of a form without context, at least one, each once, the likeliest first. Ignores case unless
  /// only the capitalised form is known.
  public func lemmas(of form: String) -> [String] {
    let form = form.replacingApostrophes
    let lowered = self.form(of: form, isPlain: false)
    var candidates = candidates(of: lowered)
    if candidates.isEmpty { candidates = read(form) }
    return Self.chosen(candidates, form: lowered) { _ in 0 }
  }

  /// Returns the lemma of a card's text without its article: `casa` for `las casas`; nil for several words.
  public func lemma(ofPhrase phrase: String) -> String? { word(ofPhrase: phrase).map(lemma) }

  /// Returns the word of a card's text without its article: `casas` for `las casas`; nil for several words.
  public func word(ofPhrase phrase: String) -> String? {
    var phrase = phrase.replacingApostrophes
    if tables.rules.splitsElisions { phrase = phrase.replacing(text: "'", with: "' ") }
    for beginning in tables.undivided { phrase = phrase.replacing(text: beginning + "' ", with: beginning + "'") }
    let words = phrase.split(separator: " ").map(String.init)
    let others = words.count == 1 ? words[...] : words.drop { tables.articles.contains(lemma(of: $0)) }
    return others.count == 1 ? others.first : nil
  }

  /// Orders candidates by rank, then by how often their lemma occurs in a text, then by length, shortest first.
  static func chosen(_ candidates: [LemmaCandidate], form: String, weight: (String) -> Int) -> [String] {
    if candidates.count <= 1 { return [candidates.first?.lemma ?? form] }
    return candidates.map { (candidate: $0, weight: weight($0.lemma)) }.sorted { a, b in
      (a.candidate.rank, -a.weight, a.candidate.lemma.utf8.count, a.candidate.lemma)
        < (b.candidate.rank, -b.weight, b.candidate.lemma.utf8.count, b.candidate.lemma)
    }.map(\.candidate.lemma)
  }

  /// Whether a capital tells a noun from other words.
  var keepsCapitals: Bool { language.letterCase == .nouns && table != nil }

  /// Returns a word in the form in which it is counted and looked up.
  /// - Parameter isPlain: its capital says nothing: it begins a sentence, or is in capitals. Then it is the small word
  ///   if that is listed, unless only the capitalised one is a lemma.
  func form(of word: String, isPlain: Bool) -> String {
    let word = word.replacingApostrophes
    let small = normalize(word, language: language)
    guard keepsCapitals, let table else { return small }
    let written = word.trimmed.composed
    if !isPlain { return written }
    let lemmas = table(small)
    if tables.closedWords.contains(small) || lemmas.contains(small) { return small }
    let other = [capitalized(small), written].first { !table($0).isEmpty } ?? written
    return lemmas.isEmpty || table(other).contains(other) ? other : small
  }

  private func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

  /// Returns the lemmas of a form in tables: as it is spelled, else with the other case, else as a compound.
  private func listed(_ form: String, _ small: String) -> [String] {
    guard let table else { return [] }
    let found = [form, small, capitalized(small)].lazy.map(table).first { !$0.isEmpty }
    return found ?? (keepsCapitals ? compound(form, table) : [])
  }

  /// Returns the lemma of a word that is made of listed ones: `Haustür` of `Haustüren`.
  private func compound(_ form: String, _ table: (String) -> [String]) -> [String] {
    guard (6...64).contains(form.count), let first = form.first else { return [] }
    for count in 3...form.count - 3 {
      let (start, rest) = (form.prefix(count), String(form.dropFirst(count)))
      guard let lemma = table(first.isUppercase ? capitalized(rest) : rest).first else { continue }
      let isListed = ["", "s", "es", "n", "en", "er", "e"].contains { link in
        let part = String(start.dropLast(link.count))
        return start.hasSuffix(link) && part.count > 2
          && [part.lowercased(), capitalized(part)].contains { !table($0).isEmpty }
      }
      if isListed { return [start + normalize(lemma, language: language)] }
    }
    return []
  }

  /// Whether a word in small letters is listed: in a table of forms, or without one in a spelling dictionary.
  func isListed(_ word: String) -> Bool {
    table.map { !$0(word).isEmpty } ?? spelling?.stems(of: word).contains(word) ?? false
  }

  /// Returns the possible lemmas of a form; empty if nothing recognises it.
  func candidates(of form: String) -> [LemmaCandidate] {
    if let candidates = known[form] { return candidates }
    let candidates = find(form)
    // Texts of millions of words have fewer forms; invented input can have any number.
    if known.count >= 100_000 { known = [:] }
    known[form] = candidates
    return candidates
  }

  private func find(_ form: String) -> [LemmaCandidate] {
    let small = keepsCapitals ? normalize(form, language: language) : form
    if let lemma = overrides[small] { return [LemmaCandidate(lemma: lemma, rank: .min)] }
    var found = ranked(listed(form, small))
    if found.isEmpty { found = read(form) }
    if let lemma = tables.functionWords[small] {
      return [LemmaCandidate(lemma: lemma, rank: .min)] + found.filter { $0.lemma != lemma }
    }
    if found.isEmpty { found = ranked(dictionaryForms(form)) }
    return found.isEmpty ? ranked(spelling?.stems(of: form) ?? []) : found
  }

  private func ranked(_ lemmas: [String]) -> [LemmaCandidate] {
    lemmas.enumerated().map { LemmaCandidate(lemma: $1, rank: Int32($0)) }
  }

  /// Returns the candidates of the analysers, or of WordNet, for a form as it is written.
  private func read(_ form: String) -> [LemmaCandidate] {
    if let wordNet { return wordNet.candidates(of: form) }
    let code = language.baseCode
    for analyser in analysers {
      var found: [LemmaCandidate] = []
      for reading in analyser.readings(of: form) {
        guard let candidate = Reading.candidate(reading, form: form, code: code) else { continue }
        found.merge(candidate)
      }
      if !found.isEmpty { return found }
    }
    return []
  }
}

extension String {
  /// The text with other apostrophes replaced by the ASCII one, as in the data files.
  var replacingApostrophes: String {
    // The first bytes of both in UTF-8.
    utf8.contains { $0 == 0xE2 || $0 == 0xCA } ? String(map { $0 == "\u{2019}" || $0 == "\u{02BC}" ? "'" : $0 }) : self
  }
}

/// The reading rules of a language, with their lists of words as sets.
struct WordTables {
  let rules: ReadingRules
  private(set) var functionWords: [String: String] = [:]
  /// Words of closed classes, which are never names.
  let closedWords: Set<String>
  /// Words with a final full stop that does not end a sentence, stored without it.
  let abbreviations: Set<String>
  /// Articles, by their lemma or, where the table of function words lacks them, by all their forms.
  let articles: Set<String>
  let enclitics: Set<String>
  let endingsAfterEnclitics: Set<String>
  let undivided: Set<String>
  let apocopes: Set<String>

  init(code: String) {
    rules = Language.base(code)?.reading ?? .plain
    for line in rules.functionWords.split(separator: "\n") {
      let words = line.split { $0 == " " || $0 == ":" }.map(String.init)
      guard let lemma = words.first else { continue }
      for form in words { functionWords[form] = lemma }
    }
    func words(_ lists: String...) -> Set<String> { Set(lists.flatMap { $0.split(separator: " ").map(String.init) }) }
    closedWords = words(rules.frequentWords).union(functionWords.keys)
    abbreviations = words(Self.titles, rules.abbreviations)
    articles = words(Self.articleLemmas, rules.articles)
    enclitics = words(rules.enclitics)
    endingsAfterEnclitics = words(rules.endingsAfterEnclitics)
    undivided = words(rules.undivided)
    apocopes = words(rules.apocopes)
  }

  private static let articleLemmas = "el uno il un un' l' le the a to o um"

  private static let titles = "dr prof vol cap fig art pág pag núm num ed etc vs op cit cf no nr n ph.d jr st"

  /// Abbreviations that are words as well, and more often: they count only before a number, as in `No. 5`.
  static let abbreviatedWords: Set<String> = ["no", "art", "cap", "fig", "mar", "sat", "wed"]
}
