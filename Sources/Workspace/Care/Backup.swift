// Backups: everything of an account in one file, made on the prompt's thread or a separate one, and the contents of
// such a file. Invariant: a backup is a snapshot of the database at one point in time, and is verified by reading it
// before it gets its final name. Nothing else in the account's folder changes.

import Archives
import Authentication
import CardDocuments
import Decks
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
    func of(_ path: String, _ code: ProblemCode, _ title: String, _ what: String) -> ProblemReport {
      ProblemReport(code, title, "\(quoted(path)) \(what)", ["path": path])
    }
    return switch self {
    case .notABackup(let path, let reason):
      of(
        path, .failure(.notABackup), "Not a backup",
        "is not a complete backup: \(printable(reason)); nothing was changed")
    case .newer(let path, let version):
      of(
        path, .failure(.storageNewer), "The backup is newer than this program",
        "is a backup of version \(version), which this program does not know; update the program")
    case .ofAnother(let path, let account):
      of(
        path, .signIn(.authRequired), "Sign in first",
        "is a backup of the account \(quoted(account)); sign in as \(quoted(account)) to restore it")
    case .ofNoAccount(let path, let here):
      of(
        path, .failure(.notABackup), "A backup without an account",
        "is a backup of data without an account; `--with account` restores it as \(quoted(here))")
    case .strange(let path, let reason):
      of(
        path, .failure(.notABackup), "Not a backup of this version",
        "was not written by this version: \(printable(reason, limit: 500)); nothing was changed")
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
  /// Writes everything of the account to one file, even while it is in use, and reads it back to verify it.
  /// - Parameter replaces: whether a file of that name is replaced; if not, the backup fails with EEXIST.
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

  public func contents() throws -> BackupContents {
    var contents = try workspace.read { try BackupContents.counts($0) }
    contents.created = workspace.now
    contents.account = workspace.access.name
    return contents
  }

  /// Returns an unused path for a backup made now; creates its folder.
  /// - Parameter what: the beginning of the name.
  /// - Parameter ending: nil for that of a backup.
  public func freeBackupPath(_ what: String = "backup", ending: String? = nil) throws -> String {
    if !workspace.rehearsal.isOn { try makePrivateFolder(backupFolder) }
    let day = workspace.dailyBackups.day(workspace.now)
    return try freePath(backupFolder + "/\(what)-\(day)", ending ?? CareOperations.backupEnding)
  }

  static let backupEnding = ".deckhand-backup"
}

struct BackupJob: Sendable {
  let folder: String
  let path: String
  let account: String?
  /// Seconds since 1970.
  let created: Double
  var isInterrupted: @Sendable () -> Bool
  /// Whether a file of that name is replaced; if not, the backup fails with EEXIST.
  var replaces = true

  /// Writes the backup and verifies it.
  func write(progress: (Int, Int) -> Void = { _, _ in }) throws -> BackupContents {
    try Folder.refuse(path, .write)
    // Beside the backup, so that a backup to another disk needs no space on this one.
    let parent = try parentFolder(of: finalTarget(of: path))
    Leftovers.sweepMarked(parent)
    let scratch: Scratch
    do {
      scratch = try Scratch(.backup, in: parent)
    } catch {
      // The user knows the path of the backup, not that of the folder beside it.
      throw FileError(path, .write, error.reason)
    }
    try scratch.mark()
    let copy = scratch.path("collection.sqlite")
    try DatabaseSnapshot(folder + "/collection.sqlite", scratch: scratch.folder, isInterrupted: isInterrupted)
      .copy(to: copy) { progress($0, $1 * 2) }
    let (counts, named) = try checked(copy)
    var contents = counts
    contents.created = created
    contents.account = account
    let files = [("collection.sqlite", copy)] + (try otherFiles(copiedTo: scratch, named))
    contents.bytes = try files.reduce(0) { try $0 + (FileFacts.at($1.1)?.size ?? 0) }
    try write(contents, files, in: scratch, progress)
    return contents
  }

  /// Checks the copy of the database; returns what is in it, and the media that it names.
  private func checked(_ path: String) throws -> (counts: BackupContents, named: Set<String>) {
    let file = try ForeignDatabase.open(path, schema: DecksSchema.schema, longest: nil, isInterrupted: isInterrupted)
    return try file.use { db in
      // `quick_check` would not notice two rows with one unique key, which a restore has to refuse.
      let wrong = try db.rows("PRAGMA integrity_check") { $0.text(0) }.filter { $0 != "ok" }
      if let first = wrong.first { throw StorageError.damaged(path: folder + "/collection.sqlite", detail: first) }
      return (try BackupContents.counts(db), try MediaOperations.named(db))
    }
  }

