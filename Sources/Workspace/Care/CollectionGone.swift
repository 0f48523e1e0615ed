// A collection that is gone: a file of no bytes, or none, where other data of the account are.
// Invariant: no new collection takes its place, and no backup is removed, until the user says so.

import Files
import Storage

extension CareOperations {
  /// Whether the collection is missing while media or backups are there. SQLite would begin an empty one.
  var isCollectionGone: Bool {
    do {
      let path = workspace.folder + "/collection.sqlite"
      // A link that leads nowhere and a pipe are there: opening them fails and says what they are.
      if try FileFacts.at(path, followingLinks: false) != nil {
        guard let facts = try FileFacts.at(path), facts.kind == .file, facts.size == 0 else { return false }
      }
      return try hasFile(in: "backups") { $0.hasSuffix(CareOperations.backupEnding) }
        || hasFile(in: "media") { _ in true }
    } catch { return false }  // What cannot be looked at is reported when it is opened.
  }

  private func hasFile(in inner: String, where isData: (String) -> Bool) throws -> Bool {
    try Folder.names(in: workspace.folder + "/" + inner).contains(where: isData)
  }

  /// Begins an empty collection. The backups that were made by themselves get names under which none is ever removed.
  func beginAgain() throws {
    for name in try Folder.names(in: backupFolder) where name.hasPrefix(DailyBackup.start) {
      try Folder.move(backupFolder + "/" + name, to: backupFolder + "/kept-" + name.dropFirst(DailyBackup.start.count))
    }
    workspace.hasCollection = true
    try workspace.database.operation("making a new collection") { _ in }
  }
}
