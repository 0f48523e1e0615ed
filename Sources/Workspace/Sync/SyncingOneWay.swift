// A sync in one direction: all that is here replaces what the server has, or the other way round.
// Invariant: what is replaced is what the user saw, and is kept in a file first.

import Decks
import Exchange
import Files
import Storage
public import Sync

extension Workspace {
  // MARK: Uploading
}

extension SyncOperations {
  /// Whether an upload is for anything.
  /// - Throws: `SyncError.uploadNotNeeded` where a normal sync sends what is here.
  public func requireUpload(_ preview: SyncPreview) throws {
    let link = try requiredLink()
    guard try workspace.read({ try SyncExchange.needsUpload($0, link, preview.pulled) }) else {
      throw SyncError.uploadNotNeeded
    }
  }

  /// Puts what is here in the place of what the server has, which is kept as a package first.
  /// - Parameter preview: what the server has, as the user saw it.
  /// - Throws: `SyncError.uploadNotNeeded` where a normal sync sends what is here.
  public func upload(_ preview: SyncPreview) throws -> SyncReport {
    try requireAlone()
    try requireUpload(preview)
    let link = try requiredLink()
    let server = server(at: link.address)
    guard try pull(server).checkedMeta().isSame(as: preview.pulled.meta) else { throw SyncError.moved }
    var path: String?
    if !workspace.rehearsal.isOn {
      try makePrivateFolder(workspace.care.backupFolder)
      let kept = try workspace.care.freeBackupName("server", ending: ".colpkg")
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

  // MARK: Taking over

  /// Takes over what was fetched, in the place of the cards that are here. A backup of these is made first where
  /// anything of them is not on the server.
  /// - Parameters:
  ///   - progress: notes done and all of them.
  /// - Returns: what was taken over, and the backup of what was here.
  public func takeOver(
    _ preview: SyncPreview, progress: (Int, Int) throws -> Void
  ) throws -> (report: PullReport, backup: String?) {
    let pulled = preview.pulled
    var kept: String?
    // What came from the server and was not touched since is there again.
    let isOurs = preview.link.meta == nil || preview.unsent.total > 0
    if preview.cardsHere > 0, isOurs, !workspace.rehearsal.isOn {
      let path = try workspace.care.freeBackupPath()
      try workspace.care.backup(to: path)
      kept = path
    }
    let report = try workspace.perform(.sync, on: preview.link.address, count: { $0.cards }) { db in
      // What was shown is what is replaced: another shell may have changed something since.
      let (cards, unsent) = (try WholeCollection.cardCount(db), try SyncTables.unsent(db))
      guard cards == preview.cardsHere else { throw SyncError.cardsHere(cards: cards) }
      guard unsent == preview.unsent else { throw SyncError.unsent(changes: unsent.total) }
      if preview.cardsHere > 0 { try WholeCollection.removeAll(db) }
      return try pulled.takeIn(
        db, preview.link, workspace.moment, isInterrupted: workspace.environment.isInterrupted, progress: progress)
    }
    return (report, kept)
  }
}
