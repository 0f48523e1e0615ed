// Backups: everything of an account in one file, and the contents of such a file.
// Invariant: a backup is a snapshot of the database at one point in time, and is verified by reading it before it
// gets its final name.
//
// The file is a tar archive compressed with zstd: `manifest.json` first, then `collection.sqlite`, `media/...`,
// `grants.json` and `history`; `BackupPart` maps the names.

import Archives
import Authentication
import CardDocuments
public import Files
import Glibc
public import Problems
import Storage
import Text
import Values

/// What a backup contains, or what the account contains now.
public struct BackupContents: Equatable, Sendable {
  /// Seconds since 1970.
  public var created: Double = 0
  /// The account of the backup; nil for data without an account.
  public var account: String?
  public var decks = 0
  public var cards = 0
  public var reviews = 0
  public var documents = 0
  /// The total size of all files in bytes, before compression.
  public var bytes = 0

  public init() {}
}

public enum BackupError: Problem, Equatable {
  case notABackup(path: String, reason: String)
  case newer(path: String, version: Int)
  /// The account has a password: its backup can be restored only into that account, after signing in.
  case ofAnother(path: String, account: String)
  /// The backup is of data without an account, but an account is signed in.
  case ofNoAccount(path: String, here: String)
  case strange(path: String, reason: String)
  case inUnit
  /// Everything was restored except the grants or the history. `kept` is the backup of what was replaced.
  case notAllRestored(FileError, kept: String?)

  public var report: ProblemReport {
    switch self {
    case .notABackup(let path, let reason):
      ProblemReport(
        .notABackup, "Not a backup",
        "\(quoted(path)) is not a complete backup: \(printable(reason)); nothing was changed", ["path": path])
    case .newer(let path, let version):
      ProblemReport(
        .storageNewer, "The backup is newer than this program",
        "\(quoted(path)) is a backup of version \(version), which this program does not know; update the program",
        ["path": path])
    case .ofAnother(let path, let account):
      ProblemReport(
        .signIn(.authRequired), "Sign in first",
        "\(quoted(path)) is a backup of the account \(quoted(account)); sign in as \(quoted(account)) to restore it",
        ["path": path])
    case .ofNoAccount(let path, let here):
      ProblemReport(
        .notABackup, "A backup without an account",
        "\(quoted(path)) is a backup of data without an account; `--with account` restores it as \(quoted(here))",
        ["path": path])
    case .strange(let path, let reason):
      ProblemReport(
        .notABackup, "Not a backup of this version",
        "\(quoted(path)) was not written by this version: \(printable(reason, limit: 500)); nothing was changed",
        ["path": path])
    case .inUnit:
      ProblemReport(
        .cannotUndo, "Not within a script", "a backup cannot be made or restored within a script; nothing was changed")
    case .notAllRestored(let failure, let kept):
      ProblemReport(
        code: failure.report.code, title: "Not everything was restored",
        message: "the backup was restored, but \(quoted(failure.path)) could not be written: "
          + systemWords(failure.number) + (kept.map { "; the previous data is saved in \(quoted($0))" } ?? ""),
        details: failure.report.details)
    }
  }
}

/// What a file in a backup is. No other file is added to a backup or restored from one.
enum BackupPart: Equatable {
  case database, media, grants, history

  /// - Parameter name: the file's path within the backup, which is the same as within the account's folder.
  init?(_ name: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    switch (parts.first, parts.count) {
    case ("collection.sqlite", 1): self = .database
    case ("grants.json", 1): self = .grants
    case ("history", 1): self = .history
    case ("media", 2) where ContentHash(String(parts[1])) != nil: self = .media
    default: return nil
    }
  }
}

extension CareOperations {
  // MARK: Making a backup

  /// Writes everything of the account to one file, even while it is in use, and reads it back to verify it.
  /// - Parameters:
  ///   - replaces: whether a file of that name is replaced; if not, the backup fails with EEXIST.
  ///   - progress: called with the bytes done and their total.
  @discardableResult
  public func backup(
    to path: String, replaces: Bool = true, progress: (Int, Int) -> Void = { _, _ in }
  ) throws -> BackupContents {
    if workspace.rehearsal.isOn { throw WorkspaceError.rehearsal("backup") }
    try workspace.games.store()
    if workspace.database.hasOpenTransaction { throw BackupError.inUnit }
    // Creates the collection if there is none yet.
    try workspace.read { _ in }
    var job = backupJob(to: path)
    job.replaces = replaces
    return try job.write(progress: progress)
  }

  /// Makes a backup under an unused name in the folder of the automatic backups.
  /// - Parameter what: the beginning of the name.
  public func backup(
    as what: String = "backup", progress: (Int, Int) -> Void = { _, _ in }
  ) throws -> (path: String, contents: BackupContents) {
    while true {
      let path = try freeBackupPath(what)
      do {
        return (path, try backup(to: path, replaces: false, progress: progress))
      } catch let error as FileError where error == FileError(path, .replace, number: EEXIST) {
        // Another process has made a backup of that name meanwhile.
        continue
      }
    }
  }

  func backupJob(to path: String) -> BackupJob {
    BackupJob(
      folder: workspace.folder, path: path, account: workspace.access.name, created: workspace.now,
      isInterrupted: workspace.isInterrupted)
  }

  /// Returns the path of the newest backup in the account's folder.
  func newestBackup() -> String? {
    let names: [String]
    // Other commands say why the folder cannot be read: this is only advice.
    do { names = try Folder.names(in: backupFolder) } catch { return nil }
    let paths = names.filter { $0.hasSuffix(CareOperations.backupEnding) }.map { backupFolder + "/" + $0 }
    func made(_ path: String) -> (Int, Int) {
      var facts = stat()
      return stat(path, &facts) == 0 ? (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec) : (0, 0)
    }
    return paths.max { made($0) < made($1) }
  }

  // MARK: Inspecting a backup

  /// Returns the contents of a backup. Reads and checks the whole file.
  public func inspect(_ path: String) throws -> BackupContents {
    guard workspace.isOpen else { throw WorkspaceError.signedOut(what: "workspace") }
    return try BackupFile(path, isInterrupted: workspace.isInterrupted).read()
  }

  public func contents() throws -> BackupContents {
    var contents = try workspace.read { try BackupContents.counts($0) }
    contents.created = workspace.now
    contents.account = workspace.access.name
    return contents
  }

  /// Returns an unused path for a backup made now; creates its folder.
  /// - Parameters:
  ///   - what: the beginning of the name.
  ///   - ending: nil for that of a backup.
  public func freeBackupPath(_ what: String = "backup", ending: String? = nil) throws -> String {
    if !workspace.rehearsal.isOn { try makePrivateFolder(backupFolder) }
    let day = workspace.dailyBackups.day(workspace.now)
    return try freePath(backupFolder + "/\(what)-\(day)", ending ?? CareOperations.backupEnding)
  }

  static let backupEnding = ".deckhand-backup"
}
