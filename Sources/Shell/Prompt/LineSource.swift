// Where lines come from: a user at a terminal (LineReader) or a pipe (PlainLineReader).
// Invariant: a line never holds its line end, and what is not UTF-8 is an error, never a line.

import Files
package import Problems
import Text

/// How the reading of a line ended.
package enum LineOutcome: Equatable {
  /// Without its line end. A paste of several lines is one, with its line ends and tabs.
  case line(String)
  /// Ctrl-C: the line is dropped, the terminal stands at the beginning of a line.
  case interrupted
  case endOfInput
  /// The program was asked to end (SIGTERM, SIGHUP, SIGQUIT): save, then exit with 128 + the signal.
  case terminated(Int32)
  /// The tick asked to stop; what was typed is dropped.
  case stopped
  /// Another program asked for something that is to be done before the line is typed on; what was typed so far.
  case requested(String)
}

package enum LineError: Problem, Equatable {
  /// `column` counts bytes from 1; nil where the line was typed and shows the place itself.
  case notUTF8(column: Int?)
  case tooLong(limit: Int)
  case unreadable(errno: Int32)

  package var report: ProblemReport {
    switch self {
    case .notUTF8(let column?):
      ProblemReport(.badText, "Not UTF-8", "the line is not UTF-8 at byte \(grouped(column)); nothing of it was done")
    case .notUTF8(nil):
      ProblemReport(
        .badText, "Not UTF-8", "the line is not UTF-8 where it shows \u{FFFD}; nothing of it was done")
    case .tooLong(let limit):
      ProblemReport(
        .tooLong, "The line is too long", "the line has more than \(grouped(limit)) bytes; nothing of it was done")
    case .unreadable(let number):
      ProblemReport(.unreadable, "The input cannot be read", "the input cannot be read: \(systemWords(number))")
    }
  }
}

package protocol LineSource: AnyObject {
  /// Reads a line. The prompt is not shown where nobody sees it. While `LineReader.isReading` it is the end of the
  /// input.
  func read(prompt: String) throws(LineError) -> LineOutcome
}
