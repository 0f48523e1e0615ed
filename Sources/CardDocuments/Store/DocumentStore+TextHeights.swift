// The height that a text needs in its box. Invariant: the result is for the fonts of this machine, as they are drawn;
// without the drawing program, it is estimated from the number of letters.

import Files
import Wire

extension DocumentStore {
  /// Units above and below the lines in a box that grows.
  private static let textMargin = 10.0

  /// Returns the height that the box of a text needs at its current width.
  public func height(of element: Element) throws -> Double {
    let query = element.measureQuery
    let height: Double
    do throws(ProgramFailure) { height = try drawing.measure([query])[0].height } catch {
      if error == .interrupted { throw DocumentError.drawing(error) }
      height = Self.reckonedHeight(query)
    }
    return (height + 2 * Self.textMargin).rounded(.up)
  }

  /// Returns what changes when growing boxes get the height that their texts need: the upper edge stays, what is below
  /// moves. Texts for which the card has no room become smaller, unless their size is fixed.
  public func growth(
    of elements: [String], in document: CardDocument, isFixed: Bool = false
  ) throws -> [(element: String, field: ElementField, value: ElementValue)] {
    var changes: [(element: String, field: ElementField, value: ElementValue)] = []
    for share in isFixed ? [1] : [1, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3] {
      var content = document
      changes = []
      func change(_ id: String, _ field: ElementField, _ value: Double) throws {
        changes.append((id, field, .number(value)))
        try content.set(field, of: id, to: .number(value))
      }
      for id in elements where document.element(id)?.grows == true {
        if share < 1, let size = document.element(id)?.size { try change(id, .size, size * share) }
        guard let element = content.element(id) else { continue }
        let more = try height(of: element) - element.height
        if more == 0 { continue }
        let moves = content.moves(below: element, growing: more)
        try change(id, .y, element.y + more / 2)
        try change(id, .height, element.height + more)
        for move in moves { try change(move.id, .y, move.y) }
      }
      if content.lowerEdge <= max(CardDocument.height / 2, document.lowerEdge) { break }
    }
    return changes
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
