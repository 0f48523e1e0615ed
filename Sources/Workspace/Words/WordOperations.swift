// Word lists and dictionaries: the languages of this machine, and the meanings of their words.
// Invariant: a missing or damaged dictionary does not prevent anything else.

import Decks
import Files
import Glibc
public import Language
public import Lexicon
import Templates
import Text
public import Values

public struct WordOperations {
  let workspace: Workspace

  /// Returns the lexicon of a language by name; nil for that of `game.language`.
  /// - Throws: `LexiconError.unknownLanguage`, `.noWordList`.
  public func lexicon(_ name: String?, foldAccents: Bool = false) throws -> LexiconHandle {
    workspace.handle(of: try workspace.lexicons.lexicon(for: language(named: name), foldAccents: foldAccents))
  }

  /// Whether the lexicon of a language is already loaded.
  public func isLexiconOpen(_ name: String?, foldAccents: Bool = false) throws -> Bool {
    try workspace.lexicons.isOpen(language(named: name), foldAccents: foldAccents)
  }

  /// Returns the language with a name; nil for that of `game.language`.
  /// - Throws: `LexiconError.unknownLanguage`.
  public func language(named name: String?) throws -> Language {
    try workspace.lexicons.language(named: name ?? workspace.preferences().games.language)
  }

  /// Returns the language of texts with a name; nil for that of `text.language`, or that of `game.language` if texts
  /// have none set.
  /// - Throws: `LexiconError.unknownLanguage`.
  public func textLanguage(named name: String? = nil) throws -> Language {
    try language(named: name ?? setTextLanguage)
  }

  /// The language that texts are set to; nil if it is found for each of them.
  var setTextLanguage: String? {
    get throws {
      let name = try workspace.preferences().texts.language
      return name == TextSettings.foundLanguage ? nil : name
    }
  }

  /// What finds the words of texts in a language: the program that is set, or else what the language names.
  /// - Throws: `FileError`.
  func divider(of language: Language) throws -> WordDivider {
    let (rules, environment) = (language.reading.division, workspace.environment)
    var (divider, remedy) = (WordDivider(), rules.remedy)
    divider.isByHeadwords = !rules.list.isEmpty
    if !remedy.isEmpty { divider.headwords = try workspace.lexicons.meanings.headwords(of: language) }
    let words = try workspace.preferences().words.analyser(of: language)
    if let first = words.first {
      remedy = "words.analyser.\(language.baseCode) names \(quoted(first)), which is no program here"
      divider.analyser = workspace.media.executable(first).map { path in
        let arguments = words.dropFirst().map { $0.replacing(text: "{language}", with: language.baseCode) }
        return TextAnalyser([path] + arguments, name: lastPart(of: first), environment)
      }
    } else if !rules.script.isEmpty, workspace.media.executable(rules.program) != nil, fileExists(rules.data) {
      divider.analyser = TextAnalyser(["/bin/sh", "-c", rules.script], name: rules.program, environment)
    } else if divider.isByHeadwords, divider.headwords != nil {
      remedy = ""
    }
    if divider.analyser == nil, !remedy.isEmpty { divider.failure = .noAnalyser(language.title, remedy: remedy) }
    let command = divider.analyser?.words ?? []
    let programs = command + [divider.analyser.flatMap { workspace.media.executable($0.name) } ?? "", rules.data]
    let files = stamps(of: [environment.folders.program] + programs) + workspace.languages.files
    divider.cache = (environment.folders.cache + "/analysed", "\(language.code) \(command)\n\(files)")
    return divider
  }

  /// Whether a word is in the list of the language of texts; no word is where there is no list.
  public func isListed(_ word: String) -> Bool {
    do {
      let list = try workspace.lexicons.lexicon(for: textLanguage())
      return list.contains(list.normalized(word))
    } catch {
      // Without a list, a slip of the keyboard cannot be told from another word.
      return false
    }
  }

