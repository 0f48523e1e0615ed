// What words mean, by the dictionaries of this machine and the user's own.
// Invariant: a dictionary that is missing or damaged keeps nothing else from being done.

import Decks
import Language
public import Lexicon
import Templates

extension LexiconHandle {
  /// What dictionaries say of a word, the user's own first; markup is made plain. Where none has the form, they are
  /// asked for its lemmas.
  /// - Parameter name: of the only dictionary to ask.
  /// - Throws: `DictionaryError`.
  public func define(_ word: String, only name: String? = nil) throws -> [Meaning] {
    try workspace.words.define(word, in: lexicon.language, foldAccents: lexicon.foldsAccents, only: name)
  }

  /// Whether `define` answers at once: the dictionaries that it asks have been read.
  public var areDictionariesOpen: Bool {
    get throws {
      let (meanings, language) = (workspace.lexicons.meanings, lexicon.language)
      return try workspace.languages.isOpen(language) && meanings.hasDictionary(of: language)
        && meanings.isOpen(language, foldAccents: lexicon.foldsAccents)
    }
  }
}

extension DictionaryLibrary {
  /// What dictionaries say, their markup made plain.
  func plain(
    _ word: String, in language: Language, _ foldAccents: Bool, only name: String?, _ order: [String]
  ) throws -> [Meaning] {
    try define(word, in: language, foldAccents: foldAccents, only: name, order: order).map { meaning in
      guard meaning.isMarkup else { return meaning }
      return Meaning(dictionary: meaning.dictionary, word: meaning.word, text: FieldHTML.text(meaning.text))
    }
  }
}
