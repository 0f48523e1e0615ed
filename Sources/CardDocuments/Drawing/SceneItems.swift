// What most scenes are made of: boxes and texts by their upper left corner. Invariant: an item stands where its box is.

import Wire

extension SceneItem {
  /// A text in a box, in lines of its own or broken at the width of the box.
  static func text(
    _ text: String, in box: SceneBox, size: Double, color: SceneColor, wraps: Bool = false,
    align: TextAlignment = .center
  ) -> SceneItem {
    SceneItem(
      placement: box.placement,
      content: .text(text, font: "sans", color: color, size: size, wraps: wraps, align: align))
  }

  /// A box filled with a colour.
  static func filled(_ box: SceneBox, _ color: SceneColor) -> SceneItem {
    let (right, bottom) = (box.width / 2, box.height / 2)
    let outline: [PathStep] = [
      .move(PathPoint(x: -right, y: -bottom)), .line(PathPoint(x: right, y: -bottom)),
      .line(PathPoint(x: right, y: bottom)), .line(PathPoint(x: -right, y: bottom)), .close,
    ]
    return SceneItem(placement: box.placement, content: .shape(outline, color: color))
  }
}

/// A part of a scene, in its units, from its upper left corner.
struct SceneBox: Equatable {
  var x: Double
  var y: Double
  var width: Double
  var height: Double

  init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  var placement: Placement {
    Placement(x: x + width / 2, y: y + height / 2, width: width, height: height, degrees: 0)
  }

  /// What is left of it within a margin.
  func inset(by margin: Double) -> SceneBox {
    SceneBox(x + margin, y + margin, max(0, width - 2 * margin), max(0, height - 2 * margin))
  }

  /// So much of it from the left, and the rest.
  func split(across part: Double) -> (SceneBox, SceneBox) {
    let left = width * part
    return (SceneBox(x, y, left, height), SceneBox(x + left, y, width - left, height))
  }

  /// So much of it from the top, and the rest.
  func split(down part: Double) -> (SceneBox, SceneBox) {
    let top = height * part
    return (SceneBox(x, y, width, top), SceneBox(x, y + top, width, height - top))
  }
}

extension SceneColor {
  static func gray(_ value: Double) -> SceneColor { SceneColor(red: value, green: value, blue: value, alpha: 1) }
}
