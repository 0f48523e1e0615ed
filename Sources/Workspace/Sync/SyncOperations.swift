// An account and the sync server that it is linked with: linking, looking, syncing.
// Invariant: what comes is fetched whole before the operation that takes it in begins; what goes is sent within it, so
// that both sides keep it or neither; what is replaced is in a backup first.

public import Authentication
import Decks
import Exchange
import Files
import Storage
public import Sync
import Text
import Values

/// What the account is linked with, and what is new on each side.
public struct SyncStatus {
  public var link: SyncLink
  /// What the server says now; nil where it was not asked, or could not be.
  public var meta: SyncMeta?
  /// Why it could not be.
  public var problem: SyncError?
  public var unsent = UnsentChanges()
  public var media = KnownMedia()

  /// Whether the server has what is not here; nil where that is not known.
  public var hasNews: Bool? {
    meta.map { $0.hasNews(since: link.meta) }
  }

  /// Whether its media are others than those that were synced last; nil where that is not known.
  public var hasMediaNews: Bool? {
    meta.map { $0.mediaUSN != media.usn }
  }
}

/// What is asked before a sync goes on.
public enum SyncQuestion: Equatable, Sendable {
  /// So many cards here are not on the server any more.
  case remove(cards: Int)
}

/// What a sync found before it took anything over.
public struct SyncPreview {
  public let link: SyncLink
  public let pulled: PulledCollection
  /// Cards that are here.
  public let cardsHere: Int
  public let unsent: UnsentChanges
}

/// Syncing with the server that the account is linked with.
///
///     try workspace.sync.status(asksServer: true).hasNews
public struct SyncOperations {
  let workspace: Workspace

  /// The key of the server: a hidden file, which no backup holds.
  var keyPath: String { workspace.folder + "/.sync-key" }

  static let sessionBytes = 8

  /// What libcurl goes by.
  private static let proxyVariables = [
    "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
  ]

  /// Called again and again while a server is waited for.
  public var whileWaiting: (() -> Void)? {
    get { workspace.opened.whileWaitingForServer }
    nonmutating set { workspace.opened.whileWaitingForServer = newValue }
  }

  var program: SyncProgram {
    if let known = workspace.opened.sync { return known }
    let proxies = SyncOperations.proxyVariables.compactMap { name in
      workspace.environment.variables.value(name).map { "\(name)=\($0)" }
    }
    let program = SyncProgram(
      path: workspace.environment.folders.netProgram, environment: proxies, clock: workspace.environment.clocks.elapsed
    ) { [weak workspace, isInterrupted = workspace.environment.isInterrupted] in
      workspace?.opened.whileWaitingForServer?()
      return isInterrupted()
    }
    workspace.opened.sync = program
    return program
  }

  func server(at address: String) -> SyncServer {
    let session = hexadecimal(workspace.environment.random.bytes(SyncOperations.sessionBytes))
    return SyncServer(program, address: address, session: session, keyPath: keyPath)
  }

  func requireAlone() throws {
    if workspace.isInUnit, !workspace.rehearsal.isOn { throw SyncError.inScript }
  }

  // MARK: The link

  /// The server that the account is linked with.
  public func link() throws -> SyncLink? { try workspace.read { try SyncTables.link($0) } }

  func requiredLink() throws -> SyncLink {
    guard let link = try link() else { throw SyncError.notLinked }
    return link
  }

