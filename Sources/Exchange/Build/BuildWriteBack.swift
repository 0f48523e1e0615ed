// Writes cards that were edited in the deck back to the rows of their sources.
// Invariant: a line that belongs to no edited card is unchanged; a file is replaced completely or not at all; a row
// that was also edited in the source, or whose card has a conflict, is left alone.

import Decks
import Files
public import Storage
import Templates
import Text

/// Writes edits of the deck to the sources of a folder.
///
///     let count = try BuildWriteBack(db, folder, isInterrupted: environment.isInterrupted).run()
public struct BuildWriteBack {
  struct Edit {
    let content: BuildContent
    /// The id that identifies the row's card; empty when the source cannot hold one.
    let id: String
    /// Whether the texts or tags differ from those of the row.
    let isEdited: Bool
  }

  /// The edits of one source, keyed by the hashes of the rows at the last build. Rows with the same content are told
  /// apart by their order.
  struct Edits {
    private var edits: [Int64: [Edit?]] = [:]
    private var seen: [Int64: Int] = [:]

    /// - Parameter byName: the edits by the names of their rows.
    init(of rows: [BuiltRow], _ byName: [String: Edit]) {
      let wanted = Set(rows.filter { byName[$0.name] != nil }.map(\.whole))
      for row in rows where !row.isGone && wanted.contains(row.whole) {
        edits[row.whole, default: []].append(byName[row.name])
      }
    }

    /// Returns the edit of the next row of the source; nil for a row that is not edited.
    mutating func next(_ row: CardRow, in source: BuildSource) -> Edit? {
      if row.start.invalidReason != nil { return nil }
      let whole = BuildRow(row, in: source).built.whole
      guard let all = edits[whole] else { return nil }
      let place = seen[whole, default: 0]
      seen[whole] = place + 1
      guard place < all.count, let edit = all[place] else { return nil }
      // A row that still has conflicts that were settled in the deck is written without them.
      let hasSettled = edit.content.conflicts.isEmpty && row.fields.contains { $0.name == MergeConflict.name }
      return edit.isEdited || hasSettled ? edit : nil
    }
  }

  private let db: Database
  private let folder: BuildFolder
  private let isInterrupted: () -> Bool

  public init(_ db: Database, _ folder: BuildFolder, isInterrupted: @escaping () -> Bool) {
    (self.db, self.folder, self.isInterrupted) = (db, folder, isInterrupted)
  }

  /// - Parameter mayWrite: called before anything is written, with the paths of the sources that will be written, if
  ///   there are any; it throws to refuse, and returns false when only the number is needed.
  /// - Returns: the number of rows written.
  /// - Throws: `FileError`, `ExchangeError` for an invalid source.
  public func run(mayWrite: (_ paths: [String]) throws -> Bool = { _ in true }) throws -> Int {
    let files = try written()
    guard !files.isEmpty, try mayWrite(files.map(\.path)) else { return files.reduce(0) { $0 + $1.lines.written } }
    var count = 0
    // A source that was saved meanwhile keeps what was saved; the next build writes the edits to it.
    for file in files where try file.lines.areCurrent() {
      try AtomicFile.write(folder.path + "/" + file.path, file.lines.bytes, .exported())
      count += file.lines.written
    }
    return count
  }

  private func written() throws -> [(path: String, lines: SourceLines)] {
    guard let build = try BuildTable.find(db, folder) else { return [] }
    let known = try BuildTable.sources(db, of: build)
    let touched = try BuildTable.touched(db, of: build)
    var files: [(path: String, lines: SourceLines)] = []
    for source in folder.sources {
      guard let built = known[source.path], case .cards(let format) = source.kind else { continue }
      var edits: [String: Edit] = [:]
      for row in touched[built.id] ?? [] {
        let content = try BuildContent.of(db, row.note)
        guard let content, content.conflictingFields(beside: row.base).isEmpty else { continue }
        edits[row.name] = Edit(content: content, id: row.plainName, isEdited: content.content != row.base)
      }
      if edits.isEmpty { continue }
      let lines = try lines(Edits(of: BuildTable.rows(db, of: built.id), edits), of: source, format)
      if lines.written > 0 { files.append((source.path, lines)) }
    }
    return files
  }

  private func lines(_ edits: Edits, of source: BuildSource, _ format: CardFormat) throws -> SourceLines {
    let path = folder.path + "/" + source.path
    var file = try SourceLines(path, isInterrupted)
    switch format {
    case .md: try file.write(markdown: edits, source)
    case .csv, .tsv: try file.write(table: edits, format.separator, source)
    default: break
    }
    return file
  }
}

private struct SourceLines {
  private let path: String
  private let facts: FileFacts?
  /// The UTF-8 byte order mark before the text, or empty.
  private let mark: [UInt8]
  private let text: SourceText
  private var edits: [SourceEdit] = []
  private let isInterrupted: () -> Bool

