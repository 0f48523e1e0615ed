// A sync in one direction: the local collection replaces the server's, or the other way round.
// Invariant: what is replaced is what the user has reviewed, and is saved to a file first.

import Decks
import Exchange
import Files
import Storage
public import Sync

extension SyncOperations {
  // MARK: Uploading

  /// Checks that an upload is needed.
  /// - Throws: `SyncError.uploadNotNeeded` if a normal sync can send the local changes.
  public func requireUpload(_ preview: SyncPreview) throws {
    let link = try requiredLink()
    guard try workspace.read({ try SyncExchange.needsUpload($0, link, preview.pulled) }) else {
      throw SyncError.uploadNotNeeded
    }
  }

  /// Replaces the server's collection with the local one, after saving the server's as a package.
  /// - Parameter preview: the server's collection as the user reviewed it.
  /// - Throws: `SyncError.uploadNotNeeded` if a normal sync can send the local changes.
  public func upload(_ preview: SyncPreview) throws -> SyncReport {
    try requireNoUnit()
    try requireUpload(preview)
    let link = try requiredLink()
    let server = server(at: link.address)
    guard try pull(server).checkedMeta().isSame(as: preview.pulled.meta) else { throw SyncError.moved }
    var path: String?
    if !workspace.rehearsal.isOn {
      let kept = try workspace.care.freeBackupPath("server", ending: ".colpkg")
      try preview.pulled.staged.pack(to: kept, workspace.moment)
      path = kept
    }
    let exchange = exchange(server, preview.pulled)
    var report = try workspace.perform(.sync, on: link.address, count: { $0.sent }) { db in
      guard try SyncTables.link(db) == link else { throw SyncError.moved }
      return try exchange.upload(db, link, folder: workspace.folder)
    }
    report.backup = path
    return report
  }

  // MARK: Downloading

  /// Replaces the local cards with the fetched collection. Backs them up first if any of them, or any local change,
  /// is not on the server.
  /// - Parameters:
  ///   - progress: called with the notes done and their total.
  /// - Returns: what was imported, and the backup of the local data.
  public func replaceLocal(
    _ preview: SyncPreview, progress: (Int, Int) throws -> Void
  ) throws -> (report: PullReport, backup: String?) {
    let pulled = preview.pulled
    var kept: String?
    // Rows that came from the server and were not changed since are part of the fetched collection.
    let isOurs = preview.link.meta == nil || preview.unsent.total > 0
    if preview.cardsHere > 0, isOurs, !workspace.rehearsal.isOn { kept = try workspace.care.backup().path }
    let report = try workspace.perform(.sync, on: preview.link.address, count: { $0.cards }) { db in
      // Only what the user was shown may be replaced: another shell may have changed something since.
      let (cards, unsent) = (try WholeCollection.cardCount(db), try SyncTables.unsent(db))
      guard cards == preview.cardsHere else { throw SyncError.cardsHere(cards: cards) }
      guard unsent == preview.unsent else { throw SyncError.unsent(changes: unsent.total) }
      if preview.cardsHere > 0 { try WholeCollection.removeAll(db) }
      return try pulled.importAll(
        db, preview.link, workspace.moment, isInterrupted: workspace.isInterrupted, progress: progress)
    }
    return (report, kept)
  }
}
