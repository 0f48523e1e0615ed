// Dictionary forms of words, and short meanings of them, by the language data of this machine.
// Invariant: data that is missing or damaged keeps nothing else from being done.

public import Language
import Lexicon

extension LanguageLibrary {
  /// What Apertium's bilingual dictionaries have for a word, as meanings.
  func meanings(of word: String, in language: Language) -> [Meaning] {
    translations(of: word, in: language).map { meanings, texts in
      Meaning(
        dictionary: Self.dictionaryName(String(language.code.prefix(2)), meanings), word: word,
        text: texts.joined(separator: ", "))
    }
  }

  /// What a bilingual dictionary of Apertium is called.
  static func dictionaryName(_ words: String, _ meanings: String) -> String { "apertium-\(words)-\(meanings)" }
}

extension Workspace {
  /// The language data, looked for at its first use.
  public var languages: LanguageLibrary {
    if let known = opened.languages { return known }
    let library = LanguageLibrary(environment)
    let meanings = lexicons.meanings
    library.dictionaryForms = { form, language in
      // Who stops this while a dictionary is read is told by whoever goes on reading the text.
      do { return try meanings.lemmas(of: form, in: language) } catch { return [] }
    }
    opened.languages = library
    return library
  }
}
