// The second half of a sync: sends the local edits, in one transaction on the server and one here.
// Source: SyncRules.md, "A normal sync". Invariant: the server stores all of it or nothing. If another device has
// synced since the fetch, the server stores nothing.

public import Decks
import Exchange
public import Storage
public import Values

/// A sync of a linked account: merges remote rows and sends unsent rows.
public struct SyncExchange {
  let server: SyncServer
  let pulled: PulledCollection
  let moment: StudyMoment
  let isInterrupted: @Sendable () -> Bool
  /// Whether anything is sent; a rehearsal sends nothing.
  let sends: Bool
  /// The most graves in one call, as in Anki's own client.
  private static let gravesAtOnce = 250

  public init(
    _ server: SyncServer, _ pulled: PulledCollection, _ moment: StudyMoment, sends: Bool = true,
    isInterrupted: @escaping @Sendable () -> Bool
  ) {
    (self.server, self.pulled, self.moment, self.sends) = (server, pulled, moment, sends)
    self.isInterrupted = isInterrupted
  }

  /// Merges and sends, in one operation. If it throws, the server is unchanged; the caller rolls back.
  /// - Parameters:
  ///   - progress: an error that it throws ends the sync.
  ///   - setAside: called before anything is sent, with the notes that the server's note types cannot hold.
  public func run(
    _ db: Database, _ link: SyncLink, progress: @escaping (SyncStage) throws -> Void,
    setAside: ([Value.Record]) throws -> Void
  ) throws -> SyncReport {
    let merge = try SyncMerge(db, pulled, moment, isInterrupted: isInterrupted) { try progress(.taking($0, of: $1)) }
    try merge.run(isFirst: link.meta == nil)
    var report = merge.report
    try Bases(db).counts().requireSame(as: pulled.counts)
    try setAside(report.setAside)
    let outgoing = try SyncOutgoing(db, usn: pulled.meta.usn, pulled.staged.head, moment)
    for finding in outgoing.findings { report.note(finding) }
    var meta = pulled.meta
    if outgoing.count > 0 {
      (report.sent, report.removedThere) = (
        outgoing.head.count + outgoing.waiting.count, outgoing.graves.cards.count + outgoing.graves.notes.count
      )
      if sends {
        do {
          meta.modified = try send(outgoing, progress)
          meta.usn += 1
        } catch {
          server.abortQuietly()
          throw error
        }
      }
    }
    var fresh = link
    (fresh.meta, fresh.synced, fresh.address) = (meta, moment.now, server.address)
    try SyncTables.setLink(db, fresh)
    report.link = fresh
    return report
  }

  /// - Returns: the time at which the server ended the sync.
  private func send(_ outgoing: SyncOutgoing, _ progress: (SyncStage) throws -> Void) throws -> Int {
    // The server must have nothing new since the fetch; otherwise another device was faster.
    guard try server.start(from: pulled.meta.usn).count == 0 else { throw SyncError.moved }
    var rest = outgoing.graves
    while rest.count > 0 { try server.apply(rest.next(SyncExchange.gravesAtOnce)) }
    guard try isKnown(server.changes(outgoing.head), outgoing.bases) else { throw SyncError.moved }
    let chunk = try server.chunk()
    guard chunk["done"]?.boolean == true, StagedKind.allCases.allSatisfy({ chunk[$0.rawValue]?.list?.isEmpty ?? true })
    else { throw SyncError.moved }
    var sent = outgoing.head.count
    while true {
      if isInterrupted() { throw SyncError.interrupted }
      let chunk = try outgoing.next()
      try server.apply(chunk.rows, isLast: chunk.count == 0)
      if chunk.count == 0 { break }
      sent += chunk.count
      try progress(.sending(sent))
    }
    let here = try outgoing.bases.counts()
    try here.requireSame(as: server.counts(here))
    return try server.finish()
  }

  /// Whether every object that the server returned has a base. The objects that a server starts with have `usn` 0,
  /// which is also the number that the first sync asks for: the server returns them again.
  private func isKnown(_ changes: Value.Record, _ bases: Bases) throws -> Bool {
    let decks = changes["decks"]?.list ?? []
    let parts: [(BaseKind, [Value])] = [
      (.noteType, changes["models"]?.list ?? []), (.deck, decks.first?.list ?? []),
      (.preset, decks.dropFirst().first?.list ?? []),
    ]
    if pulled.meta.usn > 0 { return parts.allSatisfy(\.1.isEmpty) && changes["tags"]?.list?.isEmpty ?? true }
    return try parts.allSatisfy { kind, list in
      try list.allSatisfy { try bases[kind, ServerRows.id($0.record ?? [:])] != nil }
    }
  }
}

extension SyncGraves {
  fileprivate mutating func next(_ most: Int) -> SyncGraves {
    var taken = SyncGraves()
    for (_, path) in SyncGraves.parts {
      let some = self[keyPath: path].prefix(most - taken.count)
      taken[keyPath: path] = Array(some)
      self[keyPath: path].removeFirst(some.count)
    }
    return taken
  }
}
