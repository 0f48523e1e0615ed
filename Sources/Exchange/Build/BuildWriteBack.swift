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

    /// Whether it changes a row: one that still has conflicts that were settled in the deck is written without them.
    func changes(_ row: CardRow) -> Bool {
      isEdited || content.conflicts.isEmpty && row.fields.contains { $0.name == MergeConflict.name }
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
    guard !files.isEmpty, try mayWrite(files.map(\.path)) else { return files.reduce(0) { $0 + $1.edits.count } }
    var count = 0
    // A source that was saved meanwhile keeps what was saved; the next build writes the edits to it.
    for file in files where try FileFacts.at(folder.path + "/" + file.path) == file.facts {
      try AtomicFile.write(folder.path + "/" + file.path, file.bytes, .exported())
      count += file.edits.count
    }
    return count
  }

  private func written() throws -> [EditedSource] {
    guard let build = try BuildTable.find(db, folder.description) else { return [] }
    let known = try BuildTable.sources(db, of: build)
    let touched = try BuildTable.touched(db, of: build)
    var files: [EditedSource] = []
    for source in folder.sources where [.cards(.md), .cards(.csv), .cards(.tsv)].contains(source.kind) {
      guard let built = known[source.path] else { continue }
      var edits: [String: Edit] = [:]
      for row in touched[built.id] ?? [] {
        let content = try BuildContent.of(db, row.note)
        guard let content, content.conflictingFields(beside: row.base).isEmpty else { continue }
        edits[row.name] = Edit(content: content, id: row.plainName, isEdited: content.content != row.base)
      }
      if edits.isEmpty { continue }
      let file = try edited(source, built.id, edits)
      if !file.edits.isEmpty { files.append(file) }
    }
    return files
  }

  /// - Parameters:
  ///   - id: the source's, in the last build.
  ///   - edits: by the names of the rows.
  private func edited(_ source: BuildSource, _ id: Int64, _ edits: [String: Edit]) throws -> EditedSource {
    let path = folder.path + "/" + source.path
    let facts = try FileFacts.at(path)
    guard let text = try FileText.read(path, limit: 256 << 20, isInterrupted: isInterrupted) else {
      throw ExchangeError.badFile(path: path, line: 1, column: 1, expected: "UTF-8 expected, to write cards back")
    }
    let mark = text.utf8.starts(with: "\u{FEFF}".utf8) ? Array("\u{FEFF}".utf8) : []
    let bytes = Array(text.utf8.dropFirst(mark.count))
    let reading = SourceReading(bytes, of: source, in: folder.path, isInterrupted: isInterrupted)
    if reading.isBroken {
      let rows = BuildRows(bytes, of: source, in: folder.path, isInterrupted: isInterrupted)
      if let failure = rows.failure { throw failure }
    }
    var found: [Int: Edit] = [:]
    for (index, old) in try reading.known(db, of: id) {
      let entry = reading.entries[index]
      guard let row = entry.row, entry.built?.whole == old.whole, let edit = edits[old.name], edit.changes(row) else {
        continue
      }
      found[index] = edit
    }
    let written = try reading.edits(writing: found, isInterrupted: isInterrupted)
    return EditedSource(path: source.path, facts: facts, mark: mark, text: bytes, edits: written)
  }
}

private struct EditedSource {
  let path: String
  let facts: FileFacts?
  /// The UTF-8 byte order mark before the text, or empty.
  let mark: [UInt8]
  let text: [UInt8]
  let edits: [SourceEdit]

  var bytes: [UInt8] {
    var (result, start) = (mark, 0)
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      result += text[start..<edit.range.lowerBound] + Array(edit.text.utf8)
      start = edit.range.upperBound
    }
    return result + text[start...]
  }
}

extension SourceReading {
  /// - Parameter found: by the indices of the entries.
  fileprivate func edits(
    writing found: [Int: BuildWriteBack.Edit], isInterrupted: @escaping () -> Bool
  ) throws -> [SourceEdit] {
    if source.kind == .cards(.md) { return found.compactMap { markdownEdit($0.key, $0.value) } }
    guard let shape = table?.shape else { return [] }
    let byLine = Dictionary(firstOf: found.map { (entries[$0.key].line, $0.value) })
    return try tableEdits(isInterrupted: isInterrupted) { line, cells in
      byLine[line].flatMap { Self.cells(cells, shape, $0) }
    }
  }

  /// Replaces the lines of a card, and keeps their kind of line end; nil when Markdown cannot express the edit.
  private func markdownEdit(_ index: Int, _ edit: BuildWriteBack.Edit) -> SourceEdit? {
    let lines = lines(of: index)
    let source = lines.map { text.line($0) }.joined(separator: "\n")
    guard let row = entries[index].row, let block = MarkdownBlock(source).edited(row, edit) else { return nil }
    let (start, end) = (text.start(lines.lowerBound), text.end(lines.lowerBound))
    let isReturned = end < text.bytes.count && text.bytes[end] == 0x0D
    return SourceEdit(
      range: start..<text.end(lines.upperBound - 1),
      text: MarkdownLine.lines(of: block).joined(separator: isReturned ? "\r\n" : "\n"))
  }

  /// Returns the cells of an edited row; nil for a note that is no prompt and answer.
  private static func cells(_ cells: [String], _ shape: ListShape, _ edit: BuildWriteBack.Edit) -> [String]? {
    guard let texts = edit.content.texts else { return nil }
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
      case .conflicts where edit.content.conflicts.isEmpty: cells[index] = ""
      default: break
      }
    }
    return cells
  }
}
