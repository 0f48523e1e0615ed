// What is wrong with an archive. Invariant: each case about a file names it.

public import Problems
import Text

public enum ArchiveError: Problem, Equatable {
  /// It is not an archive, or its bytes were changed.
  case damaged(path: String, reason: String)
  /// It contains a name that leads out of its folder, or exceeds a limit.
  case refused(path: String, reason: String)
  /// A file changed its size while it was read.
  case changedMeanwhile(path: String)
  case outOfMemory

  public var report: ProblemReport {
    switch self {
    case .damaged(let path, let reason):
      ProblemReport(
        .archiveDamaged, "The archive is damaged", "\(quoted(path)) is not a complete archive: \(printable(reason))",
        ["path": path])
    case .refused(let path, let reason):
      ProblemReport(
        .archiveRefused, "The archive is refused", "\(quoted(path)) is refused: \(printable(reason))",
        ["path": path])
    case .changedMeanwhile(let path):
      ProblemReport(
        .changedElsewhere, "Changed in the meantime", "\(quoted(path)) changed while it was read; try again",
        ["path": path])
    case .outOfMemory:
      ProblemReport(.outOfMemory, "Not enough memory", "there is not enough memory to compress or to unpack")
    }
  }
}
