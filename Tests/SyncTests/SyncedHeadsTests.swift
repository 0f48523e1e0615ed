// Decks, presets and note types: rows with Anki's ids, each its own base until it is changed here.

import Decks
import Exchange
import Storage
import TestDecks
import TestSupport
import Values

@testable import Sync

@Suite struct SyncedHeadsTests {
  private let sides = TwoSides(hasUndo: true)
  private var store: Store { sides.store }

  /// `Spanish` has the preset 5.
  private func head() -> StagedHead {
    var head = ServerSide.head()
    head.decks[1]["conf"] = .integer(5)
    head.presets.append([
      "id": .integer(5), "name": .text("Slow"), "mod": .integer(3), "usn": .integer(1), "strange": .text("kept"),
      "new": .record(["perDay": .integer(33)]),
    ])
    return head
  }

  /// The bases of decks, types and presets, by kind and id, for rows that exist here.
  private func kept() throws -> [String] {
    let sql = "SELECT kind || ' ' || id FROM bases WHERE kind IN (2, 3, 4) AND here ORDER BY kind, id"
    return try store.read { try $0.rows(sql) { $0.text(0) } }
  }

  private func ids(_ sql: String) throws -> [Int64] { try store.read { try $0.rows(sql) { $0.integer(0) } } }

  @Test func `unchanged ones are stored once, with the server's ids`() throws {
    try sides.linked(head())
    #expect(try kept().isEmpty && sides.unsent().total == 0)
    #expect(try ids("SELECT id FROM decks WHERE name = 'Spanish'") == [2])
    #expect(try ids("SELECT preset FROM decks WHERE id = 2") == [5])
    #expect(try ids("SELECT id FROM note_types WHERE name = 'Basic'") == [Int64(ServerSide.type)])
    let rows = try store.read { db in try db.rows("SELECT json FROM server_rows WHERE kind IN (2, 4)") { $0.text(0) } }
    let there = (head().decks + head().presets).map { Value.record($0).json }
    #expect(Set(rows) == Set(there))
  }

  @Test func `a change keeps the base, undo removes it, and after sending the row is its own base again`() throws {
    try sides.linked(head())
    try store.operation("rename") { try DeckTable.rename($0, DeckID(rawValue: 2), to: "Castilian", now: 1) }
    try store.operation("options") { db in
      var options = try PresetTable.record(db, PresetID(rawValue: 5)).options
      try options.set(.newPerDay, to: 44)
      try PresetTable.setOptions(db, PresetID(rawValue: 5), to: options)
    }
    #expect(try kept() == ["2 2", "4 5"])
    #expect(try sides.unsent().decks == 1 && sides.unsent().presets == 1)
    try store.undo()
    try store.undo()
    #expect(try kept().isEmpty && sides.unsent().total == 0)
    try store.undo(again: true)
    try store.undo(again: true)
    let sent = try sides.outgoing(sides.pulled()).0.head
    #expect(sent.decks.map { $0["id"] } == [.integer(2)] && sent.decks[0]["name"] == .text("Castilian"))
    #expect(sent.presets.map { $0["id"] } == [.integer(5)] && sent.presets[0]["strange"] == .text("kept"))
    #expect(sent.presets[0]["new"]?.record?["perDay"] == .integer(44))
    #expect(try kept().isEmpty && sides.unsent().total == 0)
    let row = try store.read { try Bases($0)[.deck, 2]?.record }
    #expect(row?["name"] == .text("Castilian") && row?["usn"] == .integer(9))
  }

  @Test func `a reverted change is not sent`() throws {
    try sides.linked(head())
    for name in ["Castilian", "Spanish"] {
      try store.operation("rename") { try DeckTable.rename($0, DeckID(rawValue: 2), to: name, now: 1) }
    }
    #expect(try kept() == ["2 2"] && sides.unsent().total == 0)
    #expect(try sides.outgoing(sides.pulled()).0.count == 0)
    #expect(try kept().isEmpty)
  }

  @Test func `a removed deck is sent as a grave, and one restored after that has another id`() throws {
    try sides.linked(head())
    try store.operation("remove") { try DeckTable.remove($0, DeckID(rawValue: 2)) }
    #expect(try sides.unsent().removals == 1 && kept().isEmpty)
    #expect(try sides.outgoing(sides.pulled()).0.graves.decks == [2])
    try store.undo(store.undoSteps().first { $0.name == "remove" }?.id)
    #expect(try sides.unsent().decks == 1)
    #expect(try sides.outgoing(sides.pulled()).0.head.decks.map { $0["id"] } == [.integer(3)])
    #expect(try ids("SELECT id FROM decks WHERE name = 'Spanish'") == [3])
  }

