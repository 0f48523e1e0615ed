// Why a file operation failed: the path, the operation, the reason, and the message.
// Invariant: codes never change; each message names the path and, where something can be done, says what.

public import Glibc
public import Problems
import Text

/// A failed operation on a file or a folder.
public struct FileError: Problem, Equatable, Sendable {
  /// The operation that failed, with the participle that messages use.
  public enum Attempt: String, Sendable {
    case open = "opened"
    case read
    case write = "written"
    case sync = "written to the disk"
    case replace = "replaced"
    case lock = "locked"
    case list = "listed"
    case make = "created"
    case move = "moved"
    case remove = "removed"
    case inspect = "examined"
  }

  public enum Cause: Equatable, Sendable {
    /// The system's errno.
    case system(Int32)
    /// It is a folder, a pipe or a device, and a regular file was expected.
    case notAFile
    /// It is, or would be, among Deckhand's own files.
    case ownFolder
    /// It is larger than the limit for such a file, in bytes.
    case tooLarge(limit: Int)
    /// Another process held the lock during the whole wait.
    case busy
    /// The operation was interrupted, for example while waiting for a lock or a pipe.
    case interrupted
  }

  public let path: String
  public let operation: Attempt
  public let reason: Cause

  public init(_ path: String, _ operation: Attempt, _ reason: Cause) {
    (self.path, self.operation, self.reason) = (path, operation, reason)
  }

  /// Takes the reason from the system's current `errno`.
  public init(_ path: String, _ operation: Attempt, number: Int32 = errno) {
    self.init(path, operation, .system(number))
  }

  /// The nearest errno.
  public var number: Int32 {
    switch reason {
    case .system(let number): number
    case .notAFile: EINVAL
    case .ownFolder: EACCES
    case .tooLarge: EFBIG
    case .busy: EBUSY
    case .interrupted: EINTR
    }
  }

  /// Looking at a file writes nothing: inotify has the same errno for its own limit.
  public var isDiskFull: Bool { operation != .inspect && (number == ENOSPC || number == EDQUOT) }

  /// Whether the disk rejects writes: it is full or read-only, or the user may not change the folder.
  public var isUnwritable: Bool { isDiskFull || [EROFS, EACCES, EPERM].contains(number) }

  public var report: ProblemReport {
    switch reason {
    case .notAFile: unusable(.notAFile, "it is not a regular file")
    case .ownFolder: unusable(.fileRefused, "it is among Deckhand's own data; choose another folder")
    case .tooLarge(let limit):
      report(
        .fileTooLarge, "The file is too large",
        "is larger than the limit of \(grouped(limit)) bytes for such a file; split it")
    case .busy:
      ProblemReport(
        .storageBusy, "The data is in use",
        "another process is changing \(quoted(path)); wait until it has finished, or stop it", ["path": path])
    case .interrupted:
      ProblemReport(
        .interrupted, "Interrupted", "interrupted while working with \(quoted(path)); nothing was changed",
        ["path": path])
    case .system where isDiskFull:
      ProblemReport(
        .storageFull, "The disk is full",
        "there is no space left on the disk for \(quoted(path)); nothing was changed; free some space and try again",
        ["path": path])
    case .system(let number): unusable(FileError.code(of: number), advice(number))
    }
  }

  private func unusable(_ code: ProblemCode.Failure, _ reason: String) -> ProblemReport {
    report(code, "The file could not be \(operation.rawValue)", "could not be \(operation.rawValue): \(reason)")
  }

  private func report(_ code: ProblemCode.Failure, _ title: String, _ predicate: String) -> ProblemReport {
    ProblemReport(code, title, "\(quoted(path)) \(predicate)", ["path": path])
  }

  private static func code(of number: Int32) -> ProblemCode.Failure {
    switch number {
    case ENOENT, ENOTDIR: .fileMissing
    case EACCES, EPERM, EROFS: .fileRefused
    case EISDIR: .fileIsFolder
    default: .fileFailed
    }
  }

  /// Explains an errno to a user, with a remedy where one is known.
  private func advice(_ number: Int32) -> String {
    switch number {
    case ENOENT where operation == .write || operation == .make: "its folder does not exist; create it first"
    case ENOENT: "there is no such file or folder"
    case ENOTDIR: "a part of its path is not a folder"
    case EACCES, EPERM: "the system does not allow it; check its owner and mode"
    case EROFS: "the disk is read-only"
    case EISDIR: "it is a folder"
    case ENOSPC where operation == .inspect:
      "the system watches no more folders for changes; raise fs.inotify.max_user_watches"
    default: systemWords(number)
    }
  }
}

/// The system's text for an errno, for use within a sentence: `no such file or directory` for ENOENT.
public func systemWords(_ number: Int32) -> String {
  guard let text = strerror(number) else { return "error \(number)" }
  let words = String(cString: text)
  // An abbreviation keeps its capitals.
  return words.dropFirst().first?.isUppercase == true ? words : words.prefix(1).lowercased() + words.dropFirst()
}
