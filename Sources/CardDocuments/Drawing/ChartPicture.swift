// Charts as a picture: panels in two columns, drawn by deckhand-draw. Invariant: every text has a background on which
// it is legible, whatever the page around the picture looks like.

public import Files
import Wire

/// A chart: its content, without its position.
public struct ChartPanel: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    /// Bars side by side, with the axis labels below them, spread evenly.
    case columns([Double], axis: [String])
    /// Bars below each other, each with its value in words.
    case rows([Row])
    /// Cells by column and row, with values from 0 to 1; nil where there is no cell.
    case cells([[Double?]], axis: [String])
    case words([String])
    /// Rows with the same number of cells.
    case table([[String]])
  }

  public struct Row: Equatable, Sendable {
    public let label: String
    public let value: Double
    public let text: String

    public init(_ label: String, _ value: Double, _ text: String) {
      (self.label, self.value, self.text) = (label, value, text)
    }
  }

  public let title: String
  public let content: Content
  /// The highest value in words.
  public let highest: String

  public init(_ title: String, _ content: Content, highest: String = "") {
    (self.title, self.content, self.highest) = (title, content, highest)
  }
}

/// Several panels in one picture.
public struct ChartPicture {
  public let title: String
  public let panels: [ChartPanel]

  public init(title: String, panels: [ChartPanel]) { (self.title, self.panels) = (title, panels) }

  private static let panelWidth = 560.0
  private static let panelHeight = 260.0
  private static let margin = 24.0

  private let ink = SceneColor.gray(0.13)
  private let faint = SceneColor.gray(0.42)
  private let rule = SceneColor.gray(0.85)
  private let bar = SceneColor(red: 0.12, green: 0.44, blue: 0.72, alpha: 1)

  var scene: Scene {
    let (width, gap) = (Self.panelWidth, Self.margin)
    let rows = (panels.count + 1) / 2
    var items = [text(title, x: gap, y: 16, width: 2 * width + gap, height: 36, size: 24, ink)]
    for (number, panel) in panels.enumerated() {
      let x = gap + Double(number % 2) * (width + gap)
      let y = 72 + Double(number / 2) * (Self.panelHeight + gap)
      items += self.items(of: panel, x: x, y: y)
    }
    return Scene(
      width: 2 * width + 3 * gap, height: 72 + Double(rows) * (Self.panelHeight + gap), background: .gray(1),
      title: title, summary: panels.map(\.title).joined(separator: ", "), pictures: [], items: items)
  }

  /// In pixels.
  var width: Int { Int(2 * Self.panelWidth + 3 * Self.margin) }

  private func items(of panel: ChartPanel, x: Double, y: Double) -> [SceneItem] {
    let heading = [
      text(panel.title, x: x, y: y, width: Self.panelWidth, height: 24, size: 17, ink),
      box(x: x, y: y + 28, width: Self.panelWidth, height: 1, rule),
    ]
    let (top, height) = (y + 36, Self.panelHeight - 62)
    switch panel.content {
    case .columns(let values, let axis):
      return heading + columns(values, panel.highest, x: x, y: top, height: height)
        + labels(axis, x: x, y: y, count: values.count)
    case .cells(let cells, let axis):
      return heading + self.cells(cells, x: x, y: top, height: height) + labels(axis, x: x, y: y, count: cells.count)
    case .rows(let rows): return heading + self.rows(rows, x: x, y: top)
    case .table(let rows): return heading + table(rows, x: x, y: top)
    case .words(let lines):
      return heading
        + lines.prefix(8).enumerated().map { number, line in
          text(line, x: x, y: top + Double(number) * 24, width: Self.panelWidth, height: 22, size: 15, ink)
        }
    }
  }

