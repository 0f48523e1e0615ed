// The meanings of words, from the dictionaries of this machine and the user's own.
// Invariant: a missing or damaged dictionary does not prevent anything else.

import Decks
import Language
public import Lexicon
import Templates

extension LexiconHandle {
  /// Returns the dictionary entries for a word, the user's own dictionaries first, with markup converted to plain
  /// text. If no dictionary contains the word, looks up its lemmas.
  /// - Parameter name: the only dictionary to look in.
  /// - Throws: `DictionaryError`.
  public func define(_ word: String, only name: String? = nil) throws -> [Meaning] {
    try workspace.words.define(word, in: lexicon.language, foldAccents: lexicon.foldsAccents, only: name)
  }

  /// Whether `define` answers immediately, because its dictionaries have been loaded.
  public var areDictionariesOpen: Bool {
    get throws {
      let (meanings, language) = (workspace.lexicons.meanings, lexicon.language)
      return try workspace.languages.isOpen(language) && meanings.hasDictionary(of: language)
        && meanings.isOpen(language, foldAccents: lexicon.foldsAccents)
    }
  }
}

extension DictionaryLibrary {
  /// Returns the dictionary entries with markup converted to plain text.
  func plain(
    _ word: String, in language: Language, _ foldAccents: Bool, only name: String?, _ order: [String]
  ) throws -> [Meaning] {
    try define(word, in: language, foldAccents: foldAccents, only: name, order: order).map { meaning in
      guard meaning.isMarkup else { return meaning }
      return Meaning(dictionary: meaning.dictionary, word: meaning.word, text: FieldHTML.text(meaning.text))
    }
  }
}
