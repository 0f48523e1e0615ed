// Where a new element finds a place of its own. Invariant: it hides none that is there as long as there is room; when
// there is none left, it is moved aside so that what lies below can be seen.

extension CardDocument {
  /// Units between elements.
  private static let gap = 20.0
  /// How far an element is from the one below when the card is full.
  private static let shift = 60.0

  /// A place for an element of a size: from the top down, in the middle first.
  ///
  ///     document.freePlace(width: 1000, height: 300)   // y is -830 on an empty card
  public func freePlace(width: Double, height: Double) -> ElementPlacement {
    let (cardWidth, cardHeight) = (Self.width, Self.height)
    let (right, bottom) = (max(0, (cardWidth - width) / 2), max(0, (cardHeight - height) / 2))
    for y in stride(from: -bottom + Self.gap, through: max(bottom - Self.gap, -bottom + Self.gap), by: 10) {
      for x in [0, -right + Self.gap, right - Self.gap] where abs(x) <= right || x == 0 {
        let place = ElementPlacement(x: x, y: y, width: width, height: height)
        if !elements.contains(where: { Self.overlaps($0, place) }) { return place }
      }
    }
    let step = Self.shift * Double(elements.count % 8)
    return ElementPlacement(x: step, y: step, width: width, height: height)
  }

  /// By their boxes, upright as they are without their rotation.
  private static func overlaps(_ element: Element, _ place: ElementPlacement) -> Bool {
    abs(element.x - place.x) < (element.width + place.width) / 2 + gap / 2
      && abs(element.y - place.y) < (element.height + place.height) / 2 + gap / 2
  }
}
