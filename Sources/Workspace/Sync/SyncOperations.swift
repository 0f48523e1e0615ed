// An account and its sync server: linking, checking, syncing in both directions or in one. Invariant: incoming data is
// fetched completely before the operation that merges it begins. Outgoing data is sent within that operation, so both
// sides store it or neither. Data that is replaced is backed up first.

public import Authentication
import Decks
import Exchange
import Files
import Storage
public import Sync
import Text
import Values

/// The link of the account, and what is new on each side.
public struct SyncStatus {
  public var link: SyncLink
  /// The server's current answer; nil if the server was not asked or did not answer.
  public var meta: SyncMeta?
  /// The error if the server did not answer.
  public var problem: SyncError?
  public var unsent = SyncCounts.none
  public var media = KnownMedia()

  /// Whether the server has changes that are not here yet; nil if unknown.
  public var hasNews: Bool? { meta.map { $0.hasNews(since: link.meta) } }

  /// Whether the server's media have changed since the last sync; nil if unknown.
  public var hasMediaNews: Bool? { meta.map { $0.mediaUSN != media.usn } }
}

/// What a sync found before it imported anything.
public typealias SyncPreview = (link: SyncLink, pulled: PulledCollection, cardsHere: Int, unsent: SyncCounts)

/// Syncing with the server that the account is linked with.
public struct SyncOperations {
  let workspace: Workspace

  /// The path of the server's key: a hidden file that is not part of backups.
  var keyPath: String { workspace.folder + "/.sync-key" }

  /// The environment variables that libcurl uses.
  private static let proxyVariables = [
    "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
  ]

  /// Called repeatedly while waiting for a server.
  public var whileWaiting: (() -> Void)? {
    get { workspace.opened.whileWaitingForServer }
    nonmutating set { workspace.opened.whileWaitingForServer = newValue }
  }

  var program: SyncProgram {
    if let known = workspace.opened.sync { return known }
    let proxies = workspace.environment.variables.entries(of: SyncOperations.proxyVariables)
    let program = SyncProgram(
      path: workspace.environment.folders.netProgram, environment: proxies, clock: workspace.environment.clocks.elapsed
    ) { [weak workspace, isInterrupted = workspace.isInterrupted] in
      workspace?.opened.whileWaitingForServer?()
      return isInterrupted()
    }
    workspace.opened.sync = program
    return program
  }

  /// Random letters that name the conversation with a server.
  var newSession: String { hexadecimal(workspace.environment.random.bytes(8)) }

  func server(at address: String) -> SyncServer {
    SyncServer(program, address: address, session: newSession, keyPath: keyPath)
  }

  func requireNoUnit() throws {
    if workspace.isInUnit, !workspace.rehearsal.isOn { throw SyncError.inScript }
  }

  // MARK: The link

  public func link() throws -> SyncLink? { try workspace.read { try SyncTables.link($0) } }

  func requiredLink() throws -> SyncLink {
    guard let link = try link() else { throw SyncError.notLinked }
    return link
  }

  /// Links the account with a server, or requests a new key for the server that it is linked with.
  /// - Parameter password: the user's password on the server; it is not stored.
  /// - Throws: `SyncError.linked` if the account is linked with another server.
  public func link(with place: SyncPlace, user: String, password: borrowing Secret) throws -> SyncLink {
    try requireNoUnit()
    if workspace.rehearsal.isOn { throw WorkspaceError.rehearsal("sync login") }
    let known = try link()
    let linked = known.map { SyncError.linked(user: $0.user, address: $0.address) }
    if let known, let linked, try known.user != user || !place.canLead(to: SyncPlace(known.address)) { throw linked }
    let server = server(at: place.address)
    // The user may have typed the address that redirects to the known one.
    let isTyped = known.map { $0.address == place.address } ?? true
    try password.withBytes { bytes throws(SyncError) in
      try server.signIn(
        user, password: UnsafeRawBufferPointer(bytes), expectedAddress: isTyped ? "" : known?.address ?? "")
    }
    if let known, let linked {
      guard isTyped || server.address == known.address else { throw linked }
      return known
    }
    let link = SyncLink(address: server.address, user: user)
    try workspace.perform(.link, on: place.address) { try SyncTables.setLink($0, link) }
    return link
  }

  /// Ends the link. The cards stay.
  public func unlink() throws -> SyncLink {
    try requireNoUnit()
    let link = try requiredLink()
    try workspace.perform(.unlink, on: link.address) { try SyncTables.removeLink($0) }
    if try FileFacts.at(keyPath) != nil { try Folder.removeFile(keyPath) }
    return link
  }

  // MARK: Status and preview

  /// Returns what is new locally and on the server.
  /// - Parameter asksServer: if false, only the local state is read.
  public func status(asksServer: Bool) throws -> SyncStatus {
    let link = try requiredLink()
    var status = SyncStatus(link: link)
    (status.unsent, status.media) = try workspace.read {
      (try SyncTables.unsent($0), try MediaTables.known($0, of: link))
    }
    guard asksServer else { return status }
    do throws(SyncError) { status.meta = try server(at: link.address).meta() } catch {
      if error == .interrupted { throw error }
      status.problem = error
    }
    return status
  }

  func pull(_ server: SyncServer) -> CollectionPull {
    CollectionPull(
      server, folder: workspace.folder, mostBytes: share, now: workspace.environment.clocks.now,
      isInterrupted: workspace.isInterrupted)
  }

