// Backups: everything of an account in one file, and everything back from one.
// Invariant: a backup is one moment of database and documents, checked by reading it before it has its name; restoring
// keeps
// what is here as a backup first, and then replaces all of it by one commit, or nothing.
//
// The file is a tar archive compressed with zstd: `manifest.json` first, then `collection.sqlite`, `documents/...` with
// their images, and every other file of the account's folder (`grants.json`, `history`, `media/...`) but its password
// and its signing key.

import Archives
import Authentication
import CardDocuments
import Decks
import Files
import GRDB
import Glibc
public import Problems
import Storage
import Text
import Values

/// What is in a backup, or here.
public struct BackupContents: Equatable, Sendable {
  /// Seconds since 1970.
  public var created: Double = 0
  /// The account it is of; nil for the local data.
  public var account: String?
  public var decks = 0
  public var cards = 0
  public var reviews = 0
  public var documents = 0
  /// Bytes of all files, before they were compressed.
  public var bytes = 0

  public init() {}
}

/// What a restore did.
public struct RestoreReport: Equatable, Sendable {
  public let restored: BackupContents
  /// What was here before.
  public let replaced: BackupContents
  /// The backup of that.
  public let kept: String
}

/// Why a backup cannot be made or restored.
public enum BackupError: Problem, Equatable {
  case notABackup(path: String, reason: String)
  case newer(path: String, version: Int)
  /// The account has a password: its backup goes back into that account only, after its sign-in.
  case ofAnother(path: String, account: String)
  /// A unit of work is under way.
  case inUnit

  public var report: ProblemReport {
    switch self {
    case .notABackup(let path, let reason):
      ProblemReport(
        .notABackup, "Not a backup",
        "\(quoted(path)) is no whole backup: \(printable(reason)); nothing was changed", ["path": path])
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
    case .inUnit:
      ProblemReport(
        .cannotUndo, "Not within a script",
        "a backup is made or restored by itself, not among the changes of a script; nothing was changed")
    }
  }
}

extension Workspace {
  private static let version = 1
  private static let database = "collection.sqlite"
  private static let manifest = "manifest.json"
  private static let mostManifest = 1 << 16

  // MARK: Making one

  /// Writes everything of the account to one file, also while it is in use, and reads it again to check it.
  @discardableResult
  public func backup(to path: String) throws -> BackupContents {
    if rehearsal.isOn { throw WorkspaceError.rehearsal("backup") }
    try storeGames()
    if database.hasOpenTransaction { throw BackupError.inUnit }
    return try writeBackup(to: path)
  }

  @discardableResult
  func writeBackup(to path: String) throws -> BackupContents {
    let store = try store()
    try makePrivateFolder(folder)
    for place in [folder, backupFolder] { try Workspace.removeLeftovers(in: place) }
    let copy = folder + "/.backup-\(getpid()).sqlite"
    defer { unlink(copy) }
    unlink(copy)
    let snapshot = try documentStore().snapshot { try store.snapshot(to: copy) }
    defer { snapshot.remove() }
    chmod(copy, 0o600)
    let others = try otherFiles()
    var contents = try Workspace.checkedCounts(copy)
    contents.created = environment.clocks.now()
    contents.account = access.name
    contents.documents = snapshot.files.count { $0.name.hasSuffix(".rwcard") }
    let files =
      [(Workspace.database, copy)] + snapshot.files.map { ("documents/" + $0.name, $0.path) }
      + others.map { ($0, folder + "/" + $0) }
    contents.bytes = try files.reduce(0) { try $0 + (FileFacts.at($1.1)?.size ?? 0) }
    try write(contents, files, to: path)
    return contents
  }

  private func write(_ contents: BackupContents, _ files: [(String, String)], to path: String) throws {
    var options = Replacement()
    options.keepsMode = false
    options.isInterrupted = environment.isInterrupted
    let name = ".backup-\(getpid()).tmp"
    options.temporaryName = name
    let temporary = parentFolder(of: path) + "/" + name
    try AtomicFile.write(
      path, options,
      finishing: { [self] _ in
        guard try Workspace.read(temporary, isInterrupted: environment.isInterrupted) == contents else {
          throw BackupError.notABackup(path: path, reason: "what was written is not what is read")
        }
      },
      { [self] sink in
        let archive = try ArchiveWriter(sink)
        try archive.add(Workspace.manifest, Workspace.encoded(contents))
        for (name, path) in files {
          if environment.isInterrupted() { throw WorkspaceError.interrupted }
          try archive.add(name, from: ByteFile(path, followingLinks: false))
        }
        try archive.finish()
      })
  }