  /// Loads a file of words as a lexicon.
  public func load(_ path: String, name: String?, language: String?) throws -> LexiconHandle {
    let known = language.map { Language.named($0) ?? .unknown($0) }
    return workspace.handle(of: try workspace.lexicons.load(path: path, name: name, language: known))
  }

  /// The dictionaries that `define` searches: the user's first, then by name, then Apertium's.
  public func dictionaries() -> [(name: String, words: String?, meanings: String?, path: String, isOwn: Bool)] {
    workspace.lexicons.meanings.places().map { ($0.name, $0.words, $0.meanings, $0.path, $0.isOwn) }
      + workspace.languages.bilingualFiles().map {
        (LanguageLibrary.dictionaryName($0.words, $0.meanings), $0.words, $0.meanings, $0.path, false)
      }
  }

  /// Returns the dictionary entries for a word, as `LexiconHandle.define` does, but without needing a word list.
  /// - Parameter isLemma: the word is a lemma, so other words of which it may be a form are not looked up: the noun
  ///   `diezmo`, a tithe, is not a form of `diezmar`, to decimate.
  /// - Throws: `DictionaryError`.
  public func define(
    _ word: String, isLemma: Bool = false, in language: Language, foldAccents: Bool = false, only name: String? = nil
  ) throws -> [Meaning] {
    var missing: DictionaryError?
    // An Apertium dictionary is searched only for words of its language.
    let file = name.flatMap { name in
      workspace.languages.bilingualFiles().first { LanguageLibrary.dictionaryName($0.words, $0.meanings) == name }
    }
    let bilingual = file.flatMap { file in Language.known.first { $0.code.hasPrefix(file.words) } }
    let language = bilingual ?? language
    func defined(_ form: String) throws -> [Meaning] {
      func translations() -> [Meaning] { workspace.languages.meanings(of: form, in: language) }
      if bilingual != nil { return translations().filter { $0.dictionary == name } }
      let translated = name == nil ? translations() : []
      do {
        let order = try workspace.preferences().texts.dictionaries
        let found = try workspace.lexicons.meanings.define(
          form, in: language, foldAccents: foldAccents, only: name, order: order
        ).map { meaning in
          guard meaning.isMarkup else { return meaning }
          return Meaning(dictionary: meaning.dictionary, word: meaning.word, text: FieldHTML.text(meaning.text))
        }
        // The entries of the preferred dictionaries come first; the others keep their order.
        func rank(_ meaning: Meaning) -> Int { order.firstIndex(of: meaning.dictionary) ?? order.count }
        return (found + translated).sorted { rank($0) < rank($1) }
      } catch let error as DictionaryError {
        guard case .none = error else { throw error }
        missing = error
        return translated
      }
    }
    let found = try defined(word)
    if !found.isEmpty { return found }
    let others = isLemma ? [] : workspace.languages.lemmatizer(of: language).lemmas(of: word)
    for lemma in others where lemma != word {
      let meanings = try defined(lemma)
      if !meanings.isEmpty { return meanings }
    }
    // A language that Apertium covers counts as having a dictionary, even if there is none in the program's own format.
    if let missing, !workspace.languages.hasTranslations(of: language) { throw missing }
    return []
  }

  /// Returns the inflected forms of the word of a card in the language of texts, without its article.
  /// - Throws: `LanguageError`; `LexiconError.unknownLanguage`.
  public func forms(ofPhrase phrase: String) throws -> [InflectedForm] {
    let language = try textLanguage()
    let word = workspace.languages.lemmatizer(of: language).word(ofPhrase: phrase)
    return try word.map { try forms(of: $0, in: language) } ?? []
  }

  /// Returns the inflected forms of a word, or if the data does not have it, those of its dictionary form.
  /// - Parameter part: one of `InflectedForm.parts`; nil for all parts of speech.
  /// - Throws: `LanguageError`, also if there is no data of the language.
  public func forms(of word: String, part: String? = nil, in language: Language) throws -> [InflectedForm] {
    let (library, word) = (workspace.languages, word.trimmed.composed)
    let found = try library.forms(of: word, part: part, in: language)
    guard found.isEmpty, let lemma = library.lemmatizer(of: language).lemma(ofPhrase: word) else { return found }
    return try library.forms(of: lemma, part: part, in: language)
  }

