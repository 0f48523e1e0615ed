// Cards that were edited in the deck, written to the rows of their sources.
// Invariant: a line that belongs to no edited card stays as it is; a file is replaced whole or not at all; a row that
// was edited in the source too, or whose card has a conflict, is left alone.

import Decks
import Files
public import Storage
import Templates
import Text

/// Writes edits of the deck to the sources of a folder.
///
///     let count = try BuildWriteBack(db, folder, isInterrupted: environment.isInterrupted).run()
public struct BuildWriteBack {
  /// What a row is to say.
  struct Edit {
    let content: BuildContent
    /// The id that keeps the row the same card; empty where the source can hold none.
    let id: String
    /// As the row was when it was built last.
    let whole: Int64
  }

  private let db: Database
  private let folder: BuildFolder
  private let isInterrupted: () -> Bool

  public init(_ db: Database, _ folder: BuildFolder, isInterrupted: @escaping () -> Bool) {
    (self.db, self.folder, self.isInterrupted) = (db, folder, isInterrupted)
  }

  /// - Parameter mayWrite: asked once before anything is written, with the sources that will be; it throws to refuse.
  /// - Returns: how many rows were written.
  /// - Throws: `FileError`, `ExchangeError` for a source that is broken.
  public func run(mayWrite: (_ paths: [String]) throws -> Void = { _ in }) throws -> Int {
    let files = try written()
    try mayWrite(files.map(\.path))
    for file in files { try AtomicFile.write(folder.path + "/" + file.path, file.lines.bytes, .exported()) }
    return files.reduce(0) { $0 + $1.lines.written }
  }

  /// The sources that hold edited cards, as they will be.
  private func written() throws -> [(path: String, lines: SourceLines)] {
    guard let build = try BuildTable.find(db, folder) else { return [] }
    let known = try BuildTable.sources(db, of: build)
    let touched = try BuildTable.touched(db, of: build)
    var files: [(path: String, lines: SourceLines)] = []
    for source in folder.sources {
      guard let built = known[source.path], case .cards(let format) = source.kind else { continue }
      var edits: [Edit] = []
      for row in touched[built.id] ?? [] {
        guard let content = try BuildContent.of(db, row.note), content.content != row.base,
          content.disputed(beside: row.base).isEmpty
        else { continue }
        edits.append(Edit(content: content, id: row.plainName, whole: row.whole))
      }
      if edits.isEmpty { continue }
      let lines = try lines(edits, of: source, format)
      if lines.written > 0 { files.append((source.path, lines)) }
    }
    return files
  }

  private func lines(_ edits: [Edit], of source: BuildSource, _ format: CardFormat) throws -> SourceLines {
    let path = folder.path + "/" + source.path
    var file = try SourceLines(path, isInterrupted)
    let byRow = Dictionary(firstOf: edits.map { ($0.whole, $0) })
    switch format {
    case .md: try file.write(markdown: byRow, source)
    case .csv: try file.write(table: byRow, UInt8(ascii: ","), source)
    case .tsv: try file.write(table: byRow, UInt8(ascii: "\t"), source)
    default: break
    }
    return file
  }
}

/// The lines of a source, some of which are replaced.
private struct SourceLines {
  private(set) var written = 0
  private let path: String
  /// Each with the return at its end, if it has one: some may have it and others not.
  private var lines: [Substring]
  private let isInterrupted: () -> Bool

  init(_ path: String, _ isInterrupted: @escaping () -> Bool) throws {
    (self.path, self.isInterrupted) = (path, isInterrupted)
    guard let text = try FileText.read(path, limit: 256 << 20, isInterrupted: isInterrupted) else {
      throw ExchangeError.badFile(path: path, line: 1, column: 1, expected: "UTF-8 expected, to write cards back")
    }
    // A return and a line feed are one character of a text.
    lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { Substring($0) }
  }

  var bytes: [UInt8] { Array(lines.joined(separator: "\n").utf8) }

