// Restores a backup, which may come from anywhere: its rows replace the local ones, its media are added.
// Invariant: the local data is saved first and then replaced by a single commit, or not at all. Security-sensitive
// parts (guarded settings, the link with a sync server, grants, the history) keep their local state unless the caller
// asks for them by name.

import Archives
import Authentication
import CardDocuments
import Decks
import Files
import Problems
import Storage
import Sync
import Text
import ToggleSettings

/// The parts of a backup that a restore takes only on request.
public enum BackupPower: String, CaseIterable, Sendable {
  /// Settings that plugins may not change, and the link with a sync server.
  case settings
  case grants
  case history
  /// Restoring a backup of data without an account into an account.
  case account
}

/// A backup that was unpacked and checked, and can be restored.
///
///     let staged = try workspace.care.stage(path, taking: [.history])
///     print(staged.settings)   // names and values that were not chosen, or are
///     try workspace.care.restore(staged)
public final class StagedBackup {
  public let contents: BackupContents
  public let chosen: Set<BackupPower>
  /// The guarded settings of the backup that differ from the local ones, including the link with a server.
  public fileprivate(set) var settings: [(name: String, value: String)] = []
  /// The content of the backup's `grants.json`.
  public fileprivate(set) var grants: [UInt8]?
  public fileprivate(set) var hasHistory = false
  /// A table with a row that refers to one that does not exist, as in the collection that was backed up; nil if there
  /// is none. `mend` repairs it after the restore.
  public fileprivate(set) var danglingTable: String?
  fileprivate let path: String
  fileprivate let scratch: Scratch
  fileprivate var database: String { scratch.path("rows.sqlite") }

  fileprivate init(_ contents: BackupContents, _ path: String, _ scratch: Scratch, _ chosen: Set<BackupPower>) {
    (self.contents, self.path, self.scratch, self.chosen) = (contents, path, scratch, chosen)
  }
}

/// What was restored; the contents that were replaced, nil if there were none or they could not be read; and the backup
/// of these, or the copy of the damaged collection, nil if there was nothing.
public typealias RestoreReport = (restored: BackupContents, replaced: BackupContents?, kept: String?)

extension CareOperations {
  /// Unpacks and checks a backup. Changes nothing outside a temporary folder, which is removed with the returned value.
  /// - Parameter powers: the parts to restore in addition to rows, documents and media.
  /// - Throws: `BackupError` if the file is not a backup, or not one of this account or version.
  public func stage(_ path: String, taking powers: Set<BackupPower> = []) throws -> StagedBackup {
    guard workspace.isOpen else { throw WorkspaceError.signedOut(what: "workspace") }
    try makePrivateFolder(workspace.folder)
    let scratch = try Scratch(.restore, in: workspace.folder)
    let file = BackupFile(path, isInterrupted: workspace.isInterrupted)
    let packed = scratch.path("collection.sqlite")
    var (grants, hasHistory): ([UInt8]?, Bool) = (nil, false)
    let contents = try file.read { archive, _, part in
      switch part {
      case .database: try CareOperations.unpack(archive, to: packed)
      case .grants: grants = try archive.rest(limit: 1 << 20)
      case .history:
        hasHistory = true
        if powers.contains(.history) { try CareOperations.unpack(archive, to: scratch.path("history")) }
      case .media: break
      }
    }
    try requireOwn(contents, path, powers)
    let staged = StagedBackup(contents, path, scratch, powers)
    (staged.grants, staged.hasHistory) = (grants, hasHistory)
    do {
      let new = NewStore(at: staged.database, schema: Workspace.schema, isInterrupted: workspace.isInterrupted)
      staged.danglingTable = try new.rebuild(from: packed) { db in try filterSensitiveRows(staged, db) }
    } catch RebuildError.strange(let objects) {
      let names = objects.prefix(5).joined(separator: ", ") + (objects.count > 5 ? ", …" : "")
      throw BackupError.strange(path: path, reason: "its database has an unexpected structure: \(names)")
    } catch let error as StorageError where error.isDamage {
      throw BackupError.notABackup(path: path, reason: error.reason)
    }
    try Folder.removeFile(packed)
    return staged
  }

