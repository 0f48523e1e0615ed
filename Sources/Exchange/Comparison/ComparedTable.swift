// A table for comparison and merging: its rows and its columns as entries.
// Invariant: a column without a known meaning is preserved; a row that no side changed is written back byte for byte.

import Decks
import Text
import Values

struct ComparedTable {
  /// Once the entries are made, only a header has its cells; of the others, the cell with tags is left.
  private var rows: [(cells: [String], tags: String, raw: [UInt8])]
  private let separator: UInt8
  private let lineEnd: String
  private let path: String
  let hasMark: Bool
  let encoding: TextEncoding
  /// The cells of the first row, which are the column names if there is a header.
  var firstCells: [String] { rows.first?.cells ?? [] }
  private(set) var content = ComparedContent()
  private var hasHeader = false
  private var tagColumn: Int?
  private var columns: [String] = []

  init(_ source: ByteSource, separator: UInt8) throws {
    let table = TableRows(source, separator: Separator.found(in: source.buffered, first: separator))
    (self.separator, path) = (table.separator, source.path)
    (hasMark, encoding) = (source.hasMark, source.encoding)
    rows = []
    var lineEnd = "\n"
    while let line = try table.next() {
      if let reason = table.invalidReason ?? table.invalidText() {
        throw ExchangeError.badFile(path: source.path, line: line, column: 1, expected: reason)
      }
      var raw = source.kept
      if rows.isEmpty, raw.suffix(2) == [0x0D, 0x0A] { lineEnd = "\r\n" }
      while let last = raw.last, last == 0x0A || last == 0x0D { raw.removeLast() }
      let cells = (0..<table.count).map { table.text($0) }
      if cells.contains(where: { hasTooManyMarks($0) }) {
        throw ExchangeError.badFile(
          path: source.path, line: line, column: 1,
          expected: "a cell has more than \(longestMarkRun) combining marks in a row")
      }
      rows.append((cells, "", raw))
    }
    self.lineEnd = lineEnd
  }

  // MARK: Headers

  func hasHeader(key: String?) -> Bool {
    let names = Set(firstCells.map { $0.lowercased() })
    if let key { return firstCells.contains(key) || names.contains(key.lowercased()) }
    return ListNames.sides(of: firstCells) != nil
      || !names.isDisjoint(with: ["guid", "tags", "note id", MergeConflict.name])
  }

  /// Whether the first rows of the tables are headers, if none is recognized by itself: each has at least four
  /// different cells, and of any two rows one contains all cells of the other.
  static func haveHeaders(_ tables: [ComparedTable]) -> Bool {
    let names = tables.map(\.firstCells).filter { !$0.isEmpty }.map { (count: $0.count, set: Set($0)) }
    return names.allSatisfy { one in
      one.count >= 4 && one.set.count == one.count
        && names.allSatisfy { $0.set.isSubset(of: one.set) || $0.set.isSuperset(of: one.set) }
    }
  }

  // MARK: Entries

  /// - Parameter key: the name of the column that identifies rows; nil: the guid column, or else the first one.
  /// - Throws: `noColumn`.
  mutating func read(hasHeader: Bool, key: String?, shared: ComparedTable?) throws(ExchangeError) {
    self.hasHeader = hasHeader
    let width = rows.map(\.cells.count).max() ?? 0
    columns = hasHeader ? firstCells : []
    for index in columns.count..<max(width, columns.count) {
      columns.append(hasHeader || index > 1 ? "column\(index + 1)" : ["prompt", "answer"][index])
    }
    tagColumn = hasHeader ? columns.firstIndex(ofName: "tags") : nil
    let conflictColumn = hasHeader ? columns.firstIndex(ofName: MergeConflict.name) : nil
    let keyColumn = try column(key, hasHeader: hasHeader)
    for (index, name) in columns.enumerated() where index != conflictColumn {
      columns[index] = content[.column].append(ComparedEntry(key: name))
    }
    let names = FieldNames(
      columns.enumerated().filter { $0.offset != tagColumn && $0.offset != conflictColumn }.map(\.element))
    for place in rows.indices where place > 0 || !hasHeader {
      let row = rows[place]
      let values = columns.indices.filter { $0 != tagColumn && $0 != conflictColumn }.map {
        $0 < row.cells.count ? row.cells[$0] : ""
      }
      let key = keyColumn < row.cells.count && !row.cells[keyColumn].isEmpty ? row.cells[keyColumn] : row.cells[0]
      let tags = tagColumn.map { $0 < row.cells.count ? row.cells[$0] : "" } ?? ""
      var entry = ComparedEntry(
        key: key, title: row.cells[0], fields: names, values: values, tags: Self.tags(tags))
      if let conflictColumn, conflictColumn < row.cells.count {
        entry.conflicts = MergeConflict.list(of: row.cells[conflictColumn]) ?? []
      }
      let raw = shared?.row(of: key)?.raw
      rows[place] = ([], tags, raw == row.raw ? raw ?? [] : row.raw)
      content[.note].append(entry.sharing(shared?.content[.note][key]))
    }
  }

