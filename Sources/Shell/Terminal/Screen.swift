// Screens: lines that are redrawn in place, the parts that all of them have, and the loop of their keys; and the line
// of progress. Invariant: a screen changes only lines that it drew itself, none of them wider than the terminal;
// however it ends, the terminal is as it was before; the idle lock covers it until the password is entered.

import Authentication
import Bindings
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

  /// Whether a screen is so low that its keys have one line.
  static func isLow(_ terminal: Terminal) -> Bool { terminal.height < 20 }

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
    alert.flatMap { line in line.lines(within: max(8, terminal.width - 4)).map { indent + terminal.styled($0, .yellow) }
    }
  }

  func keyLines(on terminal: Terminal) -> [String] {
    let lines = keys.split(separator: "\n").flatMap {
      packedLines(String($0), within: max(8, Self.width(on: terminal) - 4))
    }
    return lines.map { indent + terminal.styled($0, .dim) }
  }
}

enum KeyOutcome<Answer> {
  case continues
  case ends(Answer?)
}

struct KeyScreen {
  let session: Session

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
    let (lock, clocks) = (IdleLock(session: session), session.environment.clocks)
    var idle = IdleClock(now: clocks.reading().boot)
    defer { screen.clear() }
    return try keys.whileReadingKeys {
      while true {
        screen.show(lines())
        // With the idle lock on, wakes each second: only the idle clock advances while the machine sleeps.
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
        case .key, .line, .pasted: if case .ends(let answer) = try handle(event) { return answer }
        }
      }
    }
  }
}

extension Session {
  func keyReader() -> KeyReader { KeyReader(lines: input.plainReader, marksPastes: !console.terminal.isDumb) }
}

package final class ProgressLine: ProgressReporting {
  private static let interval = 0.1
  private static let longestBar = 28

  private let label: String
  private var total: Int?
  private let unit: String
  private let terminal: Terminal
  private let now: () -> Double
  private let write: (String) -> Void
  private let start: Double
  private var nextDrawing: Double
  private var isDrawn = false
  private var isOver: Bool
  package private(set) var done = 0

  /// - Parameters:
  ///   - total: the number of steps; nil or 0 when it is unknown.
  ///   - unit: what a step is, in the plural: `cards`.
  ///   - delay: the seconds until it is drawn; nil for never.
  ///   - now: the seconds of a monotonic clock.
  ///   - write: writes text to the terminal unchanged.
  package init(
    _ label: String, total: Int? = nil, unit: String = "", on terminal: Terminal, after delay: Double? = 1,
    now: @escaping () -> Double, write: @escaping (String) -> Void
  ) {
    self.label = printable(label)
    self.total = total.flatMap { $0 > 0 ? $0 : nil }
    (self.unit, self.terminal, self.now, self.write) = (unit, terminal, now, write)
    isOver = delay == nil
    start = terminal.canRedraw ? now() : 0
    nextDrawing = start + (delay ?? 0)
  }

  package func step(_ count: Int = 1) {
    let (sum, overflow) = done.addingReportingOverflow(max(0, count))
    done = overflow ? Int.max : sum
    draw()
  }

  /// Sets the number of completed steps, and the total if it has become known.
  package func update(_ count: Int, of all: Int? = nil) {
    done = max(0, count)
    if let all, all > 0 { total = all }
    draw()
  }

  /// Removes the line; the work has ended, successfully or not.
  package func finish() {
    if isDrawn { write("\r\u{1B}[K") }
    (isDrawn, isOver) = (false, true)
  }

  private func draw() {
    guard terminal.canRedraw, !isOver else { return }
    let time = now()
    guard time >= nextDrawing else { return }
    (nextDrawing, isDrawn) = (time + Self.interval, true)
    write("\r" + text(elapsed: max(time - start, 0.001)) + "\u{1B}[K")
  }

  private func text(elapsed: Double) -> String {
    let rate = Double(done) / elapsed
    var facts: [String] = []
    if let total {
      let percent = Int((min(1, Double(done) / Double(total)) * 100).rounded(.down))
      facts.append(String(percent).filled(to: 3, atStart: true) + " %")
    } else if done == 0 {
      // Nothing is counted yet, so the elapsed time is shown.
      facts.append(Self.duration(elapsed))
    } else {
      facts.append(grouped(done) + (unit.isEmpty ? "" : " " + unit))
    }
    // Beside a percentage, a rate is useful only with a unit.
    if rate > 0, total == nil || !unit.isEmpty {
      facts.append(Self.rounded(rate) + (unit.isEmpty ? "/s" : " \(unit)/s"))
    }
    if let total, rate > 0, done < total { facts.append(Self.duration(Double(total - done) / rate) + " left") }
    // The last column stays free, because some terminals wrap when it is written.
    let width = terminal.width - 1
    let rest = facts.joined(separator: "  ")
    let room = width - label.displayWidth - rest.displayWidth - 4
    guard let total, room >= 8 else { return (label + "  " + rest).cut(to: width) }
    let fraction = min(1, Double(done) / Double(total))
    return label + "  " + bar(fraction, width: min(room, Self.longestBar)) + "  " + rest
  }

  private func bar(_ fraction: Double, width: Int) -> String {
    let full = Int(fraction * Double(width))
    guard terminal.usesUnicode else {
      return String(repeating: "#", count: full) + String(repeating: "-", count: width - full)
    }
    let tip = full < width ? "╸" : ""
    let rest = String(repeating: terminal.usesColor ? "━" : "─", count: max(0, width - full - 1))
    return String(repeating: "━", count: full) + tip + terminal.styled(rest, .dim)
  }

  /// Rounds to three significant digits, since a changing number cannot be read more precisely.
  private static func rounded(_ rate: Double) -> String {
    guard rate >= 10 else { return "\((rate * 10).rounded() / 10)" }
    var scale = 1.0
    while rate / scale >= 1000 { scale *= 10 }
    return grouped(Int(exactly: ((rate / scale).rounded() * scale).rounded()) ?? Int.max)
  }

  /// Formats a duration: `0.4 s`, `12 s`, `3 min`, `2 h`.
  private static func duration(_ seconds: Double) -> String {
    switch seconds {
    case ..<10: "\((seconds * 10).rounded() / 10) s"
    case ..<100: "\(Int(seconds.rounded())) s"
    case ..<6_000: "\(Int((seconds / 60).rounded())) min"
    case ..<3_600_000: "\(Int((seconds / 3600).rounded())) h"
    default: "long"
    }
  }
}
