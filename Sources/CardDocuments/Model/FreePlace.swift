// Finds a position for a new element, and for what is below an element that grows. Invariant: an element hides no other
// while there is room; on a full card, a new one is shifted so that the elements below it stay visible.

import Glibc

extension CardDocument {
  /// Units between elements, and from the edges of the card.
  private static let gap = 20.0
  private static let margin = 60.0
  /// The step by which new elements are shifted on a full card.
  private static let shift = 60.0

  /// Finds a position where an element of this size hides no other, from the top and in the middle first; nil if none.
  ///
  ///     document.openPlace(width: 1000, height: 300)   // y is -790 on an empty card
  public func openPlace(width: Double, height: Double) -> ElementPlacement? {
    let (right, bottom) = ((Self.width - width) / 2, (Self.height - height) / 2)
    guard right >= 0, bottom >= 0 else { return nil }
    let (across, down) = (max(0, right - Self.margin), max(0, bottom - Self.margin))
    let taken = elements.filter { $0.kind != nil }.map(\.upright)
    let steps: [Double] = stride(from: 50, to: across, by: 50).flatMap { (step: Double) -> [Double] in [-step, step] }
    let columns = [0, -across, across] + steps
    for y in stride(from: -down, through: down, by: 10) {
      for x in columns {
        let place = ElementPlacement(x: x, y: y, width: width, height: height)
        if !taken.contains(where: { Self.overlaps($0, place) }) { return place }
      }
    }
    return nil
  }

  /// A position on a card that is full, where the element overlaps others.
  public func fullPlace(width: Double, height: Double) -> ElementPlacement {
    let step = Self.shift * Double(elements.count % 8)
    return ElementPlacement(x: step, y: step, width: width, height: height)
  }

  /// The lower edge of the lowest element.
  var lowerEdge: Double { elements.map { $0.upright.lower }.max() ?? 0 }

  /// Returns where the elements below one that grows downwards are moved, to keep a gap, or the smaller one there was.
  func moves(below element: Element, growing growth: Double) -> [(id: String, y: Double)] {
    var (above, moves) = ([(place: element.upright, by: growth)], [(id: String, y: Double)]())
    for other in elements.sorted(by: { $0.upright.upper < $1.upright.upper }) where other.id != element.id {
      let place = other.upright
      let step =
        above.filter { (upper, _) in
          upper.lower <= place.upper + Self.gap && abs(upper.x - place.x) < (upper.width + place.width) / 2
        }.map { $0.place.lower + $0.by + min(Self.gap, max(0, place.upper - $0.place.lower)) - place.upper }.max() ?? 0
      guard step > 0, other.kind != nil, !other.isLocked else { continue }
      above.append((place, step))
      moves.append((other.id, other.y + step))
    }
    return moves
  }

  private static func overlaps(_ element: ElementPlacement, _ place: ElementPlacement) -> Bool {
    abs(element.x - place.x) < (element.width + place.width) / 2 + gap / 2
      && abs(element.y - place.y) < (element.height + place.height) / 2 + gap / 2
  }
}

extension ElementPlacement {
  fileprivate var upper: Double { y - height / 2 }
  fileprivate var lower: Double { y + height / 2 }
}

extension Element {
  /// The axis-aligned bounding box of the rotated element.
  fileprivate var upright: ElementPlacement {
    let turn = rotation.truncatingRemainder(dividingBy: 360) * .pi / 180
    let (cosine, sine) = (abs(cos(turn)), abs(sin(turn)))
    return ElementPlacement(x: x, y: y, width: width * cosine + height * sine, height: width * sine + height * cosine)
  }
}