  init(_ path: String, _ isInterrupted: @escaping () -> Bool) throws {
    (self.path, self.isInterrupted) = (path, isInterrupted)
    facts = try FileFacts.at(path)
    guard let text = try FileText.read(path, limit: 256 << 20, isInterrupted: isInterrupted) else {
      throw ExchangeError.badFile(path: path, line: 1, column: 1, expected: "UTF-8 expected, to write cards back")
    }
    mark = text.utf8.starts(with: "\u{FEFF}".utf8) ? Array("\u{FEFF}".utf8) : []
    self.text = SourceText(Array(text.utf8.dropFirst(mark.count)))
  }

  var written: Int { edits.count }

  func areCurrent() throws -> Bool { try FileFacts.at(path) == facts }

  private func content() throws -> ByteSource {
    try ByteSource(text.bytes, path: path, SourceOptions(isInterrupted: isInterrupted))
  }

  var bytes: [UInt8] {
    var (result, start) = (mark, 0)
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      result += text.bytes[start..<edit.range.lowerBound] + Array(edit.text.utf8)
      start = edit.range.upperBound
    }
    return result + text.bytes[start...]
  }

  /// Replaces lines, without blank lines at their end, and keeps their kind of line end.
  private mutating func replace(_ lines: Range<Int>, by new: [Substring]) {
    let (first, last) = (lines.lowerBound, text.withoutBlanks(lines).upperBound - 1)
    let end = text.end(first)
    let isReturned = end < text.bytes.count && text.bytes[end] == 0x0D
    let written = new.joined(separator: isReturned ? "\r\n" : "\n")
    edits.append(SourceEdit(range: text.start(first)..<text.end(last), text: written))
  }

  // MARK: Tables

  mutating func write(table edits: BuildWriteBack.Edits, _ separator: UInt8, _ source: BuildSource) throws {
    var edits = edits
    let bytes = try content()
    if AnkiHeads.begin(bytes.buffered) { return }
    let cards = try TableCards(bytes, separator: separator, TableOptions())
    var row = CardRow()
    var replaced: [(place: Range<Int>, line: String)] = []
    var open: (line: Int, text: String)?
    while try cards.next(into: &row) {
      if let known = open { replaced.append((known.line..<row.start.line, known.text)) }
      open = nil
      if let edit = edits.next(row, in: source), let shape = cards.shape, let texts = edit.content.texts {
        let cells = Self.cells(cards.cells, shape, texts, edit)
        // The table has no column for what was edited.
        if cells == cards.cells { continue }
        let text = String(decoding: CellText.line(cells, cards.separator ?? separator), as: UTF8.self)
        open = (row.start.line, String(text.dropLast()))
      }
    }
    // The other rows of a line would be replaced too.
    if cards.haveSharedLine { return }
    if let known = open { replaced.append((known.line..<text.count + 1, known.text)) }
    for (place, line) in replaced { replace(place, by: [line[...]]) }
  }

  private static func cells(
    _ cells: [String], _ shape: ListShape, _ texts: (prompt: String, answer: String), _ edit: BuildWriteBack.Edit
  ) -> [String] {
    var cells = cells
    let tags = edit.content.content.tags.joined(separator: " ")
    // A row may have fewer cells than its table has columns.
    for (column, text) in [(TableColumn.tags, tags), (.guid, edit.id)] where !text.isEmpty {
      guard let index = shape.columns.firstIndex(of: column) else { continue }
      while cells.count <= index { cells.append("") }
    }
    for index in cells.indices {
      switch shape[index] {
      case .prompt: cells[index] = texts.prompt
      case .answer: cells[index] = texts.answer
      case .tags: cells[index] = tags
      case .guid: cells[index] = edit.id
      case .field(MergeConflict.name) where edit.content.conflicts.isEmpty: cells[index] = ""
      default: break
      }
    }
    return cells
  }

  // MARK: Markdown

  mutating func write(markdown edits: BuildWriteBack.Edits, _ source: BuildSource) throws {
    var edits = edits
    let cards = try MarkdownCards(content())
    var rows: [(row: CardRow, edit: BuildWriteBack.Edit?)] = []
    var row = CardRow()
    while try cards.next(into: &row) { rows.append((row, edits.next(row, in: source))) }
    rows.sort { $0.row.start.line < $1.row.start.line }
    for (index, (row, edit)) in rows.enumerated() {
      guard let edit else { continue }
      let next = index + 1 < rows.count ? rows[index + 1].row.start.line : text.count + 1
      let place = text.withoutBlanks(row.start.line..<min(next, row.start.lastLine + 1))
      let source = place.map { text.line($0) }.joined(separator: "\n")
      guard let block = MarkdownBlock(source).edited(row, edit) else { continue }
      replace(place, by: MarkdownLine.lines(of: block))
    }
  }
}
