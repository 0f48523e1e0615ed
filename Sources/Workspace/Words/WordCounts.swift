// Which words are common, according to the texts that the user had counted and a word list of this machine.
// Invariant: a text is counted once, wherever its file is; counting is one undo step.

import Files
import Language
public import Lexicon
import Storage

/// The tables `counted_texts` and `word_counts`.
enum WordCountTable {
  static let schema = Schema(
    """
    CREATE TABLE counted_texts (
      language TEXT NOT NULL,
      digest TEXT NOT NULL,
      title TEXT NOT NULL,
      words INTEGER NOT NULL,
      PRIMARY KEY (language, digest)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE word_counts (
      language TEXT NOT NULL,
      word TEXT NOT NULL,
      count INTEGER NOT NULL,
      PRIMARY KEY (language, word)
    ) STRICT, WITHOUT ROWID;
    """)

  /// - Returns: false if the text was counted before.
  fileprivate static func add(_ db: Database, _ text: TextCount, isInterrupted: () -> Bool) throws -> Bool {
    try db.execute(
      sql: "INSERT OR IGNORE INTO counted_texts (language, digest, title, words) VALUES (?, ?, ?, ?)",
      arguments: [text.language, text.digest, text.title, text.words.reduce(0) { $0 + $1.count }])
    guard db.changesCount > 0 else { return false }
    for (index, form) in text.words.enumerated() {
      if index & 0xFF == 0, isInterrupted() { throw WorkspaceError.interrupted }
      try db.execute(
        sql: """
          INSERT INTO word_counts (language, word, count) VALUES (?, ?, ?)
          ON CONFLICT (language, word) DO UPDATE SET count = count + excluded.count
          """, arguments: [text.language, form.text, form.count])
    }
    return true
  }

  static func forget(_ db: Database, language: String) throws {
    try db.execute(sql: "DELETE FROM counted_texts WHERE language = ?", arguments: [language])
    try db.execute(sql: "DELETE FROM word_counts WHERE language = ?", arguments: [language])
  }
}

/// The number of occurrences of each word in a text.
private struct TextCount {
  let language: String
  let digest: String
  let title: String
  let words: [(text: String, count: Int)]

  init(_ text: TextHandle) {
    (language, digest, title) = (text.text.language.code, text.text.digest, text.titles.joined(separator: ", "))
    words = text.text.forms.filter { !$0.isNumber && $0.count > 0 }.map { ($0.text, $0.count) }
  }
}

/// A text of the user whose words were counted.
public struct CountedText: Equatable, Sendable {
  public let title: String
  public let words: Int
}

/// The texts of one language whose words were counted.
///
///     let counts = try WordCounts(workspace, language: "spanish")
///     try counts.add(1) { _ in text }
public struct WordCounts {
  private let workspace: Workspace
  public let language: Language

  /// - Parameter name: the name of the language; nil for that of `game.language`.
  /// - Throws: `LexiconError.unknownLanguage`.
  public init(_ workspace: Workspace, language name: String?) throws {
    self.workspace = workspace
    language = try workspace.words.language(named: name)
  }

  /// Returns the counted texts, sorted by title.
  public func texts() throws -> [CountedText] {
    let sql = "SELECT title, words FROM counted_texts WHERE language = ? ORDER BY title, digest"
    return try workspace.read { db in
      try db.rows(sql, [language.code]) { CountedText(title: $0.text(0), words: $0.count(1)) }
    }
  }

  /// Returns the most frequent words of all counted texts.
  public func frequent(_ limit: Int) throws -> [(word: String, count: Int)] {
    let sql = "SELECT word, count FROM word_counts WHERE language = ? ORDER BY count DESC, word LIMIT ?"
    return try workspace.read { db in
      try db.rows(sql, [language.code, limit]) { (word: $0.text(0), count: $0.count(1)) }
    }
  }

  /// Counts the words of texts, one after the other, as one undo step.
  /// - Parameters:
  ///   - count: the number of texts.
  ///   - forgets: whether all previous counts are removed first.
  ///   - text: opens the text with an index from 0 when it is needed; if it throws, nothing is changed.
  /// - Returns: how many texts were forgotten, and for each new text whether it had not been counted before.
  public func add(
    _ count: Int, forgets: Bool = false, _ text: (Int) throws -> TextHandle
  ) throws -> (forgotten: Int, isNew: [Bool]) {
    let isInterrupted = workspace.environment.isInterrupted
    let forgotten = forgets ? try texts().count : 0
    if count == 0, forgotten == 0 { return (0, []) }
    // Reading the texts takes long, and other processes may change the collection in the meantime, so it precedes the
    // operation.
    let counted = try (0..<count).map { try TextCount(text($0)) }
    let isNew = try workspace.perform(.countWords) { db in
      if forgotten > 0 { try WordCountTable.forget(db, language: language.code) }
      return try counted.map { try WordCountTable.add(db, $0, isInterrupted: isInterrupted) }
    }
    return (forgotten, isNew)
  }
}

/// The common words of the last list that was requested, and the counted texts for which they are valid.
struct KnownCommonWords {
  let lexicon: Lexicon
  let texts: [CountedText]
  let words: CommonWords?
}

extension WordOperations {
  /// Returns the common words of a list, according to the counts of the user's texts and a frequency list of this
  /// machine; nil if both contain too little.
  public func common(of lexicon: Lexicon) throws -> CommonWords? {
    let texts = try WordCounts(workspace, language: lexicon.language.name).texts()
    if let known = workspace.opened.commonWords, known.lexicon === lexicon, known.texts == texts { return known.words }
    var own: [String: Double] = [:]
    if !texts.isEmpty {
      try workspace.read { db in
        try db.forEachRow("SELECT word, count FROM word_counts WHERE language = ?", [lexicon.language.code]) {
          own[$0.text(0)] = Double($0.integer(1))
        }
      }
    }
    var counts = LanguageLibrary.perMillion(own)
    if let listed = workspace.languages.frequencies(of: lexicon.language) { counts.merge(listed) { $0 + $1 } }
    let words = counts.isEmpty ? nil : try CommonWords(counts, of: lexicon)
    workspace.opened.commonWords = KnownCommonWords(lexicon: lexicon, texts: texts, words: words)
    return words
  }

  /// Returns the common words for a game; nil if the settings or the user's list call for all words.
  func ofGame(_ lexicon: Lexicon, isGiven: Bool) throws -> CommonWords? {
    try isGiven || !workspace.preferences().games.choosesCommonWords ? nil : common(of: lexicon)
  }
}
