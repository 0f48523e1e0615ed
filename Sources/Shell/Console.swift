// Output: results go to standard output, messages to standard error. Invariant: both reach the terminal in the order in
// which they were written, including what Lua printed in between; a message is one line unless the caller asked for
// more; text from others is made printable, as in a `Display`.

package import Bindings
import CTerminal
package import Commands
import Files
import Glibc
import Lexicon
import LuaRuntime
import Text

package final class Console {
  private let output: Terminal
  let errors: Terminal
  /// The user data whose settings adjust the terminals.
  weak var preferences: UserData?
  /// Suppresses the greeting, progress and notes.
  package let isQuiet: Bool
  let elapsed: () -> Double

  package init(terminal: Terminal, messages: Terminal, isQuiet: Bool, elapsed: @escaping () -> Double) {
    output = terminal
    errors = messages
    self.isQuiet = isQuiet
    self.elapsed = elapsed
  }

  /// The file and line being run, printed before error messages: `weekly.dh:3: `.
  var place = ""
  /// Whether output currently goes to a file or a program.
  var isRedirected = false
  /// Whether text for the user goes to standard error, so that a program reads only the result on standard output.
  var usesStandardError = false

  /// Standard output. While a line is being read, only the line editor has the keyboard.
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

  /// Rings the bell if there is a terminal.
  func ring() { if output.hasScreen { write("\u{07}") } }

  /// Writes text to standard output unchanged.
  package func write(_ text: String) {
    if usesStandardError { return writeToErrors(text) }
    // Swift's print and Lua's share C's buffer of standard output, so the order is kept.
    print(text, terminator: "")
    if output.hasScreen, !isRedirected { fflush(nil) }
  }

  package func show(_ lines: [String]) {
    if !lines.isEmpty { write(lines.joined(separator: "\n") + "\n") }
  }

  /// - Parameter isPaged: whether output that is longer than the screen goes through the pager.
  package func show(_ display: Display, isPaged: Bool = false) {
    let terminal = terminal
    let lines = display.lines(on: terminal)
    let isLong = lines.count >= terminal.height && terminal.canRedraw && terminal.hasKeyboard
    if isPaged, isLong, let pager = preferences?.pager, Pager(pager).show(lines) { return }
    show(lines)
  }

  /// Writes a line for the user to standard error, wrapped between words at a terminal. It is always one line: text
  /// from others is made printable here.
  package func message(_ text: String) {
    let line = printable(text, limit: 4_000)
    guard let width = errors.cutWidth else { return rawMessage(line) }
    rawMessage(line.lines(within: width, breaksWords: false).joined(separator: "\n"))
  }

  /// Writes a message whose line breaks are meant: a Lua error, which may quote several lines of code, or its stack
  /// trace.
  package func message(lines text: String) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      message(line.replacing(text: "\t", with: "    "))
    }
  }

  /// Writes a line that a program may read to standard error.
  package func rawMessage(_ text: String) { writeToErrors(text + "\n") }

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

  /// Writes a message that is of no use to a program; quiet mode suppresses it.
  package func note(_ text: String) { if !isQuiet { message(text) } }

  /// Starts a progress line for a long operation; it is redrawn in place, on a terminal only.
  /// - Parameters:
  ///   - unit: what is counted, in the plural: `cards`.
  ///   - atOnce: whether to draw it immediately, because it says what the user waits for, instead of after a second.
  package func progress(
    _ label: String, total: Int?, unit: String = "", atOnce: Bool = false
  ) -> any ProgressReporting {
    guard drawsProgress else { return NoProgress() }
    return ConsoleProgress(
      ProgressLine(label, total: total, unit: unit, on: messages, isDelayed: !atOnce, now: elapsed) { text in
        fflush(nil)
        Self.writeRaw(text)
      })
  }

  /// Runs `work` while a progress line shows how much is done, of how much if that is known.
  func showing<Result>(
    _ label: String, total: Int? = nil, unit: String = "", atOnce: Bool = false,
    _ work: (@escaping (Int, Int?) -> Void) throws -> Result
  ) rethrows -> Result {
    let progress = self.progress(label, total: total, unit: unit, atOnce: atOnce)
    defer { progress.finish() }
    return try work { progress.update($0, of: $1) }
  }

  /// Whether progress lines are drawn.
  var drawsProgress: Bool { !isQuiet && errors.canRedraw && !messages.reducesMotion }

  private static func writeRaw(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = Glibc.write(2, bytes.baseAddress, bytes.count) }
  }

  /// Flushes all output buffers.
  /// - Returns: whether all output to standard output succeeded.
  package func flush() -> Bool { fflush(nil) == 0 && !standard_output_has_failed() }
}

/// Progress that is not shown.
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

/// Shows on a console that a word list is being compiled, from the start.
func showCompiling(of lexicons: LexiconLibrary, on console: Console) {
  var line: (any ProgressReporting)?
  lexicons.didReach = { stage in
    switch stage {
    case .begun(let list):
      let label = "Preparing the \(printable(list)) word list (once)"
      if console.errors.hasScreen, !console.drawsProgress { console.note(label) }
      line = console.progress(label, total: 100, atOnce: true)
      line?.update(0, of: 100)
    case .read(let share): line?.update(Int(share * 50), of: 100)
    case .ended:
      line?.finish()
      line = nil
    }
  }
}

struct Pager {
  private let program: String

  /// - Parameter program: a command line for the system's shell.
  init(_ program: String) { self.program = program }

  /// Shows the lines, and waits until the user leaves the pager.
  /// - Returns: false when the pager could not be run.
  func show(_ lines: [String]) -> Bool {
    guard let ends = uninheritedPipe() else { return false }
    // The lines are UTF-8 in every locale; without this, `less` shows other letters than ASCII as bytes in some.
    let child = startShell("export LESSCHARSET=\"${LESSCHARSET:-utf-8}\"; \(program)", input: ends.reading)
    close(ends.reading)
    guard let child else {
      close(ends.writing)
      return false
    }
    // Leaving the pager early is not a failure.
    let handler = signal(SIGPIPE, SIG_IGN)
    var bytes = Array((lines.joined(separator: "\n") + "\n").utf8)[...]
    while !bytes.isEmpty {
      let count = retrying { bytes.withUnsafeBytes { write(ends.writing, $0.baseAddress, $0.count) } }
      if count <= 0 { break }
      bytes = bytes.dropFirst(count)
    }
    close(ends.writing)
    signal(SIGPIPE, handler)
    // The statuses of a shell that cannot run the program, or does not find it.
    return ![126, 127].contains(CallPause.waitingForUser { waitForExit(of: child) })
  }
}
