// What can go wrong with a database, as facts, and the messages for it.
// Invariant: every case names its path and what the user can do; codes never change.

import CSQLite
import Files
import Glibc
public import Problems
import Text

/// A failure of the disk or of a database.
public enum StorageError: Problem, Equatable {
  /// Another process holds the write lock; `holder` is its process id if it is known.
  case busy(path: String, holder: Int?, operation: String)
  /// The user asked to stop, while waiting or during long work.
  case interrupted(path: String)
  /// No room left on the disk, or the quota is used up.
  case full(path: String)
  /// The database file does not contain what SQLite wrote.
  case damaged(path: String, detail: String)
  /// The database was written by a newer program.
  case newer(path: String, version: Int)
  case readOnly(path: String)
  /// The database cannot be opened, read or written; `detail` is SQLite's or the system's reason.
  case unreadable(path: String, detail: String)
  /// SQLite itself rolled back the unit of work (a full disk does that); nothing more can be done in it.
  case rolledBack(path: String)
  /// Any other error of SQLite.
  case failed(path: String, result: Int, detail: String)

  public var report: ProblemReport {
    switch self {
    case .busy(let path, let holder, let operation):
      ProblemReport(
        .storageBusy, "The data is in use",
        "\(holder.map { "another process (id \($0))" } ?? "another process") is changing \(quoted(path)), "
          + "so \(operation) could not start; wait until it has finished, or stop it",
        ["path": path, "process": holder])
    case .interrupted(let path):
      // A user who pressed Ctrl-C does not need to know the file.
      ProblemReport(.interrupted, "Interrupted", "interrupted; nothing was changed", ["path": path])
    case .full(let path):
      ProblemReport(
        .storageFull, "The disk is full",
        "there is no space left on the disk for \(quoted(path)); nothing was changed; free some space and try again; "
          + "`backup FILE` to another disk needs none here", ["path": path])
    case .damaged(let path, let detail):
      ProblemReport(
        .storageDamaged, "The data is damaged",
        "\(quoted(path)) is damaged (\(printable(detail))); `restore FILE` replaces it with a backup, "
          + "`doctor --mend` recovers what can be read", ["path": path])
    case .newer(let path, let version):
      ProblemReport(
        .storageNewer, "The data is newer than this program",
        "\(quoted(path)) was written by a newer version of the program "
          + "(its tables have version \(version), this program's \(Schema.version)); update the program",
        ["path": path])
    case .readOnly(let path):
      ProblemReport(
        .storageUnreadable, "The disk is read-only",
        "the disk of \(quoted(path)) is read-only; nothing was changed; make it writable, or copy your data to "
          + "another disk with `backup FILE`", ["path": path])
    case .unreadable(let path, let detail):
      ProblemReport(
        .storageUnreadable, "The data cannot be opened",
        "\(quoted(path)) cannot be opened (\(printable(detail))); check that it is a file that you may read and write",
        ["path": path])
    case .rolledBack(let path):
      ProblemReport(
        .storageRolledBack, "The changes were rolled back",
        "an earlier failure rolled back every change of this run to \(quoted(path)); end the run and start it again",
        ["path": path])
    case .failed(let path, let result, let detail):
      ProblemReport(
        .storageFailed, "The data could not be read or changed",
        "SQLite answered \(result) for \(quoted(path)): \(printable(detail))", ["path": path])
    }
  }

  /// Whether the error is about the content of the file, rather than about the disk, other processes or the user.
  public var isDamage: Bool {
    switch self {
    case .damaged, .failed: true
    default: false
    }
  }

  /// SQLite's reason if there is one, else the title of the report.
  public var reason: String { detail ?? report.title }

  /// Converts an error from creating the database file. An error about its folder stays a `FileError`.
  static func ofFile(_ error: FileError, database path: String) -> any Error {
    if error.isDiskFull { return StorageError.full(path: path) }
    if error.number == EROFS { return StorageError.readOnly(path: path) }
    return error.path == path ? StorageError.unreadable(path: path, detail: systemWords(error.number)) : error
  }

  /// Converts a result code of SQLite.
  static func ofSQLite(_ code: Int32, _ detail: String, path: String, operation: String) -> StorageError {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy(path: path, holder: lockHolder(of: path), operation: operation)
    case SQLITE_FULL: return .full(path: path)
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(path: path, detail: detail)
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_IOERR, SQLITE_AUTH:
      return ofDisk(path) ?? .unreadable(path: path, detail: detail)
    case SQLITE_INTERRUPT: return .interrupted(path: path)
    case SQLITE_ABORT: return .rolledBack(path: path)
    default: return .failed(path: path, result: Int(code), detail: detail)
    }
  }

  /// SQLite's message, for the cases that have one.
  public var detail: String? {
    switch self {
    case .damaged(_, let detail), .unreadable(_, let detail), .failed(_, _, let detail): detail
    default: nil
    }
  }

  public var isNoDatabase: Bool {
    if case .damaged(_, let detail) = self { detail == String(cString: sqlite3_errstr(SQLITE_NOTADB)) } else { false }
  }

  /// A constraint of the tables that a row violated.
  public enum Constraint: Equatable, Sendable {
    /// `what` is SQLite's message with the columns: "UNIQUE constraint failed: cards.deck, cards.rank".
    case unique(what: String)
    case foreignKey
    case other
  }

  /// The constraint that a row violated, if that is the error.
  public var constraint: Constraint? {
    guard case .failed(_, let result, let detail) = self, primaryResult == SQLITE_CONSTRAINT else { return nil }
    switch result {
    case deckhand_constraint_unique: return .unique(what: detail)
    case deckhand_constraint_foreign_key: return .foreignKey
    default: return .other
    }
  }

  /// SQLite's result code without its extension, for an error that has no case of its own.
  private var primaryResult: Int32? {
    if case .failed(_, let result, _) = self { Int32(result & 0xFF) } else { nil }
  }

  /// Whether a statement failed because of the rows that it read; others can still be read.
  var isOfRow: Bool {
    switch self {
    case .damaged, .unreadable: true
    default: primaryResult == SQLITE_MISMATCH || primaryResult == SQLITE_CONSTRAINT
    }
  }

  /// Whether the cause is the disk, or a missing right to write to it.
  var isOfDisk: Bool {
    switch self {
    case .full, .readOnly, .unreadable: true
    default: false
    }
  }

  /// Whether a statement does not fit the tables of the file.
  var isOfSchema: Bool { primaryResult == SQLITE_ERROR }

  /// Returns the error that the state of the disk explains: SQLite reports a full disk like a file without access.
  private static func ofDisk(_ path: String) -> StorageError? {
    var facts = statvfs()
    guard statvfs(parentFolder(of: path), &facts) == 0 else { return nil }
    if facts.f_flag & UInt(ST_RDONLY) != 0 { return .readOnly(path: path) }
    return facts.f_bavail == 0 ? .full(path: path) : nil
  }
}
