// Encoding and decoding of a scene. Invariant: every decoded number is within limits that cairo can handle, and the
// picture of an item exists in the scene.

extension WireWriter {
  mutating func scene(_ scene: Scene) {
    for value in [scene.width, scene.height] { number(value) }
    color(scene.background)
    text(scene.title)
    text(scene.summary)
    list(scene.pictures) { $0.data($1) }
    list(scene.items) { $0.item($1) }
  }

  private mutating func color(_ color: SceneColor) {
    for value in [color.red, color.green, color.blue, color.alpha] { number(value) }
  }

  private mutating func item(_ item: SceneItem) {
    let placement = item.placement
    for value in [placement.x, placement.y, placement.width, placement.height, placement.degrees] { number(value) }
    switch item.content {
    case .picture(let index, let clip, let fills):
      byte(1)
      integer(index ?? -1)
      list(clip) { $0.step($1) }
      byte(fills ? 1 : 0)
    case .text(let line, let font, let ink, let size, let wraps, let align):
      byte(2)
      text(line)
      text(font)
      color(ink)
      number(size)
      byte(wraps ? 1 : 0)
      byte(align.rawValue)
    case .shape(let outline, let ink, let line):
      byte(3)
      list(outline) { $0.step($1) }
      color(ink)
      number(line ?? 0)
    }
  }

  private mutating func step(_ step: PathStep) {
    let (kind, numbers): (UInt8, [Double]) =
      switch step {
      case .move(let end): (1, [end.x, end.y])
      case .line(let end): (2, [end.x, end.y])
      case .curve(let first, let second, let end): (3, [first.x, first.y, second.x, second.y, end.x, end.y])
      case .arc(let centre, let radius, let from, let to): (4, [centre.x, centre.y, radius, from, to])
      case .close: (5, [])
      }
    byte(kind)
    for value in numbers { number(value) }
  }
}

extension WireReader {
  /// Reads a coordinate, a size or an angle: cairo would loop for ages over an arc that begins at 1e308.
  private mutating func measure(upTo bound: Double = 1e6) throws(WireError) -> Double {
    let value = try number()
    // NaN is not within bounds either.
    guard value.magnitude <= bound else { throw WireError() }
    return value
  }

  mutating func scene() throws(WireError) -> Scene {
    let scene = Scene(
      width: try measure(), height: try measure(), background: try color(), title: try text(), summary: try text(),
      pictures: try list { reader throws(WireError) in Array(try reader.data()) },
      items: try list { reader throws(WireError) in try reader.item() })
    for case .picture(let index?, _, _) in scene.items.map(\.content) where !scene.pictures.indices.contains(index) {
      throw WireError()
    }
    return scene
  }

  private mutating func color() throws(WireError) -> SceneColor {
    SceneColor(red: try measure(), green: try measure(), blue: try measure(), alpha: try measure())
  }

  private mutating func item() throws(WireError) -> SceneItem {
    let placement = Placement(
      x: try measure(), y: try measure(), width: try measure(), height: try measure(), degrees: try measure())
    return SceneItem(placement: placement, content: try content())
  }

  private mutating func content() throws(WireError) -> SceneItem.Content {
    switch try byte() {
    case 1:
      let index = try integer()
      return .picture(index: index < 0 ? nil : index, clip: try path(), fills: try flag())
    case 2:
      let (line, font, ink, size, wraps) = (try text(), try text(), try color(), try measure(), try flag())
      guard let align = TextAlignment(rawValue: try byte()) else { throw WireError() }
      return .text(line, font: font, color: ink, size: size, wraps: wraps, align: align)
    case 3:
      let (outline, ink, line) = (try path(), try color(), try measure())
      return .shape(outline, color: ink, line: line > 0 ? line : nil)
    default: throw WireError()
    }
  }

  private mutating func path() throws(WireError) -> [PathStep] {
    try list { reader throws(WireError) in try reader.step() }
  }

  private mutating func flag() throws(WireError) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    default: throw WireError()
    }
  }

  private mutating func point() throws(WireError) -> PathPoint { PathPoint(x: try measure(), y: try measure()) }

  private mutating func step() throws(WireError) -> PathStep {
    switch try byte() {
    case 1: .move(try point())
    case 2: .line(try point())
    case 3: .curve(try point(), try point(), try point())
    case 4: .arc(centre: try point(), radius: try measure(), from: try measure(upTo: 100), to: try measure(upTo: 100))
    case 5: .close
    default: throw WireError()
    }
  }
}
