// Where results and messages go: results to standard output, messages to standard error. Invariant: both reach the
// terminal in the order they were written, what Lua printed in between too; a message is one line unless it was asked
// to be more, and what others wrote in it is printable, as it is in a `Display`.

package import Bindings
import CTerminal
package import Commands
import Glibc
import LuaRuntime
import Text

package final class Console {
  private let output: Terminal
  let errors: Terminal
  /// Whose settings say what the terminals are like.
  weak var preferences: UserData?
  /// No greeting, no progress, no notes.
  package let isQuiet: Bool
  let elapsed: () -> Double

  package init(terminal: Terminal, messages: Terminal, isQuiet: Bool, elapsed: @escaping () -> Double) {
    output = terminal
    errors = messages
    self.isQuiet = isQuiet
    self.elapsed = elapsed
  }

  /// The file and the line of what runs, before the messages of its failures: `weekly.dh:3: `.
  var place = ""
  /// What is written goes to a file or a program for now.
  var isRedirected = false
  /// What a user reads of a dialogue goes to standard error: a program reads standard output for the answer alone.
  var isAside = false

  /// Standard output. While a line is read only the line editor has the keyboard.
  package var terminal: Terminal {
    var terminal = preferences?.adjusted(output) ?? output
    if LineReader.isReading { terminal.hasKeyboard = false }
    if isRedirected {
      (terminal.hasScreen, terminal.usesColor, terminal.usesUnicode, terminal.rowLimit) = (false, false, true, nil)
    }
    return terminal
  }
  /// Standard error.
  package var messages: Terminal { preferences?.adjusted(errors) ?? errors }

  /// The bell, where there is a terminal to ring it.
  func ring() { if output.hasScreen { write("\u{07}") } }

  /// Writes to standard output as it is.
  package func write(_ text: String) {
    if isAside { return writeToErrors(text) }
    // Swift's print and Lua's share C's buffer of standard output, so the order is kept.
    print(text, terminator: "")
    if output.hasScreen, !isRedirected { fflush(nil) }
  }

  package func show(_ lines: [String]) {
    if !lines.isEmpty { write(lines.joined(separator: "\n") + "\n") }
  }

  /// - Parameter isPaged: whether it goes through the pager where it is longer than the screen.
  package func show(_ display: Display, isPaged: Bool = false) {
    let terminal = terminal
    let lines = display.lines(on: terminal)
    let isLong = lines.count >= terminal.height && terminal.canRedraw && terminal.hasKeyboard
    if isPaged, isLong, let pager = preferences?.pager, Pager(pager).show(lines) { return }
    show(lines)
  }

  /// A line for the user, on standard error; at a terminal it is broken between words. Whatever is in it, it is one
  /// line: text of others is made printable here.
  package func message(_ text: String) {
    let line = printable(text, limit: 4_000)
    guard let width = errors.cutWidth else { return messageAsItIs(line) }
    messageAsItIs(line.lines(within: width, breaksWords: false).joined(separator: "\n"))
  }

  /// A text whose line ends are meant: an error of Lua, which may quote several lines of code, or its trace.
  package func message(lines text: String) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      message(line.replacing(text: "\t", with: "    "))
    }
  }

  /// A line that a program may read, on standard error.
  package func messageAsItIs(_ text: String) { writeToErrors(text + "\n") }

  private func writeToErrors(_ text: String) {
    fflush(nil)
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      if written <= 0 { return }
      bytes = bytes.dropFirst(written)
    }
  }

  /// A line that is of no use to a program.
  package func note(_ text: String) { if !isQuiet { message(text) } }

  /// Something long under way: a line that is drawn again, on a terminal only.
  /// - Parameters:
  ///   - unit: what is counted, in the plural: `cards`.
  ///   - atOnce: draw it before a second has passed, as it says what the user waits for.
  package func progress(
    _ label: String, total: Int?, unit: String = "", atOnce: Bool = false
  ) -> any ProgressReporting {
    guard drawsProgress else { return NoProgress() }
    return ConsoleProgress(
      ProgressLine(label, total: total, unit: unit, on: messages, isPatient: !atOnce, now: elapsed) { text in
        fflush(nil)
        Self.writeRaw(text)
      })
  }

  /// Whether a line is drawn again as work goes on.
  var drawsProgress: Bool { !isQuiet && errors.canRedraw && !messages.reducesMotion }

  private static func writeRaw(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = Glibc.write(2, bytes.baseAddress, bytes.count) }
  }

  /// Writes out what is still in buffers.
  /// - Returns: whether standard output took all of it.
  package func flush() -> Bool { fflush(nil) == 0 && !standard_output_has_failed() }
}

/// Progress that nobody sees.
private final class NoProgress: ProgressReporting {
  func step(_ count: Int) {}
  func update(_ done: Int, of total: Int?) {}
  func finish() {}
}

private final class ConsoleProgress: ProgressReporting {
  private let line: ProgressLine

  init(_ line: ProgressLine) { self.line = line }

  func step(_ count: Int) { line.step(count) }
  func update(_ done: Int, of total: Int?) { line.reach(done, of: total) }
  func finish() { line.finish() }
}
