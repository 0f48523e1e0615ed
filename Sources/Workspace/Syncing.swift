// An account and the sync server that it is linked with: linking, looking, taking over what the server has.
// Invariant: nothing is sent to the server but questions; what comes is fetched whole before the operation that takes
// it over begins, so that no lock waits for a network; what is replaced is in a backup first.

public import Authentication
import Decks
import Files
import GRDB
public import Sync
import Text

/// What is linked, and how it stands.
public struct SyncStatus {
  public var link: SyncLink
  /// What the server says now; nil where it was not asked, or could not be.
  public var meta: SyncMeta?
  /// Why it could not be.
  public var problem: SyncError?
  public var unsent = UnsentChanges()

  /// Whether the server has what is not here; nil where that is not known.
  public var hasNews: Bool? {
    meta.map { $0.hasNews(since: link.meta) }
  }
}

/// What a sync found before it took anything over.
public struct SyncPreview {
  public let link: SyncLink
  /// Nil where the server has nothing new.
  public let pulled: PulledCollection?
  /// Cards that are here.
  public let cardsHere: Int
  public let unsent: UnsentChanges
}

extension Workspace {
  /// The key of the server: a hidden file, which no backup holds.
  private var syncKeyPath: String { folder + "/.sync-key" }
  private static let sessionBytes = 8
  /// What libcurl goes by.
  private static let proxyVariables = [
    "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
  ]

  private var syncProgram: SyncProgram {
    if let known = opened.sync { return known }
    let proxies = Workspace.proxyVariables.compactMap { name in
      environment.variables.value(name).map { "\(name)=\($0)" }
    }
    let program = SyncProgram(
      path: environment.folders.syncProgram, environment: proxies, clock: environment.clocks.elapsed,
      shouldStop: environment.isInterrupted)
    opened.sync = program
    return program
  }

  private func server(at address: String) -> SyncServer {
    let session = hexadecimal(environment.random.bytes(Workspace.sessionBytes))
    return SyncServer(syncProgram, address: address, session: session, keyPath: syncKeyPath)
  }

  private func requireAlone() throws {
    if isInUnit, !rehearsal.isOn { throw SyncError.inScript }
  }

  // MARK: The link

  /// The server that the account is linked with.
  public func syncLink() throws -> SyncLink? { try read { try SyncTables.link($0) } }

  private func requiredLink() throws -> SyncLink {
    guard let link = try syncLink() else { throw SyncError.notLinked }
    return link
  }

  /// Links the account with a server, or gets a new key for the one that it is linked with.
  /// - Parameter password: of the user there; it is kept nowhere.
  /// - Throws: `SyncError.linked` where it is linked with another one.
  public func linkSync(_ place: SyncPlace, user: String, password: borrowing Secret) throws -> SyncLink {
    try requireAlone()
    if rehearsal.isOn { throw WorkspaceError.rehearsal("sync login") }
    let known = try syncLink()
    if let known, known.address != place.address || known.user != user {
      throw SyncError.linked(user: known.user, address: known.address)
    }
    let server = server(at: place.address)
    try password.withBytes { bytes throws(SyncError) in try server.signIn(user, password: UnsafeRawBufferPointer(bytes))
    }
    if let known { return known }
    let link = SyncLink(address: server.address, user: user)
    try perform(.link, on: place.address) { try SyncTables.setLink($0, link) }
    return link
  }

  /// Ends the link. The cards stay.
  public func unlinkSync() throws -> SyncLink {
    try requireAlone()
    let link = try requiredLink()
    try perform(.unlink, on: link.address) { try SyncTables.removeLink($0) }
    if try FileFacts.at(syncKeyPath) != nil { try Folder.removeFile(syncKeyPath) }
    return link
  }

  // MARK: Looking

  /// How things stand here and there.
  /// - Parameter asksServer: otherwise only what is here is looked at.
  public func syncStatus(asksServer: Bool) throws -> SyncStatus {
    let link = try requiredLink()
    var status = SyncStatus(link: link)
    status.unsent = try read { try SyncTables.unsent($0) }
    guard asksServer else { return status }
    do throws(SyncError) { status.meta = try server(at: link.address).meta() } catch {
      if error == .interrupted { throw error }
      status.problem = error
    }
    return status
  }

  /// Looks at what the server has, and fetches it where it is another thing than what is here.
  /// - Parameters:
  ///   - isFull: fetches it in any case, and whatever would be lost here.
  ///   - progress: rows fetched.
  /// - Throws: `SyncError.cardsHere`, `.unsent` where something here would be lost and that was not asked for.
  public func lookAtServer(isFull: Bool, progress: (Int) -> Void) throws -> SyncPreview {
    try requireAlone()
    let link = try requiredLink()
    let (cards, unsent) = try read { (try WholeCollection.cardCount($0), try SyncTables.unsent($0)) }
    let pull = CollectionPull(
      server(at: link.address), folder: folder, now: environment.clocks.now, isInterrupted: environment.isInterrupted)
    func preview(_ pulled: PulledCollection?) -> SyncPreview {
      SyncPreview(link: link, pulled: pulled, cardsHere: cards, unsent: unsent)
    }
    if !isFull {
      if let known = link.meta {
        if try !pull.checkedMeta().hasNews(since: known) { return preview(nil) }
        if unsent.total > 0 { throw SyncError.unsent(changes: unsent.total) }
      } else if cards > 0 {
        throw SyncError.cardsHere(cards: cards)
      }
    }
    return preview(try pull.run(progress: progress))
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
    guard let pulled = preview.pulled else { return (PullReport(), nil) }
    var kept: String?
    // What came from the server and was not touched since is there again.
    let isOurs = preview.link.meta == nil || preview.unsent.total > 0
    if preview.cardsHere > 0, isOurs, !rehearsal.isOn {
      let path = try freeBackupPath()
      try backup(to: path)
      kept = path
    }
    let report = try perform(.sync, on: preview.link.address, count: { $0.cards }) { db in
      // What was shown is what is replaced: somebody else may have changed something meanwhile.
      let (cards, unsent) = (try WholeCollection.cardCount(db), try SyncTables.unsent(db))
      guard cards == preview.cardsHere else { throw SyncError.cardsHere(cards: cards) }
      guard unsent == preview.unsent else { throw SyncError.unsent(changes: unsent.total) }
      if preview.cardsHere > 0 { try WholeCollection.removeAll(db) }
      return try pulled.takeIn(
        db, preview.link, moment, isInterrupted: environment.isInterrupted, progress: progress)
    }
    return (report, kept)
  }
}
