// Lines of a table that is written as it is read: a pipe may get a million of them.
// Invariant: columns keep the widths of the first rows; nothing is held but a row.

import Text

/// The cells of one table row, stored back to back.
package struct TableRow {
  /// Of its characters more than these are not shown.
  private static let longestCell = 2_000

  package private(set) var bytes: [UInt8] = []
  package private(set) var cells: [(end: Int, width: Int)] = []

  package init() {}

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
  }

  package mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
    guard text.count <= Self.longestCell, text.isPlainASCII else {
      return add(String(decoding: text, as: UTF8.self))
    }
    bytes.append(contentsOf: text)
    cells.append((bytes.count, text.count))
  }

  package mutating func add(_ text: String) {
    let shown = printable(text, limit: Self.longestCell)
    bytes.append(contentsOf: shown.utf8)
    cells.append((bytes.count, shown.displayWidth))
  }
}

/// A table layout with fixed column widths: a longer cell shifts the rest of its line.
package struct TableLayout {
  package let headings: TableRow
  private let widths: [Int]
  private let areRight: [Bool]

  package init(_ columns: [TableText.Column], _ rows: [TableRow]) {
    var headings = TableRow()
    for column in columns { headings.add(column.title) }
    widths = columns.indices.map { place in rows.reduce(headings.cells[place].width) { max($0, $1.cells[place].width) }
    }
    self.headings = headings
    areRight = columns.map { $0.alignment == .right }
  }

  package func write(_ row: TableRow, to line: inout [UInt8]) {
    let blank = UInt8(ascii: " ")
    let lineStart = line.count
    var start = 0
    for (place, cell) in row.cells.enumerated() {
      let blanks = repeatElement(blank, count: max(0, widths[place] - cell.width))
      if place > 0 { line.append(contentsOf: repeatElement(blank, count: 2)) }
      if areRight[place] { line.append(contentsOf: blanks) }
      line.append(contentsOf: row.bytes[start..<cell.end])
      if !areRight[place] { line.append(contentsOf: blanks) }
      start = cell.end
    }
    while line.count > lineStart, line.last == blank { line.removeLast() }
    line.append(UInt8(ascii: "\n"))
  }
}
