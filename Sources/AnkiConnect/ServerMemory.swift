// What the server keeps from one request to the next. Invariant: what it knows of the notes is as they are now: any
// change but a note that it added itself makes it look again.

import Decks
import Workspace

/// The first fields that are taken.
final class ServerMemory {
  /// Hashes of the keys of first fields: a key that is not there is no note's.
  private var hashes: [FirstFieldScope: Set<Int>] = [:]
  private var changeCount = -1
  /// Whether the action under way adds notes, and so changes nothing that is not known.
  private var hasAdded = false
  private weak var workspace: Workspace?

  /// Those of the keys that the first field of a note has.
  func taken(_ keys: Set<String>, in scope: FirstFieldScope, _ workspace: Workspace) throws -> Set<String> {
    if workspace !== self.workspace || workspace.changeCount != changeCount { hashes = [:] }
    (self.workspace, changeCount) = (workspace, workspace.changeCount)
    let known: Set<Int>
    if let kept = hashes[scope] {
      known = kept
    } else {
      // Scopes of many decks are forgotten first.
      if hashes.count >= Self.mostScopes { hashes = [:] }
      known = try workspace.notes.firstFieldHashes(in: scope)
      hashes[scope] = known
    }
    let likely = keys.filter { known.contains($0.hashValue) }
    return likely.isEmpty ? [] : try workspace.notes.takenFirstFields(likely, in: scope)
  }

  private static let mostScopes = 16

  /// A note was added by the action under way.
  func note(added key: String) {
    for scope in hashes.keys { hashes[scope]?.insert(key.hashValue) }
    hasAdded = true
  }

  /// An action is over: one that added notes changed nothing else that is known, unless it was taken back.
  func finish(_ workspace: Workspace, isKept: Bool) {
    if hasAdded, isKept, workspace === self.workspace { changeCount = workspace.changeCount }
    hasAdded = false
  }
}
