// Output: results go to standard output, messages to standard error, both in the order in which they were written.
// Invariant: every failure that reaches a user is one line without Swift type names, and without stack trace unless
// requested; text from others is made printable; JSON has the names of Lua's fields.

import Bindings
import CTerminal
package import Commands
import Files
import Glibc
import Lexicon
import LuaRuntime
import Problems
import Text
import Values

package final class Console {
  private let output: Terminal
  let errors: Terminal
  /// The user data whose settings adjust the terminals.
  weak var preferences: UserData?
  /// Suppresses the greeting, progress and notes.
  package let isQuiet: Bool
  let elapsed: () -> Double

  package init(terminal: Terminal, messages: Terminal, isQuiet: Bool, elapsed: @escaping () -> Double) {
    (output, errors, self.isQuiet, self.elapsed) = (terminal, messages, isQuiet, elapsed)
  }

  /// The file and line being run, printed before error messages: `weekly.dh:3: `.
  var place = ""
  /// Whether output currently goes to a file or a program.
  var isRedirected = false
  /// Whether text for the user goes to standard error, so that a program reads only the result on standard output.
  var usesStandardError = false
  /// Called with how much of a long operation is done, of how much if that is known.
  var didProgress: (Int, Int?) -> Void = { _, _ in }

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

  /// Whether output goes to a screen. (`terminal` asks the settings too.)
  var hasScreen: Bool { output.hasScreen && !isRedirected }

  func ring() { if output.hasScreen { write("\u{07}") } }

  /// Writes text to standard output unchanged.
  package func write(_ text: String) {
    if usesStandardError { return writeToErrors(text) }
    // Swift's print and Lua's share C's buffer of standard output, so the order is kept.
    print(text, terminator: "")
    if hasScreen { fflush(nil) }
  }

  package func show(_ lines: [String]) { if !lines.isEmpty { write(lines.joined(separator: "\n") + "\n") } }

  /// - Parameter isPaged: whether output that is longer than the screen goes through the pager.
  package func show(_ display: Display, isPaged: Bool = false) {
    let terminal = terminal
    let lines = display.lines(on: terminal)
    let isLong = lines.count >= terminal.height && terminal.canRedraw && terminal.hasKeyboard
    if isPaged, isLong, let pager = preferences?.pager, Pager(program: pager).show(lines) { return }
    show(lines)
  }

  /// Writes a line for the user to standard error, wrapped between words at a terminal. It is always one line: text
  /// from others is made printable here.
  package func message(_ text: String) {
    let line = printable(text, limit: 4_000)
    guard let width = errors.cutWidth else { return rawMessage(line) }
    rawMessage(line.lines(within: width, breaksWords: false).joined(separator: "\n"))
  }

  /// Writes a message whose line breaks are meant: a Lua error, which may quote several lines, or its stack trace.
  package func message(lines text: String) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      message(line.replacing(text: "\t", with: "    "))
    }
  }

  /// Writes a line that a program may read to standard error.
  package func rawMessage(_ text: String) { writeToErrors(text + "\n") }

  private func writeToErrors(_ text: String) {
    fflush(nil)
    _ = writeAll(text.utf8, to: 2)
  }

  /// Writes a message that is of no use to a program; quiet mode suppresses it.
  package func note(_ text: String) { if !isQuiet { message(text) } }

  /// Starts a progress line for a long operation; it is redrawn in place, on a terminal only.
  /// - Parameters:
  ///   - unit: what is counted, in the plural: `cards`.
  ///   - atOnce: whether to draw it immediately, because it says what the user waits for, instead of after a second.
  package func progress(_ label: String, total: Int?, unit: String = "", atOnce: Bool = false) -> ProgressLine {
    let delay: Double? = drawsProgress ? (atOnce ? 0 : 1) : nil
    let terminal = delay == nil ? errors : messages
    return ProgressLine(label, total: total, unit: unit, on: terminal, after: delay, now: elapsed) {
      fflush(nil)
      _ = writeAll($0.utf8, to: 2)
    }
  }

  /// Runs `work` while a progress line shows how much is done, of how much if that is known.
  func showing<Result>(
    _ label: String, total: Int? = nil, unit: String = "", atOnce: Bool = false,
    _ work: (@escaping (Int, Int?) -> Void) throws -> Result
  ) rethrows -> Result {
    let progress = self.progress(label, total: total, unit: unit, atOnce: atOnce)
    defer { progress.finish() }
    return try work { [didProgress] in
      progress.update($0, of: $1)
      didProgress($0, $1)
    }
  }

  var drawsProgress: Bool { !isQuiet && errors.canRedraw && !messages.reducesMotion }

  /// Flushes all output buffers.
  /// - Returns: whether all output to standard output succeeded.
  package func flush() -> Bool { fflush(nil) == 0 && !standard_output_has_failed() }
}

/// Shows on a console that a word list is being compiled, from the start.
func showCompiling(of lexicons: LexiconLibrary, on console: Console) {
  var line: ProgressLine?
  lexicons.didReach = { stage in
    switch stage {
    case .begun(let list):
      let label = "Preparing the \(printable(list)) word list (once)"
      if console.errors.hasScreen, !console.drawsProgress { console.note(label) }
      line = console.progress(label, total: 100, atOnce: true)
      line?.update(0, of: 100)
    case .read(let share): line?.update(Int(share * 50), of: 100)
    case .ended: line?.finish()
    }
  }
}

