// Questions at the terminal. Invariant: where nobody can answer, nothing is asked; Ctrl-C and a signal that ends the
// program end the Lua code that asks too, whatever catches errors there.

import Glibc
import LuaRuntime
import Text
import Workspace

/// Where lines come from.
final class LineInput {
  /// The line editor, while the prompt runs at a terminal.
  var lineReader: LineReader?
  /// It does not read ahead: a script's `io.read` may want the next line.
  lazy var plainReader = PlainLineReader(readsAhead: false, isInterrupted: { Interrupts.wereRequested })
  /// Whether no key was pressed for so long that it is time to lock.
  var isIdle = false
  /// Which history the line editor has.
  var historyPlace: HistoryPlace?
  /// The lines of an unfinished chunk of Lua that more is asked for.
  var openChunk = ""
  /// What was typed in this session.
  var typedLines: [TypedLine] = []

  /// What `serve` asks of this shell.
  let requests = ShellRequests()

  /// What was typed before somebody else asks is no answer to it.
  func forgetTyped() { tcflush(STDIN_FILENO, TCIFLUSH) }
}

/// A line of this session, as `history --lua` writes it.
struct TypedLine {
  let text: String
  let isCommand: Bool
  let hasFailed: Bool
}

extension Session {
  /// Asks for a line at the terminal; nil where nobody can answer.
  package func ask(_ text: String) throws -> String? {
    if options.isUnattended || LineReader.isReading { return nil }
    let outcome: LineOutcome
    let question = broken(printable(text, limit: Self.longestQuestion))
    if let lineReader = input.lineReader {
      IdleLock(self).watch()
      outcome = try lineReader.read(prompt: question, initial: "", hidesHistory: true)
    } else {
      if console.terminal.hasKeyboard { console.write(question) }
      outcome = try input.plainReader.read(prompt: question)
    }
    switch outcome {
    case .line(let line): return line
    case .stopped where Interrupts.endingSignal != nil: break
    case .stopped where input.isIdle:
      return IdleLock(self).unlockCovered() ? try ask(text) : nil
    case .endOfInput, .stopped, .requested: return nil
    case .interrupted: break
    case .terminated(let signal): leave(by: signal)
    }
    Interrupts.request()
    throw WorkspaceError.interrupted
  }

  private static let longestQuestion = 1_000

  /// Writes a question that is too long for a line, up to its last line, which is left to be read behind.
  private func broken(_ question: String) -> String {
    let width = console.terminal.width
    guard canAsk, question.displayWidth >= width else { return question }
    var lines = question.lines(within: width - 1, breaksWords: false)
    let last = lines.removeLast()
    console.show(lines)
    return question.last == " " ? last + " " : last
  }

  /// Whether somebody sits at a terminal and can be asked.
  var canAsk: Bool { console.terminal.hasKeyboard && console.terminal.hasScreen && !options.isUnattended }

  /// Asks for yes or no where somebody sits there; elsewhere the answer is yes, as the command was written on purpose.
  func confirm(_ question: String) throws -> Bool {
    guard canAsk else { return true }
    let answer = try ask(question + " [y/N] ")
    return ["y", "yes"].contains(answer?.trimmed.lowercased())
  }
}
