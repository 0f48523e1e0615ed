// Syncs the media of an account, after its rows.
// Invariant: contents are first written to the folder, and one operation at the end records their names, even if the
// sync failed midway. Changes that another shell made in the meantime are left for the next sync.

import CardDocuments
import Decks
import Exchange
import Files
import Storage
public import Sync

extension SyncOperations {
  /// Fetches the media that are new on the server, and sends those that are new locally.
  /// - Throws: `SyncError`, also if too little disk space would remain; `FileError`. What was done before the error
  ///   is kept.
  public func runMedia(progress: (MediaStage) -> Void) throws -> SyncReport {
    try requireNoUnit()
    let link = try requiredLink()
    if workspace.rehearsal.isOn { return SyncReport() }
    let before = try workspace.read { try MediaTables.known($0, of: link) }
    let server = MediaServer(program, address: link.address, session: newSession, keyPath: keyPath)
    let contents = MediaContents(
      limit: share, read: { hash in try workspace.media.content(hash) },
      keep: { bytes in
        // Media must not take the space that a change or a backup needs.
        if let free = Folder.freeBytes(in: workspace.folder), try free - bytes.count < workspace.care.neededSpace() {
          throw SyncError.noSpace(free: free)
        }
        let hash = ContentHash(of: bytes).description
        try workspace.media.write(bytes, hash: hash)
        return hash
      })
    let exchange = MediaExchange(
      server, contents, folder: workspace.folder, before, isInterrupted: workspace.isInterrupted)
    let end = Result { try exchange.run(progress: progress) }
    try keep(exchange, before, link)
    try end.get()
    return exchange.report
  }

  private func keep(_ exchange: MediaExchange, _ before: KnownMedia, _ link: SyncLink) throws {
    let after = exchange.known
    if after == before { return }
    let names = Set(before.states.keys).union(after.states.keys).filter { before.states[$0] != after.states[$0] }
    let report = exchange.report
    let count = report.received + report.sent + report.removedHere + report.removedThere
    try workspace.perform(.syncMedia, on: link.address, count: { _ in count }) { db in
      var isWhole = true
      for name in names.sorted() {
        guard try MediaTable.state(db, of: name) == before.states[name] else {
          isWhole = false
          continue
        }
        try MediaTable.set(db, name, to: after.states[name])
      }
      for (name, usn) in after.deletions where before.deletions[name] != usn {
        try MediaTables.setDeletion(db, of: name, usn)
      }
      // Otherwise the next sync looks again at everything that changed since.
      if isWhole { try MediaTables.setUSN(db, after.usn, of: link) }
    }
  }

  /// Checks that the server answers within the given number of seconds.
  /// - Throws: `SyncError`.
  public func reachServer(within seconds: Int) throws {
    let server = server(at: try requiredLink().address)
    server.timeout = seconds
    _ = try server.meta()
  }
}
