// `doc edit`: shows a document's picture, and moves its elements by keys, in a copy. Invariant: nothing is saved here,
// and each step can be undone; Enter returns the changes, every other way out leaves the document unchanged.

import CardDocuments
import Problems
import Text
import Workspace

final class DocumentEditor {
  private let session: Session
  private let document: StoredDocument
  private var edit: DocumentEdit
  private var alert = ""
  /// The drawn picture, with the content it shows.
  private var drawn: (content: CardDocument, size: Int, pixels: PixelDrawing)?
  private var cannotDraw = false
  private var showsHelp = false

  init(_ session: Session, _ handle: DocumentHandle) throws {
    self.session = session
    document = try handle.document()
    edit = DocumentEdit(document.content)
  }

  private var terminal: Terminal { session.console.terminal }

  /// - Returns: the changes; nil when there are none, or they are discarded.
  func run() throws -> DocumentEdit? {
    try KeyScreen(session: session).run(showing: lines, takesEscape: { showsHelp }) { event in
      switch event {
      case .key(let key) where showsHelp: handleKey(key)
      case .key(.character("q")): return .ends(nil)
      case .key(.enter): return .ends(edit.hasChanged ? edit : nil)
      case .key(let key): handleKey(key)
      default: break
      }
      return .continues
    }
  }

  private func handleKey(_ key: Key) {
    alert = ""
    if showsHelp || key == .character("?") { return showsHelp.toggle() }
    do throws(DocumentError) { try act(key) } catch { alert = error.message }
  }

  private func act(_ key: Key) throws(DocumentError) {
    switch key {
    case .left: try edit.move(across: -1, down: 0)
    case .right: try edit.move(across: 1, down: 0)
    case .up: try edit.move(across: 0, down: -1)
    case .down: try edit.move(across: 0, down: 1)
    case .tab: edit.pickNext()
    case .character("+"), .character("="): try edit.grow(true)
    case .character("-"): try edit.grow(false)
    case .character("]"): try edit.turn(clockwise: true)
    case .character("["): try edit.turn(clockwise: false)
    case .character(">"): try edit.raise(true)
    case .character("<"): try edit.raise(false)
    case .character("w"): try edit.toggle(.wraps)
    case .character("c"): try edit.toggle(.cropped)
    case .character("a"): try edit.alignNext()
    case .character("s"): edit.takeNextStep()
    case .character("u"): if !edit.undo() { alert = "Nothing to undo." }
    default: alert = "This key does nothing here."
    }
  }

  /// The rows of the picture: those that title, alert and keys leave free.
  private var rows: Int { max(3, min(30, terminal.height - (isNarrow ? 9 : 8))) }
  private var isNarrow: Bool { terminal.width < 64 }
  private var columns: Int { max(4, min(terminal.width - 8, rows * 13 / 10)) }

  private func lines() -> [String] {
    let elements = edit.content.elements
    var parts = ScreenParts(title: "Edit " + printable(edit.content.title))
    if !elements.isEmpty { parts.facts = ["element \(edit.place + 1) of \(session.grouped(elements.count))"] }
    if showsHelp {
      parts.facts = ["any key goes back"]
      parts.body = wrapped(DocumentEditCommands.keys, width: max(8, terminal.width - 4))
      return parts.lines(on: terminal)
    }
    let picture = pictureLines()
    if isNarrow {
      parts.body = picture + (description.first.map { [$0] } ?? [])
    } else {
      let blank = String(repeating: " ", count: columns)
      let words = description
      parts.body = (0..<max(picture.count, words.count)).map { row in
        (row < picture.count ? picture[row] : blank) + (row < words.count ? "   " + words[row] : "")
      }
    }
    if !alert.isEmpty { parts.alert = [alert] }
    parts.keys =
      "arrows move   + - size   [ ] rotate   Tab next   < > lower, raise   w wrap   c crop   "
      + "a align   s step \(Int(edit.step))   u undo   Enter saves   Esc cancels   ? help"
    return parts.lines(on: terminal)
  }

  /// A description of the element, and a list of its neighbours.
  private var description: [String] {
    guard let element = edit.element else { return ["The document is empty: `doc add-text` adds a text to it."] }
    func number(_ value: Double) -> String { Int(exactly: value.rounded()).map { session.grouped($0) } ?? "\(value)" }
    let room = isNarrow ? terminal.width - 4 : max(16, terminal.width - columns - 10)
    var lines = [
      "at \(number(element.x)), \(number(element.y))   \(number(element.width)) x \(number(element.height))"
        + "   rotated \(number(element.rotation))°"
    ]
    let marks = [
      element.wraps == true ? "wraps" : nil, element.align.flatMap { $0 == "center" ? nil : $0 },
      element.isCropped == true ? "cropped" : nil,
      element.isLocked ? "locked" : nil, element.group.map { "in group \(printable($0))" },
    ].compactMap { $0 }
    lines += ["", marks.joined(separator: ", "), ""]
    let all = edit.content.elements
    let first = max(0, min(edit.place - 4, all.count - 9))
    for (index, other) in all.enumerated().dropFirst(first).prefix(9) {
      let mark = index == edit.place ? (terminal.usesUnicode ? "❯ " : "> ") : "  "
      let text = other.text ?? other.alt.flatMap { $0.isEmpty ? nil : $0 } ?? other.kind?.rawValue ?? "?"
      let line = mark + "\(index + 1)  " + printable(text).cut(to: room - 6)
      lines.append(terminal.styled(line, index == edit.place ? .bold : []))
    }
    return lines.map { $0.styledCut(to: room) }
  }

  /// The picture as half blocks; without colours or the drawing program, the outlines of the elements.
  private func pictureLines() -> [String] {
    guard terminal.usesColor, terminal.usesUnicode, !cannotDraw else { return boxLines() }
    do {
      if drawn?.content != edit.content || drawn?.size != rows {
        drawn = (edit.content, rows, try document.pixels(of: edit.content, width: columns, height: rows * 2))
      }
    } catch {
      // The outlines can be edited as well.
      (cannotDraw, alert) = (true, "The picture cannot be drawn: \(error)")
      return boxLines()
    }
    guard let pixels = drawn?.pixels else { return boxLines() }
    return HalfBlocks(
      pixels, marked: edit.element.map { ElementBox($0, columns: columns, rows: rows * 2).outline } ?? []
    ).lines
  }

  private func boxLines() -> [String] {
    // The terminal may be resized at any time, so its size is asked for once.
    let columns = columns
    let rows = rows
    var grid = [[Character]](repeating: [Character](repeating: " ", count: columns), count: rows)
    for (index, element) in edit.content.elements.enumerated() {
      let box = ElementBox(element, columns: columns, rows: rows)
      let isPicked = index == edit.place
      for (column, row) in box.outline { grid[row][column] = isPicked ? "#" : "." }
      let label = Array(String(index + 1))
      if let (column, row) = box.centre {
        for (offset, digit) in label.enumerated() where column + offset < columns { grid[row][column + offset] = digit }
      }
    }
    return grid.map { String($0) }
  }
}

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
  mutating func pickNext() { if !content.elements.isEmpty { place = (place + 1) % content.elements.count } }

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

  private mutating func set(_ fields: (Element) -> [(ElementField, ElementValue)]) throws(DocumentError) {
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
        try stored.change { try $0.lower(id) }
        moved.insert(id)
      }
    }
    return moved
  }
}