  private func columns(_ values: [Double], _ highest: String, x: Double, y: Double, height: Double) -> [SceneItem] {
    let most = max(values.max() ?? 0, .leastNormalMagnitude)
    let step = Self.panelWidth / Double(max(1, values.count))
    let bars = values.enumerated().filter { $0.element > 0 }.map { place, value in
      let size = max(1, (height - 18) * value / most)
      return box(
        x: x + Double(place) * step + step * 0.08, y: y + height - size, width: max(1, step * 0.84), height: size, bar)
    }
    return bars + [
      label(highest, at: x + (Double(values.firstIndex(of: most) ?? 0) + 0.5) * step, y: y - 2),
      box(x: x, y: y + height, width: Self.panelWidth, height: 1, rule),
    ]
  }

  private func cells(_ cells: [[Double?]], x: Double, y: Double, height: Double) -> [SceneItem] {
    let tallest = cells.map(\.count).max() ?? 1
    let size = min(Self.panelWidth / Double(max(1, cells.count)), height / Double(max(1, tallest)))
    return cells.enumerated().flatMap { column, values in
      values.enumerated().compactMap { row, value -> SceneItem? in
        guard let value else { return nil }
        var color = value > 0 ? bar : rule
        if value > 0 { color.alpha = 0.25 + 0.75 * min(1, value) }
        return box(
          x: x + Double(column) * size, y: y + Double(row) * size, width: size * 0.86, height: size * 0.86, color)
      }
    }
  }

  private func rows(_ rows: [ChartPanel.Row], x: Double, y: Double) -> [SceneItem] {
    let most = max(rows.map(\.value).max() ?? 0, .leastNormalMagnitude)
    let step = min(28, (Self.panelHeight - 44) / Double(max(1, rows.count)))
    return rows.enumerated().flatMap { place, row in
      let top = y + Double(place) * step
      return [
        text(row.label, x: x, y: top, width: 150, height: step * 0.8, size: 14, ink),
        text(row.text, x: x + 150, y: top, width: 90, height: step * 0.8, size: 14, faint),
        box(
          x: x + 250, y: top + step * 0.1, width: max(row.value > 0 ? 1 : 0, 300 * row.value / most),
          height: step * 0.6, bar),
      ]
    }
  }

  private func table(_ rows: [[String]], x: Double, y: Double) -> [SceneItem] {
    rows.enumerated().flatMap { place, cells in
      let step = Self.panelWidth / Double(max(1, cells.count))
      return cells.enumerated().filter { !$0.element.isEmpty }.map { column, cell in
        text(
          cell, x: x + Double(column) * step, y: y + Double(place) * 26, width: step, height: 22, size: 15,
          place == 0 || column == 0 ? faint : ink)
      }
    }
  }

  /// Labels spread evenly: the first is under the first of the bars, the last under the last one.
  private func labels(_ axis: [String], x: Double, y: Double, count: Int) -> [SceneItem] {
    let step = Self.panelWidth / Double(max(1, count))
    let distance = step * Double(max(0, count - 1)) / Double(max(1, axis.count - 1))
    return axis.enumerated().filter { !$0.element.isEmpty }.map { place, text in
      label(text, at: x + step / 2 + Double(place) * distance, y: y + Self.panelHeight - 22)
    }
  }

  private func label(_ label: String, at middle: Double, y: Double) -> SceneItem {
    text(label, x: middle - 60, y: y, width: 120, height: 18, size: 12, faint)
  }

  private func text(
    _ text: String, x: Double, y: Double, width: Double, height: Double, size: Double, _ color: SceneColor
  ) -> SceneItem { .text(text, in: SceneBox(x, y, width, height), size: size, color: color) }

  private func box(x: Double, y: Double, width: Double, height: Double, _ color: SceneColor) -> SceneItem {
    .filled(SceneBox(x, y, width, height), color)
  }
}

extension DrawingProgram {
  /// Renders charts to the bytes of a PNG or SVG file.
  public func charts(_ picture: ChartPicture, asPNG: Bool) throws(ProgramFailure) -> [UInt8] {
    try drawOnce(.render(picture.scene, asPNG ? .png : .svg, width: picture.width)).bytes
  }
}
