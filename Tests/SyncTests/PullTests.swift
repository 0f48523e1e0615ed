// Downloading everything from a server with one fault in its responses; the real server is in
// Tests/Peers/anki_sync.py.

import Exchange
import Glibc
import Problems
import Storage
import TestSupport
import Values
import Wire

@testable import Sync

@Suite struct PullTests {
  private let folder = TemporaryFolder()

  private func pull(
    _ standIn: StandIn, _ mode: String, mostBytes: Int = .max, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws -> PulledCollection {
    let pull = CollectionPull(
      standIn.server(mode), folder: folder.path, mostBytes: mostBytes, now: { Double(time(nil)) },
      isInterrupted: isInterrupted)
    return try pull.run()
  }

  private func scratchFolders() -> [String] { folder.names("").filter { $0.hasPrefix(".package") } }

  @Test func `correct data is downloaded and counted, and the sync is aborted on the server`() throws {
    let standIn = try StandIn()
    do {
      let pulled = try pull(standIn, "pull")
      #expect(pulled.staged.counts == [.notes: 1, .cards: 1, .revlog: 1])
      #expect(pulled.staged.head.created == 1_600_000_000)
      #expect(pulled.meta.usn == 7)
      var rows: [String] = []
      try pulled.staged.forEachRow(.notes) { rows.append($0.json) }
      #expect(rows == [#"[1700000000001,"g1",1600000000001,1700000000,0,"a b","uno\u001fone","","",0,""]"#])
      #expect(scratchFolders().count == 1)
    }
    #expect(scratchFolders().isEmpty)
  }

  @Test func `chunks are downloaded one by one, the next one while the previous one is stored`() throws {
    let standIn = try StandIn()
    #expect(try pull(standIn, "pull-parts").staged.counts == [.notes: 1, .cards: 1, .revlog: 1])
    #expect(try standIn.heard().count { $0.hasSuffix("chunk") } == 3)
  }

  @Test func `data that a server may omit counts as empty`() throws {
    let pulled = try pull(StandIn(), "pull-plain")
    #expect(pulled.staged.counts == [.notes: 1, .cards: 1, .revlog: 1] && pulled.tags.isEmpty)
    #expect(pulled.meta.acceptsSync && pulled.meta.message.isEmpty && pulled.meta.mediaUSN == 0)
  }

  @Test func `an interruption ends it, and aborts the sync that was started`() throws {
    let standIn = try StandIn()
    #expect(throws: SyncError.interrupted) { try pull(standIn, "pull", isInterrupted: { true }) }
    #expect(try standIn.heard().last?.hasSuffix("abort") == true)
    #expect(scratchFolders().isEmpty)
  }

  @Test(arguments: ["/bin/false", "/bin/echo"])
  func `a program that is not deckhand-net is reported`(path: String) throws {
    let program = SyncProgram(path: path, environment: [], clock: monotonicSeconds, shouldStop: { false })
    let server = SyncServer(program, address: "http://127.0.0.1:9/", session: "abc", keyPath: folder.file("key"))
    let error = try #require(throws: SyncError.self) { try server.meta() }
    #expect(error == .programFailed(reason: "ended unexpectedly"))
  }

  @Test func `a server's data takes no more disk space than the limit`() throws {
    let standIn = try StandIn()
    #expect(throws: SyncError.overShare(limit: 1 << 20, isMedia: false)) {
      try pull(standIn, "pull-endless", mostBytes: 1 << 20)
    }
    #expect(scratchFolders().isEmpty)
  }

  @Test(arguments: [
    ("pull-short", "bad_sync_answer"), ("pull-kind", "bad_sync_answer"), ("pull-text", "bad_sync_answer"),
    ("pull-object", "bad_sync_answer"), ("pull-float", "bad_sync_answer"), ("pull-undone", "bad_sync_answer"),
    ("pull-nodecks", "bad_sync_answer"), ("pull-noid", "bad_sync_answer"), ("pull-twice", "bad_sync_answer"),
    ("pull-crt", "bad_sync_answer"), ("pull-list", "bad_sync_answer"), ("pull-empty", "bad_sync_answer"),
    ("pull-words", "bad_sync_answer"), ("pull-ids", "bad_sync_answer"), ("pull-counts", "bad_sync_answer"),
    ("pull-null", "bad_sync_answer"),
    ("pull-moved", "busy"), ("pull-slow", "clock_differs"), ("pull-stop", "server_refused"), ("pull-409", "busy"),
    ("pull-500", "server_failed"), ("pull-400", "server_refused"),
  ])
  func `a fault is reported, and nothing is left behind`(mode: String, code: String) throws {
    let standIn = try StandIn()
    do {
      _ = try pull(standIn, mode)
      Issue.record("\(mode) was taken for a collection")
    } catch let error as SyncError {
      #expect(error.code == code, "\(mode): \(error)")
      #expect(!error.message.contains("\u{1B}"))
    }
    #expect(scratchFolders().isEmpty)
    let methods = try standIn.called()
    // The sync that was started is aborted.
    #expect(!methods.contains("start") || methods.contains("abort"), "\(mode): \(methods)")
  }
}

/// A first pull that is large enough for a second thread; `ThreadWatchTests` also runs it under its thread check.
@Suite struct SecondThreadTests {
  /// Returns copies of a row with different ids in these columns.
  private func copies(_ row: Value, _ columns: [Int], guid: Int? = nil) throws -> [Value] {
    let values = try #require(row.list)
    return try (0..<500).map { number in
      var values = values
      for column in columns { values[column] = .integer(try #require(values[column].integer) + 10 * number) }
      if let guid { values[guid] = .text("guid \(number)") }
      return .list(values)
    }
  }

  @Test func `a first pull of many rows imports them all`() throws {
    let sides = TwoSides()
    let pulled = try sides.pulled(
      ServerSide.head(),
      [
        .notes: copies(ServerSide.note(100, "one"), [0], guid: 1), .cards: copies(ServerSide.card(100), [0, 1]),
        .revlog: copies(ServerSide.review(1_690_000_000_000, 3), [0, 1]),
      ], isWhole: true)
    let report = try sides.store.operation("sync") { db in
      try pulled.importAll(db, SyncLink(address: "a", user: "b"), sides.moment, isInterrupted: { false }) { _, _ in }
    }
    #expect((report.notes, report.cards, report.answers, report.unstorable) == (500, 500, 500, 0))
  }
}
