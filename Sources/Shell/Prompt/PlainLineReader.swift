// Lines from a pipe or a file, read without stdio, whose error flag would stay set after an interrupt; and the outcomes
// and errors of all readers of lines. Invariant: a line has at most `limit` bytes, without its line end; text that is
// not UTF-8 is an error; nothing after the line is consumed, because other readers (Lua's `io.read`) may want it.

import Files
import Glibc
import LuaRuntime
package import Problems
import Text

package final class PlainLineReader {
  private let input: Int32
  private let limit: Int
  private let isInterrupted: () -> Bool
  /// The beginning of a line; it stays when an interrupt ends the read.
  private var begun: [UInt8] = []
  private var isTooLong = false

  /// - Parameters:
  ///   - limit: the longest accepted line in bytes; a longer one is skipped with an error.
  ///   - isInterrupted: asked when a signal ends a read; true makes the outcome `.interrupted`.
  package init(input: Int32 = 0, limit: Int = 64 << 20, isInterrupted: @escaping () -> Bool) {
    (self.input, self.limit, self.isInterrupted) = (input, limit, isInterrupted)
  }

  /// Reads a line. While `LineReader.isReading`, the input is at its end.
  package func read() throws(LineError) -> LineOutcome {
    if LineReader.isReading { return .endOfInput }
    while waitForInput() {
      var byte: UInt8 = 0
      switch Glibc.read(input, &byte, 1) {
      case 0: return try line(isAtEnd: true)
      case 1 where byte == UInt8(ascii: "\n"): return try line(isAtEnd: false)
      case 1 where begun.count == limit: isTooLong = true
      case 1: begun.append(byte)
      default: if errno != EINTR { throw .unreadable(errno: errno) }
      }
    }
    return .interrupted
  }

  private func line(isAtEnd: Bool) throws(LineError) -> LineOutcome {
    defer { (begun, isTooLong) = ([], false) }
    if isTooLong { throw .tooLong(limit: limit) }
    // At a terminal, Ctrl-D ends one answer, and the next question is read again.
    if isAtEnd, begun.isEmpty { return .endOfInput }
    return .line(try checkedText(begun.last == UInt8(ascii: "\r") ? begun.dropLast() : begun[...]))
  }

  /// Waits until input is available. It polls repeatedly, because a signal may arrive right before the wait.
  /// - Returns: false when interrupted.
  private func waitForInput() -> Bool {
    var waits = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    var milliseconds: Int32 = 0
    while !isInterrupted() {
      let ready = CallPause.waitingForUser { poll(&waits, 1, milliseconds) }
      if ready > 0 || (ready < 0 && errno != EINTR) { return true }
      // The program at the other end may wait for buffered output before it writes more.
      if milliseconds == 0 { fflush(nil) }
      milliseconds = 100
    }
    return false
  }
}

/// Decodes bytes as UTF-8. - Throws: `.notUTF8` with the position of the first invalid byte.
func checkedText(_ bytes: some RandomAccessCollection<UInt8>) throws(LineError) -> String {
  if let text = String(validating: bytes, as: UTF8.self) { return text }
  var decoder = UTF8()
  var rest = bytes.makeIterator()
  var column = 1
  while case .scalarValue(let scalar) = decoder.decode(&rest) { column += UTF8.width(scalar) }
  throw .notUTF8(column: column)
}

package enum LineOutcome: Equatable {
  /// A line without its line end. A paste of several lines is one, with its line breaks and tabs.
  case line(String)
  /// Ctrl-C: the line is discarded; the cursor is at the start of a line.
  case interrupted
  /// Ctrl-D, or the program was asked to end (SIGTERM, SIGHUP, SIGQUIT): `Interrupts.endingSignal`.
  case endOfInput
  /// The tick asked to stop; the typed text is discarded.
  case stopped
}

package enum LineError: Problem, Equatable {
  /// `column` counts bytes from 1; nil for a typed line, which shows the position itself.
  case notUTF8(column: Int?)
  case tooLong(limit: Int)
  case unreadable(errno: Int32)

  package var report: ProblemReport {
    switch self {
    case .notUTF8(let column?):
      ProblemReport(.badText, "Not UTF-8", "the line is not UTF-8 at byte \(grouped(column)); it was not run")
    case .notUTF8(nil):
      ProblemReport(.badText, "Not UTF-8", "the line is not UTF-8 where it shows \u{FFFD}; it was not run")
    case .tooLong(let limit):
      ProblemReport(.tooLong, "The line is too long", "the line has more than \(grouped(limit)) bytes; it was not run")
    case .unreadable(let number):
      ProblemReport(.unreadable, "The input cannot be read", "the input cannot be read: \(systemWords(number))")
    }
  }
}
