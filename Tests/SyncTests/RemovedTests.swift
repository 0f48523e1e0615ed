// Local removals: the answers of removed cards are still sent, note types and presets stay on the server.

import Decks
import Storage
import Templates
import TestDecks
import TestSupport
import Values

@testable import Exchange
@testable import Sync

@Suite struct RemovedTests {
  private let sides = TwoSides()

  private func answer(_ db: Database, _ card: CardID, at now: Double, days: Double) throws {
    try CardTable.addLog(db, [LoggedReview(at: now, rating: 3, state: .review, interval: days * 86_400)], to: card)
  }

  @Test func `answers of a synced card are sent after its removal, once`() throws {
    try sides.linked()
    try sides.change { db, id in
      try answer(db, id, at: 1_699_000_000.25, days: 40)
      try answer(db, id, at: 1_699_100_000.5, days: 90)
      _ = try CardTable.remove(db, [id])
    }
    #expect(try sides.store.read { try SyncTables.unsent($0).answers } == 2)
    let (sent, rows) = try sides.outgoing(sides.pulled())
    #expect(sent.graves.cards == [Int64(ServerSide.card)])
    let log = try #require(rows[.revlog])
    #expect(log.map { $0[0] } == [.integer(1_699_000_000_250), .integer(1_699_100_000_500)])
    #expect(log.map { $0[1] } == [.integer(ServerSide.card), .integer(ServerSide.card)])
    #expect(log.map { $0[4] } == [.integer(40), .integer(90)] && log.map { $0[5] } == [.integer(0), .integer(40)])
    #expect(try sides.store.read { try Bases($0).counts() }.answers == 3)
    #expect(try sides.store.read { try SyncTables.unsent($0).total } == 0)
    #expect(try sides.outgoing(sides.pulled()).0.count == 0)
  }

  @Test func `answers of an unsent card are sent too, with an id that no answer of another device has`() throws {
    try sides.linked()
    try sides.store.operation("add") { db in
      let deck = try DeckTable.find(db, named: "Spanish").id
      let card = try CardTable.add(db, NewCard(prompt: "p", answer: "a"), to: deck, now: 1_699_999_999) { 5 }
      try answer(db, card, at: 1_690_000_000, days: 3)
      _ = try CardTable.remove(db, [card])
    }
    let rows = try sides.outgoing(sides.pulled()).1
    // The first id belongs to the answer that both have.
    #expect(rows[.revlog]?.map { $0[0] } == [.integer(1_690_000_000_001)])
    #expect(rows[.cards] == nil && rows[.notes] == nil)
    #expect(try sides.outgoing(sides.pulled()).0.count == 0)
  }

  @Test func `a local row that happens to have the id of a row deleted there is sent with another id`() throws {
    try sides.linked()
    let (note, card) = try sides.store.operation("add") { db in
      let deck = try DeckTable.find(db, named: "Spanish").id
      let card = try CardTable.add(db, NewCard(prompt: "p", answer: "a"), to: deck, now: 1_699_999_999) { 5 }
      return (try #require(try CardTable.card(db, card)).note.rawValue, card.rawValue)
    }
    var graves = SyncGraves()
    (graves.notes, graves.cards) = ([note], [card])
    let came = try sides.pulled(graves: graves)
    try sides.merge(came)
    let rows = try sides.outgoing(came).1
    let (sentNote, sentCard) = (rows[.notes]?.first?[0].integer, rows[.cards]?.first?[0].integer)
    #expect(sentNote != nil && sentNote != Int(note) && sentCard != nil && sentCard != Int(card))
    #expect(try sides.store.read { try NoteTable.exists($0, NoteID(rawValue: Int64(sentNote ?? 0))) })
  }

  @Test func `a new note does not get the id of a removed one that the server still has`() throws {
    try sides.linked()
    try sides.change { db, id in
      let deck = try #require(try CardTable.card(db, id)).deck
      _ = try CardTable.remove(db, [id])
      let now = Double(ServerSide.note) / 1000
      _ = try CardTable.add(db, NewCard(prompt: "p", answer: "a"), to: deck, now: now) { 5 }
    }
    let (sent, rows) = try sides.outgoing(sides.pulled())
    #expect(sent.graves.notes == [Int64(ServerSide.note)])
    #expect(rows[.notes]?.map { $0[0] } == [.integer(ServerSide.note + 1)])
  }

  @Test func `without a server answers of removed cards are not counted`() throws {
    try sides.store.operation("add") { db in
      let deck = try DeckTable.create(db, name: "A", now: 1).id
      let card = try CardTable.add(db, NewCard(prompt: "p", answer: "a"), to: deck, now: 1_699_999_999) { 5 }
      try answer(db, card, at: 1_690_000_000, days: 3)
      _ = try CardTable.remove(db, [card])
    }
    #expect(try sides.store.read { try SyncTables.unsent($0).answers } == 0)
  }

  @Test func `a removal whose answers were sent can be undone`() throws {
    let folder = TemporaryFolder()
    let store = Store(
      path: folder.file("collection.sqlite"), schema: sides.schema + UndoLog.schema,
      isInterrupted: { false }, undoClock: { 1_700_000_000 })
    try store.operation("add") { db in
      try SyncTables.setLink(db, SyncLink(address: "a", user: "b"))
      let deck = try DeckTable.create(db, name: "A", now: 1).id
      let card = try CardTable.add(db, NewCard(prompt: "p", answer: "a"), to: deck, now: 1_699_999_999) { 5 }
      try answer(db, card, at: 1_690_000_000, days: 3)
    }
    try store.operation("remove") { db in
      _ = try CardTable.remove(db, db.rows("SELECT id FROM cards") { CardID(rawValue: $0.integer(0)) })
    }
    try store.operation("sync") { db in
      let head = try sides.pulled().staged.head
      #expect(try SyncOutgoing(db, usn: 3, head, StudyMoment(now: 1_700_000_000)).next().rows[.revlog]?.count == 1)
    }
    let step = try #require(try store.undoSteps().first { $0.name == "remove" })
    try store.undo(step.id) { try SearchLog.forget($0) }
    // The answer is on both sides, the card is to be sent.
    #expect(try store.read { try SyncTables.unsent($0).answers } == 0)
    #expect(try store.read { try SyncTables.unsent($0).cards } == 1)
  }

  @Test func `a preset and a note type removed here stay there, which is reported once`() throws {
    var head = ServerSide.head()
    head.presets.append(["id": .integer(7), "name": .text("Slow"), "new": .record(["perDay": .integer(5)])])
    head.decks[1]["conf"] = .integer(7)
    let first = try sides.pulled(head, isWhole: true)
    try sides.merge(first, isFirst: true)
    try sides.store.operation("remove") { db in
      let preset = try #require(try PresetTable.list(db).first { $0.name == "Slow" })
      let deck = try DeckTable.find(db, named: "Spanish").id
      try DeckTable.setPreset(db, deck, to: nil)
      try PresetTable.remove(db, preset.id)
      try NoteTypeTable.remove(db, NoteTypeTable.find(db, named: "Basic").id)
    }
    // The deck arrives again, with the preset that was removed here.
    var deck = ServerSide.deck(2, "Spanish")
    (deck["conf"], deck["mod"]) = (.integer(7), .integer(9))
    var second = StagedHead()
    second.decks = [deck]
    let report = try sides.merge(sides.pulled(second))
    #expect(report.findings.count == 2)
    #expect(report.findings.first?.hasPrefix("the note type Basic was removed here but stays on the server") == true)
    #expect(try sides.merge(sides.pulled(second)).findings.isEmpty)
  }
}
