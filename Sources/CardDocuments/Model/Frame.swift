// The eleven frames that can clip an image, and their outlines. Invariant: the order is that of the original app's
// indices, from 0 (circle) to 10 (octagon); an outline stays within its box.

import Wire

/// A shape that clips an image, centred in the element's box.
public enum Frame: String, CaseIterable, Sendable {
  case circle
  case rectangle
  case roundedRectangle = "rounded_rectangle"
  case heart, lens, chevron, cone, cloud, diamond, hexagon, octagon

  /// The number of the frame in the original app.
  public var index: Int { Frame.allCases.firstIndex(of: self) ?? 0 }

  /// Nil when no frame has the number.
  public init?(index: Int) {
    guard Frame.allCases.indices.contains(index) else { return nil }
    self = Frame.allCases[index]
  }

  /// The closed outline in a box of the given size, centred at 0, 0, y down.
  func outline(width: Double, height: Double) -> [PathStep] {
    var pen = OutlinePen(width: width, height: height)
    switch self {
    case .circle: pen.circle()
    case .rectangle: pen.polygon([(0, 0), (1, 0), (1, 1), (0, 1)])
    case .roundedRectangle: pen.roundedRectangle(radius: 25)
    case .heart: pen.heart()
    case .lens: pen.lens()
    case .chevron: pen.polygon([(0, 0), (0.7, 0), (1, 0.5), (0.7, 1), (0, 1), (0.3, 0.5)])
    case .cone: pen.cone()
    case .cloud: pen.cloud()
    case .diamond: pen.polygon([(0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)])
    case .hexagon: pen.polygon([(0.25, 0), (0.75, 0), (1, 0.5), (0.75, 1), (0.25, 1), (0, 0.5)])
    case .octagon: pen.octagon()
    }
    return pen.steps
  }
}

/// Draws in a box from 0, 0 (upper left) to 1, 1, and converts the steps to the size and position of the real box.
private struct OutlinePen {
  let width: Double
  let height: Double
  var steps: [PathStep] = []

  private func at(_ x: Double, _ y: Double) -> PathPoint { PathPoint(x: (x - 0.5) * width, y: (y - 0.5) * height) }

  private mutating func move(_ x: Double, _ y: Double) { steps.append(.move(at(x, y))) }
  private mutating func curve(_ a: (Double, Double), _ b: (Double, Double), _ end: (Double, Double)) {
    steps.append(.curve(at(a.0, a.1), at(b.0, b.1), at(end.0, end.1)))
  }

  mutating func polygon(_ corners: [(Double, Double)]) {
    for (index, corner) in corners.enumerated() {
      let point = at(corner.0, corner.1)
      steps.append(index == 0 ? .move(point) : .line(point))
    }
    steps.append(.close)
  }

  /// The diameter is the shorter side of the box.
  mutating func circle() {
    let radius = min(width, height) / 2
    steps.append(.arc(centre: PathPoint(x: 0, y: 0), radius: radius, from: 0, to: 2 * .pi))
    steps.append(.close)
  }

  mutating func roundedRectangle(radius wanted: Double) {
    let radius = min(wanted, width / 2, height / 2)
    let right = width / 2 - radius
    let bottom = height / 2 - radius
    let corners: [(Double, Double, Double)] = [
      (right, -bottom, -0.5), (right, bottom, 0), (-right, bottom, 0.5), (-right, -bottom, 1),
    ]
    for (x, y, turn) in corners {
      steps.append(.arc(centre: PathPoint(x: x, y: y), radius: radius, from: turn * .pi, to: (turn + 0.5) * .pi))
    }
    steps.append(.close)
  }

  mutating func heart() {
    move(0.5, 1)
    curve((0.35, 0.8), (0, 0.6), (0, 0.28))
    curve((0, 0.1), (0.12, 0), (0.26, 0))
    curve((0.37, 0), (0.46, 0.07), (0.5, 0.2))
    curve((0.54, 0.07), (0.63, 0), (0.74, 0))
    curve((0.88, 0), (1, 0.1), (1, 0.28))
    curve((1, 0.6), (0.65, 0.8), (0.5, 1))
    steps.append(.close)
  }

  /// Two bows between the middles of the left and right edges, a quarter of the height from the top and the bottom.
  mutating func lens() {
    move(0, 0.5)
    curve((1 / 3.0, 1 / 6.0), (2 / 3.0, 1 / 6.0), (1, 0.5))
    curve((2 / 3.0, 5 / 6.0), (1 / 3.0, 5 / 6.0), (0, 0.5))
    steps.append(.close)
  }

  /// Half an ellipse above a triangle, like an ice cream cone.
  mutating func cone() {
    let kappa = 0.2761423749  // half of 4/3 (√2 - 1): a quarter ellipse as one curve, for a radius of a half
    move(0, 0.4)
    curve((0, 0.4 - kappa * 0.8), (0.5 - kappa, 0), (0.5, 0))
    curve((0.5 + kappa, 0), (1, 0.4 - kappa * 0.8), (1, 0.4))
    steps.append(.line(at(0.5, 1)))
    steps.append(.close)
  }

  mutating func cloud() {
    move(0.22, 0.9)
    curve((0.02, 0.92), (-0.02, 0.6), (0.14, 0.54))
    curve((0.06, 0.3), (0.24, 0.18), (0.36, 0.28))
    curve((0.42, 0.02), (0.76, 0.04), (0.76, 0.32))
    curve((0.94, 0.3), (1, 0.48), (0.9, 0.58))
    curve((1.04, 0.7), (0.96, 0.92), (0.8, 0.9))
    steps.append(.close)
  }

  /// Regular in a square box: each corner is cut off at 45 degrees.
  mutating func octagon() {
    let cut = 0.2928932188  // 1 - 1/√2
    polygon([(cut, 0), (1 - cut, 0), (1, cut), (1, 1 - cut), (1 - cut, 1), (cut, 1), (0, 1 - cut), (0, cut)])
  }
}
