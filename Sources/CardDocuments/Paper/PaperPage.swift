// A page under construction, in points. Invariant: only cut marks and the footer are outside the margins.

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