  /// Lists the grants, the history and the media. Copies the first two, since they may grow while the backup is made.
  /// Media without a name may be removed meanwhile, for example those of an import that fails.
  private func otherFiles(copiedTo scratch: Scratch, _ named: Set<String>) throws -> [(String, String)] {
    func isFile(_ name: String) throws -> Bool {
      try FileFacts.at(folder + "/" + name, followingLinks: false)?.kind == .file
    }
    let growing = try ["grants.json", "history"].filter(isFile).map { name in
      try AtomicFile.copy(folder + "/" + name, to: scratch.path(name), isInterrupted: isInterrupted)
      return (name, scratch.path(name))
    }
    let media = try Folder.names(in: folder + "/media").filter(named.contains).map { "media/" + $0 }
      .filter { BackupPart($0) != nil }
    return growing + (try media.filter(isFile).map { ($0, folder + "/" + $0) })
  }

  private func write(
    _ contents: BackupContents, _ files: [(String, String)], in scratch: Scratch, _ progress: (Int, Int) -> Void
  ) throws {
    let packed = "packed"
    var options = Replacement(isInterrupted: isInterrupted)
    options.keepsMode = false
    options.replaces = replaces
    options.isExport = parentFolder(of: path) != folder + "/backups"
    options.temporaryName = lastPart(of: scratch.folder) + "/" + packed
    var done = contents.bytes
    try AtomicFile.write(
      path, options,
      finishing: { _ in
        guard try BackupFile(scratch.path(packed), isInterrupted: isInterrupted).read() == contents else {
          throw BackupError.notABackup(path: path, reason: "reading it back gave a different result")
        }
      },
      { sink in
        let archive = try ArchiveWriter(sink)
        try archive.add(BackupFile.manifest, contents.encoded)
        for (name, path) in files {
          try archive.add(name, from: ByteFile(path, followingLinks: false, isInterrupted: isInterrupted)) { count in
            if isInterrupted() { throw WorkspaceError.interrupted }
            done += count
            progress(done, 2 * contents.bytes)
          }
        }
        try archive.finish()
      })
  }
}

struct BackupFile {
  static let manifest = "manifest.json"
  fileprivate static let version = 1
  private static let mostManifest = 1 << 16
  let path: String
  let isInterrupted: () -> Bool

  init(_ path: String, isInterrupted: @escaping () -> Bool) { (self.path, self.isInterrupted) = (path, isInterrupted) }

  /// Reads the backup to its end.
  /// - Parameter body: called with each file and what it is; it may read the file or ignore it.
  func read(_ body: (ArchiveReader, String, BackupPart) throws -> Void = { _, _, _ in }) throws -> BackupContents {
    let archive = try ArchiveReader(path, isInterrupted: isInterrupted)
    guard let first = try archive.next(), first.name == BackupFile.manifest else {
      throw BackupError.notABackup(path: path, reason: "it does not begin with \(BackupFile.manifest)")
    }
    let contents = try BackupFile.decoded(archive.rest(limit: BackupFile.mostManifest), path)
    let otherSize = BackupError.notABackup(path: path, reason: "its files have another size than its manifest says")
    var (names, bytes): (Set<String>, Int) = ([], 0)
    while let found = try archive.next() {
      if isInterrupted() { throw WorkspaceError.interrupted }
      guard let part = BackupPart(found.name), names.insert(found.name).inserted else {
        throw BackupError.strange(path: path, reason: "it contains an unexpected file, \(quoted(found.name))")
      }
      bytes += found.size
      // Checked before the file is unpacked, as a small archive can unpack to terabytes.
      guard bytes <= contents.bytes else { throw otherSize }
      try body(archive, found.name, part)
    }
    guard names.contains("collection.sqlite") else {
      throw BackupError.notABackup(path: path, reason: "it has no collection.sqlite")
    }
    guard bytes == contents.bytes else { throw otherSize }
    return contents
  }

  private static func decoded(_ bytes: [UInt8], _ path: String) throws -> BackupContents {
    let limits = JSONLimits(bytes: mostManifest, depth: 4, values: 100, string: 4096)
    let parsed: Value.Record?
    // Whatever is wrong with it, it is not a manifest.
    do { parsed = try JSONParser.parse(bytes, limits: limits).record } catch { parsed = nil }
    guard let manifest = parsed, manifest["format"]?.text == "deckhand-backup" else {
      throw BackupError.notABackup(path: path, reason: "its manifest cannot be read")
    }
    let found = manifest["version"]?.integer ?? 0
    if found > version { throw BackupError.newer(path: path, version: found) }
    func number(_ name: String) -> Int { manifest[name]?.integer ?? 0 }
    return BackupContents(
      created: manifest["created"]?.double ?? 0, account: manifest["account"]?.text, decks: number("decks"),
      cards: number("cards"), reviews: number("reviews"), documents: number("documents"), bytes: number("bytes"))
  }
}

extension BackupContents {
  var encoded: [UInt8] {
    JSONWriter.bytes(
      of: .record([
        "format": "deckhand-backup", "version": BackupFile.version, "created": created, "account": account,
        "decks": decks, "cards": cards, "reviews": reviews, "documents": documents, "bytes": bytes,
      ]))
  }

  static func counts(_ db: Database) throws -> BackupContents {
    BackupContents(
      decks: try db.count("SELECT count(*) FROM decks"), cards: try db.count("SELECT count(*) FROM cards"),
      reviews: try db.count("SELECT count(*) FROM reviews"), documents: try DocumentTable.count(db))
  }
}