  /// Takes away what a killed backup or restore has left.
  static func removeLeftovers(in folder: String) throws {
    for name in try Folder.names(in: folder) {
      for start in [".backup-", ".restored-"] where name.hasPrefix(start) {
        let process = Int32(name.dropFirst(start.count).prefix { $0.isNumber }) ?? 0
        if process > 0, process != getpid(), kill(process, 0) != 0, errno == ESRCH {
          try Folder.removeFile(folder + "/" + name)
        }
      }
    }
  }

  /// Every other file of the account, but its password and what is of the moment.
  private func otherFiles(in inner: String = "") throws -> [String] {
    var found: [String] = []
    for name in try Folder.names(in: folder + "/" + inner) where !name.hasPrefix(".") {
      let relative = inner.isEmpty ? name : inner + "/" + name
      guard let facts = try FileFacts.at(folder + "/" + relative, followingLinks: false) else { continue }
      if inner.isEmpty, Workspace.isOwn(name) { continue }
      switch facts.kind {
      case .file: found.append(relative)
      case .folder: found += try otherFiles(in: relative)
      case .symbolicLink, .other: continue
      }
    }
    return found
  }

  /// Whether the name in the account's folder is copied in a way of its own, or not at all.
  private static func isOwn(_ name: String) -> Bool {
    ["documents", "backups", "attempts"].contains(name) || name.hasPrefix(database) || name.hasPrefix("credentials")
      || name.hasSuffix(".tmp") || name.hasSuffix(".lock")
  }

  // MARK: Looking into one

  /// What is in a backup. The whole file is read and checked.
  public func inspectBackup(_ path: String) throws -> BackupContents {
    _ = try store()
    return try Workspace.read(path, isInterrupted: environment.isInterrupted)
  }

  /// What is here now.
  public func contents() throws -> BackupContents {
    var contents = try read { try Workspace.counts($0) }
    contents.created = environment.clocks.now()
    contents.account = access.name
    contents.documents = try documentEntries().count
    return contents
  }

  private static func checkedCounts(_ path: String) throws -> BackupContents {
    let queue = try DatabaseQueue(path: path)
    let contents = try queue.unsafeReentrantRead { db in
      let wrong = try String.fetchAll(db, sql: "PRAGMA quick_check").filter { $0 != "ok" }
      if let first = wrong.first { throw StorageError.damaged(path: path, detail: first) }
      return try counts(db)
    }
    try queue.close()
    return contents
  }

  private static func counts(_ db: Database) throws -> BackupContents {
    var contents = BackupContents()
    contents.decks = try Int.fetchOne(db, sql: "SELECT count(*) FROM decks") ?? 0
    contents.cards = try Int.fetchOne(db, sql: "SELECT count(*) FROM cards") ?? 0
    contents.reviews = try Int.fetchOne(db, sql: "SELECT count(*) FROM reviews") ?? 0
    return contents
  }

  /// Reads a backup to its end.
  /// - Parameter entry: is given each file; it reads it or leaves it.
  private static func read(
    _ path: String, isInterrupted: @escaping () -> Bool,
    _ entry: (ArchiveReader, ArchiveReader.Entry) throws -> Void = { _, _ in }
  ) throws -> BackupContents {
    let archive = try ArchiveReader(path, isInterrupted: isInterrupted)
    guard let first = try archive.next(), first.name == manifest else {
      throw BackupError.notABackup(path: path, reason: "it does not begin with \(manifest)")
    }
    let contents = try decoded(archive.rest(limit: mostManifest), path)
    var (hasDatabase, bytes) = (false, 0)
    while let found = try archive.next() {
      if isInterrupted() { throw WorkspaceError.interrupted }
      hasDatabase = hasDatabase || found.name == database
      bytes += found.size
      try entry(archive, found)
    }
    guard hasDatabase else { throw BackupError.notABackup(path: path, reason: "it has no \(database)") }
    guard bytes == contents.bytes else { throw BackupError.notABackup(path: path, reason: "files are missing") }
    return contents
  }

  private static func encoded(_ contents: BackupContents) -> [UInt8] {
    JSONWriter.bytes(
      of: .record([
        ("format", .text("deckhand-backup")), ("version", .integer(version)), ("created", .number(contents.created)),
        ("account", contents.account.map { .text($0) } ?? .null), ("decks", .integer(contents.decks)),
        ("cards", .integer(contents.cards)), ("reviews", .integer(contents.reviews)),
        ("documents", .integer(contents.documents)), ("bytes", .integer(contents.bytes)),
      ]))
  }