  /// Returns the current contents; nil if the collection is damaged or gone.
  public func contentsIfReadable() throws -> BackupContents? {
    do { return try contents() } catch let error as StorageError where error.isDamage {
      return nil
    } catch WorkspaceError.collectionGone { return nil }
  }

  private func requireOwn(_ contents: BackupContents, _ path: String, _ powers: Set<BackupPower>) throws {
    guard contents.account != workspace.access.name else { return }
    if let account = contents.account { throw BackupError.ofAnother(path: path, account: account) }
    guard !powers.contains(.account) else { return }
    throw BackupError.ofNoAccount(path: path, here: workspace.access.name ?? "")
  }

  private static func unpack(_ archive: ArchiveReader, to target: String) throws {
    // Only reading the archive can be interrupted.
    var options = Replacement(isInterrupted: isNeverInterrupted)
    options.syncsName = false
    try AtomicFile.write(target, options) { sink in
      while true {
        let piece = try archive.read()
        if piece.isEmpty { break }
        try sink.append(piece)
      }
    }
  }

  /// Lists the security-sensitive rows of the backup, and replaces them by the local ones unless the caller asked for
  /// them.
  private func filterSensitiveRows(_ staged: StagedBackup, _ db: Database) throws {
    // Card ids in the backup may belong to other local cards.
    try SearchLog.forget(db)
    var (kept, link): ([String: StoredSetting], SyncLink?) = ([:], nil)
    do {
      let local = { db in (try SettingsTable.load(db), try SyncTables.link(db)) }
      if !isCollectionGone { (kept, link) = try workspace.database.read(local) }
    } catch let error as StorageError where error.isDamage {
      // The local settings and the local link cannot be read: nothing is kept.
    }
    let found = try SettingsTable.load(db)
    // Scripts and plugins declare guarded settings too.
    let tree = workspace.openedPreferences?.tree
    let names = Set(found.keys).union(kept.keys).filter { name in
      let isGuarded = ProgramSettings.isGuarded(name) || tree?.declaration(of: name)?.isGuarded == true
      return isGuarded && found[name]?.value != kept[name]?.value
    }
    for name in names.sorted() {
      guard let value = found[name]?.value else { continue }
      let isSecret = ProgramSettings.isSecret(name) || tree?.declaration(of: name)?.isSecret == true
      staged.settings.append((name, isSecret ? "(hidden)" : value.text))
    }
    let other = try SyncTables.link(db)
    let isOtherLink = other?.address != link?.address || other?.user != link?.user
    if isOtherLink, let other { staged.settings.append(("link", "\(other.user) at \(other.address)")) }
    if staged.chosen.contains(.settings) { return }
    try SettingsTable.write(names.map { (name: $0, setting: kept[$0]) }, db)
    if isOtherLink {
      try SyncTables.removeLink(db)
      if let link { try SyncTables.setLink(db, SyncLink(address: link.address, user: link.user)) }
    }
  }

