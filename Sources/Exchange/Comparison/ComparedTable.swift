// A table for comparison and merging: its rows and its columns as entries.
// Invariant: a column without a known meaning is preserved; a row that no side changed is written back byte for byte.

import Decks
import Text
import Values

struct ComparedTable {
  private let table: TableRows
  private let firstRow: [UInt8]
  /// The cells of the first row, which are the column names if there is a header; none if there are no rows.
  let firstCells: [String]
  private let lineEnd: String
  /// Is between the bytes of a row and its tags, because no text has it.
  private static let end: UInt8 = 0xFF
  let hasMark: Bool
  let encoding: TextEncoding
  /// With each entry, the bytes of its row and its cell with tags are kept, unless they are as `written` writes them.
  private(set) var content = ComparedContent()
  private var hasHeader = false
  private var tagColumn: Int?
  /// The column of the conflicts that a merge left; nil once a cell of it has another text, which no merge writes.
  private var conflictColumn: Int?
  private var columns: [String] = []
  private var tagName: String? { tagColumn.map { columns[$0] } }

  /// Reads the first row.
  init(_ source: ByteSource, separator: UInt8) throws {
    table = TableRows(source, separator: Separator.found(in: source.buffered, first: separator))
    (firstRow, firstCells) = try Self.next(table) ?? ([], [])
    (hasMark, encoding) = (source.hasMark, source.encoding)
    lineEnd = source.kept.suffix(2) == [0x0D, 0x0A] ? "\r\n" : "\n"
  }