  @Test func `a removed deck is restored by a card received in it, and keeps its base`() throws {
    try sides.linked(head())
    try store.operation("remove") { try DeckTable.remove($0, DeckID(rawValue: 2)) }
    let rows: [StagedKind: [Value]] = [.notes: [ServerSide.note(300, "later")], .cards: [ServerSide.card(300)]]
    try sides.merge(sides.pulled(StagedHead(), rows))
    #expect(try ids("SELECT id FROM decks WHERE name = 'Spanish'") == [2] && ids("SELECT deck FROM cards") == [2])
    #expect(try store.read { try Bases($0).counts() }.decks == 2)
    #expect(try sides.outgoing(sides.pulled()).0.count == 0)
  }

  @Test func `an object created on both sides gets the server's id, with its content`() throws {
    try store.operation("add") { db in
      let deck = try DeckTable.create(db, name: "spanish", now: 1_699_999_000).id
      var options = DeckOptions()
      try options.set(.newPerDay, to: 33)
      let preset = try PresetTable.create(db, name: "slow", options: options, now: 1_699_999_000)
      try DeckTable.setPreset(db, deck, to: preset.id)
      _ = try CardTable.add(db, NewCard(prompt: "uno", answer: "one", guid: "mine"), to: deck, now: 1_699_999_000) { 1 }
    }
    let first = try sides.pulled(head(), isWhole: true)
    try sides.merge(first, isFirst: true)
    #expect(try ids("SELECT id FROM decks") == [2] && ids("SELECT deck FROM cards") == [2])
    #expect(try ids("SELECT id FROM presets") == [5] && ids("SELECT preset FROM decks") == [5])
    #expect(try ids("SELECT DISTINCT type FROM notes") == [Int64(ServerSide.type)])
    let (out, rows) = try sides.outgoing(first)
    #expect(out.head.decks.isEmpty && out.head.presets.isEmpty && out.head.types.isEmpty)
    #expect(rows[.cards]?.first?[2] == .integer(2) && rows[.notes]?.first?[2] == .integer(ServerSide.type))
    // After undo the local objects have their own ids again.
    for name in ["send", "sync"] { try store.undo(store.undoSteps().first { $0.name == name && !$0.isUndone }?.id) }
    #expect(
      try ids("SELECT id FROM decks") == [1_699_999_000_000]
        && ids("SELECT deck FROM cards") == ids("SELECT id FROM decks"))
    #expect(try ids("SELECT preset FROM decks") == [1_699_999_000_000] && kept().isEmpty)
  }

  @Test func `another object that happens to have the server's id is moved to a new id`() throws {
    let now = 1_699_999_000.0
    try store.operation("add") { db in
      let deck = try DeckTable.findOrMake(db, named: "Mine", id: DeckID(rawValue: 2), now: now).deck.id
      try DeckTable.setPreset(db, deck, to: PresetTable.create(db, name: "M", id: PresetID(rawValue: 6), now: now).id)
      _ = try CardTable.add(db, NewCard(prompt: "uno", answer: "one", guid: "mine"), to: deck, now: now) { 1 }
    }
    let first = try sides.pulled(head(), isWhole: true)
    try sides.merge(first, isFirst: true)
    #expect(try ids("SELECT id FROM decks WHERE name = 'Spanish'") == [2])
    let mine = try #require(try ids("SELECT id FROM decks WHERE name = 'Mine'").first)
    #expect(try mine != 2 && ids("SELECT deck FROM cards") == [mine])
    let (out, rows) = try sides.outgoing(first)
    #expect(out.head.decks.map { $0["id"] } == [.integer(Int(mine))])
    #expect(out.head.decks[0]["conf"] == .integer(6) && out.head.presets.map { $0["id"] } == [.integer(6)])
    #expect(rows[.cards]?.first?[2] == .integer(Int(mine)))
  }

  @Test func `a log row removed by the doctor stays on the server`() throws {
    try sides.linked()
    try store.operation("mend") { db in
      try db.execute(sql: "UPDATE reviews SET rating = 9")
      _ = try DecksCheck.mend(db, now: 1_700_000_000) { 1 }
    }
    #expect(try ids("SELECT id FROM reviews").isEmpty)
    #expect(try store.read { try Bases($0).counts() }.answers == 1)
    // It does not come back when the server sends everything.
    let all = try sides.pulled(ServerSide.head(), [.revlog: [ServerSide.review(1_690_000_000_000, 3)]])
    try sides.merge(all)
    #expect(try ids("SELECT id FROM reviews").isEmpty)
  }
}
