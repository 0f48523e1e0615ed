// What can go wrong with a map or a reduce over lines, as facts and as messages. Invariant: an error caused by the
// input names its line.

public import Problems
import Text

/// Why a run over lines ended.
///
///     MapError.unsorted(line: 12).message   // line 12 of standard input ... sort it with LC_ALL=C sort
public enum MapError: Problem, Equatable {
  /// The script does not define a function that the run needs.
  case noFunction(script: String, isReduce: Bool)
  /// A line that has more bytes than the limit.
  case longLine(line: Int, limit: Int)
  /// A line of the input to `--reduce` that is not a record.
  case badRecord(line: Int, reason: String)
  /// A key that is smaller than the one before.
  case unsorted(line: Int)
  /// The script's code failed.
  case failed(line: Int, message: String)

  public var report: ProblemReport {
    switch self {
    case .noFunction(let script, let isReduce):
      ProblemReport(
        .badFile, "No function to run",
        "\(printable(script)) has no function \(isReduce ? "reduce or combine" : "map"); `help map` shows one")
    case .longLine(let line, let limit):
      ProblemReport(
        .tooLarge, "Line too long",
        "line \(line) of standard input has more than \(grouped(limit)) bytes; only a line feed ends a line",
        ["line": line])
    case .badRecord(let line, let reason):
      ProblemReport(
        .badRow, "Not a record",
        "line \(line) of standard input is not a record: \(reason); KEY, a tab and JSON expected, as `map` writes them",
        ["line": line])
    case .unsorted(let line):
      ProblemReport(
        .badRow, "Not sorted",
        "line \(line) of standard input is not sorted: its key is smaller than the one before; use LC_ALL=C sort",
        ["line": line])
    case .failed(let line, let message):
      ProblemReport(
        .luaError, "The script failed",
        (line > 0 ? "line \(line) of standard input: " : "") + printable(message, limit: 2_000), ["line": line])
    }
  }
}