struct Pager {
  /// A command line for the system's shell.
  let program: String

  /// Shows the lines, and waits until the user leaves the pager.
  /// - Returns: false when the pager could not be run.
  func show(_ lines: [String]) -> Bool {
    // The lines are UTF-8 in every locale; without this, `less` shows other letters than ASCII as bytes in some.
    let line = "export LESSCHARSET=\"${LESSCHARSET:-utf-8}\"; \(program)"
    guard let (child, input) = startShell(line) else { return false }
    // Leaving the pager early is not a failure.
    let handler = signal(SIGPIPE, SIG_IGN)
    _ = writeAll((lines.joined(separator: "\n") + "\n").utf8, to: input)
    close(input)
    signal(SIGPIPE, handler)
    // The statuses of a shell that cannot run the program, or does not find it.
    return ![126, 127].contains(CallPause.waitingForUser { waitForExit(of: child) })
  }
}

struct Reporter {
  private let console: Console
  private let wantsJSON: Bool

  init(_ console: Console, _ options: ShellOptions) { (self.console, wantsJSON) = (console, options.wantsJSON) }

  /// Reports an error and returns its exit status.
  /// - Parameter origin: the command that failed; printed before the message.
  @discardableResult func report(_ error: any Error, origin: String? = nil, asJSON: Bool? = nil) -> Int32 {
    if let reason = (error as? LuaError)?.stopReason, case .exit(let status) = reason { return Int32(status) }
    let problem = problem(of: error)
    // Whoever ended the program knows why its work stopped.
    if let signal = Interrupts.endingSignal, problem.report.code == .interrupted { return 128 + signal }
    if asJSON ?? wantsJSON {
      console.rawMessage(Value(problem).json)
    } else {
      let words = printable(console.place, limit: 500) + words(error, problem, origin)
      if error is LuaError { console.message(lines: words) } else { console.message(words) }
    }
    showTrace(of: error)
    return problem.report.code.exitStatus
  }

  /// Reports an error in a listener; that of a plugin names the plugin and the subject itself.
  func report(_ error: any Error, in subject: String, of owner: Owner) {
    console.message(owner == .user ? "in \(subject): \(error)" : "\(error)")
    showTrace(of: error)
  }

  /// Shows the traceback, which an error has only if it was requested.
  private func showTrace(of error: any Error) {
    if let trace = (error as? any TracedError)?.trace { console.message(lines: trace) }
  }

  private func words(_ error: any Error, _ problem: any Problem, _ origin: String?) -> String {
    if let lua = error as? LuaError {
      if lua.stopReason == .interrupt { return "interrupted" }
      let text = withoutPromptPosition(lua.description)
      let hasPlace = text == lua.description && text.contains(":") && !text.hasPrefix("stopped")
      return hasPlace ? text : "error: " + text
    }
    if !console.place.isEmpty { return problem.message }
    return origin.map { "\($0): \(problem.message)" } ?? "error: \(problem.message)"
  }

  /// Lines typed at the prompt have no file, so the position is removed.
  private func withoutPromptPosition(_ text: String) -> String {
    let start = promptChunk + ":1: "
    return text.hasPrefix(start) ? String(text.dropFirst(start.count)) : text
  }

  private func problem(of error: any Error) -> any Problem {
    switch error {
    case let lua as LuaError:
      if let report = lua.problem?.report {
        return PlainProblem(ProblemReport(report.code, report.title, lua.description))
      }
      if lua.stopReason == .interrupt { return PlainProblem(ProblemReport(.interrupted, "Interrupted", "interrupted")) }
      return PlainProblem(ProblemReport(.luaError, "A Lua error", withoutPromptPosition(lua.description)))
    case let problem as any Problem: return problem
    default: return PlainProblem(ProblemReport(.failed, "It failed", String(describing: error)))
    }
  }
}

extension Session {
  func show(_ result: CommandResult, asJSON: Bool) {
    // A script's output is never paged, since nobody turns the pages.
    guard asJSON else { return console.show(result.display, isPaged: !state.isInScript) }
    console.show(result.answer.jsonLines { scripting.record(of: $0) })
  }
}

extension UserScripting {
  /// A bound object as a record of its fields; objects within it are represented by their identity.
  func record(of object: AnyObject) -> Value {
    if let answer = object as? LuaCommandResult { return answer.plain { record(of: $0) } }
    guard let bound = object as? any BoundObject, let type = lua.description(of: bound) else { return .null }
    do { return .record(try type.fields.map { ($0.name, value(of: try $0.read(bound))) }) } catch {
      return .record(["error": String(describing: error)])
    }
  }

  func value(of value: LuaValue) -> Value { value.value { identity(of: $0) } }

  private func identity(of object: any BoundObject) -> Value {
    guard let type = lua.description(of: object) else { return .null }
    do { return value(of: try type.identity(object)) } catch {
      // The object was removed between the two reads, so there is nothing to name.
      return .null
    }
  }
}

extension CommandResult {
  /// The result of a change that did nothing: the editor left everything as it was, or the user declined.
  static func unchanged(_ answer: CommandAnswer = .value(.null)) -> CommandResult {
    CommandResult(answer, line: "Nothing was changed.")
  }
}