  private static func next(_ table: TableRows) throws -> (raw: [UInt8], cells: [String])? {
    guard let line = try table.next() else { return nil }
    let cells = (0..<table.count).map { table.text($0) }
    let marks = "a cell has more than \(longestMarkRun) combining marks in a row"
    let reason =
      table.invalidReason ?? table.invalidText() ?? (cells.contains { hasTooManyMarks($0) } ? marks : nil)
    if let reason {
      throw ExchangeError.badFile(path: table.source.path, line: line, column: 1, expected: reason)
    }
    var raw = table.source.kept
    while let last = raw.last, last == 0x0A || last == 0x0D { raw.removeLast() }
    return (raw, cells)
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

  /// Reads the other rows.
  /// - Parameters:
  ///   - key: the name of the column that identifies rows; nil: the guid column, or else the first one.
  ///   - keepsRows: whether `merge` will be called for this table, or for one that has it as its base.
  ///   - base: a content that probably has most of the rows.
  /// - Throws: `noColumn`, or what is wrong with a row.
  mutating func read(hasHeader: Bool, key: String?, keepsRows: Bool, base: ComparedContent) throws {
    self.hasHeader = hasHeader
    content = ComparedContent(base.records)
    let likely = base[.note]
    tagColumn = hasHeader ? firstCells.firstIndex(ofName: "tags") : nil
    conflictColumn = MergeConflict.column(of: firstCells, areNames: hasHeader)
    var keyColumn: Int?
    var shown: [Int] = []
    var names = FieldNames.none
    var row = firstCells.isEmpty ? nil : (raw: firstRow, cells: firstCells)
    var isHeader = hasHeader
    while let (raw, cells) = row {
      if cells.count > columns.count {
        addColumns(cells.count)
        keyColumn = column(key)
        shown = columns.indices.filter { $0 != tagColumn }
        names = FieldNames(shown.map { columns[$0] })
      }
      if !isHeader {
        let values = shown.map { $0 < cells.count ? cells[$0] : "" }
        let name = keyColumn.flatMap { $0 < cells.count && !cells[$0].isEmpty ? cells[$0] : nil } ?? cells[0]
        let entry = ComparedEntry(key: name, title: cells[0], fields: names, values: values)
        add(entry, cells, keepsRows ? raw : nil, likely)
      }
      isHeader = false
      row = try Self.next(table)
    }
    if let key, keyColumn == nil, !firstCells.isEmpty {
      throw ExchangeError.noColumn(path: table.source.path, name: key, names: firstCells)
    }
    guard let conflictColumn, hasHeader || !content[.note].allConflicts.isEmpty else { return }
    content[.column] = ComparedList(content[.column].entries.filter { $0.key != columns[conflictColumn] })
  }

  /// - Parameter raw: the bytes of the row, if they are kept.
  private mutating func add(_ entry: ComparedEntry, _ cells: [String], _ raw: [UInt8]?, _ likely: ComparedList) {
    var entry = entry
    let tags = tagColumn.map { $0 < cells.count ? cells[$0] : "" } ?? ""
    entry.tags = Self.tags(tags)
    if let conflictColumn, conflictColumn < cells.count, !cells[conflictColumn].isEmpty {
      entry.conflicts = MergeConflict.list(of: cells[conflictColumn]) ?? []
      if entry.conflicts.isEmpty { self.conflictColumn = nil } else { entry.set(columns[conflictColumn], to: "") }
    }
    let kept = raw.map { written(entry).raw == $0 ? [] : $0 + [Self.end] + tags.utf8 } ?? []
    content[.note].append(entry, keeping: kept, likely: likely)
  }

  private mutating func addColumns(_ count: Int) {
    for name in Self.names(of: count, given: hasHeader ? firstCells : nil).dropFirst(columns.count) {
      columns.append(content[.column].append(ComparedEntry(key: name)))
    }
  }

  /// - Parameter given: the cells of the header; nil if there is none.
  static func names(of count: Int, given: [String]?) -> [String] {
    let given = given ?? ["prompt", "answer"]
    return (0..<count).map { $0 < given.count ? given[$0] : "column\($0 + 1)" }
  }

  /// Returns the row of an entry with the columns of the first row, and its cell with tags.
  private func written(_ entry: ComparedEntry) -> (raw: [UInt8], tags: String) {
    let tags = entry.tags.joined(separator: " ")
    return (line(columns.prefix(firstCells.count).map { $0 == tagName ? tags : entry[$0] }), tags)
  }

  /// Returns the bytes of an entry's row and its cell with tags.
  private func row(at place: Int) -> (raw: [UInt8], tags: String) {
    let notes = content[.note]
    let kept = notes.kept(at: place)
    guard let end = kept.lastIndex(of: Self.end) else { return written(notes.entry(at: place)) }
    return (Array(kept[..<end]), String(decoding: kept[(end + 1)...], as: UTF8.self))
  }

  /// Returns the column that identifies rows; nil when there is none of that name yet.
  private func column(_ key: String?) -> Int? {
    guard let key else { return hasHeader ? columns.firstIndex(ofName: "guid") ?? 0 : 0 }
    if let number = Int(key), columns.indices.contains(number - 1), !columns.contains(key) { return number - 1 }
    return columns.firstIndex(ofName: key)
  }

  /// Splits tags at commas if there are any, otherwise at spaces.
  private static func tags(_ cell: String) -> [String] {
    guard cell.contains(",") else { return Tags.separated(cell) }
    return cell.split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
  }

  // MARK: Writing

  func merge(_ result: MergeResult, with theirs: ComparedTable, write: ([UInt8]) throws -> Void) throws {
    let notes = result.content[.note]
    var names = Array(result.content[.column].keys)
    // A side that was emptied has no columns; the rows that remain have those of the other side.
    if names.isEmpty, notes.count > 0 { names = Array((firstCells.isEmpty ? theirs : self).content[.column].keys) }
    let hasHeader = [self, theirs].contains { $0.hasHeader && !$0.firstCells.isEmpty }
    let hasConflicts = !notes.allConflicts.isEmpty
    let lineEnd = Array(lineEnd.utf8)
    func add(_ line: [UInt8], _ conflicts: String) throws {
      try write(line)
      if hasConflicts { try write([table.separator] + self.line([conflicts])) }
      try write(lineEnd)
    }
    if hasHeader {
      let header = header(names, namesAll: hasConflicts) ?? theirs.header(names, namesAll: hasConflicts)
      try add(header ?? line(names), MergeConflict.name)
    }
    let sides = [self, theirs].filter { $0.table.separator == table.separator && names == $0.columns }
    var next = [0, 0]
    for place in 0..<notes.count {
      let raw = sides.indices.lazy.compactMap { number in
        let side = sides[number]
        return side.content[.note].place(ofSameAs: place, in: notes, next: &next[number]).map { side.row(at: $0).raw }
      }.first
      let conflicts = notes.conflicts(at: place)
      try add(
        raw ?? row(notes.entry(at: place), names, theirs), conflicts.isEmpty ? "" : MergeConflict.json(conflicts))
    }
  }

  private func line(_ cells: [String]) -> [UInt8] {
    var line = CellText.line(cells, table.separator)
    line.removeLast()
    return line
  }

  /// Returns the first row of the file if it has exactly these columns.
  /// - Parameter namesAll: whether it must name the columns of the longest row too, because another column follows.
  private func header(_ names: [String], namesAll: Bool) -> [UInt8]? {
    if namesAll, firstCells.count != names.count { return nil }
    return names == Array(content[.column].keys) && names.count == columns.count && !names.isEmpty ? firstRow : nil
  }

  /// Builds a row that neither side has; tags are separated as they were.
  private func row(_ entry: ComparedEntry, _ names: [String], _ theirs: ComparedTable) -> [UInt8] {
    let given = [self, theirs].compactMap { side in
      side.content[.note].place(of: entry.key).map { side.row(at: $0).tags }
    }
    let wanted = entry.markedTags
    let tags =
      given.first { Set(Self.tags($0)) == Set(wanted) }
      ?? wanted.joined(separator: given.contains { $0.contains(text: ", ") } ? ", " : " ")
    let tagName = tagName ?? theirs.tagName
    return line(names.map { $0 == tagName ? tags : entry[$0] })
  }
}
