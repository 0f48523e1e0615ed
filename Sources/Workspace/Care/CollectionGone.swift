// Handles a missing collection: its file is empty or does not exist although the account has other data.
// Invariant: until the user asks for it, no new collection replaces the missing one and no backup is removed.

import Files
import Storage

extension CareOperations {
  /// Whether the collection is missing while media or backups exist. SQLite would create an empty one.
  var isCollectionGone: Bool {
    do {
      let path = workspace.collectionPath
      // A dangling link or a pipe counts as existing: opening it fails with an error that says what it is.
      if try FileFacts.at(path, followingLinks: false) != nil {
        guard let facts = try FileFacts.at(path), facts.kind == .file, facts.size == 0 else { return false }
      }
      return try hasFile(in: "backups") { $0.hasSuffix(CareOperations.backupEnding) }
        || hasFile(in: "media") { _ in true }
    } catch { return false }  // An unreadable file is reported when it is opened.
  }

  private func hasFile(in inner: String, where isData: (String) -> Bool) throws -> Bool {
    try Folder.names(in: workspace.folder + "/" + inner).contains(where: isData)
  }

  /// Creates an empty collection. Renames the automatic backups, so that none of them is ever removed automatically.
  func beginAgain() throws {
    for name in try Folder.names(in: backupFolder) where name.hasPrefix(DailyBackup.start) {
      let rest = name.dropFirst(DailyBackup.start.count)
      let ending = rest.hasSuffix(CareOperations.backupEnding) ? CareOperations.backupEnding : ""
      // On the same day this may happen again, and the first backup is the one with the data.
      let kept = try freePath("\(backupFolder)/kept-\(rest.dropLast(ending.count))", ending)
      try Folder.move(backupFolder + "/" + name, to: kept)
    }
    // A connection that was opened before the file was removed would still write to that file.
    try workspace.database.close()
    workspace.hasCollection = true
    try workspace.database.operation("making a new collection") { _ in }
  }
}
