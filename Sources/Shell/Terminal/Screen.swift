// A few lines that are redrawn in place: the study and play screens. Invariant: it changes only lines that it drew
// itself; on a terminal without cursor control it only adds lines.

import Text

package final class Screen {
  private let terminal: Terminal
  private let write: (String) -> Void
  private var drawn: [String] = []

  /// - Parameter write: writes text to the terminal unchanged.
  package init(_ terminal: Terminal, write: @escaping (String) -> Void) {
    (self.terminal, self.write) = (terminal, write)
  }

  /// Replaces the lines shown last; the cursor ends up below them. Lines may be styled and are truncated to the width.
  package func show(_ lines: [String]) {
    let width = terminal.width
    let new = lines.prefix(terminal.canRedraw ? terminal.height - 1 : lines.count).map { $0.styledCut(to: width) }
    guard new != drawn || !terminal.canRedraw else { return }
    guard terminal.canRedraw else { return write(new.map { $0 + "\n" }.joined()) }
    var text = drawn.isEmpty ? "" : "\u{1B}[\(drawn.count)A\r"
    for (index, line) in new.enumerated() {
      text += index < drawn.count && drawn[index] == line ? "\n" : "\u{1B}[2K" + line + "\n"
    }
    write(text + "\u{1B}[J")
    drawn = new
  }

  /// Draws everything at the cursor: after a suspension, or after other output.
  package func redraw(_ lines: [String]) {
    drawn = []
    show(lines)
  }

  /// Redraws after the terminal's size changed: old lines may be wrapped, so the whole screen is cleared.
  package func redrawAll(_ lines: [String]) {
    cover()
    show(lines)
  }

  /// Removes the lines.
  package func clear() {
    if terminal.canRedraw, !drawn.isEmpty { write("\u{1B}[\(drawn.count)A\r\u{1B}[J") }
    drawn = []
  }

  /// Clears the whole screen, including pictures, since somebody else may be looking at it now.
  package func cover() {
    if terminal.canRedraw { write(Terminal.clearing) }
    drawn = []
  }
}

extension String {
  /// Truncates to a number of columns, not counting style sequences (`ESC [ ... m`); resets the style after truncation.
  package func styledCut(to width: Int) -> String {
    guard utf8.contains(0x1B) else { return cut(to: width) }
    var pieces: [(text: String, isStyle: Bool)] = []
    var rest = self[...]
    while let escape = rest.firstIndex(of: "\u{1B}") {
      pieces.append((String(rest[..<escape]), false))
      let end = rest[escape...].firstIndex(of: "m").map { rest.index(after: $0) } ?? rest.endIndex
      pieces.append((String(rest[escape..<end]), true))
      rest = rest[end...]
    }
    pieces.append((String(rest), false))
    let whole = pieces.reduce(0) { $0 + ($1.isStyle ? 0 : $1.text.displayWidth) }
    return whole <= width ? self : Self.joined(pieces, cutTo: width)
  }

  private static func joined(_ pieces: [(text: String, isStyle: Bool)], cutTo width: Int) -> String {
    var line = ""
    var left = width - 1
    for piece in pieces {
      if piece.isStyle {
        line += piece.text
      } else if piece.text.displayWidth <= left {
        line += piece.text
        left -= piece.text.displayWidth
      } else {
        return line + piece.text.cut(to: left, mark: "") + "…\u{1B}[0m"
      }
    }
    return line + "…\u{1B}[0m"
  }
}
