// Scenes: the conversion of a document, with units and names as positions and outlines; and the building blocks of the
// other scenes, boxes and texts by their upper left corner.
// Invariant: every number of a document's scene is finite and within limits, whatever the document says.

import Glibc
import Values
import Wire

extension CardDocument {
  /// - Parameter pictures: the bytes of the images by the index of their element, as a file may contain an id twice. An
  ///   image element without bytes is drawn as the error picture, or not at all if it names no image.
  /// - Returns: the scene, and the elements that it shows as images, each with its picture in the scene; nil if the
  ///   bytes are missing.
  func scene(pictures: [Int: [UInt8]]) -> (scene: Scene, images: [(element: String, picture: Int?)]) {
    var images: [(element: String, picture: Int?)] = []
    var scene = Scene(
      width: DocumentFormat.canvasWidth, height: DocumentFormat.canvasHeight, background: background.scene,
      title: title, summary: summary, pictures: [], items: [])
    var places: [String: Int] = [:]
    var panels = panels
    for (number, element) in elements.enumerated() {
      guard let kind = element.kind else { continue }
      if let group = element.group, let color = panels.removeValue(forKey: group) {
        scene.items.append(contentsOf: panelItem(group, color))
      }
      switch kind {
      case .text: scene.items.append(contentsOf: textItem(element))
      case .image:
        guard element.namesImage else { continue }
        let place = picture(of: element, pictures[number], into: &scene, &places)
        images.append((element.id, place))
        let clip = element.frame.map { $0.outline(width: element.drawnWidth, height: element.drawnHeight) } ?? []
        scene.items.append(
          SceneItem(
            placement: element.drawnPlacement,
            content: .picture(index: place, clip: clip, fills: element.isCropped ?? false)))
      }
    }
    return (scene, images)
  }

  /// Elements that show the same image share one picture.
  private func picture(
    of element: Element, _ bytes: [UInt8]?, into scene: inout Scene, _ places: inout [String: Int]
  ) -> Int? {
    guard let bytes else { return nil }
    let key = [element.image?.description, element.imageFile].compactMap(\.self).joined(separator: "/")
    if let place = places[key] { return place }
    scene.pictures.append(bytes)
    places[key] = scene.pictures.count - 1
    return places[key]
  }

  private func textItem(_ element: Element) -> [SceneItem] {
    let lines = element.lines
    guard !lines.isEmpty else { return [] }
    let font = String((element.font ?? "").unicodeScalars.prefix(200))
    return [
      SceneItem(
        placement: element.drawnPlacement,
        content: .text(
          cut(lines.joined(separator: "\n")), font: font, color: (element.color ?? .black).scene,
          size: element.drawnSize, wraps: element.wraps ?? false,
          align: element.align.flatMap { TextAlignment(named: $0) } ?? .center))
    ]
  }

  /// How far a panel reaches beyond the elements of its group.
  private static let panelMargin = 30.0

  /// A rounded rectangle around all elements of a group, including rotated ones.
  private func panelItem(_ group: String, _ color: CardColor) -> [SceneItem] {
    let corners = elements.filter { $0.group == group && $0.kind != nil }.flatMap(\.drawnCorners)
    guard let left = corners.map(\.x).min(), let right = corners.map(\.x).max(),
      let top = corners.map(\.y).min(), let bottom = corners.map(\.y).max()
    else { return [] }
    let (width, height) = (right - left + 2 * Self.panelMargin, bottom - top + 2 * Self.panelMargin)
    return [
      SceneItem(
        placement: Placement(x: (left + right) / 2, y: (top + bottom) / 2, width: width, height: height, degrees: 0),
        content: .shape(Frame.roundedRectangle.outline(width: width, height: height), color: color.scene))
    ]
  }
}

/// Truncates a long text: beyond 2000 characters nobody could read it, and pango could not measure it.
func cut(_ text: String) -> String {
  let scalars = text.unicodeScalars
  guard let end = scalars.index(scalars.startIndex, offsetBy: 2000, limitedBy: scalars.endIndex), end < scalars.endIndex
  else { return text }
  return String(scalars[..<end]) + "…"
}

