// Details that a single line of the sync decides and no other test shows: counts kept by both sides, rows equal to the
// server's, and what is forgotten with a link.

import Decks
import Exchange
import Problems
import Storage
import Templates
import TestDecks
import TestSupport
import Values

@testable import Sync

@Suite struct SmallDifferencesTests {
  private let sides = TwoSides()
  private var store: Store { sides.store }

  private func count(_ sql: String) throws -> Int { try store.read { try $0.count(sql) } }

  @Test func `a learnt card moved within its deck is still as on the server, and nothing is sent`() throws {
    try sides.linked()
    try store.operation("add") { db in
      let deck = try DeckTable.find(db, named: "Spanish").id
      _ = try CardTable.add(db, NewCard(prompt: "p", answer: "a"), to: deck, now: 1_699_999_999) { 5 }
    }
    _ = try sides.outgoing(sides.pulled())
    try sides.change { db, id in try CardTable.move(db, id, to: try CardTable.position(db, of: id) == 1 ? 2 : 1) }
    #expect(try sides.outgoing(sides.pulled()).0.count <= 1)
    #expect(try sides.outgoing(sides.pulled()).1.isEmpty)
    #expect(try store.read { try SyncTables.unsent($0).total } == 0)
  }

  @Test func `a card suspended here and flagged there gets both changes`() throws {
    try sides.linked()
    try sides.change { db, id in try CardHiding.setSuspended(db, [id], true, now: 1_699_999_000) }
    var row = try #require(ServerSide.card(900).list)
    row[16] = .integer(0b101_010)
    let pulled = try sides.pulled(StagedHead(), [.cards: [.list(row)]], usn: 10)
    try sides.merge(pulled)
    let card = try #require(try sides.here())
    #expect(card.isSuspended && card.flag == 2)
    let sent = try #require(try sides.outgoing(pulled).1[.cards]?.first)
    #expect(sent[7] == .integer(-1) && sent[16] == .integer(0b101_010))
  }

  @Test func `rows of a full download are their own bases`() throws {
    let whole = try sides.pulled(
      ServerSide.head(), [.notes: [ServerSide.note(100, "one")], .cards: [ServerSide.card(100)]], isWhole: true)
    _ = try store.operation("take") { db in
      try whole.importAll(
        db, SyncLink(address: "a", user: "b"), sides.moment, isInterrupted: { false }, progress: { _, _ in })
    }
    #expect(try count("SELECT count(*) FROM bases WHERE kind IN (0, 1)") == 0)
    #expect(try store.read { try SyncTables.unsent($0).total } == 0)
    try store.operation("rename") { try DeckTable.rename($0, DeckID(rawValue: 2), to: "S", now: 150) }
    #expect(try store.read { try SyncTables.unsent($0).total } == 1)
  }

  @Test func `removing the link removes the sent graves and the media deleted there`() throws {
    try sides.linked()
    try sides.change { db, id in _ = try CardTable.remove(db, [id]) }
    _ = try sides.outgoing(sides.pulled())
    try store.operation("media") { try MediaTables.setDeletion($0, of: "gone.png", 5) }
    for table in ["sync_link", "sent_graves", "sent_media"] { #expect(try count("SELECT count(*) FROM \(table)") > 0) }
    try store.operation("unlink") { try SyncTables.removeLink($0) }
    for table in ["sync_link", "sent_graves", "sent_media", "bases"] {
      #expect(try count("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
  }

  @Test func `reordered fields or cards need a full upload`() throws {
    let type = try NoteType(
      received: [
        "id": .integer(7), "name": .text("T"), "flds": .list(["A", "B"].map { .record(["name": .text($0)]) }),
        "tmpls": .list(
          ["One", "Two"].enumerated().map { place, name in
            .record([
              "name": .text(name), "ord": .integer(place), "qfmt": .text(place == 0 ? "{{A}}" : "{{B}}"),
              "afmt": .text("{{B}}"),
            ])
          }),
      ], id: 7)
    func edited(_ body: (inout NoteTypeEdit) -> Void) throws -> NoteType {
      try store.operation("type") { db in
        _ = try NoteTypeTable.place(db, type, now: 100, isOurs: { _ in true })
        var edit = NoteTypeEdit(type)
        body(&edit)
        try NoteTypeTable.edit(db, type.id, edit, agreed: true, now: 300, isInterrupted: { false })
        let found = try NoteTypeTable.record(db, type.id)
        try db.execute(sql: "DELETE FROM note_types WHERE id = 7")
        return found
      }
    }
    #expect(try edited { $0.name = "Other" }.isSendable(after: type))
    #expect(try !edited { $0.fields.swapAt(0, 1) }.isSendable(after: type))
    #expect(try !edited { $0.cards.swapAt(0, 1) }.isSendable(after: type))
  }

  private func exchange(_ standIn: StandIn, _ mode: String, _ known: KnownMedia) -> MediaExchange {
    let contents = MediaContents(limit: .max, read: { Array($0.utf8) }, keep: { _ in "kept" })
    return MediaExchange(
      standIn.mediaServer(mode), contents, folder: sides.folder.path, known, isInterrupted: { false })
  }

  @Test func `both sides count the files that the server has`() throws {
    let gone = MediaState(hash: nil, digest: String(repeating: "a", count: 40), isPending: true)
    var known = KnownMedia(states: ["mine.txt": MediaState(hash: "mine", size: 4)])
    let standIn = try StandIn()
    let sync = exchange(standIn, "media-counted", known)
    try sync.run { _ in }
    #expect(try standIn.heard().last?.hasSuffix("mediaSanity") == true)
    #expect(sync.report.findings.isEmpty && sync.known.usn == 3)
    // A pending deletion is not one of them.
    known.states["gone.png"] = gone
    #expect(known.unsent == 2)
  }

  @Test func `files that another device uploaded meanwhile are listed the next time`() throws {
    let standIn = try StandIn()
    let sync = exchange(
      standIn, "media-others", KnownMedia(states: ["mine.txt": MediaState(hash: "mine", size: 4)]))
    try sync.run { _ in }
    #expect(try standIn.heard().contains { $0.hasSuffix("uploadChanges") })
    #expect(sync.report.sent == 1 && sync.known.usn == 2)
  }

  @Test func `files are uploaded in batches as large as a server accepts`() throws {
    let large = MediaState(hash: "large", size: MediaServer.bytesAtOnce)
    let standIn = try StandIn()
    let sync = exchange(standIn, "media-two", KnownMedia(states: ["a.txt": large, "b.txt": large], usn: 2))
    try sync.run { _ in }
    #expect(try standIn.heard().count { $0.hasSuffix("uploadChanges") } == 2)
    #expect(sync.report.sent == 2)
  }

  @Test func `the largest file that a server accepts is sent, one byte more is not`() {
    for (size, count) in [(100 << 20, 1), ((100 << 20) + 1, 0)] {
      #expect(KnownMedia(states: ["a": MediaState(hash: "x", size: size)], usn: 2).unsent == count)
    }
  }
}
