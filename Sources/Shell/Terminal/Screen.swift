// Screens: lines that are redrawn in place, the parts that all of them have, and the loop of their keys. Invariant: a
// screen changes only lines that it drew itself, none of them wider than the terminal; however it ends, the terminal is
// as it was before; the idle lock covers it until the password is entered.

import Authentication
import Files
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

/// The effect of a key on a screen.
enum KeyOutcome<Answer> {
  case continues
  case ends(Answer?)
}

struct KeyScreen {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// Runs the screen, showing the lines again after each key.
  /// - Parameters:
  ///   - takesEscape: whether `handle` receives Escape now, instead of it leaving the screen.
  ///   - handle: receives each key and each paste, and each line when there is no keyboard.
  /// - Returns: the result; nil when the user left.
  func run<Answer>(
    showing lines: () -> [String], takesEscape: () -> Bool = { false },
    _ handle: (KeyEvent) throws -> KeyOutcome<Answer>
  ) throws -> Answer? {
    let keys = session.keyReader()
    let screen = Screen(session.console.terminal) { [console = session.console] text in console.write(text) }
    let (lock, clocks) = (IdleLock(session), session.environment.clocks)
    var idle = IdleClock(now: clocks.reading().boot)
    defer { screen.clear() }
    return try keys.whileReadingKeys {
      while true {
        screen.show(lines())
        // With the idle lock on, wakes at least once a second: a timeout does not advance while the machine sleeps,
        // but the idle clock does.
        let event = try keys.next(timeout: lock.untilLock(idle).map { min($0, 1000) })
        if lock.untilLock(idle) == 0 {
          guard try lock.unlock(screen, keys) else { return nil }
          screen.redrawAll(lines())
          idle.touch(now: clocks.reading().boot)
          continue
        }
        switch event {
        case .key, .line, .pasted: idle.touch(now: clocks.reading().boot)
        default: break
        }
        switch event {
        case .tick: continue
        case .resized, .key(.control("l")): screen.redrawAll(lines())
        case .resumed: screen.redraw(lines())
        case .interrupted, .endOfInput: return nil
        case .key(.escape) where !takesEscape(): return nil
        case .terminated(let signal):
          session.leave(by: signal)
          return nil
        case .key, .line, .pasted: if case .ends(let answer) = try handle(event) { return answer }
        }
      }
    }
  }
}

extension Session {
  /// A reader of the keys for a screen.
  func keyReader() -> KeyReader {
    KeyReader(lines: input.plainReader, marksPastes: !console.terminal.isDumb)
  }
}
