// The words that a user knows: those of the cards, and those listed as known or as not to be learned. Invariant: a row
// of the list is a lemma of one language, in lower case; only the cards of a text's words are read, again when cards
// may have changed.

import Decks
public import Exchange
import Files
public import Language
public import Lexicon
import Storage
import Text

enum ListedWordTable {
  static let schema = Schema(
    """
    CREATE TABLE listed_words (
      language TEXT NOT NULL,
      lemma TEXT NOT NULL,
      ignored INTEGER NOT NULL,
      PRIMARY KEY (language, lemma)
    ) STRICT, WITHOUT ROWID;
    """)

  static func all(_ db: Database, language: String) throws -> [(lemma: String, isIgnored: Bool)] {
    try db.rows("SELECT lemma, ignored FROM listed_words WHERE language = ? ORDER BY lemma", [language]) {
      ($0.text(0), $0.integer(1) != 0)
    }
  }

  /// - Parameter ignored: nil removes the lemma from the list.
  static func set(_ db: Database, language: String, _ lemma: String, ignored: Bool?) throws {
    guard let ignored else {
      return try db.run("DELETE FROM listed_words WHERE language = ? AND lemma = ?", [language, lemma])
    }
    let sql = "INSERT OR REPLACE INTO listed_words (language, lemma, ignored) VALUES (?, ?, ?)"
    try db.run(sql, [language, lemma, ignored ? 1 : 0])
  }
}

public struct UserWordList {
  private let workspace: Workspace
  public let language: Language
  private let lemmatizer: Lemmatizer

  /// - Parameter name: the name of the language; nil for that of `text.language`.
  /// - Throws: `LexiconError.unknownLanguage`.
  public init(_ workspace: Workspace, language name: String?) throws {
    self.workspace = workspace
    language = try workspace.words.textLanguage(named: name)
    lemmatizer = workspace.languages.lemmatizer(of: language)
  }

  public func all() throws -> [(lemma: String, isIgnored: Bool)] {
    try workspace.read { try ListedWordTable.all($0, language: lemmatizer.language.code) }
  }

  /// Lists words by their lemmas, as one undo step.
  /// - Parameter state: `.known` or `.ignored`; any other state removes them from the list.
  /// - Returns: how many lemmas changed.
  @discardableResult
  public func set(_ words: [String], as state: WordState) throws -> Int {
    try set(words.map { ($0, state) })
  }

  /// Lists words with a state for each, as one undo step; if a word occurs twice, the last state counts.
  @discardableResult
  public func set(_ words: [(word: String, state: WordState)]) throws -> Int {
    let before = Dictionary(firstOf: try all())
    var wanted: [String: Bool?] = [:]
    for (word, state) in words {
      let lemma = lemmatizer.lemma(of: word)
      if !lemma.isEmpty { wanted[lemma] = .some(state == .known ? false : state == .ignored ? true : nil) }
    }
    let changes = wanted.filter { before[$0.key] != $0.value }.sorted { $0.key < $1.key }
    if changes.isEmpty { return 0 }
    try workspace.perform(.listWords, count: { _ in changes.count }) { db in
      for (lemma, ignored) in changes {
        try workspace.poll()
        try ListedWordTable.set(db, language: lemmatizer.language.code, lemma, ignored: ignored)
      }
    }
    return changes.count
  }

  /// Lists the most frequent words of the language as known, as one undo step. A word that is listed keeps its state.
  /// - Returns: how many lemmas changed.
  /// - Throws: `LanguageError.noFrequencies`.
  public func setFirst(_ count: Int) throws -> Int {
    guard let uses = workspace.languages.frequencies(of: language) else {
      throw LanguageError.noFrequencies(language: language.title, code: language.baseCode)
    }
    var (lemmas, words, listed) = (Set<String>(), [String](), Set(try all().map(\.lemma)))
    for (word, _) in uses.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) where lemmas.count < count {
      try workspace.poll()
      let lemma = lemmatizer.lemma(of: word)
      if lemmas.insert(lemma).inserted, listed.insert(lemma).inserted { words.append(word) }
    }
    return try set(words, as: .known)
  }

  public struct Imported: Equatable, Sendable {
    /// The number of lemmas that changed.
    public var changed = 0
    /// The number of words that the file marks as still being learned, or as only looked up.
    public var learning = 0
    /// The number of words that the file marks as ignored.
    public var ignored = 0
    /// What was left out or replaced.
    public var losses: TextLosses
  }

  /// Lists the words that a file marks as known or as ignored, as one undo step.
  /// - Parameter columns: the meanings of a table's columns, if its header does not specify them.
  /// - Parameter more: words in addition to those of the file.
  /// - Throws: `TextFileError`, `FileError`, `ExchangeError`.
  public func add(
    from path: String, columns: [ColumnChoice], as state: WordState, and more: [String] = []
  ) throws -> Imported {
    let (entries, losses) = try Self.entries(
      of: path, columns: columns, for: lemmatizer.language, workspace.environment)
    let words = entries.filter { $0.state != .learning }
    var imported = Imported(losses: losses)
    imported.learning = entries.count - words.count
    imported.ignored = words.count { $0.state == .ignored }
    imported.changed = try set(
      words.map { ($0.word, state == .known && $0.state == .ignored ? .ignored : state) } + more.map { ($0, state) })
    return imported
  }

  /// Returns the words of a list, or of an e-reader's vocabulary, that may belong to a language.
  static func entries(
    of path: String, columns: [ColumnChoice], for language: Language, _ environment: Environment
  ) throws -> ([VocabularyEntry], TextLosses) {
    let isInterrupted = environment.isInterrupted
    let (entries, losses): ([VocabularyEntry], TextLosses)
    if try VocabularyFile.isOne(path, isInterrupted: isInterrupted) {
      let file = try VocabularyFile(path, temporary: environment.folders.temporary, isInterrupted: isInterrupted)
      (entries, losses) = (file.entries, file.losses)
    } else {
      let list = try KnownWordList(path, columns: columns, language: language.code, isInterrupted: isInterrupted)
      (entries, losses) = (list.entries, list.losses)
    }
    return (entries.filter { $0.isOf(code: language.baseCode, name: language.name) }, losses)
  }
}

