// A folder in which other programs leave pictures and sounds, as they do in Anki's media folder.
// Invariant: a file leaves the folder only after its content is stored; a file that cannot be imported, or that a
// program is still writing, stays.

import Decks
public import Files
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
  /// - Returns: the imported files as they were then, for `clearInbox` once the change is committed.
  public func importInbox() throws -> [(path: String, facts: FileFacts)] {
    if try workspace.rehearsal.isOn || FileFacts.at(inbox)?.kind != .folder { return [] }
    var taken: [(path: String, facts: FileFacts)] = []
    for name in try Folder.names(in: inbox).sorted() where !name.hasPrefix(".") {
      let path = inbox + "/" + name
      guard let facts = try importable(name, path) else { continue }
      let bytes = try FileText.bytes(
        path, limit: MediaOperations.limit, isInterrupted: workspace.isInterrupted)
      do { try remove([name]) } catch NoteError.mediaNotFound {
        // There is nothing to replace.
      }
      _ = try add(bytes, named: name)
      taken.append((path, facts))
    }
    return taken
  }

  /// Returns the facts of a file that can be imported; nil for any other.
  private func importable(_ name: String, _ path: String) throws -> FileFacts? {
    do throws(NoteError) {
      guard try MediaNames.checked(name) == name else { return nil }
    } catch {
      // A name from another program that no media file can have: the file stays in the folder.
      return nil
    }
    guard let facts = try FileFacts.at(path, followingLinks: false) else { return nil }
    guard facts.kind == .file, facts.size <= MediaOperations.limit, !isOpenForWriting(path) else { return nil }
    return facts
  }

  /// Removes the imported files, except those that were written to since, or are about to be.
  public func clearInbox(_ files: [(path: String, facts: FileFacts)]) throws {
    for file in files where !isOpenForWriting(file.path) {
      guard try FileFacts.at(file.path, followingLinks: false) == file.facts else { continue }
      try Folder.removeFile(file.path)
    }
  }
}
