// A folder in which other programs leave pictures and sounds, as they do in Anki's media folder.
// Invariant: a file leaves the folder only after its content is stored; a file that cannot be imported stays.

import Decks
import Files
import Storage
import Templates

extension MediaOperations {
  private var inbox: String { workspace.folder + "/inbox" }

  /// Returns the folder, created if it does not exist.
  public func ensureInbox() throws -> String {
    _ = try workspace.store(for: "media")
    try makePrivateFolder(inbox)
    return inbox
  }

  /// Imports the files in the folder, each replacing the existing file of the same name.
  /// - Returns: the imported files, for `clearInbox` once the change is committed.
  public func importInbox() throws -> [String] {
    if workspace.rehearsal.isOn || !Folder.isFolder(inbox) { return [] }
    var taken: [String] = []
    for name in try Folder.names(in: inbox).sorted() where !name.hasPrefix(".") {
      let path = inbox + "/" + name
      guard try isImportable(name, path) else { continue }
      let bytes = try FileText.bytes(
        path, limit: MediaOperations.limit, isInterrupted: workspace.environment.isInterrupted)
      do { try remove([name]) } catch NoteError.mediaNotFound {
        // There is nothing to replace.
      }
      _ = try add(bytes, named: name)
      taken.append(path)
    }
    return taken
  }

  private func isImportable(_ name: String, _ path: String) throws -> Bool {
    do throws(NoteError) {
      guard try MediaNames.checked(name) == name else { return false }
    } catch {
      // A name from another program that no media file can have: the file stays in the folder.
      return false
    }
    guard let facts = try FileFacts.at(path, followingLinks: false) else { return false }
    return facts.kind == .file && facts.size <= MediaOperations.limit
  }

  public func clearInbox(_ paths: [String]) throws {
    for path in paths { try Folder.removeFile(path) }
  }
}
