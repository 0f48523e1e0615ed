// Cards to cut out. Invariant: the grid is centred, so that each back is behind its front when the sheet is turned at
// the long edge.

import Wire

struct CutCards {
  let size: PaperSize
  let title: String

  /// The number of cards across and down.
  private static let grid = (columns: 2, rows: 5)
  static let perPage = grid.columns * grid.rows

  /// The text size on a card in points, reduced if the text does not fit.
  private static let textSize = 20.0

  /// The two pages of a sheet: fronts and backs.
  func pages(_ cards: [(front: PaperSide, back: PaperSide)], sheet: String) -> [Scene] {
    [page(cards.map(\.front), isBack: false, sheet: sheet), page(cards.map(\.back), isBack: true, sheet: sheet)]
  }

  private func page(_ sides: [PaperSide], isBack: Bool, sheet: String) -> Scene {
    var page = PaperPage(size)
    for (number, side) in sides.enumerated() {
      page.add(side, in: cell(number, isBack: isBack, page).inset(by: 9), size: Self.textSize)
    }
    drawCuts(on: &page, isWhole: !isBack)
    page.foot("\(sheet), \(isBack ? "backs" : "fronts")")
    return page.scene(titled: title)
  }

  /// The box of a card, row by row from the left; of a back, from the right.
  private func cell(_ number: Int, isBack: Bool, _ page: PaperPage) -> SceneBox {
    let inner = page.inner
    let (width, height) = (inner.width / Double(Self.grid.columns), inner.height / Double(Self.grid.rows))
    let column = isBack ? Self.grid.columns - 1 - number % Self.grid.columns : number % Self.grid.columns
    return SceneBox(
      inner.x + Double(column) * width, inner.y + Double(number / Self.grid.columns) * height, width, height)
  }

  /// Draws cut marks in the margins of both sides, and lines to cut along on one side.
  private func drawCuts(on page: inout PaperPage, isWhole: Bool) {
    let inner = page.inner
    let (gap, length) = (4.0, 10.0)
    for column in 0...Self.grid.columns {
      let x = inner.x + inner.width * Double(column) / Double(Self.grid.columns)
      page.line(x, inner.y - gap - length, down: length, PaperPage.ink)
      page.line(x, inner.y + inner.height + gap, down: length, PaperPage.ink)
      if isWhole { page.line(x, inner.y, down: inner.height) }
    }
    for row in 0...Self.grid.rows {
      let y = inner.y + inner.height * Double(row) / Double(Self.grid.rows)
      page.line(inner.x - gap - length, y, right: length, PaperPage.ink)
      page.line(inner.x + inner.width + gap, y, right: length, PaperPage.ink)
      if isWhole { page.line(inner.x, y, right: inner.width) }
    }
  }
}