  /// Returns the other languages whose words can be explained, those with a dictionary first.
  public func explained(besides language: Language) -> [Language] {
    let first = workspace.lexicons.meanings.languages(besides: language)
    return first
      + workspace.lexicons.languages().filter {
        $0 != language && !first.contains($0) && workspace.languages.hasTranslations(of: $0)
      }
  }

  /// Returns the meaning of a word on a single line; nil if no dictionary contains the word.
  /// - Throws: `FileError`, `LanguageError` for a dictionary that exists and cannot be read: it may have a meaning.
  public func gloss(
    of word: String, isLemma: Bool = false, in language: Language, only name: String? = nil
  ) throws -> String? {
    try readable(word, isLemma: isLemma, in: language, only: name).lazy.map { $0.gloss() }.first { !$0.isEmpty }
  }

  /// Returns the meanings of a lemma in all dictionaries, each on a line and once; throws what `gloss` throws.
  public func senses(of lemma: String, in language: Language) throws -> [String] {
    try readable(lemma, isLemma: true, in: language, only: nil).flatMap(\.senses).distinct(by: \.self)
  }

  private func readable(_ word: String, isLemma: Bool, in language: Language, only name: String?) throws -> [Meaning] {
    let meanings: [Meaning]
    do { meanings = try define(word, isLemma: isLemma, in: language, only: name) } catch DictionaryError.none {
      meanings = []
    }
    let unread = workspace.lexicons.meanings.failures.lazy.compactMap { $0 as? FileError }
    if let failure = unread.first(where: { $0.number != ENOENT && $0.number != ENOTDIR }) { throw failure }
    for case .unreadable(let path, let reason) in workspace.languages.failures {
      throw LanguageError.unreadable(path: path, reason: reason)
    }
    return meanings
  }

  /// Returns the common words of a list, according to a frequency list of this machine; nil if it contains too little.
  public func common(of lexicon: Lexicon) throws -> CommonWords? {
    if let known = workspace.opened.commonWords, known.lexicon === lexicon { return known.words }
    let words = try workspace.languages.frequencies(of: lexicon.language).flatMap { try CommonWords($0, of: lexicon) }
    workspace.opened.commonWords = (lexicon, words)
    return words
  }

  /// Returns the common words for a game; nil if the settings or the user's list call for all words.
  func ofGame(_ lexicon: Lexicon, isGiven: Bool) throws -> CommonWords? {
    try isGiven || workspace.preferences().games.words != "common" ? nil : common(of: lexicon)
  }
}

extension InflectedForm {
  /// The form as plain data: `{form=, part=, features={tense=, mood=, person=, number=, gender=, degree=, other=}}`.
  public var value: Value {
    let known = Self.names.compactMap { name in
      features[name].map { (name, Int($0).map { .integer($0) } ?? Value.text($0)) }
    }
    return .record([("form", .text(form)), ("part", .text(part)), ("features", .record(known))])
  }
}

extension LanguageLibrary {
  /// Returns the entries for a word in Apertium's bilingual dictionaries, as meanings.
  func meanings(of word: String, in language: Language) -> [Meaning] {
    translations(of: word, in: language).map { meanings, texts in
      Meaning(
        dictionary: Self.dictionaryName(language.baseCode, meanings), word: word, text: texts.joined(separator: ", "))
    }
  }

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
    library.formTable = meanings.formTable
    library.renew(meanings)
    opened.languages = library
    return library
  }
}

extension LexiconHandle {
  /// Returns the dictionary entries for a word, the user's own dictionaries first, with markup converted to plain
  /// text. If no dictionary contains the word, looks up its lemmas.
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
