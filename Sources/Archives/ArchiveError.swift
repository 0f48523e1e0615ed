// What is wrong with an archive. Invariant: each case names the file.

public import Problems
import Text

public enum ArchiveError: Problem, Equatable {
  /// It is no archive, or its bytes are not what was written.
  case damaged(path: String, reason: String)
  /// It holds a name that leads elsewhere, or more than is read of one.
  case refused(path: String, reason: String)
  /// A file changed its length while it was read.
  case changedMeanwhile(path: String)
  case outOfMemory

  public var code: String {
    switch self {
    case .damaged: "archive_damaged"
    case .refused: "archive_refused"
    case .changedMeanwhile: "changed_elsewhere"
    case .outOfMemory: "out_of_memory"
    }
  }

  public var title: String {
    switch self {
    case .damaged: "The archive is damaged"
    case .refused: "The archive is refused"
    case .changedMeanwhile: "Changed meanwhile"
    case .outOfMemory: "Not enough memory"
    }
  }

  public var message: String {
    switch self {
    case .damaged(let path, let reason): "\(quoted(path)) is not a whole archive: \(printable(reason))"
    case .refused(let path, let reason): "\(quoted(path)) is refused: \(printable(reason))"
    case .changedMeanwhile(let path): "\(quoted(path)) changed while it was read; try again"
    case .outOfMemory: "there is not enough memory to compress or to unpack"
    }
  }
}