enum CardWords {
  /// What is known of lemmas, and the words of notes with their lemmas among these.
  typealias Known = (lemmas: [String: (state: WordState, recall: Double)], words: [String: [String]])

  /// Returns what is known of those of some lemmas that have a card or are listed.
  /// - Parameter deck: if given, only the cards of this deck and its subdecks count.
  static func known(
    _ workspace: Workspace, _ wanted: Set<String>, _ lemmatizer: Lemmatizer, deck: String?
  ) throws -> Known {
    let knownDays = Double(try workspace.preferences().texts.knownDays)
    let deckID = try deck.map { try workspace.decks.open($0).id }
    var known: Known = ([:], [:])
    try workspace.read { db in
      let memories = try NoteMemories(db, in: deckID, at: workspace.moment)
      try NoteWords.forEach(db) { note, word in
        let found = lemmas(of: word, lemmatizer).filter(wanted.contains)
        if found.isEmpty { return }
        known.words[word] = found
        guard let memory = try memories.memory(db, of: note) else { return }
        let state = state(of: memory, knownDays: knownDays)
        for lemma in found {
          let before = known.lemmas[lemma] ?? (.unknown, 0)
          known.lemmas[lemma] = (min(before.state, state), max(before.recall, memory.recall))
        }
      }
      for (lemma, isIgnored) in try ListedWordTable.all(db, language: lemmatizer.language.code) {
        known.lemmas[lemma.lowercased()] = isIgnored ? (.ignored, 0) : (.known, 1)
      }
    }
    return known
  }

  /// Returns what a card's word may be in a text: the word itself, and its lemma if that differs.
  static func lemmas(of word: String, _ lemmatizer: Lemmatizer) -> [String] {
    guard let lemma = lemmatizer.lemma(ofPhrase: word)?.lowercased(), lemma != word else { return [word] }
    return [word, lemma]
  }

  private static func state(of memory: NoteMemory, knownDays: Double) -> WordState {
    if memory.isSuspended { return .ignored }
    if !memory.isStudied { return .new }
    return (memory.stability ?? 0) >= knownDays ? .known : .learning
  }
}

extension DeckHandle {
  /// Sorts the new cards of the deck, and of each of its subdecks, by the frequency of their words in a text.
  /// - Returns: how many new cards contain an unknown word of the text, and how many cards were moved.
  public func orderNewCards(byGainIn text: TextHandle) throws -> (found: Int, moved: Int) {
    let gains = try text.gains()
    var (found, moved, orders): (Int, Int, [(deck: DeckID, cards: [RankedCard])]) = (0, 0, [])
    try workspace.read { db in
      for deck in try [id] + DeckTable.within(db, id).map(\.id) {
        var (helpful, others): ([(gain: Int, card: RankedCard)], [RankedCard]) = ([], [])
        try NoteWords.forEachNewCard(db, in: deck) { card, word in
          if let word, let gain = gains[word] { helpful.append((gain, card)) } else { others.append(card) }
        }
        helpful.sort { ($1.gain, $0.card.rank) < ($0.gain, $1.card.rank) }
        let cards = helpful.map(\.card) + others
        found += helpful.count
        moved += zip(cards, cards.map(\.rank).sorted()).count { $0.rank != $1 }
        orders.append((deck, cards))
      }
    }
    if moved > 0 {
      try workspace.perform(.moveCard, count: { [moved] _ in moved }) { db in
        for (deck, cards) in orders { try CardOrder.arrange(db, cards, in: deck) }
      }
    }
    return (found, moved)
  }
}
