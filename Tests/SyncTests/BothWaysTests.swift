// Merging the server's changes with local ones, row by row; the real server and a real Anki are in
// Tests/Peers/anki_sync_both.py.

import Decks
import Exchange
import Storage
import Templates
import TestDecks
import TestSupport
import Values

@testable import Sync

@Suite struct BothWaysTests {
  private let sides = TwoSides()
  private var store: Store { sides.store }

  @Test func `a plain card is sent as a note with a card, once`() throws {
    let first = try sides.pulled(ServerSide.head(), isWhole: true)
    try store.operation("add") { db in
      let deck = try DeckTable.create(db, name: "Mine::Inner", now: 1_699_999_000).id
      _ = try CardTable.add(
        db, NewCard(prompt: "a <b>", answer: "1\n2", tags: ["x"], guid: "mine"), to: deck, now: 1_699_999_000
      ) { 1 }
    }
    try sides.merge(first, isFirst: true)
    let (sent, rows) = try sides.outgoing(first)
    #expect(sent.head.decks.compactMap { $0["name"]?.text } == ["Mine", "Mine::Inner"])
    #expect(sent.head.tags == ["x"])
    let note = try #require(rows[.notes]?.first)
    #expect(note[1] == .text("mine") && note[2] == .integer(ServerSide.type) && note[4] == .integer(9))
    #expect(note[6] == .text("a &lt;b&gt;\u{1F}1<br>2"))
    let card = try #require(rows[.cards]?.first)
    #expect(card[1] == note[0] && card[2] == sent.head.decks[1]["id"] && card[6] == .integer(0))
    #expect(
      try store.read { try Bases($0).counts() }
        == SyncCounts(cards: 1, notes: 1, answers: 0, types: 1, decks: 4, presets: 1))
    #expect(try sides.outgoing(first).0.count == 0)
  }

  @Test func `if only a card was changed only the card is sent, in its local state`() throws {
    try sides.linked()
    try sides.change { db, id in try CardHiding.setFlag(db, [id], to: 3, now: 200) }
    let row = try #require(try sides.outgoing(sides.pulled()).1[.cards]?.first)
    var wanted = try #require(ServerSide.card(100).list)
    (wanted[4], wanted[5], wanted[16]) = (.integer(1_690_000_000), .integer(9), .integer(0b101_011))
    #expect(row == wanted)
  }

  @Test func `an answer is sent with its log row, and custom data is kept`() throws {
    try sides.linked()
    try sides.change { db, id in
      var log = LoggedReview(at: 1_699_999_999.5, rating: 3, state: .review, interval: 40 * 86_400)
      (log.stability, log.difficulty, log.seconds) = (40, 5, 90)
      try CardTable.addLog(db, [log], to: id)
      var schedule = CardSchedule()
      (schedule.state, schedule.stability, schedule.difficulty) = (.review, 40, 5)
      (schedule.due, schedule.lastReview, schedule.reps) = (1_703_000_000, 1_699_999_999.5, 5)
      try CardHiding.setSchedule(db, id, to: schedule, isSuspended: false, flag: 0, now: 1_699_999_999)
    }
    let rows = try sides.outgoing(sides.pulled()).1
    let data = try #require(ServerRows.parse(rows[.cards]?.first?[17].text ?? "")?.record)
    #expect(data["cd"] == .text("mine") && data["s"]?.double == 40 && data["lrt"] == .integer(1_699_999_999))
    #expect(
      rows[.revlog]?.first?.prefix(4) == [
        .integer(1_699_999_999_500), .integer(ServerSide.card), .integer(9), .integer(3),
      ])
    #expect(rows[.revlog]?.first?[7] == .integer(90_000))
    #expect(try store.read { try Bases($0).counts() }.answers == 2)
  }

  /// Receives a second deck, "B".
  private func mergedSecondDeck() throws -> PulledCollection {
    var head = ServerSide.head()
    head.decks = [ServerSide.deck(3, "B")]
    let pulled = try sides.pulled(head)
    try sides.merge(pulled)
    return pulled
  }

  @Test func `a name goes to its new deck after the old one has given it up`() throws {
    try sides.linked()
    let second = try mergedSecondDeck()
    try store.operation("rename") { db in
      let (one, two) = (try DeckTable.find(db, named: "Spanish"), try DeckTable.find(db, named: "B"))
      try DeckTable.rename(db, two.id, to: "C", now: 1)
      try DeckTable.rename(db, one.id, to: "B", now: 1)
    }
    let sent = try sides.outgoing(second).0.head.decks
    #expect(sent.compactMap { $0["name"]?.text } == ["C", "B"])
    #expect(sent.last?["newToday"] == .list([.integer(3), .integer(4)]))
  }

  @Test
  func `a deck with the name of a filtered deck there is renamed, one called Default becomes the first one there`()
    throws
  {
    var filtered = ServerSide.deck(7, "Cram")
    filtered["dyn"] = .integer(1)
    var head = ServerSide.head()
    head.decks.append(filtered)
    let first = try sides.pulled(head, isWhole: true)
    try sides.merge(first, isFirst: true)
    try store.operation("add") { db in
      for name in ["cram::Inner", "Default"] { try DeckTable.create(db, name: name, now: 1_699_999_000) }
    }
    let sent = try sides.outgoing(first).0
    #expect(sent.head.decks.compactMap { $0["name"]?.text } == ["cram+", "cram+::Inner"])
    #expect(sent.findings.count == 1)
    #expect(try store.read { try Bases($0).isHere(.deck, 1) })
  }

  @Test func `two decks that swap names are sent with a temporary name`() throws {
    try sides.linked()
    let second = try mergedSecondDeck()
    try store.operation("rename") { db in
      let (one, two) = (try DeckTable.find(db, named: "Spanish"), try DeckTable.find(db, named: "B"))
      try DeckTable.rename(db, one.id, to: "C", now: 1)
      try DeckTable.rename(db, two.id, to: "Spanish", now: 1)
      try DeckTable.rename(db, one.id, to: "B", now: 1)
    }
    let sent = try sides.outgoing(second).0.head.decks
    #expect(sent.count == 3 && sent[0]["id"] == sent[2]["id"])
    #expect(sent.dropFirst().compactMap { $0["name"]?.text }.sorted() == ["B", "Spanish"])
  }

  @Test func `a deck that another device named the same, and that was then renamed by ours, gets its local name there`()
    throws
  {
    try sides.linked()
    try store.operation("add") { db in
      let deck = try DeckTable.create(db, name: "New", now: 1_699_999_000).id
      _ = try CardTable.add(db, NewCard(prompt: "p", answer: "a"), to: deck, now: 1_699_999_999) { 5 }
    }
    let ours = try #require(try sides.outgoing(sides.pulled()).0.head.decks.first?["id"])
    try store.operation("link") { db in
      var link = try #require(try SyncTables.link(db))
      link.meta?.usn = 10
      try SyncTables.setLink(db, link)
    }
    var head = StagedHead()
    head.decks = [ServerSide.deck(77, "New+")]
    let pulled = try sides.pulled(head, usn: 10)
    #expect(try sides.merge(pulled).findings.count == 1)
    let sent = try sides.outgoing(pulled).0.head.decks
    var names: [Value: String] = [:]
    for deck in sent { names[deck["id"] ?? .null] = deck["name"]?.text }
    #expect(names == [ours: "New+", .integer(77): "New"])
    #expect(try sides.outgoing(pulled).0.count == 0)
    // A deck with such a name that is made later is a different deck.
    head.decks = [ServerSide.deck(78, "Spanish+")]
    let later = try sides.pulled(head, usn: 10)
    #expect(try sides.merge(later).findings.isEmpty)
    #expect(try sides.outgoing(later).0.count == 0)
  }

  @Test func `a type of another shape is not sent, one with another template is, with its unknown keys`() throws {
    try sides.linked()
    try sides.editType { $0.cards[0].value.front = "{{Front}}!" }
    let type = try #require(try sides.outgoing(sides.pulled()).0.head.types.first)
    #expect(type["unknown"] == .text("kept") && type["usn"] == .integer(9))
    #expect(type["tmpls"]?.list?.first?.record?["strange"] == .integer(7))
    try sides.editType { $0.fields.append(.init("More", was: nil)) }
    #expect(throws: SyncError.shape(type: "Basic")) { try sides.outgoing(sides.pulled()) }
  }

  @Test(arguments: [(99, "mine"), (200, "theirs"), (201, "theirs")])
  func `the later change to a note is kept, theirs within the same second`(modified: Int, kept: String) throws {
    try sides.linked()
    try sides.change { db, id in
      let note = try #require(try CardTable.card(db, id)?.note)
      try NoteTable.update(db, note, fields: ["Back": "mine"], now: 200, isInterrupted: { false })
    }
    let second = try sides.pulled(StagedHead(), [.notes: [ServerSide.note(modified, "theirs")]])
    try sides.merge(second)
    #expect(try sides.here()?.answer == kept)
    #expect(try sides.outgoing(second).1[.notes]?.count ?? 0 == (kept == "mine" ? 1 : 0))
  }

  @Test func `a card answered there and marked here later gets both changes`() throws {
    try sides.linked()
    try sides.change { db, id in try CardHiding.setFlag(db, [id], to: 3, now: 1_695_000_000) }
    var row = try #require(ServerSide.card(1_692_000_000).list)
    (row[8], row[9], row[11]) = (.integer(1200), .integer(90), .integer(5))
    let second = try sides.pulled(StagedHead(), [.cards: [.list(row)]])
    try sides.merge(second)
    let card = try #require(try sides.here())
    #expect(card.flag == 3 && card.schedule.reps == 5)
    let sent = try #require(try sides.outgoing(second).1[.cards]?.first)
    #expect(sent[9] == .integer(90) && sent[11] == .integer(5) && sent[16] == .integer(0b101_011))
    #expect(sent[4] == .integer(1_695_000_000))
  }

  @Test func `a deletion there wins over a later change here, and vice versa`() throws {
    try sides.linked()
    try sides.change { db, id in try CardHiding.setFlag(db, [id], to: 3, now: 900) }
    var graves = SyncGraves()
    (graves.cards, graves.notes) = ([Int64(ServerSide.card)], [Int64(ServerSide.note)])
    #expect(try sides.merge(sides.pulled(graves: graves)).removedHere == 1)
    #expect(try sides.here() == nil)
    #expect(try sides.outgoing(sides.pulled()).0.count == 0)
  }

  @Test func `a removal here is sent as one, together with the object's changes meanwhile`() throws {
    try sides.linked()
    try sides.change { db, id in _ = try CardTable.remove(db, [id]) }
    var other = try #require(ServerSide.card(300).list)
    (other[0], other[3]) = (.integer(ServerSide.card + 1), .integer(1))
    let second = try sides.pulled(
      StagedHead(), [.notes: [ServerSide.note(300, "later")], .cards: [ServerSide.card(300), .list(other)]])
    try sides.merge(second)
    let sent = try sides.outgoing(second).0
    #expect(sent.graves.notes == [Int64(ServerSide.note)])
    #expect(sent.graves.cards == [Int64(ServerSide.card), Int64(ServerSide.card) + 1])
    #expect(try store.read { try Bases($0).counts() }.cards == 0)
  }

  @Test func `a deleted row that the server sends again with its id keeps the id`() throws {
    try sides.linked()
    try sides.change { db, id in _ = try CardTable.remove(db, [id]) }
    #expect(try sides.outgoing(sides.pulled()).0.graves.count == 2)
    let rows: [StagedKind: [Value]] = [.notes: [ServerSide.note(300, "later")], .cards: [ServerSide.card(300)]]
    try sides.merge(sides.pulled(StagedHead(), rows))
    #expect(try sides.here() != nil)
    #expect(try sides.outgoing(sides.pulled()).0.count == 0)
  }

  @Test func `a row restored after its deletion was sent gets a new id and keeps its guid`() throws {
    try sides.linked()
    let kept = try #require(try sides.here())
    try sides.change { db, id in _ = try CardTable.remove(db, [id]) }
    #expect(try sides.outgoing(sides.pulled()).0.graves.count == 2)
    // Restored as `undo` does: with the rows as they were.
    try store.operation("back") { db in
      try db.execute(
        sql:
          "INSERT INTO notes (id, guid, type, mod, usn, fields) VALUES (?, 'g1', ?, 100, 0, 'uno' || char(31) || 'x')",
        arguments: [ServerSide.note, ServerSide.type])
      try db.execute(
        sql: """
          INSERT INTO cards (id, deck, rank, content, created, mod, note, ord) VALUES (?, ?, 5, 0, 1, 1, ?, 0)
          """, arguments: [ServerSide.card, kept.deck.rawValue, ServerSide.note])
    }
    let rows = try sides.outgoing(sides.pulled()).1
    let note = try #require(rows[.notes]?.first)
    #expect(note[0] != .integer(ServerSide.note) && note[1] == .text("g1"))
    #expect(rows[.cards]?.first?[0] != .integer(ServerSide.card) && rows[.cards]?.first?[1] == note[0])
  }

  @Test func `an answer whose sync was cut off is recognised when it comes back, another one with its id is not`()
    throws
  {
    try sides.linked()
    try sides.change { db, id in
      try CardTable.addLog(
        db, [LoggedReview(at: 1_699_000_000.25, rating: 3, state: .review, interval: 864_000)], to: id)
    }
    let same = try sides.pulled(StagedHead(), [.revlog: [ServerSide.review(1_699_000_000_250, 3)]])
    try sides.merge(same)
    #expect(try sides.outgoing(same).1[.revlog] == nil)
    #expect(try store.read { try $0.firstRow("SELECT count(*) FROM reviews") { $0.count(0) } } == 2)
    try sides.change { db, id in
      try CardTable.addLog(
        db, [LoggedReview(at: 1_699_500_000.25, rating: 1, state: .review, interval: 864_000)], to: id)
    }
    let other = try sides.pulled(StagedHead(), [.revlog: [ServerSide.review(1_699_500_000_250, 4)]])
    try sides.merge(other)
    #expect(try sides.outgoing(other).1[.revlog]?.first?.first == .integer(1_699_500_000_251))
  }

  @Test func `a full download imports only what differs, and finds what is missing`() throws {
    try sides.linked()
    let card = try #require(try sides.here())
    let again = try sides.pulled(
      ServerSide.head(),
      [
        .notes: [ServerSide.note(100, "one")], .cards: [ServerSide.card(100)],
        .revlog: [ServerSide.review(1_690_000_000_000, 3)],
      ],
      isWhole: true)
    #expect(try sides.merge(again).received == 0)
    #expect(try sides.here()?.id == card.id)
    let empty = try sides.pulled(ServerSide.head(), isWhole: true)
    #expect(try store.read { try empty.missingCards($0) } == 1)
    #expect(try sides.merge(empty).removedHere == 1)
  }

  @Test func `a server restored from a backup gets back what it had`() throws {
    try sides.linked()
    let older = try sides.pulled(
      ServerSide.head(),
      [
        .notes: [ServerSide.note(90, "older")], .cards: [ServerSide.card(90)],
        .revlog: [ServerSide.review(1_690_000_000_000, 3)],
      ],
      isWhole: true, usn: 4)
    try sides.merge(older)
    #expect(try sides.here()?.answer == "one")
    let rows = try sides.outgoing(older).1
    #expect(rows[.notes]?.first?[6] == .text("uno\u{1F}one") && rows[.notes]?.first?[3] == .integer(100))
    #expect(rows[.cards]?.first?[5] == .integer(4))
    #expect(try sides.outgoing(older).0.count == 0)
  }

  @Test func `a changed stock template counts as unsent once the server has the type`() throws {
    var head = ServerSide.head()
    head.types[0]["id"] = .integer(1_600_000_000_001)
    let first = try sides.pulled(head, isWhole: true)
    try sides.merge(first, isFirst: true)
    #expect(try store.read { try SyncTables.unsent($0).types } == 0)
    try store.operation("edit") { db in
      let type = try NoteTypeTable.find(db, named: "Basic")
      #expect(type.id.rawValue == 1_600_000_000_001)
      var edit = NoteTypeEdit(type)
      edit.css = ".card {}"
      try NoteTypeTable.edit(db, type.id, edit, agreed: true, now: 300, isInterrupted: { false })
    }
    #expect(try store.read { try SyncTables.unsent($0).types } == 1)
  }

  @Test func `a local card in a deck deleted there moves to the first deck and is sent there`() throws {
    try sides.linked()
    try store.operation("add") { db in
      let deck = try DeckTable.find(db, named: "Spanish").id
      _ = try CardTable.add(db, NewCard(prompt: "p", answer: "a"), to: deck, now: 1_699_999_999) { 5 }
    }
    var graves = SyncGraves()
    (graves.cards, graves.notes, graves.decks) = ([Int64(ServerSide.card)], [Int64(ServerSide.note)], [2])
    #expect(try sides.merge(sides.pulled(graves: graves)).findings.count == 1)
    #expect(try sides.outgoing(sides.pulled()).1[.cards]?.first?[2] == .integer(1))
    #expect(try store.read { try DeckTable.named($0, "Spanish") } == nil)
  }
}
