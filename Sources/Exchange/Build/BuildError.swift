// What can go wrong with a folder that is built, as facts, and the words for it.
// Invariant: each case names the file it is about.

public import Problems
import Text

/// Why a folder could not be built.
///
///     BuildError.badDescription(path: "es/deck.json", reason: "no key is called \"nmae\"").message
public enum BuildError: Problem, Equatable {
  /// A folder without sources.
  case nothingToBuild(folder: String)
  /// deck.json is not as it should be.
  case badDescription(path: String, reason: String)
  /// Two rows have one id.
  case sameID(path: String, id: String, other: String)
  /// A generator failed.
  case generator(path: String, reason: String)
  /// More than a source may hold.
  case tooMany(path: String, what: String)

  public var report: ProblemReport {
    switch self {
    case .nothingToBuild(let folder):
      ProblemReport(
        .fileMissing, "Not a folder to build",
        "\(printable(folder)) has no sources: a folder with .md, .csv, .tsv, .jsonl or .lua files expected",
        ["path": folder])
    case .badDescription(let path, let reason):
      ProblemReport(
        .badFile, "A deck.json that cannot be used", "\(printable(path)): \(reason); `help build` shows one",
        ["path": path])
    case .sameID(let path, let id, let other):
      ProblemReport(
        .duplicateID, "The same id twice",
        "\(printable(path)): the id \(quoted(id)) is that of another row in \(printable(other)); change one",
        ["path": path])
    case .generator(let path, let reason):
      ProblemReport(
        .luaError, "A generator failed", "\(printable(path)): \(printable(reason, limit: 2_000))", ["path": path])
    case .tooMany(let path, let what):
      ProblemReport(
        .tooLarge, "Too large a source", "\(printable(path)) has more than \(what); split it", ["path": path])
    }
  }
}
