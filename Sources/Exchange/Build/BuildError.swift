// Everything that can go wrong when a folder is built, as facts, and the messages for it.
// Invariant: each case names the file that it is about.

public import Problems
import Text

/// Why a folder could not be built.
///
///     BuildError.badDescription(path: "es/deck.json", reason: "no key is called \"nmae\"").message
public enum BuildError: Problem, Equatable {
  case noFolder(path: String)
  /// A folder without sources.
  case nothingToBuild(folder: String)
  /// An invalid deck.json; the column counts characters.
  case badDescription(path: String, line: Int? = nil, column: Int? = nil, reason: String)
  /// Two rows have the same id.
  case sameID(path: String, line: Int, id: String, other: String)
  /// Two sources whose names differ only in their Unicode normal form.
  case sameSource(path: String, other: String)
  /// Two media files with the same name.
  case sameMedia(path: String, other: String)
  /// The account has another file of that name, which something outside the build shows.
  case mediaTaken(path: String, name: String)
  /// git fails to list the uncommitted changes of the folder.
  case noGit(path: String, reason: String)
  /// Sources that would be overwritten have uncommitted changes.
  case uncommitted(folder: String, files: [String])
  /// A generator failed.
  case generator(path: String, reason: String)
  /// Pruning would remove more than half of the notes.
  case prunesMost(folder: String, removed: Int, of: Int)
  /// A source exceeds a limit.
  case tooMany(path: String, what: String)

  /// The description of the fault without the file's name and the place.
  var words: String {
    switch self {
    case .badDescription(_, _, _, let reason): "\(reason); `help build` shows one"
    case .sameID(_, _, let id, let other):
      "the id \(quoted(id)) is also used by a row in \(printable(other)); change one of them"
    default: message
    }
  }

  public var report: ProblemReport {
    switch self {
    case .noFolder(let path):
      ProblemReport(
        .fileMissing, "Not a folder to build",
        "there is no folder \(quoted(path)); a folder with .md, .csv, .tsv, .jsonl or .lua files expected",
        ["path": path])
    case .nothingToBuild(let folder):
      ProblemReport(
        .fileMissing, "Not a folder to build",
        "\(quoted(folder)) has no sources: a folder with .md, .csv, .tsv, .jsonl or .lua files expected",
        ["path": folder])
    case .badDescription(let path, let line, let column, _):
      ProblemReport(
        .badFile, "Invalid deck.json",
        ([printable(path)] + [line, column].compactMap { $0.map(String.init) }).joined(separator: ":") + ": \(words)",
        ["path": path, "line": line, "column": column])
    case .sameID(let path, let line, _, _):
      ProblemReport(
        .duplicateID, "Duplicate id", "\(printable(path)):\(line): \(words)", ["path": path, "line": line])
    case .sameSource(let path, let other):
      ProblemReport(
        .duplicateID, "Two sources with the same name",
        "\(printable(path)) and \(printable(other)) have the same name in two Unicode normal forms; "
          + "rename one", ["path": path])
    case .sameMedia(let path, let other):
      ProblemReport(
        .duplicateID, "Two media files with the same name",
        "\(printable(path)) and \(printable(other)) would have the same name on the cards; rename one", ["path": path])
    case .mediaTaken(let path, let name):
      ProblemReport(
        .exists, "The name of a media file is taken",
        "\(printable(path)): the account has another file called \(quoted(name)), which cards from elsewhere show; "
          + "rename yours", ["path": path])
    case .noGit(let path, let reason):
      ProblemReport(
        .fileMissing, "git cannot be used",
        "\(printable(path)): \(reason); --git only writes back to committed files; without --git this is not checked",
        ["path": path])
    case .uncommitted(let folder, let files):
      ProblemReport(
        .exists, "Changes that are not committed",
        "\(printable(folder)): nothing was written, because "
          + "\(files.prefix(5).map { printable($0) }.joined(separator: ", "))"
          + "\(files.count > 5 ? " and \(files.count - 5) more have" : files.count > 1 ? " have" : " has") "
          + "uncommitted changes; commit or stash them", ["path": folder])
    case .generator(let path, let reason):
      // Lua's own message begins with the place, which includes the path.
      ProblemReport(
        .luaError, "A generator failed",
        (reason.hasPrefix(path + ":") ? "" : printable(path) + ": ") + printable(reason, limit: 2_000), ["path": path])
    case .prunesMost(let folder, let removed, let count):
      ProblemReport(
        .losesCards, "Cards would be removed",
        "\(printable(folder)): pruning would remove \(grouped(removed)) of the \(counted(count, "note")) of the "
          + "earlier build; nothing was changed", ["path": folder])
    case .tooMany(let path, let what):
      ProblemReport(
        .tooLarge, "The source is too large", "\(printable(path)) has more than \(what); split it", ["path": path])
    }
  }
}
