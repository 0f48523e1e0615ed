// Dictionary forms of words, and short meanings of them, by the language data of this machine.
// Invariant: data that is missing or damaged keeps nothing else from being done.

public import Language
import Lexicon

extension LanguageLibrary {
  /// What Apertium's bilingual dictionaries have for a word, as meanings.
  func meanings(of word: String, in language: Language) -> [Meaning] {
    translations(of: word, in: language).map { meanings, texts in
      Meaning(dictionary: "apertium-\(language.code)-\(meanings)", word: word, text: texts.joined(separator: ", "))
    }
  }
}

extension Workspace {
  /// The language data, looked for at its first use.
  public var languages: LanguageLibrary {
    if let known = opened.languages { return known }
    let library = LanguageLibrary(environment)
    opened.languages = library
    return library
  }
}
