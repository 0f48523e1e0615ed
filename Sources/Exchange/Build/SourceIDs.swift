// Ids for the rows of a source, and the smallest edits that write them: the id of the last build where the next one
// would match the row with its. The rows of a table with other cells, too.
// Invariant: after the edits that write ids, a source is read as the same rows, with the ids.

package import Storage
import Templates
import Text
import Values

/// The replacement of a byte range of a source by a text.
package struct SourceEdit: Equatable {
  package let range: Range<Int>
  package let text: String
}

extension SourceReading {
  /// Whether a row has no id and the source could hold one.
  package func canHaveID(_ index: Int) -> Bool {
    let entry = entries[index]
    return entry.id.isEmpty && !entry.isLink && (table == nil || guidColumn != nil)
  }

  /// Whether ids need a column that the table lacks.
  package var needsColumn: Bool { table?.shape.hasHeader == true && guidColumn == nil }

  private var guidColumn: Int? { table?.shape.hasHeader == true ? table?.shape.columns.firstIndex(of: .guid) : nil }

  /// Returns the edits that write ids.
  /// - Parameter ids: the ids by the index of their entry. If the table needs a column, they must cover all its rows.
  package func edits(writing ids: [Int: String]) throws -> [SourceEdit] {
    switch source.kind {
    case .cards(.md): ids.sorted { $0.key < $1.key }.compactMap { markdownEdit($0, $1) }
    case .cards(.jsonl): ids.sorted { $0.key < $1.key }.compactMap { jsonEdit($0, $1) }
    case .cards(.csv), .cards(.tsv): try tableEdits(ids)
    default: []
    }
  }

  // MARK: Markdown

  /// Returns nil when the comment would become part of a code block.
  private func markdownEdit(_ index: Int, _ id: String) -> SourceEdit? {
    let lines = lines(of: index)
    let first = text.line(lines.lowerBound)
    if case .heading = MarkdownLine(first) { return headingEdit(first, lines.lowerBound, id) }
    var fence = MarkdownFence()
    var found: (line: Int, facts: MarkdownFacts)?
    for number in lines {
      let line = text.line(number)
      if !fence.holds(line), case .facts(let facts) = MarkdownLine(line) { found = (number, facts) }
    }
    if fence.isOpen { return nil }
    guard let found else {
      let end = text.end(lines.upperBound - 1)
      return SourceEdit(range: end..<end, text: lineEnd + MarkdownFacts(guid: id).comment)
    }
    return SourceEdit(range: text.start(found.line)..<text.end(found.line), text: found.facts.with(id))
  }

  private func headingEdit(_ line: Substring, _ number: Int, _ id: String) -> SourceEdit {
    let end = text.start(number) + line.utf8.count
    if let start = line.lastRange(ofText: MarkdownFacts.opening)?.lowerBound,
      let facts = MarkdownFacts(comment: line[start...])
    {
      return SourceEdit(range: end - line[start...].utf8.count..<end, text: facts.with(id))
    }
    let blanks = line.reversed().prefix { $0 == " " || $0 == "\t" }.count
    return SourceEdit(range: end - blanks..<end, text: " " + MarkdownFacts(guid: id).comment)
  }

  private var lineEnd: String { text.end(1) + 2 == text.start(2) && text.count > 1 ? "\r\n" : "\n" }

  // MARK: JSON Lines

