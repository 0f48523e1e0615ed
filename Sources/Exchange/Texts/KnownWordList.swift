// Reads lists of words with their status: one word per line, a table such as Lute's, or JSON.
// Invariant: a row without a word is skipped, one that cannot be read is named; an unknown status means that the word
// is still being learned; a word loses the combining marks that are too many in a row.

import Files
import Text
import Values

/// The words of a list, each with its status.
///
///     let list = try KnownWordList("terms.csv", columns: []) { false }
///     list.entries.filter { $0.state == .known }
public struct KnownWordList: Sendable {
  public let entries: [VocabularyEntry]
  /// What was left out or replaced, and how a row was read that may be meant otherwise.
  public let losses: TextLosses

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
    var scan = TextScan(path: path, isInterrupted: isInterrupted)
    let bytes = try ByteFile.given(path, .any, isInterrupted: isInterrupted).rest(limit: TextFile.limit)
    if let name = FileSignature.name(of: bytes) {
      throw TextFileError.refused(path: path, reason: "it is \(name), not a list of words")
    }
    let text = try TextFile.decoded(bytes, &scan, as: nil, language: language).text
    var lines = scan.lines(text)
    let first = try lines.next() ?? ""
    let found: [VocabularyEntry]
    if let json = FileSignature.json(text) {
      found = try Self.entries(ofJSON: json, columns, path)
    } else if !columns.isEmpty || [".csv", ".tsv"].contains(where: path.lowercased().hasSuffix) || Self.isHeading(first)
    {
      found = try Self.table(text, columns, &scan)
    } else {
      var (rest, line): ([VocabularyEntry], String?) = ([], first)
      while let written = line {
        if let entry = Self.entry(written) { rest.append(entry) }
        line = try lines.next()
      }
      found = rest
    }
    guard found.count <= VocabularyFile.mostWords else {
      throw TextFileError.refused(
        path: path, reason: "it contains more than \(grouped(VocabularyFile.mostWords)) words")
    }
    // A word with a byte that could not be read is another word.
    entries = found.filter { !$0.word.contains("\u{FFFD}") }
    for entry in found where entry.word.contains("\u{FFFD}") { scan.losses.add("left out: \(quoted(entry.word))") }
    losses = scan.losses
    if entries.isEmpty { throw TextFileError.empty(path: path) }
  }

  /// Whether the first line of a list names columns: of a word alone only names that are no words, `Morph-Lemma`.
  private static func isHeading(_ line: String) -> Bool {
    let cells = line.split(omittingEmptySubsequences: false) { "\t,;".contains($0) }.map { String($0).trimmed }
    guard let first = cells.first, meaning(of: first) == "word" else { return false }
    return cells.count > 1
      ? cells.allSatisfy { meaning(of: $0) != nil } : first.contains { "-_ ".contains($0) }
  }

  /// Parses a line of a plain list: a word, and after a tab, comma or semicolon its status.
  private static func entry(_ line: String) -> VocabularyEntry? {
    let cells = limitingMarks(line).split(maxSplits: 1, omittingEmptySubsequences: false) { "\t,;".contains($0) }
    let word = String(cells[0]).trimmed
    if word.isEmpty || word.hasPrefix("#") { return nil }
    return VocabularyEntry(word: word, state: listedState(cells.count > 1 ? String(cells[1]).trimmed : nil))
  }

  /// What follows a word in a list without headings. Other texts than these are translations.
  private static let listedStates: [String: VocabularyEntry.State] = [
    "known": .known, "ignored": .ignored, "learning": .learning,
  ]

  private static func listedState(_ text: String?) -> VocabularyEntry.State {
    text.flatMap { listedStates[$0.lowercased()] } ?? .known
  }

  // MARK: Tables

  /// Returns what a column with a name has: `word`, `status` or `language`.
  private static func meaning(of name: String) -> String? {
    ColumnNames.ofWords.first { $0.value.contains(ColumnNames.plain(name)) }?.key
  }

  private static func table(
    _ text: String, _ columns: [ColumnChoice], _ scan: inout TextScan
  ) throws -> [VocabularyEntry] {
    let path = scan.path
    let source = try ByteSource(Array(text.utf8), path: path, SourceOptions(isInterrupted: scan.isInterrupted))
    let usual = UInt8(ascii: path.lowercased().hasSuffix(".tsv") ? "\t" : ",")
    let rows = TableRows(source, separator: Separator.found(in: source.buffered, first: usual), hasComments: true)
    guard try rows.next() != nil else { throw TextFileError.empty(path: path) }
    let layout = try TableLayout((0..<rows.count).map { limitingMarks(rows.text($0)).trimmed }, columns, path)
    if !layout.hasHeader, columns.isEmpty, rows.count > 1, listedStates[rows.text(1).trimmed.lowercased()] == nil {
      scan.losses.add(
        "line 1: no column of words is named, so \(quoted(rows.text(0).trimmed)) is read as a word; --column word=NAME "
          + "names it")
    }
    var (entries, line): ([VocabularyEntry], Int?) = ([], 1)
    // Without a header, the first row is a word too.
    if layout.hasHeader { line = try rows.next() }
    while let place = line {
      if entries.count & 0x3FF == 0 { try scan.check() }
      if let reason = rows.invalidReason {
        scan.losses.add("line \(grouped(place)) is left out: \(printable(reason))")
      } else if let entry = entry(rows, layout) {
        entries.append(entry)
      }
      line = try rows.next()
    }
    return entries
  }

  /// The columns of a table: those that the user chose, or else those that the first row names.
  private struct TableLayout {
    let (word, status, language): (Int, Int?, Int?)
    let hasHeader: Bool

    init(_ heading: [String], _ choices: [ColumnChoice], _ path: String) throws {
      if let other = choices.first(where: { ColumnNames.ofWords[$0.meaning] == nil }) {
        throw ExchangeError.badColumns(reason: "word, status or language expected, got \(quoted(other.meaning))")
      }
      let names = heading.map(ColumnNames.plain)
      let named = ColumnNames.ofWords.compactMapValues { $0.lazy.compactMap { names.firstIndex(of: $0) }.first }
      var (columns, isNamed) = ([String: Int](), named["word"] != nil)
      for choice in choices {
        let index = heading.firstIndex(ofName: choice.column)
        isNamed = isNamed || index != nil
        guard let place = index ?? choice.number.map({ $0 - 1 }), place < heading.count else {
          throw ExchangeError.noColumn(path: path, name: choice.column, names: heading)
        }
        columns[choice.meaning] = place
      }
      // A list may begin with a word like "state": such a name counts only in a table whose words are chosen.
      hasHeader = isNamed || columns["word"] != nil && (named["status"] ?? named["language"]) != nil
      if hasHeader { columns.merge(named) { chosen, _ in chosen } }
      (word, status, language) = (columns["word"] ?? 0, columns["status"], columns["language"])
    }
  }

  private static func entry(_ rows: TableRows, _ layout: TableLayout) -> VocabularyEntry? {
    func cell(_ index: Int?) -> String? {
      index.flatMap { $0 < rows.count ? limitingMarks(rows.text($0)).trimmed : nil }
    }
    // Lute separates the parts of a term by zero-width spaces.
    guard let text = cell(layout.word)?.filter({ $0 != "\u{200B}" }), !text.isEmpty else { return nil }
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

  // MARK: JSON

  /// Returns the words of a list of texts, of a list of records with a member such as `word`, of a record from words to
  /// statuses, or of such a list in a record.
  private static func entries(
    ofJSON value: Value, _ columns: [ColumnChoice], _ path: String
  ) throws -> [VocabularyEntry] {
    func chosen(_ meaning: String, _ record: Value.Record) -> Value? {
      let choice = columns.last { $0.meaning == meaning }
      let named = { (name: String) in record.fields.first { ColumnNames.plain($0.name) == name }?.value }
      return record.fields.first { $0.name == choice?.column }?.value
        ?? ColumnNames.ofWords[meaning, default: []].lazy.compactMap(named).first
    }
    func entry(_ value: Value) -> VocabularyEntry? {
      if let word = value.text { return Self.entry(word, nil) }
      guard let record = value.record, let word = chosen("word", record)?.text else { return nil }
      var entry = Self.entry(word, chosen("status", record))
      entry?.language = chosen("language", record)?.text
      return entry
    }
    func entries(_ value: Value) -> [VocabularyEntry] { value.list?.compactMap(entry) ?? [] }
    var found = entries(value)
    if let record = value.record {
      found = record.fields.flatMap { entries($0.value) }
      if found.isEmpty, record.fields.allSatisfy({ isStatus($0.value) }) {
        found = record.fields.compactMap { Self.entry($0.name, $0.value) }
      }
    }
    guard found.isEmpty else { return found }
    let keys = (value.record ?? value.list?.first?.record)?.fields.map { quoted($0.name) } ?? []
    let what = keys.isEmpty ? "" : " with the members " + keys.prefix(8).joined(separator: ", ")
    throw TextFileError.refused(
      path: path, reason: "it is JSON\(what), not a list of words or of records with a member \"word\"")
  }

  private static func entry(_ word: String, _ status: Value?) -> VocabularyEntry? {
    let word = limitingMarks(word).trimmed
    if word.isEmpty || word.utf8.count > 1 << 10 { return nil }
    let stated: VocabularyEntry.State =
      switch status {
      case nil, .boolean(true): .known
      case .boolean(false): .learning
      case let status?: state(status.text ?? status.integer.map(String.init) ?? "")
      }
    return VocabularyEntry(word: word, state: stated)
  }

  private static func isStatus(_ value: Value) -> Bool {
    switch value {
    case .boolean: true
    case .integer(let number): (0...5).contains(number) || number == 98 || number == 99
    case .text(let text): state(text) != .learning || ["learning", "1", "2", "3", "4"].contains(text.lowercased())
    default: false
    }
  }
}
