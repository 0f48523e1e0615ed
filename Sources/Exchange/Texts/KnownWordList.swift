// Reads lists of words with their status: one word per line, or a table such as Lute's.
// Invariant: a row without a word is skipped; an unknown status means that the word is still being learned; a word
// loses the combining marks that are too many in a row.

import Files
import Text

/// The words of a list, each with its status.
///
///     let list = try KnownWordList("terms.csv", columns: []) { false }
///     list.entries.filter { $0.state == .known }
public struct KnownWordList: Sendable {
  public let entries: [VocabularyEntry]

  /// Reads a list.
  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - columns: the columns of a table that are the `word`, the `status` and the `language`; found by their names
  ///     when omitted.
  ///   - language: the code of the words' language, which determines the encoding of bytes that are not UTF-8.
  /// - Throws: `TextFileError`, `FileError`, `ExchangeError`.
  public init(
    _ path: String, columns: [ColumnChoice], language: String? = nil, isInterrupted: @escaping () -> Bool
  ) throws {
    let isTable = [".csv", ".tsv"].contains { path.lowercased().hasSuffix($0) }
    entries =
      isTable || !columns.isEmpty
      ? try Self.table(path, columns, language, isInterrupted)
      : try TextFile.lines(path, language: language, isInterrupted: isInterrupted).compactMap(Self.entry)
    if entries.isEmpty { throw TextFileError.empty(path: path) }
  }

  /// Parses a line of a plain list: a word, and after a tab, comma or semicolon its status.
  private static func entry(_ line: String) -> VocabularyEntry? {
    let cells = limitingMarks(line).split(maxSplits: 1, omittingEmptySubsequences: false) { "\t,;".contains($0) }
    let word = String(cells.first ?? "").trimmed
    if word.isEmpty || word.hasPrefix("#") { return nil }
    return VocabularyEntry(word: word, state: listedState(cells.count > 1 ? String(cells[1]).trimmed : nil))
  }

  /// Parses what follows a word in a list without headings. Other texts than these are translations.
  private static func listedState(_ text: String?) -> VocabularyEntry.State {
    switch text?.lowercased() {
    case "ignored": .ignored
    case "learning": .learning
    default: .known
    }
  }

  // MARK: Tables

  private static let names = [
    "word": ["word", "term", "lemma", "expression", "vocabulary", "form"],
    "status": ["status", "state", "level"], "language": ["language", "lang"],
  ]

  private static func table(
    _ path: String, _ columns: [ColumnChoice], _ language: String?, _ isInterrupted: @escaping () -> Bool
  ) throws -> [VocabularyEntry] {
    var options = SourceOptions(isInterrupted: isInterrupted)
    (options.kinds, options.findsEncoding) = (.any, true)
    if let legacy = language.flatMap(TextEncoding.legacy(ofLanguage:)) { options.legacy = legacy }
    let source = try ByteSource(path: path, options)
    let first = UInt8(ascii: path.lowercased().hasSuffix(".tsv") ? "\t" : ",")
    let rows = TableRows(source, separator: Separator.found(in: source.buffered, first: first), hasComments: true)
    guard try rows.next() != nil else { throw TextFileError.empty(path: path) }
    let layout = try TableLayout((0..<rows.count).map { limitingMarks(rows.text($0)).trimmed }, columns, path)
    var entries: [VocabularyEntry] = []
    // Without a header, the first row is a word too.
    var hasRow = try !layout.hasHeader || rows.next() != nil
    while hasRow {
      if entries.count & 0x3FF == 0, isInterrupted() { throw FileError(path, .read, .interrupted) }
      guard entries.count < VocabularyFile.mostWords else {
        throw TextFileError.refused(
          path: path, reason: "it contains more than \(grouped(VocabularyFile.mostWords)) words")
      }
      if let entry = entry(rows, layout) { entries.append(entry) }
      hasRow = try rows.next() != nil
    }
    return entries
  }

  /// The columns of a table: those that the user chose, or else those that the first row names.
  private struct TableLayout {
    let word: Int
    let status: Int?
    let language: Int?
    /// Whether the first row names the columns.
    let hasHeader: Bool

    init(_ heading: [String], _ choices: [ColumnChoice], _ path: String) throws {
      if let other = choices.first(where: { names[$0.meaning] == nil }) {
        throw ExchangeError.badColumns(reason: "word, status or language expected, got \(quoted(other.meaning))")
      }
      let lowered = heading.map { $0.lowercased() }
      func named(_ choice: ColumnChoice) -> Int? { lowered.firstIndex(of: choice.column.lowercased()) }
      func named(_ meaning: String) -> Int? {
        names[meaning, default: []].lazy.compactMap { lowered.firstIndex(of: $0) }.first
      }
      func chosen(_ meaning: String) throws -> Int? {
        guard let choice = choices.last(where: { $0.meaning == meaning }) else { return nil }
        if let index = named(choice) { return index }
        if let number = choice.number, number <= lowered.count { return number - 1 }
        throw ExchangeError.noColumn(path: path, name: choice.column, names: heading)
      }
      let (word, status, language) = (try chosen("word"), try chosen("status"), try chosen("language"))
      // A list may begin with a word like "state": such a name counts only in a table whose words are chosen.
      let isTable = word != nil && (named("status") ?? named("language")) != nil
      hasHeader = isTable || named("word") != nil || choices.contains { named($0) != nil }
      self.word = word ?? named("word") ?? 0
      self.status = status ?? (hasHeader ? named("status") : nil)
      self.language = language ?? (hasHeader ? named("language") : nil)
    }
  }

  private static func entry(_ rows: TableRows, _ layout: TableLayout) -> VocabularyEntry? {
    func cell(_ index: Int?) -> String? {
      index.flatMap { $0 < rows.count ? limitingMarks(rows.text($0)).trimmed : nil }
    }
    // Lute separates the parts of a term by zero-width spaces.
    guard let text = cell(layout.word)?.filter({ $0 != "\u{200B}" }), !text.isEmpty, rows.invalidReason == nil else {
      return nil
    }
    let stated: VocabularyEntry.State =
      if let status = layout.status {
        state(cell(status) ?? "")
      } else {
        layout.hasHeader ? .known : listedState(cell(layout.word + 1))
      }
    return VocabularyEntry(word: limitingMarks(text), language: cell(layout.language), state: stated)
  }

  /// Parses a status. Lute, LWT and LingQ count from 1 to 5; W and 99 mean well known, I and 98 ignored.
  private static func state(_ status: String) -> VocabularyEntry.State {
    switch status.lowercased() {
    case "5", "w", "99", "known", "well known", "mature": .known
    case "i", "98", "ignored": .ignored
    default: .learning
    }
  }
}
