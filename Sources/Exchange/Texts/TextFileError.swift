// What can be wrong with a text that is read, as facts, and the words for it.
// Invariant: each case names the file; a message says what was expected and what to do.

public import Problems
import Text

/// Why a text is not read.
///
///     TextFileError.refused(path: "a.epub", reason: "it is encrypted").message
public enum TextFileError: Problem, Equatable {
  /// The file is none of the kind that its name says, or is cut. `reason` is a clause with `it`.
  case damaged(path: String, reason: String)
  /// It holds what is not read, or more than is read of one text.
  case refused(path: String, reason: String)
  /// libzip is not installed.
  case noLibrary(path: String)
  /// There is no text in it.
  case empty(path: String)

  public var report: ProblemReport {
    switch self {
    case .damaged(let path, let reason):
      ProblemReport(
        .badFile, "The text can't be read", "\(quoted(path)) can't be read: \(printable(reason))", ["path": path])
    case .refused(let path, let reason):
      ProblemReport(
        .fileRefused, "The text is refused", "\(quoted(path)) is refused: \(printable(reason))", ["path": path])
    case .noLibrary(let path):
      ProblemReport(
        .notHere, "Books cannot be read here",
        "\(quoted(path)) is compressed, and reading it needs libzip; install Debian's libzip4", ["path": path])
    case .empty(let path):
      ProblemReport(.badFile, "No text", "\(quoted(path)) contains no text", ["path": path])
    }
  }
}

extension TextFileError {
  /// What is wrong with a zip that is no package of Anki's.
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
