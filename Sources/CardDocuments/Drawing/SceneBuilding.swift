// A document as a scene: units and names become places and outlines.
// Invariant: every number of a scene is finite and within bounds, whatever the document says.

import DrawingWire
import Values

extension CardDocument {
  /// - Parameter pictures: the bytes of the images by element id; an image element that has none here is drawn as the
  ///   error picture, unless it names no image at all.
  func scene(pictures: [String: [UInt8]]) -> Scene {
    var scene = Scene(
      width: CardFormat.canvasWidth, height: CardFormat.canvasHeight, background: background.scene, title: title,
      summary: summary, pictures: [], items: [])
    var places: [String: Int] = [:]
    for element in elements {
      guard let kind = element.kind else { continue }
      switch kind {
      case .text: scene.items.append(contentsOf: textItem(element))
      case .image:
        guard element.namesImage else { continue }
        let place = picture(of: element, pictures, into: &scene, &places)
        let clip = element.frame.map { $0.outline(width: element.drawnWidth, height: element.drawnHeight) } ?? []
        scene.items.append(SceneItem(placement: element.drawnPlacement, content: .picture(index: place, clip: clip)))
      }
    }
    return scene
  }

  /// The same image twice is one picture.
  private func picture(
    of element: Element, _ pictures: [String: [UInt8]], into scene: inout Scene, _ places: inout [String: Int]
  ) -> Int? {
    guard let bytes = pictures[element.id] else { return nil }
    let key = element.image?.description ?? element.imageFile ?? element.id
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
          size: CardFormat.textSize))
    ]
  }
}

/// Beyond so many characters nobody could read the text, and pango could not measure it.
private func cut(_ text: String) -> String {
  let scalars = text.unicodeScalars
  guard let end = scalars.index(scalars.startIndex, offsetBy: 2000, limitedBy: scalars.endIndex), end < scalars.endIndex
  else { return text }
  return String(scalars[..<end]) + "…"
}

extension Element {
  /// The lines of a text as they are drawn, one above the other; none for a text that shows nothing.
  var lines: [String] { linesOf(text ?? "") }

  /// Whether it means to show an image, there or not.
  var namesImage: Bool { kind == .image && (json["image"] != nil || json["imageFile"] != nil) }

  fileprivate var drawnWidth: Double { Element.side(width) }
  fileprivate var drawnHeight: Double { Element.side(height) }

  fileprivate var drawnPlacement: Placement {
    Placement(
      x: CardFormat.canvasWidth / 2 + Element.bounded(x), y: CardFormat.canvasHeight / 2 + Element.bounded(y),
      width: drawnWidth, height: drawnHeight, degrees: rotation.truncatingRemainder(dividingBy: 360))
  }

  private static func bounded(_ value: Double) -> Double {
    min(max(value, -CardFormat.farthest), CardFormat.farthest)
  }

  /// What is not above 0 is drawn as nothing to be seen.
  private static func side(_ value: Double) -> Double { min(max(value, 0), CardFormat.farthest) }
}

extension CardColor {
  var scene: SceneColor { SceneColor(red: red, green: green, blue: blue, alpha: alpha) }
}
