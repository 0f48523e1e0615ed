// Fetches everything that a server has, or only what is new, without changing anything on either side.
// Source: SyncRules.md, "A normal sync" and "Other collections". Invariant: the sync begun for fetching is always
// aborted; the fetched data is from a single point in time and has as many rows as the server counts.

public import Exchange
import Values
import Wire

/// Everything fetched from a server, not yet merged.
public struct PulledCollection {
  public let staged: StagedCollection
  /// The server's answer to `meta` before the fetch.
  public let meta: SyncMeta
  let tags: [Value]
  /// Empty when everything was fetched.
  var graves = SyncGraves()
  /// The server's own counts of all its rows.
  var counts = SyncCounts()
  /// Whether this is everything that the server has, not only what is new.
  public var isWhole = true
  public let address: String
}

/// Fetches everything that a server has.
public final class CollectionPull {
  private let server: SyncServer
  private let folder: String
  private let mostBytes: Int
  private let now: () -> Double
  private let isInterrupted: @Sendable () -> Bool
  /// The largest accepted difference between the two clocks, in seconds.
  static let mostSkew = 300
  private static let mostRows = 10_000_000
  /// Anki's own server returns 250 rows at a time.
  private static let mostCalls = mostRows / 250

  /// - Parameter now: seconds since 1970.
  public init(
    _ server: SyncServer, folder: String, mostBytes: Int, now: @escaping () -> Double,
    isInterrupted: @escaping @Sendable () -> Bool
  ) {
    (self.server, self.folder, self.mostBytes) = (server, folder, mostBytes)
    (self.now, self.isInterrupted) = (now, isInterrupted)
  }

  /// Returns what the server has, after checking that it accepts syncs and that its clock agrees with this one.
  public func checkedMeta() throws(SyncError) -> SyncMeta {
    let meta = try server.meta()
    if !meta.acceptsSync { throw .stopped(message: meta.message) }
    let skew = Int(now().rounded()) - meta.now
    if abs(skew) > CollectionPull.mostSkew { throw .clock(seconds: skew) }
    return meta
  }

  /// - Parameter usn: fetches rows with at least this update sequence number; 0 fetches everything.
  public func run(from usn: Int = 0, progress: (Int) -> Void = { _ in }) throws -> PulledCollection {
    let meta = try checkedMeta()
    let staged = try StagedCollection(in: folder, limit: mostBytes, isInterrupted: isInterrupted)
    var pulled: PulledCollection
    do {
      let graves = try server.start(from: usn)
      let tags = try fetch(into: staged, meta, progress)
      pulled = PulledCollection(staged: staged, meta: meta, tags: tags, address: server.address)
      (pulled.graves, pulled.isWhole) = (graves, usn == 0)
      pulled.counts = try server.counts(pulled.stagedCounts)
      if usn == 0 { try pulled.stagedCounts.requireSame(as: pulled.counts) }
    } catch {
      server.abortQuietly()
      throw error as? SyncError ?? wrong(error)
    }
    try server.abort()
    // Another client may have synced between the two calls of `meta`.
    guard try server.meta().isSame(as: meta) else { throw SyncError.moved }
    return pulled
  }

  private func wrong(_ error: any Error) -> any Error {
    switch error {
    case let fault as StagedFault: server.fault("chunk", fault.reason)
    case let excess as StagedTooLarge: SyncError.overShare(limit: excess.limit, isMedia: false)
    default: error
    }
  }

  private func fetch(into staged: StagedCollection, _ meta: SyncMeta, _ progress: (Int) -> Void) throws -> [Value] {
    let changes = try server.changes()
    var head = StagedHead()
    let decks = changes["decks"]?.list ?? []
    guard let types = changes["models"]?.list, decks.count == 2, let own = decks[0].list, let presets = decks[1].list
    else { throw server.fault("applyChanges", "lacks the note types or the decks") }
    head.types = types.compactMap(\.record)
    head.decks = own.compactMap(\.record)
    head.presets = presets.compactMap(\.record)
    guard head.types.count == types.count, head.decks.count == own.count, head.presets.count == presets.count,
      let created = changes["crt"]?.integer, (0...1 << 40) ~= created, let settings = changes["conf"]?.record
    else { throw server.fault("applyChanges", "has invalid parts") }
    (head.created, head.settings, head.modified) = (created, settings, meta.modified)
    do { try staged.setHead(head) } catch let fault as StagedFault { throw server.fault("applyChanges", fault.reason) }
    var (rows, calls) = (0, 0)
    while true {
      calls += 1
      // Guards against a server that never reports the last chunk.
      guard rows <= CollectionPull.mostRows, calls <= CollectionPull.mostCalls else {
        throw server.fault("chunk", "never ends")
      }
      if isInterrupted() { throw SyncError.interrupted }
      let chunk = try server.chunk()
      let before = rows
      for kind in StagedKind.allCases {
        let list = chunk[kind.rawValue]?.list ?? []
        try staged.add(kind, list)
        rows += list.count
      }
      progress(rows)
      if chunk["done"]?.boolean == true { break }
      if rows == before { throw server.fault("chunk", "is empty but not the last") }
    }
    try staged.finish()
    return changes["tags"]?.list ?? []
  }
}

extension PulledCollection {
  fileprivate var stagedCounts: SyncCounts {
    SyncCounts(
      cards: staged.counts[.cards] ?? 0, notes: staged.counts[.notes] ?? 0, answers: staged.counts[.revlog] ?? 0,
      types: staged.head.types.count, decks: staged.head.decks.count, presets: staged.head.presets.count)
  }
}

extension SyncCounts {
  /// - Throws: `SyncError.counts` with the first count that is not the server's.
  func requireSame(as counted: SyncCounts) throws(SyncError) {
    let parts: [(String, KeyPath<SyncCounts, Int>)] = [
      ("cards", \.cards), ("notes", \.notes), ("log rows", \.answers), ("note types", \.types),
      ("decks", \.decks), ("presets", \.presets),
    ]
    for (what, part) in parts where self[keyPath: part] != counted[keyPath: part] {
      throw .counts(what: what, given: self[keyPath: part], counted: counted[keyPath: part])
    }
  }
}
