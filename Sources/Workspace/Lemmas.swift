// Dictionary forms of words, and short meanings of them, by the language data of this machine.
// Invariant: data that is missing or damaged keeps nothing else from being done.

import Decks
public import Language
public import Lexicon
public import Problems

extension Workspace {
  /// The language data, looked for at its first use.
  var languages: LanguageLibrary {
    if let known = opened.languages { return known }
    let library = LanguageLibrary(environment)
    opened.languages = library
    return library
  }

  /// Who finds the dictionary forms of a language's words; that of `game.language` when the name is nil.
  /// - Throws: `LexiconError.unknownLanguage`.
  public func lemmatizer(_ name: String?) throws -> Lemmatizer { languages.lemmatizer(of: try language(named: name)) }

  /// Whether `lemmatizer` answers at once.
  public func isLemmatizerOpen(_ name: String?) throws -> Bool { languages.isOpen(try language(named: name)) }

  /// Files of language data that could not be read, with why.
  public var unreadLanguageData: [any Problem] { languages.failures }

  /// What Apertium's bilingual dictionaries have for a word, as meanings.
  func translations(of word: String, in language: Language) -> [Meaning] {
    languages.translations(of: word, in: language).map { meanings, texts in
      Meaning(dictionary: "apertium-\(language.code)-\(meanings)", word: word, text: texts.joined(separator: ", "))
    }
  }
}
