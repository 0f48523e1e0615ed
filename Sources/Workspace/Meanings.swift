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
    try workspace.define(word, in: lexicon.language, foldAccents: lexicon.foldsAccents, only: name)
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

extension Workspace {
  /// What dictionaries say of a word, as `LexiconHandle.define` has it: no word list is needed for it.
  /// - Throws: `DictionaryError`.
  public func define(
    _ word: String, in language: Language, foldAccents: Bool = false, only name: String? = nil
  ) throws -> [Meaning] {
    var missing: DictionaryError?
    func defined(_ form: String) throws -> [Meaning] {
      let translations = name == nil ? languages.meanings(of: form, in: language) : []
      do {
        let order = try preferences().dictionaries
        return try lexicons.meanings.plain(form, in: language, foldAccents, only: name, order) + translations
      } catch let error as DictionaryError {
        guard case .none = error else { throw error }
        missing = error
        return translations
      }
    }
    let found = try defined(word)
    if !found.isEmpty { return found }
    for lemma in languages.lemmatizer(of: language).lemmas(of: word).all where lemma != word {
      let meanings = try defined(lemma)
      if !meanings.isEmpty { return meanings }
    }
    if let missing { throw missing }
    return []
  }

  /// What a word means in one line; nil where no dictionary knows it.
  /// - Parameter name: of the only dictionary to ask.
  public func gloss(of word: String, in language: Language, only name: String? = nil) throws -> String? {
    let meanings: [Meaning]
    do { meanings = try define(word, in: language, only: name) } catch let error as DictionaryError {
      guard case .none = error else { throw error }
      return nil
    }
    return meanings.lazy.map { $0.gloss() }.first { !$0.isEmpty }
  }
}

extension DictionaryLibrary {
  /// What dictionaries say, their markup made plain.
  fileprivate func plain(
    _ word: String, in language: Language, _ foldAccents: Bool, only name: String?, _ order: [String]
  ) throws -> [Meaning] {
    try define(word, in: language, foldAccents: foldAccents, only: name, order: order).map { meaning in
      guard meaning.isMarkup else { return meaning }
      return Meaning(dictionary: meaning.dictionary, word: meaning.word, text: FieldHTML.text(meaning.text))
    }
  }
}