  private func row(of key: String) -> (cells: [String], tags: String, raw: [UInt8])? {
    content[.note].places[key].map { rows[hasHeader ? $0 + 1 : $0] }
  }

  private func column(_ key: String?, hasHeader: Bool) throws(ExchangeError) -> Int {
    guard let key else { return hasHeader ? columns.firstIndex(ofName: "guid") ?? 0 : 0 }
    if let number = Int(key), columns.indices.contains(number - 1), !columns.contains(key) { return number - 1 }
    guard let index = columns.firstIndex(ofName: key) else {
      throw .noColumn(path: path, name: key, names: firstCells)
    }
    return index
  }

  /// Splits tags at commas if there are any, otherwise at spaces.
  private static func tags(_ cell: String) -> [String] {
    guard cell.contains(",") else { return Tags.separated(cell) }
    return cell.split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
  }

  // MARK: Writing

  func merged(_ result: MergeResult, with theirs: ComparedTable) -> [UInt8] {
    let notes = result.content[.note].entries
    var names = result.content[.column].entries.map(\.key)
    // A side that was emptied has no columns; the rows that remain have those of the other side.
    if names.isEmpty, !notes.isEmpty { names = (rows.isEmpty ? theirs : self).content[.column].entries.map(\.key) }
    let hasHeader = [self, theirs].contains { $0.hasHeader && !$0.rows.isEmpty }
    let hasConflicts = notes.contains { !$0.conflicts.isEmpty }
    var bytes: [UInt8] = []
    func add(_ line: [UInt8], _ conflicts: String) {
      bytes += line
      if hasConflicts { bytes += [separator] + CellText.line([conflicts], separator).dropLast() }
      bytes += lineEnd.utf8
    }
    if hasHeader {
      let header = header(names, namesAll: hasConflicts) ?? theirs.header(names, namesAll: hasConflicts)
      add(header ?? line(names), MergeConflict.name)
    }
    for entry in notes {
      let raw = raw(entry, names, separator) ?? theirs.raw(entry, names, separator)
      add(raw ?? row(entry, names, theirs), entry.conflicts.isEmpty ? "" : MergeConflict.json(entry.conflicts))
    }
    return bytes
  }

  private func line(_ cells: [String]) -> [UInt8] { CellText.line(cells, separator).dropLast() }

  /// Returns the first row of the file if it has exactly these columns.
  /// - Parameter namesAll: whether it must name the columns of the longest row too, because another column follows.
  private func header(_ names: [String], namesAll: Bool) -> [UInt8]? {
    if namesAll, firstCells.count != names.count { return nil }
    return content[.column].entries.map(\.key) == names && names.count == columns.count ? rows.first?.raw : nil
  }

  /// Returns the row's bytes if it equals the entry.
  private func raw(_ entry: ComparedEntry, _ names: [String], _ separator: UInt8) -> [UInt8]? {
    guard separator == self.separator, names == columns, let own = content[.note][entry.key], own.isSame(as: entry)
    else { return nil }
    return row(of: entry.key)?.raw
  }

  /// Builds a row that neither side has; tags are separated as they were.
  private func row(_ entry: ComparedEntry, _ names: [String], _ theirs: ComparedTable) -> [UInt8] {
    let tagName = [self, theirs].lazy.compactMap { side in side.tagColumn.map { side.columns[$0] } }.first
    let given = [self, theirs].compactMap { $0.row(of: entry.key)?.tags }
    let wanted = entry.markedTags
    let tags =
      given.first { Set(Self.tags($0)) == Set(wanted) }
      ?? wanted.joined(separator: given.contains { $0.contains(text: ", ") } ? ", " : " ")
    return line(names.map { $0 == tagName ? tags : entry[$0] })
  }

}
