// Lines from a pipe or a file, read without stdio, whose error flag would stay set after an interrupt; and what all
// sources of lines share. Invariant: a line has at most `limit` bytes, without its line end; text that is not UTF-8 is
// an error; without reading ahead, nothing after the line is consumed.

import Files
import Glibc
import LuaRuntime
package import Problems
import Text

package final class PlainLineReader: LineSource {
  private let input: Int32
  private let limit: Int
  private let chunkSize: Int
  private let isInterrupted: () -> Bool
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  /// - Parameters:
  ///   - limit: the longest accepted line in bytes; a longer one is skipped with an error.
  ///   - readsAhead: whether to read in chunks; this is fast, but other readers of the same input (Lua's `io.read`)
  ///     miss the text after the line.
  ///   - isInterrupted: asked when a signal ends a read; true makes the outcome `.interrupted`.
  package init(input: Int32 = 0, limit: Int = 64 << 20, readsAhead: Bool = true, isInterrupted: @escaping () -> Bool) {
    (self.input, self.limit, self.isInterrupted) = (input, limit, isInterrupted)
    chunkSize = readsAhead ? 1 << 16 : 1
  }

  package func read(prompt: String = "") throws(LineError) -> LineOutcome {
    if LineReader.isReading { return .endOfInput }
    var searched = 0
    var isSkipping = false
    while true {
      if let end = buffer[(start + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        let bytes = buffer[start..<end]
        start = end + 1
        return isSkipping || bytes.count > limit ? try tooLong() : try line(bytes)
      }
      searched = buffer.count - start
      if searched > limit {
        isSkipping = true
        dropAll()
        searched = 0
      }
      if isAtEnd {
        // At a terminal, Ctrl-D ends one answer, and the next question is read again.
        isAtEnd = false
        return isSkipping ? try tooLong() : try lastLine()
      }
      if try !fill() { return .interrupted }
    }
  }

  /// Reads more input; false when a signal ended the wait and `isInterrupted` returns true.
  private func fill() throws(LineError) -> Bool {
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    var chunk = [UInt8](repeating: 0, count: chunkSize)
    while true {
      guard waitForInput() else { return false }
      let count = Glibc.read(input, &chunk, chunk.count)
      if count > 0 { buffer += chunk[..<count] }
      if count == 0 { isAtEnd = true }
      if count >= 0 { return true }
      guard errno == EINTR else { throw .unreadable(errno: errno) }
      if isInterrupted() { return false }
    }
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

  private func dropAll() {
    buffer.removeAll(keepingCapacity: true)
    start = 0
  }

  private func tooLong() throws(LineError) -> LineOutcome { throw .tooLong(limit: limit) }

  private func lastLine() throws(LineError) -> LineOutcome {
    guard start < buffer.count else { return .endOfInput }
    let bytes = buffer[start...]
    start = buffer.count
    return try line(bytes)
  }

  private func line(_ bytes: ArraySlice<UInt8>) throws(LineError) -> LineOutcome {
    let text = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
    return .line(try checkedText(text))
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
  case endOfInput
  /// The program was asked to end (SIGTERM, SIGHUP, SIGQUIT): save, then exit with 128 + the signal.
  case terminated(Int32)
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

package protocol LineSource: AnyObject {
  /// Reads a line. The prompt is not shown when nobody sees it. While `LineReader.isReading`, the input is at its end.
  func read(prompt: String) throws(LineError) -> LineOutcome
}
