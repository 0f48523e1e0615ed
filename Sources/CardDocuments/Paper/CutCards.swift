// Cards to cut out. Invariant: the grid is centred, so that each back is behind its front when the sheet is turned.

import Wire

struct CutCards {
  private let options: PaperOptions
  /// The number of cards across and down.
  private let grid: (columns: Int, rows: Int)
  private let title: String

  /// The text size on a card in points, reduced if the text does not fit.
  private static let textSize = 20.0

  init(_ options: PaperOptions, titled title: String) {
    (self.options, self.title) = (options, title)
    grid = options.sides == .two ? (2, 5) : (1, 5)
  }

  var perPage: Int { grid.columns * grid.rows }

  /// The pages of one sheet: fronts and backs, or a single page to fold.
  func pages(_ cards: [(front: PaperSide, back: PaperSide)], sheet: String) -> [Scene] {
    switch options.sides {
    case .two:
      return [
        page(cards.map(\.front), isBack: false, sheet: sheet), page(cards.map(\.back), isBack: true, sheet: sheet),
      ]
    case .fold: return [foldPage(cards, sheet: sheet)]
    }
  }

  private func page(_ sides: [PaperSide], isBack: Bool, sheet: String) -> Scene {
    var page = PaperPage(options.size)
    for (number, side) in sides.enumerated() {
      page.add(side, in: cell(number, isBack: isBack, page).inset(by: 9), size: Self.textSize)
    }
    drawCuts(on: &page, isWhole: !isBack)
    page.foot("\(sheet), \(isBack ? "backs" : "fronts")")
    return page.scene(titled: title)
  }

  private func foldPage(_ cards: [(front: PaperSide, back: PaperSide)], sheet: String) -> Scene {
    var page = PaperPage(options.size)
    for (number, card) in cards.enumerated() {
      let cell = cell(number, isBack: false, page)
      let (left, right) = cell.split(across: 0.5)
      page.add(card.front, in: left.inset(by: 9), size: Self.textSize)
      page.add(card.back, in: right.inset(by: 9), size: Self.textSize)
      page.fold(at: right.x, from: cell.y, down: cell.height)
    }
    drawCuts(on: &page, isWhole: true)
    page.foot("\(sheet), to fold at the dashes")
    return page.scene(titled: title)
  }

  /// The box of a card, row by row from the left; of a back, from the right.
  private func cell(_ number: Int, isBack: Bool, _ page: PaperPage) -> SceneBox {
    let inner = page.inner
    let (width, height) = (inner.width / Double(grid.columns), inner.height / Double(grid.rows))
    let column = isBack ? grid.columns - 1 - number % grid.columns : number % grid.columns
    return SceneBox(inner.x + Double(column) * width, inner.y + Double(number / grid.columns) * height, width, height)
  }

  /// Draws cut marks in the margins of both sides, and lines to cut along on one side.
  private func drawCuts(on page: inout PaperPage, isWhole: Bool) {
    let inner = page.inner
    let (gap, length) = (4.0, 10.0)
    for column in 0...grid.columns {
      let x = inner.x + inner.width * Double(column) / Double(grid.columns)
      page.line(x, inner.y - gap - length, down: length, PaperPage.ink)
      page.line(x, inner.y + inner.height + gap, down: length, PaperPage.ink)
      if isWhole { page.line(x, inner.y, down: inner.height) }
    }
    for row in 0...grid.rows {
      let y = inner.y + inner.height * Double(row) / Double(grid.rows)
      page.line(inner.x - gap - length, y, right: length, PaperPage.ink)
      page.line(inner.x + inner.width + gap, y, right: length, PaperPage.ink)
      if isWhole { page.line(inner.x, y, right: inner.width) }
    }
  }
}
