// Makes a backup, on the prompt's thread or on a separate one.
// Invariant: it uses its own database connection, and changes nothing in the account's folder except the backup file
// itself, if it is written there.

import Archives
import Decks
import Files
import Storage

/// Everything that is needed to make one backup.
struct BackupJob: Sendable {
  /// The account's folder.
  let folder: String
  /// The path of the backup.
  let path: String
  let account: String?
  /// Seconds since 1970.
  let created: Double
  let isInterrupted: @Sendable () -> Bool
  /// Whether a file of that name is replaced; if not, the backup fails with EEXIST.
  var replaces = true

  /// Writes the backup and verifies it.
  /// - Parameter progress: called with the bytes done and their total.
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
    let file = try ForeignDatabase.open(
      path, schema: DecksSchema.schema, longest: nil, isInterrupted: isInterrupted)
    return try file.use { db in
      // `quick_check` would not notice two rows with one unique key, which a restore has to refuse.
      let wrong = try db.rows("PRAGMA integrity_check") { $0.text(0) }.filter { $0 != "ok" }
      if let first = wrong.first {
        throw StorageError.damaged(path: folder + "/collection.sqlite", detail: first)
      }
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
