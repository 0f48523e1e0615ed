// The height that a text needs in its box. Invariant: the result is for the fonts of this machine, as they are drawn;
// without the drawing program, it is estimated from the number of letters.

import Files
import Wire

/// Measures the height of texts.
public struct TextRooms {
  /// Units above and below the lines in a box that grows.
  private static let margin = 10.0

  private let drawing: DrawingProgram

  public init(_ store: DocumentStore) { drawing = store.drawing }

  /// Returns the height that the box of a text needs at its current width.
  public func height(of element: Element) throws -> Double {
    let query = element.measureQuery
    let height: Double
    do throws(ProgramFailure) { height = try drawing.measure([query])[0].height } catch {
      if error == .interrupted { throw DocumentError.drawing(error) }
      height = Self.reckonedHeight(query)
    }
    return (height + 2 * Self.margin).rounded(.up)
  }

  /// Returns what changes when a growing box gets the height that its text needs, while its upper edge stays in place.
  public func growth(of element: Element) throws -> [(field: ElementField, value: ElementValue)] {
    guard element.grows == true else { return [] }
    let height = try height(of: element)
    if height == element.height { return [] }
    return [(.y, .number(element.y + (height - element.height) / 2)), (.height, .number(height))]
  }

  /// Returns the height that the box of a text needs that is not on a card yet.
  public func height(of text: String, style: TextStyle, width: Double) throws -> Double {
    let id = DocumentID(bytes: [UInt8](repeating: 0, count: 16))
    var draft = CardDocument(id: id, background: .black)
    return try height(of: draft.addText(text, style: style, at: ElementPlacement(width: width, height: 100), id: id))
  }

  /// Assumes that a letter is about half as wide as it is high, and a line a fifth higher than its letters.
  private static func reckonedHeight(_ query: MeasureQuery) -> Double {
    let lines = query.text.split(separator: "\n", omittingEmptySubsequences: false).reduce(0.0) { sum, line in
      let width = Double(line.count) * query.size * 0.55
      return sum + (query.width > 0 ? max(1, (width / query.width).rounded(.up)) : 1)
    }
    return lines * query.size * 1.2
  }
}
