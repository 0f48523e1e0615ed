// The common parts of every screen: a title with facts at its end, the body, an alert, a foot, and the keys.
// Invariant: no line is wider than the terminal, from 20 columns on; the parts have the same order on each screen.

import Text

struct ScreenParts {
  /// Plain text at the left of the first line.
  var title = ""
  /// Descriptions of the state, longest first: the first one that leaves room for the title is shown at its right.
  var facts: [String] = []
  /// Styled lines, ready to be drawn.
  var body: [String] = []
  /// The result of the last action, or an error.
  var alert: [String] = []
  /// One line about the current state; nil for none.
  var foot: String?
  /// What can be pressed or typed: lines of items separated by three or more spaces.
  var keys = ""
  /// The indentation of all lines but the title; empty for output at the prompt.
  var indent = "   "

  /// The most columns that a screen uses, so that it is not stretched on a wide terminal.
  static func width(on terminal: Terminal) -> Int { min(terminal.width, 92) }

  func lines(on terminal: Terminal) -> [String] {
    let width = terminal.width
    let foot = foot.map { [indent + $0] } ?? []
    return (head(on: terminal) + foot + alertLines(on: terminal) + keyLines(on: terminal)).map {
      $0.styledCut(to: width)
    }
  }

  /// The index of the foot among the lines, from 0; nil without one.
  func footPlace(on terminal: Terminal) -> Int? { foot == nil ? nil : head(on: terminal).count }

  private func head(on terminal: Terminal) -> [String] {
    let heading = title.isEmpty && facts.isEmpty ? [] : [titleLine(on: terminal), ""]
    return heading + body.map { $0.isEmpty ? "" : indent + $0 }
  }

  /// The title with the longest facts that fit beside it.
  func titleLine(on terminal: Terminal) -> String {
    let width = Self.width(on: terminal)
    let fitting = facts.first { $0.displayWidth + 2 + min(12, title.displayWidth) <= width } ?? facts.last ?? ""
    let left = max(4, width - fitting.displayWidth)
    if fitting.isEmpty { return terminal.styled(title.cut(to: width), .bold) }
    return terminal.styled(title.cut(to: max(4, left - 2)).filled(to: left), .bold) + fitting
  }

  func alertLines(on terminal: Terminal) -> [String] {
    alert.flatMap { line in
      line.lines(within: max(8, terminal.width - 4)).map { indent + terminal.styled($0, .yellow) }
    }
  }

  func keyLines(on terminal: Terminal) -> [String] {
    let lines = keys.split(separator: "\n").flatMap {
      packedLines(String($0), within: max(8, Self.width(on: terminal) - 4))
    }
    return lines.map { indent + terminal.styled($0, .dim) }
  }
}