  /// Replaces all local data by the contents of a backup. Saves the local data first.
  /// - Throws: `BackupError.notAllRestored` if only the grants or the history could not be replaced.
  public func restore(_ staged: StagedBackup) throws -> RestoreReport {
    guard workspace.isOpen else { throw WorkspaceError.signedOut(what: "workspace") }
    if workspace.rehearsal.isOn { throw WorkspaceError.rehearsal("restore") }
    guard !workspace.database.isInUnit, !workspace.database.isInOperation else { throw BackupError.inUnit }
    let (replaced, kept): (BackupContents?, String?)
    do {
      // Media files are named by their content: the local ones stay unchanged until the database is replaced.
      try unpackMedia(of: staged)
      try workspace.media.syncNew()
      (replaced, kept) = try replace(by: staged)
    } catch {
      workspace.hasCollection = false
      workspace.media.discardNew()
      throw error
    }
    let media = workspace.unit.newMedia.keys
    workspace.unit.newMedia = [:]
    workspace.stopFitting()
    workspace.opened.documents = nil
    workspace.opened.orders.forget()
    var failure: FileError?
    do {
      // They were unpacked before the rows were replaced, so the user cannot interrupt the restore between the rows and
      // them; after a kill, it can be repeated.
      if staged.chosen.contains(.grants), let grants = staged.grants {
        try AtomicFile.write(workspace.folder + "/grants.json", grants)
      }
      if staged.chosen.contains(.history), staged.hasHistory {
        try AtomicFile.copy(
          staged.scratch.path("history"), to: workspace.folder + "/history", isInterrupted: isNeverInterrupted)
      }
    } catch let error as FileError { failure = error }
    try workspace.settings.reload()
    // Until the rows named them, another process may have removed the contents as unused.
    if !media.allSatisfy(fileExists) {
      try unpackMedia(of: staged)
      try workspace.media.syncNew()
      workspace.unit.newMedia = [:]
    }
    if let failure { throw BackupError.notAllRestored(failure, kept: kept) }
    return (staged.contents, replaced, kept)
  }

  /// Replaces the local rows by those of the backup. If another shell changes something after the local rows were
  /// saved, saves them again and retries.
  /// - Returns: what was replaced, and the path where it is saved.
  private func replace(by staged: StagedBackup) throws -> (BackupContents?, String?) {
    for _ in 0..<CareOperations.mostTries {
      let watch = try isCollectionGone ? nil : workspace.database.watch()
      let (replaced, kept) = try saveLocalData()
      workspace.hasCollection = true
      if try workspace.database.replaceAll(from: staged.database, since: watch) { return (replaced, kept) }
      if let kept { try Folder.removeFile(kept) }
      try workspace.poll()
    }
    throw StorageError.busy(path: workspace.collectionPath, holder: nil, operation: "restoring")
  }

  /// How often the local data is saved again while other processes keep changing it.
  private static let mostTries = 20

  private func unpackMedia(of staged: StagedBackup) throws {
    let isInterrupted = workspace.isInterrupted
    _ = try BackupFile(staged.path, isInterrupted: isInterrupted).read { archive, name, part in
      guard part == .media else { return }
      let place = workspace.folder + "/" + name
      let fresh = staged.scratch.path("content")
      try CareOperations.unpack(archive, to: fresh)
      let bytes = try FileText.bytes(fresh, limit: MediaOperations.limit, isInterrupted: isInterrupted)
      // A file whose content does not match its name does not replace an existing one.
      let isThere = fileExists(place)
      guard !isThere || ContentHash(of: bytes).description == lastPart(of: name) else { return }
      try makePrivateFolder(workspace.media.folder)
      try Folder.move(fresh, to: place)
      workspace.unit.newMedia[place] = !isThere
    }
  }

  /// Makes a backup of the local data, or a copy of the collection if it is damaged.
  private func saveLocalData() throws -> (contents: BackupContents?, path: String?) {
    if isCollectionGone {
      // A connection that was opened before the file was removed would still write to that file.
      try workspace.database.close()
      return (nil, nil)
    }
    try makePrivateFolder(backupFolder)
    do {
      let made = try backup(as: "before-restore")
      return (made.contents, made.path)
    } catch let error as StorageError where error.isDamage {
      return (nil, try copyDamaged())
    }
  }

  /// Copies a damaged collection to a dated file name beside the backups.
  func copyDamaged() throws -> String {
    let kept = try freeBackupPath("damaged", ending: ".sqlite")
    try copyCollection(to: kept)
    return kept
  }

  /// Closes the collection, and copies its file.
  func copyCollection(to target: String) throws {
    try workspace.database.close()
    try copyDatabase(workspace.collectionPath, to: target, isInterrupted: workspace.isInterrupted)
  }
}
