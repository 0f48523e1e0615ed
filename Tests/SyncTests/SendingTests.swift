// Sending local changes to a server with one fault in its responses; the real server is in
// Tests/Peers/anki_sync_both.py.

import Decks
import Exchange
import Glibc
import Problems
import Storage
import TestSupport
import Values
import Wire

@testable import Sync

@Suite struct SendingTests {
  private let folder = TemporaryFolder()
  private let store = Store(path: nil, schema: DecksSchema.schema + SyncTables.schema, isInterrupted: { false })
  private let moment = StudyMoment(now: 1_700_000_100)

  /// Flags a card of the server's here, and sets up the sync that sends it.
  private func sync(
    _ standIn: StandIn, _ mode: String,
    change: (Database, CardID, Double) throws -> Void = { try CardHiding.setFlag($0, [$1], to: 5, now: $2) },
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws -> SyncReport {
    let server = standIn.server(mode)
    let pull = CollectionPull(
      server, folder: folder.path, mostBytes: .max, now: { Double(time(nil)) }, isInterrupted: { false })
    let pulled = try pull.run()
    var link = SyncLink(address: "a", user: "b")
    try store.operation("first") { db in
      let first = try SyncMerge(db, pulled, moment, isInterrupted: { false }) { _, _ in }
      try first.run(isFirst: true)
      link.meta = pulled.meta
      try SyncTables.setLink(db, link)
      try change(db, CardID(rawValue: 1_700_000_000_002), moment.now)
    }
    let exchange = SyncExchange(server, pulled, moment, isInterrupted: isInterrupted)
    return try store.operation("sync") { db in
      try exchange.run(db, link, progress: { _ in }, setAside: { _ in })
    }
  }

  private func waiting() throws -> Int { try store.read { try SyncTables.unsent($0).total } }

  @Test func `local changes are sent in the order of the protocol, and both sides record it`() throws {
    let standIn = try StandIn()
    let report = try sync(standIn, "pull-send")
    #expect(report.sent == 1 && report.received == 0)
    #expect(report.link?.meta?.usn == 8)
    #expect(try waiting() == 0)
    #expect(
      try standIn.called().suffix(7) == [
        "start", "applyChanges", "chunk", "applyChunk", "applyChunk", "sanityCheck2", "finish",
      ])
  }

  @Test func `a server that omits empty lists receives the local changes`() throws {
    #expect(try sync(StandIn(), "pull-plain").sent == 1)
    #expect(try waiting() == 0)
  }

  @Test func `an interruption while rows are sent aborts the sync there, and all is still to be sent`() throws {
    let standIn = try StandIn()
    #expect(throws: SyncError.interrupted) { try sync(standIn, "pull-send", isInterrupted: { true }) }
    #expect(try standIn.called().last == "abort")
    #expect(try waiting() == 1)
  }

  @Test func `local removals are sent before anything is downloaded, and both sides forget them`() throws {
    let standIn = try StandIn()
    let report = try sync(standIn, "pull-removed") { db, id, _ in _ = try CardTable.remove(db, [id]) }
    #expect(report.sent == 0 && report.removedThere == 2)
    #expect(
      try standIn.called().suffix(7) == [
        "start", "applyGraves", "applyChanges", "chunk", "applyChunk", "sanityCheck2", "finish",
      ])
    #expect(try waiting() == 0)
  }

  @Test(arguments: [
    ("pull-graves", "busy"), ("pull-deck", "busy"), ("pull-rows", "busy"), ("pull-lost", "bad_sync_answer"),
    ("pull-finish", "bad_sync_answer"), ("pull-refused", "server_refused"), ("pull-broken", "server_failed"),
  ])
  func `a fault is reported, aborts the sync there, and all is still to be sent`(mode: String, code: String) throws {
    let standIn = try StandIn()
    do {
      _ = try sync(standIn, mode)
      Issue.record("\(mode) was taken for a sync")
    } catch let error as SyncError {
      #expect(error.code == code, "\(mode): \(error)")
    }
    #expect(try standIn.called().last == "abort")
    #expect(try waiting() == 1)
    #expect(try store.read { try SyncTables.link($0)?.meta?.usn } == 7)
  }
}
