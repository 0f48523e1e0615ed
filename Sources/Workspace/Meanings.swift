// What words mean, by the dictionaries of this machine and the user's own.
// Invariant: a dictionary that is missing or damaged keeps nothing else from being done.

import Decks
public import Lexicon
public import Problems

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
    get throws { try workspace.lexicons.meanings.isOpen(lexicon.language, foldAccents: lexicon.foldsAccents) }
  }

  /// Why dictionaries could not be read, the last time one was asked.
  public var unreadDictionaries: [any Problem] { workspace.lexicons.meanings.failures }
}

extension Workspace {
  func define(
    _ word: String, in language: Language, foldAccents: Bool = false, only name: String? = nil
  ) throws -> [Meaning] {
    let found = try defineForm(word, in: language, foldAccents: foldAccents, only: name)
    if !found.isEmpty { return found }
    for lemma in languages.lemmatizer(of: language).lemmas(of: word).all where lemma != word {
      let meanings = try defineForm(lemma, in: language, foldAccents: foldAccents, only: name)
      if !meanings.isEmpty { return meanings }
    }
    return []
  }

  /// What dictionaries say of a form as it is, those of Apertium last.
  private func defineForm(
    _ word: String, in language: Language, foldAccents: Bool, only name: String?
  ) throws -> [Meaning] {
    let translations = name == nil ? translations(of: word, in: language) : []
    do {
      return try lexicons.meanings.define(word, in: language, foldAccents: foldAccents, only: name).map { meaning in
        guard meaning.isMarkup else { return meaning }
        return Meaning(dictionary: meaning.dictionary, word: meaning.word, text: FieldHTML.text(meaning.text))
      } + translations
    } catch let error as DictionaryError {
      guard case .none = error, !translations.isEmpty else { throw error }
      return translations
    }
  }

  /// What a word means in one line; nil where no dictionary knows it.
  func gloss(of word: String, in language: Language) throws -> String? {
    let meanings: [Meaning]
    do { meanings = try define(word, in: language) } catch let error as DictionaryError {
      guard case .none = error else { throw error }
      return nil
    }
    return meanings.lazy.map { $0.gloss() }.first { !$0.isEmpty }
  }
}
