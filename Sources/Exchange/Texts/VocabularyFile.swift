// Reads the vocabulary that another program keeps: words looked up on an e-reader, with their sentences, and lists of
// known words. Invariant: a foreign database is only read, and nothing in it is executed; a file that is not a
// vocabulary is refused by name; memory is bounded, whatever the file contains.

import Files
import Problems
import Storage
import Text

public struct VocabularyEntry: Equatable, Sendable {
  public enum State: Sendable {
    case known, ignored, learning
  }

  public var word: String
  public var sentence: String?
  public var title: String?
  /// The word's language, such as `es`, `es-ES` or `Spanish`, if it is known.
  public var language: String?
  public var state: State

  /// Whether the word may belong to a language. A word without a language may belong to any.
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
  static let mostWords = 2_000_000
  private static let longestText = 1 << 16
  /// The limits on the length of a value in the file, and on that of all texts together, in bytes.
  private static let longestValue = 4 << 20
  private static let mostText = 256 << 20
  /// The limit on the file's size in bytes.
  private static let largest = 512 << 20

  public let entries: [VocabularyEntry]
  /// The rows without a word, and the sentences that are too long.
  public let losses: TextLosses

  /// Whether a file is a database, by its first bytes. A pipe is not, since it can be read only once.
  public static func isOne(_ path: String, isInterrupted: @escaping () -> Bool) throws -> Bool {
    guard path != "-", try FileFacts.at(path)?.kind == .file else { return false }
    var start = [UInt8](repeating: 0, count: 16)
    let count = try ByteFile(path, isInterrupted: isInterrupted).read(into: &start)
    return start.prefix(count).starts(with: "SQLite format 3\0".utf8)
  }

  /// - Parameter temporary: a folder for a copy, which is needed if the device left its last changes in a journal.
  /// - Throws: `TextFileError`, `FileError`.
  public init(_ path: String, temporary: String, isInterrupted: @escaping @Sendable () -> Bool) throws {
    var scratch: Scratch?
    var place = path
    if let size = try FileFacts.at(path)?.size, size > Self.largest {
      throw TextFileError.refused(path: path, reason: "it has more than \(Self.largest >> 20) MiB")
    }
    if let journal = try FileFacts.at(finalTarget(of: path) + "-wal"), journal.kind == .file, journal.size > 0 {
      let made = try Scratch(.package, in: temporary)
      place = made.path("vocabulary.sqlite")
      try copyDatabase(path, to: place, isInterrupted: isInterrupted)
      scratch = made
    }
    defer { withExtendedLifetime(scratch) {} }
    do {
      let file = try ForeignDatabase.open(
        place, hasJournal: scratch != nil, longest: Self.longestValue, isInterrupted: isInterrupted)
      (entries, losses) = try Self.entries(file, path)
    } catch let error as StorageError {
      if isInterrupted() { throw FileError(path, .read, .interrupted) }
      throw TextFileError.damaged(path: path, reason: "it is a damaged database, or not a database: \(error.message)")
    }
    if entries.isEmpty { throw TextFileError.empty(path: path) }
  }

  private static func entries(_ file: ExclusiveDatabase, _ path: String) throws -> ([VocabularyEntry], TextLosses) {
    try file.use { db in
      for table in ["WORDS", "LOOKUPS", "BOOK_INFO", "vocabulary", "title", "WordList"] {
        guard try db.foreignTable(table) == .other else { continue }
        throw TextFileError.damaged(path: path, reason: "its \(table) is no ordinary table")
      }
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

  // Each query returns word, sentence, book, language, and 1 for a known word. A sentence may be in pieces, which are
  // separated by U+001F.

  private static let kindle = """
    SELECT WORDS.word, LOOKUPS.usage, (SELECT title FROM BOOK_INFO WHERE BOOK_INFO.id = LOOKUPS.book_key), WORDS.lang,
      WORDS.category >= 100
    FROM WORDS LEFT JOIN LOOKUPS ON LOOKUPS.word_key = WORDS.id ORDER BY LOOKUPS.timestamp, WORDS.id
    """

  /// - Parameter highlight: the SQL expression for the word as it occurs in the book; `NULL` for older files.
  private static func koreader(_ highlight: String) -> String {
    """
    SELECT coalesce(nullif(\(highlight), ''), word),
      coalesce(prev_context, '') || char(31) || coalesce(nullif(\(highlight), ''), word) || char(31) ||
        coalesce(next_context, ''),
      (SELECT name FROM title WHERE title.id = title_id), NULL, 0
    FROM vocabulary ORDER BY vocabulary.rowid
    """
  }

  private static let koreaderWithoutContexts =
    "SELECT word, NULL, (SELECT name FROM title WHERE title.id = title_id), NULL, 0 FROM vocabulary ORDER BY rowid"

  private static let kobo =
    "SELECT Text, NULL, NULL, ltrim(coalesce(DictSuffix, ''), '-'), 0 FROM WordList ORDER BY rowid"

  /// Joins the pieces of a sentence. Those of a book have the blanks at their ends; those of a PDF lost them.
  private static func joined(_ pieces: String) -> String {
    func isWord(_ character: Character) -> Bool {
      // Chinese and Japanese write no blanks.
      let isWide = character.unicodeScalars.first.map { (0x2E80..<0xAC00).contains($0.value) } ?? false
      return !isWide && (character.isLetter || character.isNumber)
    }
    return pieces.split(separator: "\u{1F}").reduce(into: "") { sentence, piece in
      if let last = sentence.last, let next = piece.first, isWord(last) || ",.;:!?…)»”".contains(last),
        isWord(next) || "¿¡«“(".contains(next)
      {
        sentence.append(" ")
      }
      sentence.append(contentsOf: piece)
    }
  }

  private static func read(
    _ db: Database, _ path: String, _ sql: String
  ) throws -> ([VocabularyEntry], TextLosses) {
    var (entries, losses, size): ([VocabularyEntry], TextLosses, Int) = ([], TextLosses(), 0)
    try db.forEachRow(sql) { row in
      func text(_ column: Int32) -> String? {
        if row.bytes(column).count > longestText {
          losses.add("row \(grouped(entries.count + 1)): a text of more than 64 KiB is left out")
          return nil
        }
        let text = row.optionalText(column)?.withoutLayout.trimmed
        return text.flatMap { $0.isEmpty ? nil : $0 }
      }
      guard let word = text(0) else { return losses.add("a row without a word is left out") }
      let entry = VocabularyEntry(
        word: word, sentence: text(1).map(joined), title: text(2), language: text(3),
        state: row.integer(4) != 0 ? .known : .learning)
      size += word.utf8.count + (entry.sentence?.utf8.count ?? 0) + (entry.title?.utf8.count ?? 0)
      guard entries.count < mostWords, size <= mostText else {
        throw TextFileError.refused(
          path: path, reason: "it contains more than \(grouped(mostWords)) words or \(mostText >> 20) MiB of text")
      }
      entries.append(entry)
    }
    return (entries, losses)
  }
}