  /// Links the account with a server, or gets a new key for the one that it is linked with.
  /// - Parameter password: of the user there; it is kept nowhere.
  /// - Throws: `SyncError.linked` where it is linked with another one.
  public func link(with place: SyncPlace, user: String, password: borrowing Secret) throws -> SyncLink {
    try requireAlone()
    if workspace.rehearsal.isOn { throw WorkspaceError.rehearsal("sync login") }
    let known = try link()
    let linked = known.map { SyncError.linked(user: $0.user, address: $0.address) }
    if let known, let linked, try known.user != user || !place.canLead(to: SyncPlace(known.address)) { throw linked }
    let server = server(at: place.address)
    // What was typed may be the address from which the server sent to the one that is known.
    let isTyped = known.map { $0.address == place.address } ?? true
    try password.withBytes { bytes throws(SyncError) in
      try server.signIn(
        user, password: UnsafeRawBufferPointer(bytes), keptFor: isTyped ? "" : known?.address ?? "")
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
    try requireAlone()
    let link = try requiredLink()
    try workspace.perform(.unlink, on: link.address) { try SyncTables.removeLink($0) }
    if try FileFacts.at(keyPath) != nil { try Folder.removeFile(keyPath) }
    return link
  }

  // MARK: Looking

  /// What is new here and on the server.
  /// - Parameter asksServer: otherwise only what is here is looked at.
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
      isInterrupted: workspace.environment.isInterrupted)
  }

  /// Bytes that a server may put on the disk in one sync: a tenth of what is free; 1 GiB where that is not known.
  var share: Int { (Folder.freeBytes(in: workspace.folder) ?? 10 << 30) / 10 }

  /// Fetches all that the server has, to be shown before it is taken over.
  /// - Parameter progress: rows fetched.
  public func lookAtServer(progress: (Int) -> Void) throws -> SyncPreview {
    try requireAlone()
    let link = try requiredLink()
    let (cards, unsent) = try workspace.read { (try WholeCollection.cardCount($0), try SyncTables.unsent($0)) }
    return SyncPreview(
      link: link, pulled: try pull(server(at: link.address)).run(progress: progress), cardsHere: cards, unsent: unsent)
  }

  // MARK: Syncing

  /// Syncs both ways: what is new on the server comes here, what is new here goes there. One operation, one step of
  /// undo, kept on both sides or on neither. A rehearsal sends nothing.
  /// - Parameters:
  ///   - preview: of the first sync, which puts two collections together; nil for every later one.
  ///   - consent: asked before cards go that the server, which has another collection than before, has no more.
  ///   - progress: where it is; called often.
  /// - Throws: `SyncError`; nothing was changed then, here and there.
  public func run(
    _ preview: SyncPreview? = nil, consent: (SyncQuestion) throws -> Bool, progress: @escaping (SyncStage) -> Void
  ) throws -> SyncReport {
    try requireAlone()
    if try requiredLink().meta == nil, preview == nil { throw SyncError.firstSync }
    var (pulled, wantsAll, failure) = (preview?.pulled, false, SyncError.moved)
    for _ in 0..<SyncOperations.mostTries {
      // Another shell may have synced meanwhile.
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
        // The two sides are not what they took each other for: all of it is compared, once.
        guard case .counts = error, !came.isWhole else { throw error }
        (wantsAll, failure) = (true, error)
      }
      pulled = nil
    }
    throw failure
  }

  private static let mostTries = 4

  /// What is new on the server, or all of it where it has another collection than at the last sync; nil where neither
  /// side has anything new.
  private func news(
    _ link: SyncLink, _ server: SyncServer, _ wantsAll: Bool, _ progress: (SyncStage) -> Void
  ) throws -> PulledCollection? {
    let pull = pull(server)
    guard let known = link.meta, !wantsAll else { return try pull.run { progress(.fetching($0)) } }
    let meta = try pull.checkedMeta()
    // A server that was brought back from a backup counts from less.
    let isOther = meta.schema != known.schema || meta.usn < known.usn
    if !meta.hasNews(since: known), try workspace.read({ try SyncTables.unsent($0).total }) == 0 { return nil }
    return try pull.run(from: isOther ? 0 : known.usn) { progress(.fetching($0)) }
  }

  /// A backup where cards go without having been deleted one by one, or where two collections come together.
  private func backupBefore(
    _ came: PulledCollection, _ link: SyncLink, _ consent: (SyncQuestion) throws -> Bool
  ) throws -> String? {
    guard came.isWhole else { return nil }
    let missing = try workspace.read { try came.missingCards($0) }
    if missing > 0, try !consent(.remove(cards: missing)) { throw SyncError.wouldRemove(cards: missing) }
    guard missing > 0 || link.meta == nil, !workspace.rehearsal.isOn else { return nil }
    let path = try workspace.care.freeBackupPath()
    try workspace.care.backup(to: path)
    return path
  }

  /// A rehearsal sends nothing.
  func exchange(_ server: SyncServer, _ pulled: PulledCollection) -> SyncExchange {
    SyncExchange(
      server, pulled, workspace.moment, sends: !workspace.rehearsal.isOn,
      isInterrupted: workspace.environment.isInterrupted)
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
        // Another shell may have synced meanwhile.
        guard try SyncTables.link(db) == link else { throw SyncError.moved }
        return try exchange.run(db, link, progress: progress) { notes in path = try keepAside(notes) }
      }
      (report.backup, report.setAsidePath) = (backup, path)
      return report
    } catch {
      if let path { try Folder.removeFile(path) }
      throw error
    }
  }

  /// Writes notes that have no place any more into a file beside the backups.
  private func keepAside(_ notes: [Value.Record]) throws -> String? {
    if notes.isEmpty || workspace.rehearsal.isOn { return nil }
    try makePrivateFolder(workspace.care.backupFolder)
    let path = try workspace.care.freeBackupName("not-synced", ending: ".json")
    try AtomicFile.write(path, Array((Value.list(notes.map { .record($0) }).json + "\n").utf8))
    return path
  }
}

extension Workspace {
  public var sync: SyncOperations { SyncOperations(workspace: self) }
}
