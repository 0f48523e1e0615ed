// Lists of words with how well they are known: a word a line, or a table such as Lute's. Invariant: a row without a
// word is passed over; a status that is none of the known ones means that the word is still being learned.

import Files
import Text

/// The words of a list, each with its status.
///
///     let list = try KnownWordList("terms.csv", columns: []) { false }
///     list.entries.filter { $0.standing == .known }
public struct KnownWordList: Sendable {
  public let entries: [VocabularyEntry]

  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - columns: which column of a table is the `word`, the `status`, the `language`; found by their names when left
  ///     out.
  /// - Throws: `TextFileError`, `FileError`, `ExchangeError`.
  public init(_ path: String, columns: [ColumnChoice], isInterrupted: @escaping () -> Bool) throws {
    let isTable = [".csv", ".tsv"].contains { path.lowercased().hasSuffix($0) }
    entries =
      isTable || !columns.isEmpty
      ? try Self.table(path, columns, isInterrupted)
      : try TextFile.lines(path, isInterrupted: isInterrupted).compactMap(Self.entry)
    if entries.isEmpty { throw TextFileError.empty(path: path) }
  }

  /// A line of a plain list: a word, and behind a tab or comma what is known of it.
  private static func entry(_ line: String) -> VocabularyEntry? {
    let cells = line.split(maxSplits: 1, omittingEmptySubsequences: false) { "\t,;".contains($0) }
    let word = String(cells.first ?? "").trimmed
    if word.isEmpty || word.hasPrefix("#") { return nil }
    let status = cells.count > 1 ? String(cells[1]).trimmed.lowercased() : ""
    return VocabularyEntry(word: word, standing: status == "ignored" ? .ignored : .known)
  }

  // MARK: Tables

  private static let names = [
    "word": ["word", "term", "lemma", "expression", "vocabulary", "form"],
    "status": ["status", "state", "level"], "language": ["language", "lang"],
  ]

  private static func table(
    _ path: String, _ columns: [ColumnChoice], _ isInterrupted: @escaping () -> Bool
  ) throws -> [VocabularyEntry] {
    var options = SourceOptions(isInterrupted: isInterrupted)
    (options.kinds, options.findsEncoding) = (.any, true)
    let source = try ByteSource(path: path, options)
    let first = UInt8(ascii: path.lowercased().hasSuffix(".tsv") ? "\t" : ",")
    let rows = TableRows(source, separator: Separator.found(in: source.atHand, first: first), hasComments: true)
    guard try rows.next() != nil else { throw TextFileError.empty(path: path) }
    let heading = (0..<rows.count).map { rows.text($0).trimmed }
    let lowered = heading.map { $0.lowercased() }
    if let other = columns.first(where: { names[$0.meaning] == nil }) {
      throw ExchangeError.badColumns(reason: "word, status or language expected, got \(quoted(other.meaning))")
    }
    func place(_ meaning: String) throws -> Int? {
      if let choice = columns.last(where: { $0.meaning == meaning }) {
        if let index = lowered.firstIndex(of: choice.column.lowercased()) { return index }
        if let number = choice.number, number <= lowered.count { return number - 1 }
        throw ExchangeError.noColumn(path: path, name: choice.column, names: heading)
      }
      return names[meaning, default: []].lazy.compactMap { lowered.firstIndex(of: $0) }.first
    }
    let (word, status, language) = (try place("word"), try place("status"), try place("language"))
    var entries: [VocabularyEntry] = []
    // Without a heading the first column is the word.
    if word == nil, let entry = entry(rows, word: 0, status: nil, language: nil) { entries.append(entry) }
    while try rows.next() != nil {
      if entries.count & 0x3FF == 0, isInterrupted() { throw FileError(path, .read, .interrupted) }
      guard entries.count < VocabularyFile.mostWords else {
        throw TextFileError.refused(
          path: path, reason: "it contains more than \(grouped(VocabularyFile.mostWords)) words")
      }
      let entry = entry(
        rows, word: word ?? 0, status: word == nil ? nil : status, language: word == nil ? nil : language)
      if let entry { entries.append(entry) }
    }
    return entries
  }

  private static func entry(_ rows: TableRows, word: Int, status: Int?, language: Int?) -> VocabularyEntry? {
    func cell(_ index: Int?) -> String? { index.flatMap { $0 < rows.count ? rows.text($0).trimmed : nil } }
    // Zero width spaces mark the parts of Lute's terms.
    guard let text = cell(word)?.filter({ $0 != "\u{200B}" }), !text.isEmpty, rows.invalidReason == nil else {
      return nil
    }
    return VocabularyEntry(
      word: text, language: cell(language), standing: status == nil ? .known : standing(cell(status) ?? ""))
  }

  /// Lute, LWT and LingQ count from 1 to 5; W and 99 are well known, I and 98 ignored.
  private static func standing(_ status: String) -> VocabularyEntry.Standing {
    switch status.lowercased() {
    case "5", "w", "99", "known", "well known", "mature": .known
    case "i", "98", "ignored": .ignored
    default: .learning
    }
  }
}
