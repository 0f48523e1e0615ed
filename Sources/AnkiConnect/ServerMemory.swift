// What the server keeps from one request to the next. Invariant: its knowledge of the notes is current: any change
// other than notes that it added itself makes it read them again.

import Decks
import Workspace

/// The first fields that are already used.
final class ServerMemory {
  /// Hashes of the keys of first fields: a key whose hash is missing is not used by any note.
  private var hashes: [FirstFieldScope: Set<Int>] = [:]
  private var changeCount = -1
  /// Whether the current action adds notes, and so makes no change that is not recorded here.
  private var hasAdded = false
  private weak var workspace: Workspace?

  /// Returns the keys that are already the first field of a note.
  func taken(_ keys: Set<String>, in scope: FirstFieldScope, _ workspace: Workspace) throws -> Set<String> {
    if workspace !== self.workspace || workspace.changeCount != changeCount { hashes = [:] }
    (self.workspace, changeCount) = (workspace, workspace.changeCount)
    let known: Set<Int>
    if let kept = hashes[scope] {
      known = kept
    } else {
      // The cache is cleared when it holds too many scopes.
      if hashes.count >= Self.mostScopes { hashes = [:] }
      known = try workspace.notes.firstFieldHashes(in: scope)
      hashes[scope] = known
    }
    let likely = keys.filter { known.contains($0.hashValue) }
    return likely.isEmpty ? [] : try workspace.notes.takenFirstFields(likely, in: scope)
  }

  private static let mostScopes = 16

  /// Records a note that the current action added.
  func note(added key: String) {
    for scope in hashes.keys { hashes[scope]?.insert(key.hashValue) }
    hasAdded = true
  }

  /// Called when an action ends: one that added notes made no other relevant change, unless it was rolled back.
  func finish(_ workspace: Workspace, isKept: Bool) {
    if hasAdded, isKept, workspace === self.workspace { changeCount = workspace.changeCount }
    hasAdded = false
  }
}