extension Element {
  /// The lines of a text as they are drawn, one below the other; empty for a text that shows nothing.
  var lines: [String] { linesOf(text ?? "") }

  /// The query for the room that the text takes, as it is drawn, in a box of its width.
  var measureQuery: MeasureQuery {
    let font = String((font ?? "").unicodeScalars.prefix(200))
    let width = wraps == true ? Element.side(width) : 0
    return MeasureQuery(text: cut(lines.joined(separator: "\n")), font: font, size: drawnSize, width: width)
  }

  fileprivate var drawnSize: Double {
    min(max(size ?? DocumentFormat.textSize, DocumentFormat.textSizes.lowerBound), DocumentFormat.textSizes.upperBound)
  }

  /// Whether the element refers to an image, existing or not.
  var namesImage: Bool { kind == .image && (json["image"] != nil || json["imageFile"] != nil) }

  fileprivate var drawnWidth: Double { Element.side(width) }
  fileprivate var drawnHeight: Double { Element.side(height) }

  var drawnPlacement: Placement {
    Placement(
      x: DocumentFormat.canvasWidth / 2 + Element.bounded(x), y: DocumentFormat.canvasHeight / 2 + Element.bounded(y),
      width: drawnWidth, height: drawnHeight, degrees: rotation.truncatingRemainder(dividingBy: 360))
  }

  /// In units from the card's upper left corner.
  fileprivate var drawnCorners: [PathPoint] {
    let place = drawnPlacement
    let turn = place.degrees * .pi / 180
    let signs = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
    return signs.map { across, down in
      let (x, y) = (across * place.width, down * place.height)
      return PathPoint(x: place.x + x * cos(turn) - y * sin(turn), y: place.y + x * sin(turn) + y * cos(turn))
    }
  }

  private static func bounded(_ value: Double) -> Double {
    min(max(value, -DocumentFormat.farthest), DocumentFormat.farthest)
  }

  /// A negative size counts as 0, so nothing is visible.
  private static func side(_ value: Double) -> Double { min(max(value, 0), DocumentFormat.farthest) }
}

extension CardColor {
  var scene: SceneColor { SceneColor(red: red, green: green, blue: blue, alpha: alpha) }
}

extension SceneItem {
  /// A text in a box, with its own line breaks or wrapped at the width of the box.
  static func text(
    _ text: String, in box: SceneBox, size: Double, color: SceneColor, wraps: Bool = false,
    align: TextAlignment = .center
  ) -> SceneItem {
    SceneItem(
      placement: box.placement,
      content: .text(text, font: "sans", color: color, size: size, wraps: wraps, align: align))
  }

  static func filled(_ box: SceneBox, _ color: SceneColor) -> SceneItem {
    let (right, bottom) = (box.width / 2, box.height / 2)
    let outline: [PathStep] = [
      .move(PathPoint(x: -right, y: -bottom)), .line(PathPoint(x: right, y: -bottom)),
      .line(PathPoint(x: right, y: bottom)), .line(PathPoint(x: -right, y: bottom)), .close,
    ]
    return SceneItem(placement: box.placement, content: .shape(outline, color: color))
  }
}

/// A rectangle in a scene, in the units of the scene, from its upper left corner.
struct SceneBox: Equatable {
  var x: Double
  var y: Double
  var width: Double
  var height: Double

  init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  var placement: Placement { Placement(x: x + width / 2, y: y + height / 2, width: width, height: height, degrees: 0) }

  func inset(by margin: Double) -> SceneBox {
    SceneBox(x + margin, y + margin, max(0, width - 2 * margin), max(0, height - 2 * margin))
  }

  /// Splits off a part of the width on the left; returns it and the rest.
  func split(across part: Double) -> (SceneBox, SceneBox) {
    let left = width * part
    return (SceneBox(x, y, left, height), SceneBox(x + left, y, width - left, height))
  }

  /// Splits off a part of the height at the top; returns it and the rest.
  func split(down part: Double) -> (SceneBox, SceneBox) {
    let top = height * part
    return (SceneBox(x, y, width, top), SceneBox(x, y + top, width, height - top))
  }
}

extension SceneColor {
  static func gray(_ value: Double) -> SceneColor { SceneColor(red: value, green: value, blue: value, alpha: 1) }
}
