// What words mean, by the dictionaries of this machine and the user's own.
// Invariant: a dictionary that is missing or damaged keeps nothing else from being done.

import Decks
public import Lexicon
public import Problems
import Templates

extension LexiconHandle {
  /// What dictionaries say of a word, the user's own first; markup is made plain.
  /// - Parameter name: of the only dictionary to ask.
  /// - Throws: `DictionaryError`.
  public func define(_ word: String, only name: String? = nil) throws -> [Meaning] {
    try workspace.define(word, in: lexicon.language, foldAccents: lexicon.foldsAccents, only: name)
  }

  /// Whether `define` answers at once: the dictionaries that it asks have been read.
  public var areDictionariesOpen: Bool {
    get throws { try workspace.lexicons.meanings.isOpen(lexicon.language, foldAccents: lexicon.foldsAccents) }
  }

  /// Why dictionaries could not be read, the last time one was asked.
  public var unreadDictionaries: [any Problem] { workspace.lexicons.meanings.failures }
}

extension Workspace {
  fileprivate func define(
    _ word: String, in language: Language, foldAccents: Bool = false, only name: String? = nil
  ) throws -> [Meaning] {
    try lexicons.meanings.define(word, in: language, foldAccents: foldAccents, only: name).map { meaning in
      guard meaning.isMarkup else { return meaning }
      return Meaning(dictionary: meaning.dictionary, word: meaning.word, text: FieldHTML.text(meaning.text))
    }
  }

  /// What a word means in one line; nil where no dictionary knows it.
  func gloss(of word: String, in language: Language) throws -> String? {
    guard lexicons.meanings.hasDictionary(of: language) else { return nil }
    return try define(word, in: language).lazy.map { $0.gloss() }.first { !$0.isEmpty }
  }
}
