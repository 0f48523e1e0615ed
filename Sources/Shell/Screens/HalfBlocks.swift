// Draws pixels in a terminal: a cell shows two, one above the other. Invariant: each line ends by resetting the
// terminal's colours.

import CardDocuments

struct HalfBlocks {
  private let drawing: PixelDrawing
  /// The positions that are drawn in a contrasting colour.
  private let marked: Set<Int>

  init(_ drawing: PixelDrawing, marked: [(column: Int, row: Int)] = []) {
    self.drawing = drawing
    self.marked = Set(marked.map { $0.row * drawing.width + $0.column })
  }

  var lines: [String] {
    stride(from: 0, to: drawing.height - 1, by: 2).map { row in
      let cells = (0..<drawing.width).map { column in
        "\u{1B}[38;2;\(color(column, row))m\u{1B}[48;2;\(color(column, row + 1))m▀"
      }
      return cells.joined() + "\u{1B}[0m"
    }
  }

  private func color(_ x: Int, _ y: Int) -> String {
    let place = y * drawing.width + x
    let parts = drawing.rgba[(place * 4)..<(place * 4 + 3)]
    guard marked.contains(place) else { return parts.map { String($0) }.joined(separator: ";") }
    // Black on light colours, white on dark ones.
    let brightness = parts.reduce(0) { $0 + Int($1) }
    return brightness > 382 ? "0;0;0" : "255;255;255"
  }
}
