// The changes of the document editor: made to a copy, step by step, with undo. Invariant: each step can be undone;
// elements that are locked or of a later version are not changed, and the attempt is reported.

import CardDocuments
import Workspace

/// A document edited in memory.
struct DocumentEdit {
  private(set) var content: CardDocument
  private let original: CardDocument
  private var past: [CardDocument] = []
  /// The index of the selected element, in drawing order.
  private(set) var place: Int
  /// The distance that an arrow key moves, in units.
  private(set) var step = 20.0

  private static let steps = [20.0, 100, 5]
  private static let degrees = 5.0
  private static let growth = 1.05

  init(_ content: CardDocument) {
    (self.content, original) = (content, content)
    place = max(0, content.elements.count - 1)
  }

  var element: Element? { content.elements.indices.contains(place) ? content.elements[place] : nil }
  var hasChanged: Bool { content != original }

  mutating func pickNext() {
    if !content.elements.isEmpty { place = (place + 1) % content.elements.count }
  }

  mutating func takeNextStep() {
    let now = Self.steps.firstIndex(of: step) ?? 0
    step = Self.steps[(now + 1) % Self.steps.count]
  }

  mutating func undo() -> Bool {
    guard let last = past.popLast() else { return false }
    content = last
    place = min(place, max(0, content.elements.count - 1))
    return true
  }

  /// Moves the element by a number of steps.
  mutating func move(across: Double, down: Double) throws(DocumentError) {
    let (x, y) = (across * step, down * step)
    try set { [(.x, .number($0.x + x)), (.y, .number($0.y + y))] }
  }

  /// Enlarges or shrinks the element about its centre.
  mutating func grow(_ grows: Bool) throws(DocumentError) {
    let factor = grows ? Self.growth : 1 / Self.growth
    try set { element in
      // A tenth of a unit makes no visible difference, and rounding keeps numbers in the file short.
      func side(_ value: Double) -> Double { max(1, (value * factor * 10).rounded() / 10) }
      return [(.width, .number(side(element.width))), (.height, .number(side(element.height)))]
    }
  }

  mutating func turn(clockwise: Bool) throws(DocumentError) {
    try set { element in
      let turned = element.rotation + (clockwise ? Self.degrees : -Self.degrees)
      return [(.rotation, .number(turned.truncatingRemainder(dividingBy: 360)))]
    }
  }

  /// Toggles `wraps` or `cropped`.
  mutating func toggle(_ field: ElementField) throws(DocumentError) {
    try set { element in
      guard case .flag(let isOn)? = element.value(of: field) else { return [] }
      return [(field, .flag(!isOn))]
    }
  }

  /// Switches a text to the next alignment.
  mutating func alignNext() throws(DocumentError) {
    let sides = ["center", "left", "right"]
    try set { element in
      guard let side = element.align.flatMap(sides.firstIndex) else { return [] }
      return [(.align, .text(sides[(side + 1) % sides.count]))]
    }
  }

  mutating func raise(_ raises: Bool) throws(DocumentError) {
    guard let id = element?.id else { return }
    var changed = content
    guard try raises ? changed.raise(id) : changed.lower(id) else { return }
    record(changed)
    place += raises ? 1 : -1
  }

  private mutating func set(
    _ fields: (Element) -> [(ElementField, ElementValue)]
  ) throws(DocumentError) {
    guard let element else { return }
    var changed = content
    for (field, value) in fields(element) { try changed.set(field, of: element.id, to: value) }
    record(changed)
  }

  private mutating func record(_ changed: CardDocument) {
    guard changed != content else { return }
    past.append(content)
    content = changed
  }

  // MARK: Applying

  /// Applies the changes to the document itself. Changes that others made meanwhile stay.
  /// - Returns: the number of changed elements.
  func apply(to document: DocumentHandle) throws -> Int {
    let stored = try document.document()
    var changed: Set<String> = []
    for element in content.elements {
      guard let old = original.element(element.id), old != element, stored.content.element(element.id) != nil else {
        continue
      }
      for field in ElementField.allCases {
        guard let value = element.value(of: field), value != old.value(of: field) else { continue }
        try stored.set(field, of: element.id, to: value)
        changed.insert(element.id)
      }
    }
    return changed.union(try reorder(stored)).count
  }

  /// Brings the elements into the order of the copy, one step at a time.
  private func reorder(_ stored: StoredDocument) throws -> Set<String> {
    let wanted = content.elements.map(\.id)
    guard wanted != original.elements.map(\.id), Set(wanted) == Set(stored.elements.map(\.id)) else { return [] }
    var moved: Set<String> = []
    for (place, id) in wanted.enumerated() {
      while let now = stored.elements.firstIndex(where: { $0.id == id }), now > place {
        try stored.lower(id)
        moved.insert(id)
      }
    }
    return moved
  }
}
