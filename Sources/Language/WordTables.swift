// What the words and sentences of a text need to be known of its language, ready to be looked up.
// Invariant: all keys are in lower case; a language that is not known uses what all have in common.

import Lexicon

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
