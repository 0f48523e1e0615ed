// Where results and messages go: results to standard output, messages to standard error. Invariant: both reach the terminal in
// the order they were written, what Lua printed in between too; a message is one line unless it was asked to be more.

public import Bindings
import CTerminal
public import Commands
import Glibc
import LuaRuntime

public final class Console {
  private let output: Terminal
  private let errors: Terminal
  /// Makes of a terminal what the settings say.
  var adjust: (Terminal) -> Terminal = { $0 }
  /// No greeting, no progress, no notes.
  public let isQuiet: Bool
  let elapsed: () -> Double

  public init(terminal: Terminal, messages: Terminal, isQuiet: Bool, elapsed: @escaping () -> Double) {
    output = terminal
    errors = messages
    self.isQuiet = isQuiet
    self.elapsed = elapsed
  }

  /// Standard output.
  public var terminal: Terminal { adjust(output) }
  /// Standard error.
  public var messages: Terminal { adjust(errors) }

  /// The bell, where there is a terminal to ring it.
  func ring() { if output.hasScreen { write("\u{07}") } }

  /// Writes to standard output as it is.
  public func write(_ text: String) {
    // Swift's print and Lua's share C's buffer of standard output, so the order is kept.
    print(text, terminator: "")
    if output.hasScreen { fflush(nil) }
  }

  public func show(_ lines: [String]) {
    if !lines.isEmpty { write(lines.joined(separator: "\n") + "\n") }
  }

  public func show(_ display: Display) { show(display.lines(on: terminal)) }

  /// A line for the person, on standard error; at a terminal it is broken between words.
  public func message(_ text: String) {
    guard let width = errors.cutWidth else { return messageAsItIs(text) }
    messageAsItIs(text.lines(within: width, breaksWords: false).joined(separator: "\n"))
  }

  /// A line that a program may read, on standard error.
  public func messageAsItIs(_ text: String) {
    fflush(nil)
    var bytes = Array((text + "\n").utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      if written <= 0 { return }
      bytes = bytes.dropFirst(written)
    }
  }

  /// A line that is of no use to a program.
  public func note(_ text: String) { if !isQuiet { message(text) } }

  /// Something long under way: a line that is drawn again, on a terminal only.
  public func progress(_ label: String, total: Int?) -> any ProgressReporting {
    guard !isQuiet, errors.canRedraw, !messages.isCalm else { return NoProgress() }
    return ConsoleProgress(
      ProgressLine(label, total: total, on: messages, now: elapsed) { [unowned self] text in
        fflush(nil)
        writeRaw(text)
      })
  }

  private func writeRaw(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = Glibc.write(2, bytes.baseAddress, bytes.count) }
  }

  /// Writes out what is still in buffers.
  /// - Returns: whether standard output took all of it.
  public func flush() -> Bool { fflush(nil) == 0 && !standard_output_has_failed() }
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
  func update(_ done: Int, of total: Int?) { line.reach(done) }
  func finish() { line.finish() }
}
