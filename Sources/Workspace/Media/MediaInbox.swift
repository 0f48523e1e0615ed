// A folder in which other programs leave pictures and sounds, as they do in Anki's folder of media.
// Invariant: a file leaves the folder only after its content is kept; one that cannot be taken over stays.

import Decks
import Files
import Storage
import Templates

extension MediaOperations {
  private var inbox: String { workspace.folder + "/inbox" }

  /// The folder, made when it is missing.
  public func madeInbox() throws -> String {
    _ = try workspace.store(for: "media")
    try makePrivateFolder(inbox)
    return inbox
  }

  /// Takes over what is in the folder, each file in the place of another one of its name.
  /// - Returns: the files, for `clearInbox` once the change is kept.
  public func takeInbox() throws -> [String] {
    if workspace.rehearsal.isOn || !Folder.isFolder(inbox) { return [] }
    var taken: [String] = []
    for name in try Folder.names(in: inbox).sorted() where !name.hasPrefix(".") {
      let path = inbox + "/" + name
      guard try isTakeable(name, path) else { continue }
      let bytes = try FileText.bytes(
        path, limit: MediaOperations.limit, isInterrupted: workspace.environment.isInterrupted)
      do { try remove([name]) } catch NoteError.mediaNotFound {
        // Nothing to replace.
      }
      _ = try add(bytes, named: name)
      taken.append(path)
    }
    return taken
  }

  private func isTakeable(_ name: String, _ path: String) throws -> Bool {
    do throws(NoteError) {
      guard try MediaNames.checked(name) == name else { return false }
    } catch {
      // Another program's name that no media file can have: the file stays where it is.
      return false
    }
    guard let facts = try FileFacts.at(path, followingLinks: false) else { return false }
    return facts.kind == .file && facts.size <= MediaOperations.limit
  }

  public func clearInbox(_ paths: [String]) throws {
    for path in paths { try Folder.removeFile(path) }
  }
}