  private func jsonEdit(_ index: Int, _ id: String) -> SourceEdit? {
    let entry = entries[index]
    let start = text.offset(line: entry.line, column: entry.column ?? 1)
    guard start < text.bytes.count, text.bytes[start] == UInt8(ascii: "{") else { return nil }
    let rest = text.bytes[(start + 1)..<max(start + 1, text.end(entry.line))]
    // The object would be invalid after the edit if it is empty or has a guid already.
    let isEmpty = rest.first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "}")
    if isEmpty || rest.position(of: "\"guid\"", from: start + 1) != nil { return nil }
    return SourceEdit(range: start + 1..<start + 1, text: "\"guid\": \(Value.text(id).json), ")
  }

  // MARK: Tables

  private func tableEdits(_ ids: [Int: String]) throws -> [SourceEdit] {
    guard let table, table.shape.hasHeader else { return [] }
    let byLine = Dictionary(firstOf: ids.map { (entries[$0.key].line, $0.value) })
    let width = table.shape.columns.count
    let column = guidColumn ?? width
    var (isHeader, isWide) = (true, false)
    let edits = try tableEdits { line, cells in
      defer { isHeader = false }
      guard guidColumn == nil || byLine[line] != nil else { return nil }
      // Cells beyond the header would be read as ids.
      isWide = isWide || guidColumn == nil && cells.count > width
      var cells = cells
      while cells.count <= column { cells.append("") }
      cells[column] = isHeader ? TableColumn.guid.name : byLine[line] ?? ""
      return cells
    }
    return isWide ? [] : edits
  }

  /// Returns the edits that replace rows of a table; none if rows share a line, because they would overlap.
  /// - Parameter change: returns the new cells of the row that begins at a line; nil to leave it.
  func tableEdits(
    isInterrupted: @escaping () -> Bool = { false }, _ change: (_ line: Int, _ cells: [String]) -> [String]?
  ) throws -> [SourceEdit] {
    guard let table else { return [] }
    let bytes = try ByteSource(text.bytes, path: path, SourceOptions(isInterrupted: isInterrupted))
    let rows = TableRows(bytes, separator: table.separator)
    var (edits, isFirst) = ([SourceEdit](), true)
    while let line = try rows.next() {
      defer { isFirst = false }
      if isFirst, rows.namesSeparator { continue }
      let cells = (0..<rows.count).map { rows.text($0) }
      guard let changed = change(line, cells), changed != cells else { continue }
      let row = String(decoding: CellText.line(changed, table.separator).dropLast(), as: UTF8.self)
      edits.append(SourceEdit(range: text.start(line)..<text.end(rows.lastLine), text: row))
    }
    return rows.haveSharedLine ? [] : edits
  }

  /// Returns ids for rows: the id of the last build if there is one, otherwise an id that no other row has.
  /// - Parameter db: the collection; nil when there is none yet.
  package func newIDs(
    of indices: [Int], _ db: Database?, _ description: BuildDescription, isTaken: (String) -> Bool
  ) throws -> [Int: String] {
    let build = try db.flatMap { try BuildTable.find($0, description) }
    let last = try db.flatMap { db in try build.flatMap { try BuildTable.sources(db, of: $0)[path] } }
    let known = try db.flatMap { db in try last.map { try self.known(db, of: $0.id) } } ?? [:]
    var ids: [Int: String] = [:]
    var new = NewIDs()
    for index in indices {
      guard let row = entries[index].row, let built = entries[index].built else { continue }
      if let name = known[index]?.plainName, new.take(name) {
        ids[index] = name
        continue
      }
      ids[index] = try new.next(for: row, built.front) { name in
        guard !isTaken(name), let db, let build else { return isTaken(name) }
        return try BuildTable.hasRow(db, named: name, in: build)
      }
    }
    return ids
  }

  /// Returns the rows of the last build by the index of the entry that the next one would match with each.
  func known(_ db: Database, of source: Int64) throws -> [Int: BuiltRow] {
    let old = try BuildTable.rows(db, of: source)
    let places = entries.indices.filter { !entries[$0].isLink }.sorted { entries[$0].order < entries[$1].order }
    let rows = places.compactMap { entries[$0].built }
    return try zip(places, RowIdentity.match(rows, old, in: db)).reduce(into: [:]) { known, pair in
      known[pair.0] = pair.1.map { old[$0] }
    }
  }
}

extension MarkdownFacts {
  fileprivate func with(_ id: String) -> String {
    var facts = self
    facts.guid = id
    return facts.comment
  }
}
