// The building blocks of most scenes: boxes and texts by their upper left corner.

import Wire

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
