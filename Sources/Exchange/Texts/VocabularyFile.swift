// The words that another program keeps of its user: those that an e-reader looked up, with the sentences they were in,
// and lists of words that are known. Invariant: a database of others is only read, and nothing that it says is run;
// what is no vocabulary is refused by name.

import Files
import Problems
import Storage
import Text

/// A word of a vocabulary.
public struct VocabularyEntry: Equatable, Sendable {
  /// What its program says of it.
  public enum Standing: Sendable {
    case known, ignored
    /// It is being learned, or was looked up only.
    case learning
  }

  public var word: String
  /// Where it was met.
  public var sentence: String?
  /// The book that it was met in.
  public var title: String?
  /// Of its language, `es` or `es-ES` or `Spanish`, where it is said.
  public var language: String?
  public var standing = Standing.learning

  /// Whether it may be a word of a language; one without a language may be of any.
  public func isOf(code: String, name: String) -> Bool {
    guard let language = language?.lowercased(), !language.isEmpty else { return true }
    return language == name.lowercased() || language.split { $0 == "-" || $0 == "_" }.first.map(String.init) == code
  }
}

/// The vocabulary of KOReader, a Kindle or a Kobo.
///
///     let file = try VocabularyFile("vocab.db", temporary: "/tmp") { false }
///     file.entries.first?.sentence   // "La casa es grande."
public struct VocabularyFile: Sendable {
  /// Words that are read of one.
  static let mostWords = 2_000_000
  private static let longestText = 1 << 16
  /// Bytes of the file.
  private static let largest = 512 << 20

  public let entries: [VocabularyEntry]

  /// Whether a file is a database, by its first bytes.
  public static func isOne(_ path: String, isInterrupted: @escaping () -> Bool) throws -> Bool {
    guard ["sqlite3", "sqlite", "db"].contains(where: { path.lowercased().hasSuffix("." + $0) }) else { return false }
    var start = [UInt8](repeating: 0, count: 16)
    let count = try ByteFile(path, isInterrupted: isInterrupted).read(into: &start)
    return start.prefix(count).starts(with: "SQLite format 3\0".utf8)
  }

  /// - Parameter temporary: a folder for a copy, which is needed where the device left its last changes in a journal.
  /// - Throws: `TextFileError`, `FileError`.
  public init(_ path: String, temporary: String, isInterrupted: @escaping @Sendable () -> Bool) throws {
    var scratch: Scratch?
    var place = path
    if let size = try FileFacts.at(path)?.size, size > Self.largest {
      throw TextFileError.refused(path: path, reason: "it has more than \(Self.largest >> 20) MiB")
    }
    if let journal = try FileFacts.at(path + "-wal"), journal.kind == .file, journal.size > 0 {
      let made = try Scratch(.package, in: temporary)
      place = made.path("vocabulary.sqlite")
      try AtomicFile.copy(path, to: place, isInterrupted: isInterrupted)
      try AtomicFile.copy(path + "-wal", to: place + "-wal", isInterrupted: isInterrupted)
      scratch = made
    }
    defer { withExtendedLifetime(scratch) {} }
    do {
      let file = try ForeignDatabase.open(place, hasJournal: scratch != nil, isInterrupted: isInterrupted)
      entries = try Self.entries(file, path)
    } catch let error as StorageError {
      if isInterrupted() { throw FileError(path, .read, .interrupted) }
      throw TextFileError.damaged(path: path, reason: "it is a damaged database, or not a database: \(error.message)")
    }
    if entries.isEmpty { throw TextFileError.empty(path: path) }
  }

  private static func entries(_ file: ExclusiveDatabase, _ path: String) throws -> [VocabularyEntry] {
    try file.use { db in
      func has(_ table: String, _ columns: [String]) throws -> Bool {
        let found = Set(try db.rows("SELECT name FROM pragma_table_info(?)", [table]) { $0.text(0).lowercased() })
        return found.isSuperset(of: columns)
      }
      if try has("WORDS", ["id", "word", "lang", "category"]), try has("LOOKUPS", ["word_key", "usage", "book_key"]) {
        return try read(db, path, kindle)
      }
      if try has("vocabulary", ["word", "title_id", "prev_context", "next_context"]) {
        return try read(db, path, try has("vocabulary", ["highlight"]) ? koreader("highlight") : koreader("NULL"))
      }
      if try has("vocabulary", ["word", "title_id"]) { return try read(db, path, koreaderWithoutContexts) }
      if try has("WordList", ["text", "dictsuffix"]) { return try read(db, path, kobo) }
      throw TextFileError.damaged(
        path: path, reason: "it is a database, but not a vocabulary of KOReader, a Kindle or a Kobo")
    }
  }

  // Each gives word, sentence, book, language, and 1 for a word that is known.

  private static let kindle = """
    SELECT WORDS.word, LOOKUPS.usage, (SELECT title FROM BOOK_INFO WHERE BOOK_INFO.id = LOOKUPS.book_key), WORDS.lang,
      WORDS.category >= 100
    FROM WORDS LEFT JOIN LOOKUPS ON LOOKUPS.word_key = WORDS.id ORDER BY LOOKUPS.timestamp, WORDS.id
    """

  /// - Parameter highlight: the word as it is in the book, where the file is new enough to have it.
  private static func koreader(_ highlight: String) -> String {
    """
    SELECT coalesce(nullif(\(highlight), ''), word),
      coalesce(prev_context, '') || ' ' || coalesce(nullif(\(highlight), ''), word) || ' ' || coalesce(next_context, ''),
      (SELECT name FROM title WHERE title.id = title_id), NULL, 0
    FROM vocabulary ORDER BY vocabulary.rowid
    """
  }

  private static let koreaderWithoutContexts =
    "SELECT word, NULL, (SELECT name FROM title WHERE title.id = title_id), NULL, 0 FROM vocabulary ORDER BY rowid"

  private static let kobo =
    "SELECT Text, NULL, NULL, ltrim(coalesce(DictSuffix, ''), '-'), 0 FROM WordList ORDER BY rowid"

  private static func read(_ db: Database, _ path: String, _ sql: String) throws -> [VocabularyEntry] {
    var entries: [VocabularyEntry] = []
    try db.forEachRow(sql) { row in
      func text(_ column: Int32) -> String? {
        let text = row.optionalText(column)?.trimmed
        return text.flatMap { $0.isEmpty || $0.utf8.count > longestText ? nil : $0 }
      }
      guard let word = text(0) else { return }
      guard entries.count < mostWords else {
        throw TextFileError.refused(path: path, reason: "it contains more than \(grouped(mostWords)) words")
      }
      entries.append(
        VocabularyEntry(
          word: word, sentence: text(1), title: text(2), language: text(3),
          standing: row.integer(4) != 0 ? .known : .learning))
    }
    return entries
  }
}
