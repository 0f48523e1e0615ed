// Cards as a table of text with a header; lines end with a line feed.
// Invariant: columns with unknown names are kept; the detected separator, header and encoding are reported; a cell that
// contains a separator, a quote or a line end is quoted.

import Decks
import Files
import Problems
import Templates
import Text

final class TableCards: CardRows {
  private let rows: TableRows
  private let options: TableOptions
  private(set) var shape: TableShape?
  private(set) var found = ImportFindings()
  var account: LineAccount { rows.source.account }

  init(_ source: ByteSource, separator: UInt8, _ options: TableOptions) {
    let separator = options.separator ?? Separator.found(in: source.buffered, first: separator)
    rows = TableRows(source, separator: separator)
    self.options = options
    found.encoding = source.encoding
    found.separator = separator
  }

  func next(into row: inout CardRow) throws -> Bool {
    guard var line = try nextLine() else { return false }
    if shape == nil {
      if rows.namesSeparator {
        account.use(line...rows.lastLine)
        guard let following = try nextLine() else { return false }
        line = following
      }
      let first = cells.map(limitingMarks)
      let shape = try TableShape(first: first, options, path: rows.source.path, line: line)
      self.shape = shape
      found.hasHeader = shape.hasHeader
      found.columns = shape.columns.map(\.name)
      let isAssumed = !shape.hasHeader && !options.hasNoHeader
      if isAssumed, TableShape.mayName(first, areNumbered: !options.columns.isEmpty) { found.assumedCard = first }
      if shape.hasHeader {
        account.use(line...rows.lastLine)
        guard let following = try nextLine() else { return false }
        line = following
      }
    }
    account.row(line...rows.lastLine)
    row.clear(line: line)
    fill(&row)
    return true
  }

  /// Reads a row and returns its first line; at the end of the file, ends the account and returns nil.
  private func nextLine() throws -> Int? {
    if let line = try rows.next() { return line }
    rows.source.endAccount()
    return nil
  }

  var separator: UInt8 { rows.separator }
  var haveSharedLine: Bool { rows.haveSharedLine }

  var cells: [String] { (0..<rows.count).map { rows.text($0) } }

  private func fill(_ row: inout CardRow) {
    if let invalidReason = rows.invalidReason { row.refuse(.badRow, invalidReason) }
    if let invalidText = rows.invalidText() { row.refuse(.badText, invalidText) }
    refuseMore(&row)
    let guarded = guardedColumns()
    var fields: [(name: String?, html: String)] = []
    for index in 0..<rows.count {
      guard let column = shape?[index] else { continue }
      var cell = rows[index]
      if !guarded.isEmpty, guarded.contains(FormulaGuard.key(column.name)), cell.first == FormulaGuard.mark,
        FormulaGuard.isNeeded(cell.dropFirst())
      {
        cell = cell.dropFirst()
      }
      if let note = options.note, case .field(let name) = column {
        let text = String(decoding: cell, as: UTF8.self).trimmed
        if note.fields.contains(name), !text.isEmpty { fields.append((name, FieldHTML.html(ofPlain: text))) }
      } else {
        put(cell, as: column, into: &row)
      }
    }
    if let note = options.note { row.content = .note(type: note.name, fields) }
  }

  /// Refuses a row with values beyond the header, which have no meaning; they may be blank.
  private func refuseMore(_ row: inout CardRow) {
    guard let shape, shape.hasHeader, rows.count > shape.columns.count,
      let index = (shape.columns.count..<rows.count).first(where: { !rows[$0].allSatisfy(isASCIISpace) })
    else { return }
    row.refuse(
      .tooManyValues,
      "the header names \(counted(shape.columns.count, "column")), but the row has the value "
        + "\(quoted(rows.text(index))) in column \(grouped(index + 1))")
  }

  private func put(_ cell: ArraySlice<UInt8>, as column: TableColumn, into row: inout CardRow) {
    switch column {
    case .prompt: row.prompt.append(contentsOf: cell)
    case .answer: row.answer.append(contentsOf: cell)
    case .guid: row.guid.append(contentsOf: cell)
    case .guarded: break
    case _ where cell.isEmpty: break
    case .tags: row.tags = Tags.separated(String(decoding: cell, as: UTF8.self))
    case .document: row.document = String(decoding: cell, as: UTF8.self)
    case .subdeck: row.subdeck = String(decoding: cell, as: UTF8.self)
    case .field(let name): row.addField(name, .text(String(decoding: cell, as: UTF8.self)))
    }
  }

  /// Returns the columns whose cells were escaped in this row, as the row says.
  private func guardedColumns() -> Set<String> {
    guard let shape, let index = shape.columns.firstIndex(of: .guarded), index < rows.count else { return [] }
    return Set(FormulaGuard.unguarded(rows.text(index)).split(separator: "|").map(String.init))
  }
}

struct TableCardWriter: CardRowWriter {
  let sink: FileSink
  let separator: UInt8
  let columns: [TableColumn]
  /// Whether cells that a spreadsheet would run as formulas are escaped; a column records which.
  let isGuarded: Bool

  func begin() throws {
    let names = columns.map(\.name)
    if !isGuarded { return try line(names) }
    try line(names.map(FormulaGuard.guarded) + (columns.contains(.guarded) ? [] : [FormulaGuard.column]))
  }

  func write(_ card: CardRecord, _ source: ExportSource) throws -> Set<CardPart> {
    var cells = cells(card, source)
    if isGuarded {
      var guarded: [String] = []
      for index in cells.indices where FormulaGuard.isNeeded(cells[index].utf8) {
        cells[index] = "'" + cells[index]
        guarded.append(FormulaGuard.key(columns[index].name))
      }
      let names = FormulaGuard.guarded(guarded.joined(separator: "|"))
      if let place = columns.firstIndex(of: .guarded) { cells[place] = names } else { cells.append(names) }
    }
    let line = CellText.line(cells, separator)
    if line.count > rowLimit { return [.largeCards] }
    try sink.append(line)
    return source.unscheduled(card)
  }

  private func cells(_ card: CardRecord, _ source: ExportSource) -> [String] {
    var rest = card.fields[...]
    return columns.map { column in
      switch column {
      case .prompt: return card.prompt
      case .answer: return card.answer
      case .tags: return card.tags.joined(separator: " ")
      case .guid: return card.guid
      case .document: return card.document ?? ""
      case .subdeck: return source.subdeck
      case .guarded: return ""
      case .field(let name):
        guard let index = rest.firstIndex(where: { $0.name == name }) else { return "" }
        let field = rest[index]
        if index == rest.startIndex { rest.removeFirst() }
        return field.value.written
      }
    }
  }

  private func line(_ cells: [String]) throws { try sink.append(CellText.line(cells, separator)) }
}

enum CellText {
  static func line(_ cells: [String], _ separator: UInt8) -> [UInt8] {
    var line: [UInt8] = []
    for (offset, cell) in cells.enumerated() {
      if offset > 0 { line.append(separator) }
      append(cell, separator, to: &line)
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  private static func append(_ cell: String, _ separator: UInt8, to line: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    // A line that begins with # might be read as a comment.
    let needsQuotes =
      cell.utf8.first == UInt8(ascii: "#")
      || cell.utf8.contains { $0 == quote || $0 == 0x0A || $0 == 0x0D || $0 == separator }
    guard needsQuotes else { return line.append(contentsOf: cell.utf8) }
    line.append(quote)
    for byte in cell.utf8 {
      if byte == quote { line.append(byte) }
      line.append(byte)
    }
    line.append(quote)
  }
}
