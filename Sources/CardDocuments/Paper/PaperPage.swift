// A page under construction, in points, and a table whose rows continue over as many pages as needed. Invariant: only
// cut marks and the footer are outside the margins; each row of a table is on one page, and no row is lost.

import Files
import Wire

struct PaperPage {
  static let margin = 34.0
  static let ink = SceneColor.gray(0)
  static let faint = SceneColor.gray(0.45)
  static let rule = SceneColor.gray(0.7)

  let size: PaperSize
  private(set) var items: [SceneItem] = []
  private var pictures: [[UInt8]] = []

  init(_ size: PaperSize) { self.size = size }

  var inner: SceneBox { SceneBox(0, 0, size.width, size.height).inset(by: Self.margin) }

  mutating func add(_ item: SceneItem) { items.append(item) }

  /// Adds a side of a card in a box: its pictures side by side between its texts.
  mutating func add(_ side: PaperSide, in box: SceneBox, size: Double, align: TextAlignment = .center) {
    let (above, rest) = box.split(
      down: side.pictures.isEmpty ? 1 : side.above.isEmpty ? 0 : side.below.isEmpty ? 0.35 : 0.2)
    let (middle, below) = rest.split(down: side.below.isEmpty ? 1 : side.above.isEmpty ? 0.65 : 0.75)
    let step = middle.width / Double(max(1, side.pictures.count))
    for (number, picture) in side.pictures.enumerated() {
      let place = SceneBox(middle.x + Double(number) * step, middle.y, step, middle.height).inset(by: 2)
      items.append(SceneItem(placement: place.placement, content: .picture(index: keep(picture), clip: [])))
    }
    for (text, place) in [(side.above, above), (side.below, below)] where !text.isEmpty {
      items.append(.text(cut(text), in: place, size: size, color: Self.ink, wraps: true, align: align))
    }
  }

  private mutating func keep(_ picture: Picture?) -> Int? {
    guard let picture else { return nil }
    pictures.append(picture.png)
    return pictures.count - 1
  }

  /// Adds a line from a point to the right or down, 0.4 points thick.
  mutating func line(_ x: Double, _ y: Double, right: Double = 0, down: Double = 0, _ color: SceneColor = rule) {
    let thick = 0.4
    items.append(
      .filled(
        SceneBox(x - (right > 0 ? 0 : thick / 2), y - (down > 0 ? 0 : thick / 2), max(right, thick), max(down, thick)),
        color))
  }

  /// Draws a dashed fold line from top to bottom.
  mutating func fold(at x: Double, from top: Double, down: Double) {
    for start in stride(from: 0, to: down, by: 8) { line(x, top + start, down: min(4, down - start)) }
  }

  /// Adds a heading at the top of the page, and beside it a line for a name and a date.
  mutating func head(_ text: String, asksName: Bool = false) {
    let (left, right) = SceneBox(inner.x, inner.y, inner.width, 22).split(across: asksName ? 0.45 : 1)
    items.append(.text(text, in: left, size: 15, color: Self.ink, wraps: true, align: .left))
    guard asksName else { return }
    items.append(.text("Name __________________  Date __________", in: right, size: 11, color: Self.ink, align: .right))
  }

  /// Adds a small line of text at the foot of the page.
  mutating func foot(_ text: String) {
    let box = SceneBox(Self.margin, size.height - 20, size.width - 2 * Self.margin, 9)
    items.append(.text(text, in: box, size: 7, color: Self.faint))
  }

  func scene(titled title: String) -> Scene {
    Scene(
      width: size.width, height: size.height, background: .gray(1), title: title, summary: title, pictures: pictures,
      items: items)
  }
}

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
