// Writes cards as a table with a header; lines end with a line feed.
// Invariant: a cell that contains a separator, a quote or a line end is quoted.

import Decks
import Files

struct TableCardWriter: CardRowWriter {
  private let sink: FileSink
  private let separator: UInt8
  private let columns: [TableColumn]
  private let isGuarded: Bool

  /// - Parameter isGuarded: whether cells that a spreadsheet would run as formulas are escaped; a column records
  ///   which.
  init(_ sink: FileSink, _ separator: UInt8, columns: [TableColumn], isGuarded: Bool) {
    (self.sink, self.separator, self.columns, self.isGuarded) = (sink, separator, columns, isGuarded)
  }

  var holdsOptions: Bool { false }

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

  func end() throws {}

  private func line(_ cells: [String]) throws { try sink.append(CellText.line(cells, separator)) }
}

/// Formats a line of a table.
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
