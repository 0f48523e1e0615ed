// `doc edit`: shows a document's picture, and moves its elements by keys. Invariant: nothing is saved here; Enter
// returns the changes, and every other way out leaves the document unchanged.

import CardDocuments
import Commands
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
    try KeyScreen(session).run(showing: lines, takesEscape: { showsHelp }) { event in
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

  private static let keys = [
    ("arrows", "move the element"), ("+ -", "make it larger, smaller"), ("[ ]", "rotate it"),
    ("Tab", "select the next one"),
    ("< >", "lower it, raise it"), ("w c", "wrap a text, crop a picture"), ("a", "align a text: center, left, right"),
    ("s", "change the step size"), ("u", "undo"), ("Enter Esc", "save, or discard all"),
  ]

  private func handleKey(_ key: Key) {
    alert = ""
    if showsHelp || key == .character("?") { return showsHelp.toggle() }
    do throws(DocumentError) {
      try act(key)
    } catch {
      alert = error.message
    }
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

  // MARK: Drawing

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
      parts.body = helpLines
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

  /// The key help: one line per key, or packed side by side on a low screen.
  private var helpLines: [String] {
    if Self.keys.count + 3 <= terminal.height { return Self.keys.map { $0.0.filled(to: 12) + $0.1 } }
    let words = Self.keys.map { "\($0.0)  \($0.1)" }.joined(separator: "   ")
    return packedLines(words, within: max(8, terminal.width - 4))
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
      cannotDraw = true
      alert = "The picture cannot be drawn: \(error)"
      return boxLines()
    }
    guard let pixels = drawn?.pixels else { return boxLines() }
    return HalfBlocks(
      pixels, marked: edit.element.map { ElementBox($0, columns: columns, rows: rows * 2).outline } ?? []
    )
    .lines
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
