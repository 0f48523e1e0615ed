// The dictionary form of a word. Sources, in order: the user's table, function words, the analysers or WordNet, forms
// listed in dictionaries, the affixes of a spelling dictionary, and finally the form itself.
// Invariant: the result for a form never changes; without any data every form is its own lemma.

public import Lexicon
import Text

/// The lemmas of a form: the likeliest, and all possible ones.
///
///     let lemmatizer = library.lemmatizer(of: spanish)
///     lemmatizer.lemmas(of: "casas").primary   // "casa"
///     lemmatizer.lemmas(of: "casas").all       // ["casa", "casar"]
public struct Lemmas: Equatable, Sendable {
  public let primary: String
  /// Without duplicates, the likeliest first.
  public let all: [String]
}

/// Finds the dictionary forms of a language's words.
public final class Lemmatizer {
  public let language: Language
  let tables: WordTables
  /// The Debian package with missing data that would give better results; nil if nothing is missing.
  public let missing: String?
  private let overrides: [String: String]
  private let analysers: [TransducerFile]
  private let wordNet: WordNetForms?
  private let dictionaryForms: (String) -> [String]
  private let stems: () -> AffixStems?
  private lazy var spelling: AffixStems? = stems()
  private var known: [String: [LemmaCandidate]] = [:]

  /// Whether there is data, so that a form unknown to it is probably a name.
  var hasData: Bool { wordNet != nil || !analysers.isEmpty }

  /// - Parameter stems: called once, for the first word that nothing else recognises.
  init(
    _ language: Language, overrides: [String: String], analysers: [TransducerFile], wordNet: WordNetForms?,
    missing: String?, dictionaryForms: @escaping (String) -> [String] = { _ in [] }, stems: @escaping () -> AffixStems?
  ) {
    (self.language, self.overrides, self.analysers, self.wordNet) = (language, overrides, analysers, wordNet)
    (self.missing, self.dictionaryForms, self.stems) = (missing, dictionaryForms, stems)
    tables = WordTables(code: language.baseCode)
  }

  /// Returns the lemmas of a form without context, ignoring case unless only the capitalised form is known.
  public func lemmas(of form: String) -> Lemmas {
    let form = form.replacingApostrophes
    let lowered = normalize(form, language: language)
    var candidates = candidates(of: lowered)
    if candidates.isEmpty { candidates = read(form) }
    return Self.chosen(candidates, form: lowered) { _ in 0 }
  }

  /// Returns the lemma of a card's text without its article: `casa` for `las casas`; nil for several words.
  public func lemma(ofPhrase phrase: String) -> String? { word(ofPhrase: phrase).map { lemmas(of: $0).primary } }

  /// Returns the word of a card's text without its article: `casas` for `las casas`; nil for several words.
  public func word(ofPhrase phrase: String) -> String? {
    var phrase = phrase.replacingApostrophes
    if tables.rules.splitsElisions { phrase = phrase.replacing(text: "'", with: "' ") }
    for beginning in tables.undivided { phrase = phrase.replacing(text: beginning + "' ", with: beginning + "'") }
    let words = phrase.split(separator: " ").map(String.init)
    let others = words.drop { tables.articles.contains(lemmas(of: $0).primary) }
    return others.count == 1 ? others.first : words.count == 1 ? words.first : nil
  }

  /// Orders candidates by rank, then by how often their lemma occurs in a text, then by length, shortest first.
  static func chosen(_ candidates: [LemmaCandidate], form: String, weight: (String) -> Int) -> Lemmas {
    if candidates.count <= 1 {
      let lemma = candidates.first?.lemma ?? form
      return Lemmas(primary: lemma, all: [lemma])
    }
    let sorted = candidates.map { (candidate: $0, weight: weight($0.lemma)) }.sorted { a, b in
      (a.candidate.rank, -a.weight, a.candidate.lemma.utf8.count, a.candidate.lemma)
        < (b.candidate.rank, -b.weight, b.candidate.lemma.utf8.count, b.candidate.lemma)
    }
    return Lemmas(primary: sorted[0].candidate.lemma, all: sorted.map(\.candidate.lemma))
  }

  /// Returns the possible lemmas of a lowercase form; empty if nothing recognises it.
  func candidates(of form: String) -> [LemmaCandidate] {
    if let candidates = known[form] { return candidates }
    let candidates = find(form)
    // Texts of millions of words have fewer forms; invented input can have any number.
    if known.count >= 100_000 { known = [:] }
    known[form] = candidates
    return candidates
  }

  private func find(_ form: String) -> [LemmaCandidate] {
    if let lemma = overrides[form] { return [LemmaCandidate(lemma: lemma, rank: .min)] }
    let found = read(form)
    if let lemma = tables.functionWords[form] {
      return [LemmaCandidate(lemma: lemma, rank: .min)] + found.filter { $0.lemma != lemma }
    }
    if !found.isEmpty { return found }
    let listed = dictionaryForms(form)
    return (listed.isEmpty ? spelling?.stems(of: form) ?? [] : listed).enumerated().map {
      LemmaCandidate(lemma: $1, rank: Int32($0))
    }
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
