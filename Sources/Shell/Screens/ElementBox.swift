// The position of an element's box on a grid of cells or pixels that shows the card. Invariant: every position it
// returns is on the grid.

import CardDocuments
import Glibc

struct ElementBox {
  private let corners: [(x: Double, y: Double)]
  private let middle: (x: Double, y: Double)
  private let columns: Int
  private let rows: Int

  init(_ element: Element, columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    let turn = element.rotation.truncatingRemainder(dividingBy: 360) * .pi / 180
    func cell(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
      let (across, down) = (x / CardDocument.width + 0.5, y / CardDocument.height + 0.5)
      return (across * Double(columns) - 0.5, down * Double(rows) - 0.5)
    }
    middle = cell(element.x, element.y)
    corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map { across, down in
      let (x, y) = (across * element.width, down * element.height)
      return cell(element.x + x * cos(turn) - y * sin(turn), element.y + x * sin(turn) + y * cos(turn))
    }
  }

  /// The position of its centre; nil when that is off the card.
  var centre: (column: Int, row: Int)? { place(middle.x, middle.y) }

  /// The positions along its sides that are on the card.
  var outline: [(column: Int, row: Int)] {
    var places: [(column: Int, row: Int)] = []
    for (index, start) in corners.enumerated() {
      let end = corners[(index + 1) % corners.count]
      let steps = Int(min(500, max(1, max(abs(end.x - start.x), abs(end.y - start.y)).rounded(.up) * 2)))
      for step in 0...steps {
        let part = Double(step) / Double(steps)
        if let place = place(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part) {
          places.append(place)
        }
      }
    }
    return places
  }

  private func place(_ x: Double, _ y: Double) -> (column: Int, row: Int)? {
    let (column, row) = (x.rounded(), y.rounded())
    guard column >= 0, row >= 0, column < Double(columns), row < Double(rows) else { return nil }
    return (Int(column), Int(row))
  }
}
