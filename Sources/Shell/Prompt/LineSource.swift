// The source of lines: a user at a terminal (LineReader) or a pipe (PlainLineReader).
// Invariant: a line never includes its line end; text that is not UTF-8 is an error, never a line.

import Files
package import Problems
import Text

/// How reading a line ended.
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
      ProblemReport(
        .badText, "Not UTF-8", "the line is not UTF-8 where it shows \u{FFFD}; it was not run")
    case .tooLong(let limit):
      ProblemReport(
        .tooLong, "The line is too long", "the line has more than \(grouped(limit)) bytes; it was not run")
    case .unreadable(let number):
      ProblemReport(.unreadable, "The input cannot be read", "the input cannot be read: \(systemWords(number))")
    }
  }
}

package protocol LineSource: AnyObject {
  /// Reads a line. The prompt is not shown when nobody sees it. While `LineReader.isReading` it returns the end of the
  /// input.
  func read(prompt: String) throws(LineError) -> LineOutcome
}
