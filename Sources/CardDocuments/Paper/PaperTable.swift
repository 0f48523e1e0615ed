// A table whose rows continue over as many pages as needed. Invariant: each row is on one page, and no row is lost.

import Files
import Wire

struct PaperTable {
  /// The column widths as fractions of the page width, which add up to 1.
  var columns: [Double]
  /// The text size in points.
  var textSize = 12.0
  /// Printed above the first row of each page.
  var heading: String
  /// The maximum height of a row; its texts are made smaller to fit. Nil for the height of a page.
  var highestRow: Double?
  /// Whether the paper is folded after the first column.
  var folds = false
  /// Whether each page has a line for a name and a date.
  var asksName = false

  private static let headingHeight = 34.0
  private static let pictureHeight = 90.0
  private static let gap = 5.0

  /// Measures the room that each text takes, in the given order.
  typealias Measure = ([MeasureQuery]) throws(ProgramFailure) -> [TextExtents]

  func pages(_ rows: [[PaperSide]], size: PaperSize, measure: Measure) throws(ProgramFailure) -> [PaperPage] {
    let heights = try self.heights(rows, size, measure)
    var pages: [PaperPage] = []
    var y = Double.infinity
    for (row, height) in zip(rows, heights) {
      let inner = PaperPage(size).inner
      if y + height > inner.y + inner.height {
        pages.append(begun(size))
        y = inner.y + Self.headingHeight
      }
      draw(row, at: y, height: height, on: &pages[pages.count - 1])
      y += height
    }
    return pages
  }

  private func begun(_ size: PaperSize) -> PaperPage {
    var page = PaperPage(size)
    let inner = page.inner
    page.head(heading, asksName: asksName)
    if folds {
      let x = inner.x + inner.width * (columns.first ?? 0.5)
      page.fold(at: x, from: inner.y + Self.headingHeight, down: inner.height - Self.headingHeight)
    }
    return page
  }

  private func draw(_ row: [PaperSide], at y: Double, height: Double, on page: inout PaperPage) {
    var x = page.inner.x
    for (part, cell) in zip(columns, row) {
      let width = page.inner.width * part
      let box = SceneBox(x + Self.gap, y + Self.gap / 2, width - 2 * Self.gap, height - Self.gap)
      page.add(cell, in: box, size: textSize, align: .left)
      x += width
    }
  }

  /// Measures 200 rows per request, so that no request exceeds what the drawing program accepts at once.
  private func heights(
    _ rows: [[PaperSide]], _ size: PaperSize, _ measure: Measure
  ) throws(ProgramFailure) -> [Double] {
    let inner = PaperPage(size).inner
    let most = highestRow ?? (inner.height - Self.headingHeight)
    var heights: [Double] = []
    for start in stride(from: 0, to: rows.count, by: 200) {
      let some = rows[start..<min(start + 200, rows.count)]
      let queries = some.flatMap { row in
        zip(row, columns).map { cell, part in
          MeasureQuery(text: cut(cell.text), font: "sans", size: textSize, width: inner.width * part - 2 * Self.gap)
        }
      }
      var rooms = try measure(queries).makeIterator()
      for row in some {
        let tallest = row.reduce(textSize) { tallest, cell in
          let room = rooms.next()
          let text = cell.text.isEmpty ? 0 : room?.height ?? 0
          return max(tallest, text + (cell.pictures.isEmpty ? 0 : Self.pictureHeight))
        }
        heights.append(min(most, tallest + 2 * Self.gap))
      }
    }
    return heights
  }
}
