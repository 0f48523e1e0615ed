// Everything that can be wrong with a text file, as facts, and the messages for it.
// Invariant: each case names the file; a message says what was expected and what to do.

public import Problems
import Text

/// Why a text cannot be read.
///
///     TextFileError.refused(path: "a.epub", reason: "it is encrypted").message
public enum TextFileError: Problem, Equatable {
  /// The file does not have the format that its name says, or is truncated. `reason` is a clause with `it`.
  case damaged(path: String, reason: String)
  /// It contains something unsupported, or more than the limits allow.
  case refused(path: String, reason: String)
  /// libzip is not installed.
  case noLibrary(path: String)
  /// It contains no text.
  case empty(path: String)

  public var report: ProblemReport {
    switch self {
    case .damaged(let path, let reason):
      ProblemReport(
        .badFile, "The text cannot be read", "\(quoted(path)) cannot be read: \(printable(reason))", ["path": path])
    case .refused(let path, let reason):
      ProblemReport(
        .fileRefused, "The text is refused", "\(quoted(path)) is refused: \(printable(reason))", ["path": path])
    case .noLibrary(let path):
      ProblemReport(
        .notHere, "Books cannot be read here",
        "\(quoted(path)) is compressed, and reading it needs libzip; install Debian's libzip4 or libzip5",
        ["path": path])
    case .empty(let path):
      ProblemReport(.badFile, "No text", "\(quoted(path)) contains no text", ["path": path])
    }
  }
}

extension TextFileError {
  /// Converts an error of a ZIP file that is not an Anki package.
  init(_ error: PackageError, _ path: String) {
    self =
      switch error {
      case .noLibrary: .noLibrary(path: path)
      case .notAPackage(_, let reason): .damaged(path: path, reason: "it \(reason)")
      case .refused(_, let place, let reason): .refused(path: path, reason: "\(place) \(reason)")
      case .damaged(_, let place, let reason): .damaged(path: path, reason: "\(place) \(reason)")
      case .newer, .interrupted: .damaged(path: path, reason: "it does not have the format that its name says")
      }
  }
}
