// How much room a text needs in its box. Invariant: the answer is for the fonts of this machine, as they are drawn; without
// the drawing program it is reckoned by the number of letters.

import Wire

extension StoredDocument {
  /// Units above and below the lines of a box that grows.
  private static let margin = 10.0

  /// How high the box of a text must be, as wide as it is.
  public func neededHeight(of element: Element) throws -> Double {
    let query = element.measureQuery
    let height: Double
    do throws(DrawingFailure) {
      height = try store.drawing.measure([query])[0].height
    } catch {
      if error == .interrupted { throw DocumentError.drawing(error) }
      height = Self.reckonedHeight(query)
    }
    return (height + 2 * Self.margin).rounded(.up)
  }

  /// The same for a text that is not on the card yet.
  public func neededHeight(of text: String, style: TextStyle, width: Double) throws -> Double {
    var draft = CardDocument(id: id, background: .yellow)
    let place = ElementPlacement(width: width, height: 100)
    return try neededHeight(of: draft.addText(text, style: style, at: place, id: id))
  }

  /// Makes the box of a text that grows as high as it must be; its upper side stays where it is.
  public func growBox(of id: String) throws {
    guard let element = content.element(id), element.grows == true else { return }
    let height = try neededHeight(of: element)
    guard height != element.height else { return }
    try set(.y, of: id, to: .number(element.y + (height - element.height) / 2))
    try set(.height, of: id, to: .number(height))
  }

  /// A letter is about half as wide as it is high, a line a fifth higher than its letters.
  private static func reckonedHeight(_ query: MeasureQuery) -> Double {
    let lines = query.text.split(separator: "\n", omittingEmptySubsequences: false).reduce(0.0) { sum, line in
      let width = Double(line.count) * query.size * 0.55
      return sum + (query.width > 0 ? max(1, (width / query.width).rounded(.up)) : 1)
    }
    return lines * query.size * 1.2
  }
}
