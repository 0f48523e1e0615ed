// Words that the user said are known, or not to be learned, although no card says so. Invariant: a row is a lemma of
// one language, in small letters.

import Files
public import Language
import Lexicon
import Storage

/// The table `listed_words`.
enum ListedWordTable {
  static let migrations = [
    Migration(
      "texts.1",
      sql: """
        CREATE TABLE listed_words (
          language TEXT NOT NULL,
          lemma TEXT NOT NULL,
          ignored INTEGER NOT NULL,
          PRIMARY KEY (language, lemma)
        ) STRICT, WITHOUT ROWID;
        """)
  ]

  static func forEach(_ db: Database, language: String, _ body: (String, Bool) -> Void) throws {
    try db.forEachRow("SELECT lemma, ignored FROM listed_words WHERE language = ? ORDER BY lemma", [language]) {
      body($0.text(0), $0.integer(1) != 0)
    }
  }

  /// - Parameter ignored: nil takes the lemma off the list.
  static func set(_ db: Database, language: String, _ lemma: String, ignored: Bool?) throws {
    guard let ignored else {
      try db.execute(
        sql: "DELETE FROM listed_words WHERE language = ? AND lemma = ?", arguments: [language, lemma])
      return
    }
    try db.execute(
      sql: "INSERT OR REPLACE INTO listed_words (language, lemma, ignored) VALUES (?, ?, ?)",
      arguments: [language, lemma, ignored ? 1 : 0])
  }
}

/// The words that are listed for a language.
///
///     let list = try UserWordList(workspace, language: "spanish")
///     try list.set(["gato"], as: .known)
public struct UserWordList {
  private let workspace: Workspace
  private let lemmatizer: Lemmatizer

  /// - Parameter name: of the language; that of `game.language` when it is nil.
  /// - Throws: `LexiconError.unknownLanguage`.
  public init(_ workspace: Workspace, language name: String?) throws {
    self.workspace = workspace
    lemmatizer = workspace.languages.lemmatizer(of: try workspace.words.language(named: name))
  }

  /// By lemma, with whether they are ignored.
  public func all() throws -> [(lemma: String, isIgnored: Bool)] {
    var words: [(lemma: String, isIgnored: Bool)] = []
    try workspace.read { db in
      try ListedWordTable.forEach(db, language: lemmatizer.language.code) { words.append(($0, $1)) }
    }
    return words
  }

  /// Lists words by the lemma of each; one step of undo.
  /// - Parameter state: `.known` or `.ignored`; anything else takes them off the list.
  /// - Returns: how many lemmas are listed otherwise than before.
  @discardableResult
  public func set(_ words: [String], as state: WordState) throws -> Int {
    let ignored: Bool? = state == .known ? false : state == .ignored ? true : nil
    let before = Dictionary(try all().map { ($0.lemma, $0.isIgnored) }, uniquingKeysWith: { first, _ in first })
    let lemmas = Set(words.map { lemmatizer.lemmas(of: $0).primary }).filter { !$0.isEmpty && before[$0] != ignored }
    if lemmas.isEmpty { return 0 }
    try workspace.perform(.listWords, count: { _ in lemmas.count }) { db in
      for lemma in lemmas.sorted() {
        if workspace.environment.isInterrupted() { throw WorkspaceError.interrupted }
        try ListedWordTable.set(db, language: lemmatizer.language.code, lemma, ignored: ignored)
      }
    }
    return lemmas.count
  }
}
