// A sync that nobody is asked about: for `serve`, scripts and the end of a session.
// Invariant: what has to be asked is not done; it says which command asks it.

import Sync
import Workspace

enum UnattendedSync {
  /// - Throws: `ShellError.firstSync` where nothing was fetched yet; what `sync` throws.
  static func run(_ workspace: Workspace) throws {
    if let link = try workspace.syncLink(), link.synced == nil { throw ShellError.firstSync(address: link.address) }
    let preview = try workspace.lookAtServer(isFull: false) { _ in }
    _ = try workspace.takeOver(preview) { _, _ in }
  }
}