  private static func decoded(_ bytes: [UInt8], _ path: String) throws -> BackupContents {
    let limits = JSONLimits(bytes: mostManifest, depth: 4, values: 100, string: 4096)
    let parsed: Value.Record?
    do { parsed = try JSONParser.parse(bytes, limits: limits).record } catch { parsed = nil }
    guard let manifest = parsed, manifest["format"]?.text == "deckhand-backup" else {
      throw BackupError.notABackup(path: path, reason: "its manifest cannot be read")
    }
    let found = manifest["version"]?.integer ?? 0
    if found > version { throw BackupError.newer(path: path, version: found) }
    var contents = BackupContents()
    contents.created = manifest["created"]?.double ?? 0
    contents.account = manifest["account"]?.text
    contents.decks = manifest["decks"]?.integer ?? 0
    contents.cards = manifest["cards"]?.integer ?? 0
    contents.reviews = manifest["reviews"]?.integer ?? 0
    contents.documents = manifest["documents"]?.integer ?? 0
    contents.bytes = manifest["bytes"]?.integer ?? 0
    return contents
  }

  // MARK: Restoring

  /// Replaces everything here by what is in a backup. What is here is kept as a backup of its own before.
  public func restore(from path: String) throws -> RestoreReport {
    let store = try store()
    if rehearsal.isOn { throw WorkspaceError.rehearsal("restore") }
    guard !store.isInUnit, !store.isInOperation else { throw BackupError.inUnit }
    let found = try inspectBackup(path)
    if let account = found.account, account != access.name {
      throw BackupError.ofAnother(path: path, account: account)
    }
    try makePrivateFolder(backupFolder)
    let kept = try freeBackupName("before-restore")
    let replaced = try backup(to: kept)
    let documents = try documentStore()
    defer {
      for ending in ["", "-wal", "-shm", "-journal"] { unlink(folder + "/.restored-\(getpid()).sqlite" + ending) }
    }
    do {
      try documents.beginReplacing()
      let staged = try unpack(path, documents)
      try checkStaged(staged, path)
      let batch = try documents.prepareReplacing()
      if let batch { try Workspace.decide(batch.id, in: staged) }
      try store.replaceAll(from: staged)
    } catch {
      try documents.rollbackUnit()
      throw error
    }
    _ = try documents.finishUnit()
    opened.documents?.close()
    opened.documents = nil
    try reloadSettings()
    return RestoreReport(restored: found, replaced: replaced, kept: kept)
  }

  /// Unpacks into the documents' unit. Gives the path of the database.
  private func unpack(_ path: String, _ documents: DocumentStore) throws -> String {
    var database: String?
    _ = try Workspace.read(path, isInterrupted: environment.isInterrupted) { archive, entry in
      let target: String
      if entry.name == Workspace.database {
        target = folder + "/.restored-\(getpid()).sqlite"
        database = target
      } else if entry.name.hasPrefix("documents/") {
        target = try documents.placeForReplacement(of: String(entry.name.dropFirst("documents/".count)))
      } else {
        guard let top = entry.name.split(separator: "/").first.map(String.init), !Workspace.isOwn(top),
          !top.hasPrefix(".")
        else { throw BackupError.notABackup(path: path, reason: "a file in it is called \(quoted(entry.name))") }
        target = try documents.placeForReplacement(of: "../" + entry.name)
      }
      var options = Replacement()
      options.syncsName = false
      try AtomicFile.write(target, options) { sink in
        while true {
          let piece = try archive.read()
          if piece.isEmpty { break }
          try sink.append(piece)
        }
      }
    }
    guard let database else { throw BackupError.notABackup(path: path, reason: "it has no \(Workspace.database)") }
    return database
  }

  /// Opens the database of a backup: it is whole, not of a newer program, and brought up to date.
  private func checkStaged(_ staged: String, _ path: String) throws {
    let opened = Store(path: staged, migrations: Workspace.migrations, interrupted: environment.isInterrupted)
    let problems = try opened.integrityProblems()
    // The cards of the backup have numbers that others have here.
    if problems.isEmpty { try opened.operation("looking at a backup") { try SearchLog.forget($0) } }
    try opened.close()
    if let first = problems.first { throw BackupError.notABackup(path: path, reason: first) }
  }

  private static func decide(_ batch: String, in staged: String) throws {
    let queue = try DatabaseQueue(path: staged)
    try queue.unsafeReentrantWrite { db in
      try db.execute(sql: "PRAGMA journal_mode = DELETE")
      try DecidedBatches.decide(db, batch)
    }
    try queue.close()
  }

  /// Where a backup goes that was given no name; its folder is made.
  public func freeBackupPath() throws -> String {
    if !rehearsal.isOn { try makePrivateFolder(backupFolder) }
    return try freeBackupName("backup")
  }

  /// A free name for a backup of now.
  func freeBackupName(_ what: String, ending: String = Workspace.backupEnding) throws -> String {
    let start = backupFolder + "/\(what)-\(day(environment.clocks.now()))"
    for number in 1... {
      let name = start + (number == 1 ? "" : "-\(number)") + ending
      if !fileExists(name) { return name }
    }
    return start + ending
  }

  static let backupEnding = ".deckhand-backup"
}
