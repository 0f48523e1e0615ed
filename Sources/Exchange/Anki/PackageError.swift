// Everything that can be wrong with an Anki package, as facts, and the messages for it.
// Invariant: each case names the file; a message says what was expected and what to do.

public import Problems
import Text

/// Why a package cannot be read or written.
///
///     catch PackageError.newer(let path) { ... }
public enum PackageError: Problem, Equatable {
  /// Neither a package nor a collection. `reason` completes "it ...".
  case notAPackage(path: String, reason: String)
  /// A part of the package is corrupt. `place` names it: `the file media`, `note 1600000000000`.
  case damaged(path: String, place: String, reason: String)
  /// It contains something that neither our packages nor Anki's contain, or more than the limits allow.
  case refused(path: String, place: String, reason: String)
  /// Its version is unknown to this program.
  case newer(path: String)
  /// libzip is not installed.
  case noLibrary(path: String)
  case interrupted(path: String)

  public var report: ProblemReport {
    switch self {
    case .notAPackage(let path, let reason):
      ProblemReport(
        .badFile, "Not a package",
        "\(quoted(path)) is not an Anki package: it \(printable(reason)). Nothing was imported", ["path": path])
    case .damaged(let path, let place, let reason):
      ProblemReport(
        .damaged, "The package is damaged",
        "\(quoted(path)) is damaged: \(printable(place)) \(printable(reason)). Nothing was imported; export it again",
        ["path": path, "place": place])
    case .refused(let path, let place, let reason):
      ProblemReport(
        .fileRefused, "The package is refused",
        "\(quoted(path)) is refused: \(printable(place)) \(printable(reason)). Nothing was imported",
        ["path": path, "place": place])
    case .newer(let path):
      ProblemReport(
        .newer, "The package is newer than this program",
        "\(quoted(path)) was written by a newer version of Anki; export it there with support for older versions, or "
          + "update this program", ["path": path])
    case .noLibrary(let path):
      ProblemReport(
        .notHere, "Packages cannot be read here",
        "\(quoted(path)) is an Anki package, and reading it needs libzip; install Debian's libzip4 or libzip5",
        ["path": path])
    case .interrupted(let path):
      ProblemReport(
        .interrupted, "Interrupted", "interrupted while working with \(quoted(path)); nothing was changed",
        ["path": path])
    }
  }
}
