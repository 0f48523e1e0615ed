// Questions at the terminal. Invariant: nothing is asked when nobody can answer; Ctrl-C, or a signal that ends the
// program, also ends the Lua code that asks, even if it catches errors.

import Glibc
import LuaRuntime
import Text
import Workspace

/// The input of lines.
final class LineInput {
  /// The line editor, while the prompt runs at a terminal.
  var lineReader: LineReader?
  /// It does not read ahead, because a script's `io.read` may want the next line.
  lazy var plainReader = PlainLineReader(readsAhead: false, isInterrupted: { Interrupts.wereRequested })
  /// Whether no key was pressed for so long that it is time to lock.
  var isIdle = false
  /// The history that the line editor uses.
  var historyPlace: HistoryPlace?
  /// The lines of an unfinished chunk of Lua, while further lines are read.
  var openChunk = ""
  /// The lines typed in this session.
  var typedLines: [TypedLine] = []

  /// Discards text typed ahead, so that it does not answer another program's question.
  func forgetTyped() { tcflush(STDIN_FILENO, TCIFLUSH) }
}

/// A line of this session, as `history --lua` writes it.
struct TypedLine {
  let text: String
  let isCommand: Bool
  let hasFailed: Bool
}

extension Session {
  /// Asks for a line at the terminal; nil when nobody can answer.
  /// - Parameter mark: who asks, at the beginning of the line on which the user types; empty for the program.
  package func ask(_ text: String, mark: String = "") throws -> String? {
    if options.isUnattended || LineReader.isReading { return nil }
    let outcome: LineOutcome
    let question = broken(printable(text, limit: Self.longestQuestion), mark)
    if let lineReader = input.lineReader {
      IdleLock(self).watch()
      outcome = try lineReader.read(prompt: question, hidesHistory: true)
    } else {
      if console.terminal.hasKeyboard { console.write(question) }
      outcome = try input.plainReader.read(prompt: question)
    }
    switch outcome {
    case .line(let line): return line
    case .stopped where Interrupts.endingSignal != nil: break
    case .stopped where input.isIdle:
      return IdleLock(self).unlockCovered() ? try ask(text, mark: mark) : nil
    case .endOfInput, .stopped:
      // The terminal shows nothing for Ctrl-D, so the line of the question is ended here.
      if input.lineReader == nil, canAsk { console.write("\n") }
      return nil
    case .interrupted: break
    case .terminated(let signal): leave(by: signal)
    }
    Interrupts.request()
    throw WorkspaceError.interrupted
  }

  private static let longestQuestion = 1_000

  /// Prints all but the last line of a question that is too long for one line; returns the last line for the prompt.
  private func broken(_ question: String, _ mark: String) -> String {
    let width = console.terminal.width - mark.displayWidth
    guard canAsk, question.displayWidth >= width else { return mark + question }
    var lines = question.lines(within: max(1, width - 1), breaksWords: false)
    let last = lines.removeLast()
    console.show(lines)
    return mark + (question.last == " " ? last + " " : last)
  }

  /// Whether a user at a terminal can be asked.
  var canAsk: Bool { console.terminal.hasKeyboard && console.terminal.hasScreen && !options.isUnattended }

  /// Asks for yes or no if a user can be asked; otherwise the answer is yes, as the command was given deliberately.
  func confirm(_ question: String) throws -> Bool {
    guard canAsk else { return true }
    return Self.isYes(try ask(question + " [y/N] "))
  }

  static func isYes(_ answer: String?) -> Bool { ["y", "yes"].contains(answer?.trimmed.lowercased()) }
}
