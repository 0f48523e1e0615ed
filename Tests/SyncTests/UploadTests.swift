// Uploading the whole collection to a server, and when that is needed; the real server is in
// Tests/Peers/anki_sync_both.py.

import Decks
import Exchange
import Files
import Problems
import Storage
import Templates
import TestDecks
import TestSupport
import Values

@testable import Sync

@Suite struct UploadTests {
  private let sides = TwoSides()
  private var store: Store { sides.store }

  private func needsUpload(usn: Int = 9, schema: Int = 1) throws -> Bool {
    let staged = try sides.pulled().staged
    let pulled = PulledCollection(
      staged: staged, meta: SyncMeta(modified: 1, schema: schema, usn: usn), tags: [], address: "")
    return try store.read { db in
      try SyncExchange.needsUpload(db, SyncTables.link(db) ?? SyncLink(address: "a", user: "b"), pulled)
    }
  }

  @Test func `another collection there, or an older state of it, accepts no single rows`() throws {
    #expect(try needsUpload(), "nothing was synced yet")
    try sides.linked()
    #expect(try !needsUpload() && !needsUpload(usn: 12))
    #expect(try needsUpload(usn: 8) && needsUpload(schema: 2))
  }

  @Test func `a note type of another shape needs a full upload, another template does not`() throws {
    try sides.linked()
    try sides.editType { $0.cards[0].value.front = "{{Front}}!" }
    #expect(try !needsUpload())
    try sides.editType { $0.fields.append(.init("More", was: nil)) }
    #expect(try needsUpload())
  }

  @Test func `a note type that exists only here needs no full upload`() throws {
    try sides.linked()
    try store.operation("type") { db in
      let card = CardTemplate("Card", front: "{{A}}", back: "{{B}}")
      _ = try NoteTypeTable.create(db, NoteTypeDraft(name: "Mine", fields: ["A", "B"], cards: [card]), now: 150)
    }
    #expect(try !needsUpload())
  }

  /// Creates an account with a deck, a card and an answer that no server has.
  private func filled() throws {
    try store.operation("add") { db in
      let deck = try DeckTable.create(db, name: "Mine", now: 1_699_999_000).id
      let card = try CardTable.add(
        db, NewCard(prompt: "a <b>", answer: "c", tags: ["x"], guid: "mine"), to: deck, now: 1_699_999_000
      ) { 1 }
      var log = LoggedReview(at: 1_699_999_999.5, rating: 3, state: .new, interval: 86_400)
      (log.stability, log.difficulty) = (1, 5)
      try CardTable.addLog(db, [log], to: card)
    }
  }

  private func upload(
    _ server: SyncServer, sends: Bool = true, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws -> SyncReport {
    let pulled = try sides.pulled(ServerSide.head(), isWhole: true)
    let exchange = SyncExchange(server, pulled, sides.moment, sends: sends, isInterrupted: isInterrupted)
    return try store.operation("upload") { db in
      try exchange.upload(db, SyncLink(address: "a", user: "b"), folder: sides.folder.path)
    }
  }

  @Test func `everything is sent as one file, and both sides record it`() throws {
    try filled()
    let standIn = try StandIn()
    let report = try upload(standIn.server("pull-upload"))
    #expect(try standIn.heard().suffix(2).map { $0.split(separator: "/").last } == ["upload", "meta"])
    // The card, its note, the answer, two decks, the type and the preset that every collection has.
    #expect(report.sent == 7 && report.link?.meta?.usn == 7)
    #expect(try store.read { try SyncTables.link($0)?.meta?.usn } == 7)
    #expect(try store.read { try SyncTables.unsent($0).total } == 0)
    let counts = try store.read { try Bases($0).counts() }
    #expect(counts == SyncCounts(cards: 1, notes: 1, answers: 1, types: 1, decks: 2, presets: 1))
  }

  @Test func `a refusal by the server is reported in its own words, and all is still to be sent`() throws {
    try filled()
    let before = try store.read { try SyncTables.unsent($0).total }
    let standIn = try StandIn()
    let error = try #require(throws: SyncError.self) { try upload(standIn.server("pull-full")) }
    #expect(try standIn.heard().last?.hasSuffix("upload") == true)
    #expect(error.code == "server_refused" && error.report.message.contains("no room is left"), "\(error)")
    #expect(try store.read { try SyncTables.unsent($0).total } == before && before > 0)
    #expect(try store.read { try SyncTables.link($0) } == nil)
  }

  @Test func `an interrupted upload sends nothing to the server`() throws {
    try filled()
    let standIn = try StandIn()
    #expect(throws: SyncError.interrupted) { try upload(standIn.server("pull-upload"), isInterrupted: { true }) }
    #expect(try !standIn.heard().contains { $0.hasSuffix("upload") })
  }

  @Test func `the file is a valid collection with all rows, and the settings of the server's earlier one`() throws {
    try filled()
    let program = SyncProgram(path: "/nonexistent", environment: [], clock: { 0 }, shouldStop: { false })
    let server = SyncServer(program, address: "http://localhost/", session: "abc", keyPath: "")
    let report = try upload(server, sends: false)
    #expect(report.sent == 7 && report.link?.meta == nil, "a rehearsal asks nobody")
    var head = ServerSide.head()
    head.settings = ["rollover": .integer(5)]
    let pulled = try sides.pulled(head, isWhole: true)
    let exchange = SyncExchange(server, pulled, sides.moment, isInterrupted: { false })
    let bytes = try store.read { try exchange.file(Bases($0), pulled.staged.head, in: sides.folder.path) }
    try AtomicFile.write(sides.folder.file("up.anki2"), bytes)
    let file = try ExclusiveDatabase(sides.folder.file("up.anki2"))
    let found = try file.use { db in
      try [
        "SELECT count(*) || ' ' || min(guid) || ' ' || min(sfld) || ' ' || min(tags) || ' ' || max(usn) FROM notes",
        "SELECT count(*) || ' ' || max(usn) FROM cards",
        "SELECT count(*) || ' ' || max(ease) || ' ' || max(usn) FROM revlog",
        "SELECT usn || ' ' || crt || ' ' || (conf ->> 'rollover') || ' ' || tags FROM col",
        "SELECT group_concat(value ->> 'name', ', ') FROM col, json_each(decks)",
      ].map { try String.fetchOne(db, sql: $0) }
    }
    // The server sent no rows, so the file has only the local ones.
    #expect(found[0] == "1 mine a <b>  x  0" && found[1] == "1 0" && found[2] == "1 3 0")
    #expect(found[3] == #"10 1600000000 5 {"x": 0}"#)
    #expect(found[4] == "Default, Mine")
    try file.close()
  }
}
