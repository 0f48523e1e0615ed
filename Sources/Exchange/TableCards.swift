// Reads cards from a table of text.
// Invariant: columns with unknown names are kept; the detected separator, header and encoding are reported.

import Decks
import Problems
import Templates
import Text

final class TableCards: CardRows {
  private let rows: TableRows
  private let options: TableOptions
  private(set) var shape: TableShape?
  private(set) var found = ImportFindings()
  var account: LineAccount { rows.source.account }

  /// - Parameter separator: the usual separator of the format.
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
  /// Whether two of the rows read so far are on one line.
  var haveSharedLine: Bool { rows.haveSharedLine }

  /// The cells of the last row read, unchanged.
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
      "the header names \(counted(shape.columns.count, "column")), but the row has the value \(quoted(rows.text(index))) in "
        + "column \(grouped(index + 1))")
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