  /// A line without its end, counted from 1.
  private func plain(_ number: Int) -> Substring {
    let line = lines[number - 1]
    return line.hasSuffix("\r") ? line.dropLast() : line
  }

  /// Replaces lines, counted from 1, by lines that end as they did; give later places first.
  private mutating func replace(_ place: Range<Int>, by new: [String]) {
    let replaced = lines[place.lowerBound - 1..<place.upperBound - 1]
    let ends = [replaced.first, replaced.last].map { $0?.hasSuffix("\r") == true ? "\r" : "" }
    let ended = new.enumerated().map { Substring($1 + ends[$0 + 1 < new.count ? 0 : 1]) }
    lines.replaceSubrange(replaced.indices, with: ended)
    written += 1
  }

  // MARK: Tables

  mutating func write(table edits: [Int64: BuildWriteBack.Edit], _ separator: UInt8, _ source: BuildSource) throws {
    let bytes = try ByteSource(path: path, SourceOptions(isInterrupted: isInterrupted))
    let cards = TableCards(bytes, separator: separator, TableOptions())
    var row = CardRow()
    var replaced: [(place: Range<Int>, line: String)] = []
    var open: (line: Int, text: String)?
    while try cards.next(into: &row) {
      if let known = open { replaced.append((known.line..<row.start.line, known.text)) }
      open = nil
      if let shape = cards.shape, let edit = edits[BuildRow(row, in: source).facts.whole],
        let texts = edit.content.texts
      {
        let cells = Self.cells(cards.cells, shape, texts, edit)
        let text = String(decoding: TableText.line(cells, cards.separator), as: UTF8.self)
        open = (row.start.line, String(text.dropLast()))
      }
    }
    if let known = open { replaced.append((known.line..<lines.count + 1, known.text)) }
    for (place, text) in replaced.reversed() { replace(withoutBlanks(place), by: [text]) }
  }

  private static func cells(
    _ cells: [String], _ shape: TableShape, _ texts: (prompt: String, answer: String), _ edit: BuildWriteBack.Edit
  ) -> [String] {
    var cells = cells
    for index in cells.indices {
      switch shape[index] {
      case .prompt: cells[index] = texts.prompt
      case .answer: cells[index] = texts.answer
      case .tags: cells[index] = edit.content.content.tags.joined(separator: " ")
      case .guid: cells[index] = edit.id
      default: break
      }
    }
    return cells
  }

  /// Without the blank lines at its end, which belong to nothing.
  private func withoutBlanks(_ place: Range<Int>) -> Range<Int> {
    var end = place.upperBound
    while end - 1 > place.lowerBound, lines[end - 2].allSatisfy(\.isWhitespace) { end -= 1 }
    return place.lowerBound..<end
  }

  // MARK: Markdown

  mutating func write(markdown edits: [Int64: BuildWriteBack.Edit], _ source: BuildSource) throws {
    let cards = MarkdownCards(try ByteSource(path: path, SourceOptions(isInterrupted: isInterrupted)))
    var rows: [(row: CardRow, whole: Int64)] = []
    var row = CardRow()
    while try cards.next(into: &row) { rows.append((row, BuildRow(row, in: source).facts.whole)) }
    rows.sort { $0.row.start.line < $1.row.start.line }
    for index in rows.indices.reversed() {
      guard let edit = edits[rows[index].whole] else { continue }
      let line = rows[index].row.start.line
      let next = index + 1 < rows.count ? rows[index + 1].row.start.line : lines.count + 1
      let place = withoutBlanks(line..<MarkdownCardLines.end(from: line, before: next) { plain($0) })
      let block = MarkdownBlock(place.map { plain($0) }.joined(separator: "\n"))
      guard let text = block.edited(rows[index].row, edit) else { continue }
      replace(place, by: MarkdownLine.lines(of: text).map(String.init))
    }
  }
}
