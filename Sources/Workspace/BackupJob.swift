// Making a backup, on the thread of the prompt or on one of its own.
// Invariant: it works with a connection of its own and changes nothing in the account's folder but links to documents
// and, where it goes there, the file itself.

import Archives
import CardDocuments
import Files
import Storage

/// All that is needed to make one backup.
struct BackupJob: Sendable {
  /// The account's folder.
  let folder: String
  /// Where the backup goes.
  let path: String
  let account: String?
  /// Seconds since 1970.
  let created: Double
  let isInterrupted: @Sendable () -> Bool

  /// - Parameter progress: bytes done and all of them.
  func write(progress: (Int, Int) -> Void = { _, _ in }) throws -> BackupContents {
    // Beside the backup, so that one to another disk needs no room on this one.
    let scratch = try Scratch(.backup, in: parentFolder(of: path))
    var held: HeldDatabase?
    let name = String(lastPart(of: scratch.folder).dropFirst())
    let snapshot = try DocumentSnapshot(
      of: folder + "/documents", named: name, .byPauses(seconds: 5, isInterrupted: isInterrupted)
    ) {
      held = try HeldDatabase(
        folder + "/collection.sqlite", scratch: scratch.folder, isInterrupted: isInterrupted)
    }
    defer { snapshot.remove() }
    let copy = scratch.path("collection.sqlite")
    try held?.copy(to: copy) { progress($0, $1 * 2) }
    held = nil
    var contents = try checkedCounts(copy)
    contents.created = created
    contents.account = account
    contents.documents = snapshot.files.count { $0.name.hasSuffix(".rwcard") }
    let files =
      [("collection.sqlite", copy)] + snapshot.files.map { ("documents/" + $0.name, $0.path) } + (try otherFiles())
    contents.bytes = try files.reduce(0) { try $0 + (FileFacts.at($1.1)?.size ?? 0) }
    try write(contents, files, temporary: "." + name + ".tmp", progress)
    return contents
  }

  private func checkedCounts(_ path: String) throws -> BackupContents {
    let file = try ForeignDatabase.open(path, isInterrupted: isInterrupted)
    return try file.use { db in
      let wrong = try String.fetchAll(db, sql: "PRAGMA quick_check").filter { $0 != "ok" }
      if let first = wrong.first {
        throw StorageError.damaged(path: folder + "/collection.sqlite", detail: first)
      }
      return try BackupContents.counts(db)
    }
  }

  /// Grants, history and media.
  private func otherFiles() throws -> [(String, String)] {
    let names = ["grants.json", "history"] + (try Folder.names(in: folder + "/media").map { "media/" + $0 })
    return try names.filter { BackupPart($0) != nil }.compactMap { name in
      let facts = try FileFacts.at(folder + "/" + name, followingLinks: false)
      return facts?.kind == .file ? (name, folder + "/" + name) : nil
    }
  }

  private func write(
    _ contents: BackupContents, _ files: [(String, String)], temporary name: String, _ progress: (Int, Int) -> Void
  ) throws {
    var options = Replacement(isInterrupted: isInterrupted)
    options.keepsMode = false
    options.temporaryName = name
    let temporary = parentFolder(of: path) + "/" + name
    var done = contents.bytes
    try AtomicFile.write(
      path, options,
      finishing: { _ in
        guard try BackupFile(temporary, isInterrupted: isInterrupted).read() == contents else {
          throw BackupError.notABackup(path: path, reason: "what was written is not what is read")
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
