// Lemmas of words, and short meanings, from the language data of this machine.
// Invariant: missing or damaged data does not prevent anything else.

public import Language
import Lexicon

extension LanguageLibrary {
  /// Returns the entries for a word in Apertium's bilingual dictionaries, as meanings.
  func meanings(of word: String, in language: Language) -> [Meaning] {
    translations(of: word, in: language).map { meanings, texts in
      Meaning(
        dictionary: Self.dictionaryName(language.baseCode, meanings), word: word, text: texts.joined(separator: ", "))
    }
  }

  /// Returns the name of an Apertium bilingual dictionary.
  static func dictionaryName(_ words: String, _ meanings: String) -> String { "apertium-\(words)-\(meanings)" }
}

extension Workspace {
  /// The language data, located at its first use.
  public var languages: LanguageLibrary {
    if let known = opened.languages { return known }
    let library = LanguageLibrary(environment)
    let meanings = lexicons.meanings
    library.dictionaryForms = { form, language in
      // An interrupt while a dictionary is read is reported by the code that continues to read the text.
      do { return try meanings.lemmas(of: form, in: language) } catch { return [] }
    }
    opened.languages = library
    return library
  }
}
