// Where a new element finds a place of its own. Invariant: it hides none that is there as long as there is room; when
// there is none left, it is moved aside so that what lies below can be seen.

import Glibc

extension CardDocument {
  /// Units between elements, and from the sides of the card.
  private static let gap = 20.0
  private static let margin = 60.0
  /// How far an element is from the one below when the card is full.
  private static let shift = 60.0

  /// A place for an element of a size where it hides no other: from the top down, in the middle first; nil when there
  /// is none.
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

  /// The same, or a place that lies over others when the card is full.
  public func freePlace(width: Double, height: Double) -> ElementPlacement {
    if let open = openPlace(width: width, height: height) { return open }
    let step = Self.shift * Double(elements.count % 8)
    return ElementPlacement(x: step, y: step, width: width, height: height)
  }

  private static func overlaps(_ element: ElementPlacement, _ place: ElementPlacement) -> Bool {
    abs(element.x - place.x) < (element.width + place.width) / 2 + gap / 2
      && abs(element.y - place.y) < (element.height + place.height) / 2 + gap / 2
  }
}

extension Element {
  /// The upright box around it, turned as it is.
  fileprivate var upright: ElementPlacement {
    let turn = rotation.truncatingRemainder(dividingBy: 360) * .pi / 180
    let (cosine, sine) = (abs(cos(turn)), abs(sin(turn)))
    return ElementPlacement(
      x: x, y: y, width: width * cosine + height * sine, height: width * sine + height * cosine)
  }
}