  /// How many bytes a server may store on the disk in one sync: a tenth of the free space; 1 GiB if that is unknown.
  var share: Int { (Folder.freeBytes(in: workspace.folder) ?? 10 << 30) / 10 }

  /// Fetches everything that the server has, so that the user can review it before it is imported.
  /// - Parameter progress: called with the number of rows fetched.
  public func previewServer(progress: (Int) -> Void) throws -> SyncPreview {
    try requireNoUnit()
    let link = try requiredLink()
    let (cards, unsent) = try workspace.read { (try WholeCollection.cardCount($0), try SyncTables.unsent($0)) }
    return (link, try pull(server(at: link.address)).run(progress: progress), cards, unsent)
  }

  /// Syncs in both directions: remote changes are merged here, local changes are sent. This is one operation and one
  /// undo step, committed on both sides or on neither. A rehearsal sends nothing.
  /// - Parameter preview: required for the first sync, which merges two collections; nil for every later one.
  /// - Parameter consent: called before local cards are removed because the server, which has another collection than
  ///   before, no longer has them.
  /// - Parameter progress: called often with the current stage.
  /// - Throws: `SyncError`; then nothing was changed on either side.
  public func run(
    _ preview: SyncPreview? = nil, consent: (_ cards: Int) throws -> Bool, progress: @escaping (SyncStage) -> Void
  ) throws -> SyncReport {
    try requireNoUnit()
    if try requiredLink().meta == nil, preview == nil { throw SyncError.firstSync }
    var (pulled, wantsAll, failure) = (preview?.pulled, false, SyncError.moved)
    for _ in 0..<SyncOperations.mostTries {
      // Another shell may have synced in the meantime.
      let link = try requiredLink()
      let server = server(at: link.address)
      guard let came = try pulled ?? news(link, server, wantsAll, progress) else {
        var report = SyncReport()
        report.link = link
        return report
      }
      let backup = try backupBefore(came, link, consent)
      do {
        return try exchange(came, link, server, backup, progress)
      } catch SyncError.moved {
        // Another device was faster.
        failure = .moved
      } catch let error as SyncError {
        // The two sides do not match what they assumed: everything is compared, once.
        guard case .counts = error, !came.isWhole else { throw error }
        (wantsAll, failure) = (true, error)
      }
      pulled = nil
    }
    throw failure
  }

  private static let mostTries = 4

  /// Fetches what is new on the server, or everything if it has another collection than at the last sync; returns nil
  /// if neither side has anything new.
  private func news(
    _ link: SyncLink, _ server: SyncServer, _ wantsAll: Bool, _ progress: (SyncStage) -> Void
  ) throws -> PulledCollection? {
    let pull = pull(server)
    guard let known = link.meta, !wantsAll else { return try pull.run { progress(.fetching($0)) } }
    let meta = try pull.checkedMeta()
    // A server restored from a backup has a lower `usn`.
    let isOther = meta.schema != known.schema || meta.usn < known.usn
    if !meta.hasNews(since: known), try workspace.read({ try SyncTables.unsent($0).total }) == 0 { return nil }
    return try pull.run(from: isOther ? 0 : known.usn) { progress(.fetching($0)) }
  }

  /// Makes a backup if cards will be removed that were not deleted one by one, or if two collections are merged.
  private func backupBefore(
    _ came: PulledCollection, _ link: SyncLink, _ consent: (_ cards: Int) throws -> Bool
  ) throws -> String? {
    guard came.isWhole else { return nil }
    let missing = try workspace.read { try came.missingCards($0) }
    if missing > 0, try !consent(missing) { throw SyncError.wouldRemove(cards: missing) }
    guard missing > 0 || link.meta == nil, !workspace.rehearsal.isOn else { return nil }
    return try workspace.care.backup().path
  }

  /// Creates the exchange; in a rehearsal it sends nothing.
  func exchange(_ server: SyncServer, _ pulled: PulledCollection) -> SyncExchange {
    SyncExchange(
      server, pulled, workspace.moment, sends: !workspace.rehearsal.isOn, isInterrupted: workspace.isInterrupted)
  }

  private func exchange(
    _ came: PulledCollection, _ link: SyncLink, _ server: SyncServer, _ backup: String?,
    _ progress: @escaping (SyncStage) -> Void
  ) throws -> SyncReport {
    let exchange = exchange(server, came)
    let count = { (report: SyncReport) in report.received + report.sent + report.removedHere + report.removedThere }
    var path: String?
    do {
      var report = try workspace.perform(.sync, on: link.address, count: count) { db in
        // Another shell may have synced in the meantime.
        guard try SyncTables.link(db) == link else { throw SyncError.moved }
        // Notes that the server's note types cannot hold are written to a file beside the backups.
        return try exchange.run(db, link, progress: progress) { notes in
          if notes.isEmpty || workspace.rehearsal.isOn { return }
          let kept = try workspace.care.freeBackupPath("not-synced", ending: ".json")
          try AtomicFile.write(kept, Array((Value.list(notes.map { .record($0) }).json + "\n").utf8))
          path = kept
        }
      }
      (report.backup, report.setAsidePath) = (backup, path)
      return report
    } catch {
      if let path { try Folder.removeFile(path) }
      throw error
    }
  }

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

  /// Replaces the local cards with the fetched collection. Backs them up first if any of them, or any local change,
  /// is not on the server.
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
