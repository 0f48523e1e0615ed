// A sync that nobody is asked about: for `serve`, scripts and the end of a session.
// Invariant: what has to be asked is not done; it says which command asks it.

import Sync
import Workspace

enum UnattendedSync {
  /// - Throws: what `sync` throws; `SyncError.firstSync` before the one that shows what is there.
  static func run(_ workspace: Workspace) throws {
    _ = try workspace.syncNow(consent: { _ in false }, progress: { _ in })
  }
}
