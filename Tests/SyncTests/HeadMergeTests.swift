// Note types, presets and decks that both sides changed, and notes whose type changed its shape on the server.

import Decks
import Exchange
import Problems
import Storage
import Templates
import TestDecks
import TestSupport
import Values

@testable import Sync

@Suite struct HeadMergeTests {
  private let sides = TwoSides()
  private var store: Store { sides.store }

  /// The server's type with other fields.
  private func reshaped(_ fields: [String], modified: Int = 500) -> StagedHead {
    var head = ServerSide.head()
    head.types[0]["flds"] = .list(fields.map { .record(["name": .text($0)]) })
    let back = fields.last ?? ""
    head.types[0]["tmpls"] = .list([
      .record([
        "name": .text("Card 1"), "ord": .integer(0), "qfmt": .text("{{\(fields[0])}}"),
        "afmt": .text("{{FrontSide}}\n\n<hr id=answer>\n\n{{\(back)}}"),
      ])
    ])
    head.types[0]["mod"] = .integer(modified)
    return head
  }

  @Test func `local text in a field that was removed there is in the report`() throws {
    try sides.linked()
    try sides.write(["Back": "mine"])
    let report = try sides.merge(sides.pulled(reshaped(["Front"])))
    #expect(report.setAside.count == 1)
    #expect(report.setAside.first?["guid"] == .text("g1") && report.setAside.first?["type"] == .text("Basic"))
    #expect(report.setAside.first?["fields"]?.record?["Back"] == .text("mine"))
    #expect(report.setAside.first?["tags"] == .list([.text("a")]))
    #expect(try sides.note().fields == ["uno"])
  }

  @Test func `fields reordered there are matched by name, and nothing is set aside`() throws {
    try sides.linked()
    try sides.write(["Back": "mine"])
    #expect(try sides.merge(sides.pulled(reshaped(["Back", "More", "Front"]))).setAside.isEmpty)
    #expect(try sides.note().fields == ["mine", "", "uno"])
    #expect(try sides.here()?.prompt == "mine")
  }

  @Test func `a note changed by both whose type lost fields there is set aside in its local state`() throws {
    try sides.linked()
    try sides.write(["Back": "mine"])
    var row = try #require(ServerSide.note(900, "").list)
    row[6] = .text("dos")
    let report = try sides.merge(sides.pulled(reshaped(["Front"]), [.notes: [.list(row)]]))
    #expect(report.setAside.count == 1 && report.setAside.first?["fields"]?.record?["Back"] == .text("mine"))
    #expect(report.findings.contains { $0.contains("changed on both sides") })
    #expect(try sides.note().fields == ["dos"])
  }

  @Test(arguments: [(600, "{{Front}}?"), (100, "{{Front}}!")])
  func `the later change to a template is kept`(modified: Int, front: String) throws {
    try sides.linked()
    try sides.editType { $0.cards[0].value.front = "{{Front}}!" }
    var head = ServerSide.head()
    var side = try #require(head.types[0]["tmpls"]?.list?.first?.record)
    side["qfmt"] = .text("{{Front}}?")
    head.types[0]["tmpls"] = .list([.record(side)])
    head.types[0]["mod"] = .integer(modified)
    let second = try sides.pulled(head, usn: 10)
    try sides.merge(second)
    #expect(try store.read { try NoteTypeTable.find($0, named: "Basic").cards[0].front } == front)
    #expect(try sides.outgoing(second).0.head.types.count == (front.hasSuffix("!") ? 1 : 0))
  }

  @Test(arguments: [false, true])
  func `a type renamed here with a plus is sent with its new name, unless another one has the old name`(
    isTaken: Bool
  ) throws {
    try sides.linked()
    try sides.editType { $0.name = "Basic+" }
    if isTaken {
      try store.operation("type") { db in
        let card = CardTemplate("Card", front: "{{A}}", back: "{{B}}")
        _ = try NoteTypeTable.create(db, NoteTypeDraft(name: "Basic", fields: ["A", "B"], cards: [card]), now: 150)
      }
    }
    let types = try sides.outgoing(sides.pulled()).0.head.types
    let sent = try #require(types.first { $0["id"] == .integer(ServerSide.type) })
    #expect(sent["name"] == .text(isTaken ? "Basic" : "Basic+"))
  }

  @Test func `a local type whose name another one there has is renamed, an invalid one is reported`() throws {
    try sides.linked()
    try store.operation("types") { db in
      for name in ["Mine", "Mine+"] {
        let card = CardTemplate("Card", front: "{{A}}", back: "{{B}}")
        _ = try NoteTypeTable.create(db, NoteTypeDraft(name: name, fields: ["A", "B"], cards: [card]), now: 150)
      }
    }
    var head = reshaped(["X", "Y", "Z"])
    (head.types[0]["id"], head.types[0]["name"]) = (.integer(1_600_000_000_777), .text("mine"))
    head.types.append(["id": .integer(9), "name": .text("Broken")])
    let report = try sides.merge(sides.pulled(head))
    let names = try store.read { try NoteTypeTable.list($0).map(\.name).sorted() }
    #expect(names == ["Basic", "Mine+", "Mine++", "mine"])
    #expect(report.findings.contains { $0.contains("the note type Mine was renamed to Mine++") }, "\(report.findings)")
    #expect(report.findings.contains { $0.contains("the note type 9 cannot be stored here") })
  }

  private func preset(_ change: (inout Value.Record) -> Void = { _ in }) -> Value.Record {
    var record: Value.Record = [
      "id": .integer(5), "name": .text("Hard"), "mod": .integer(5), "usn": .integer(1),
      "rev": .record(["perDay": .integer(50)]),
    ]
    change(&record)
    return record
  }

  private func withPreset(_ record: Value.Record) -> StagedHead {
    var head = ServerSide.head()
    head.presets.append(record)
    head.decks[1]["conf"] = .integer(5)
    return head
  }

  @Test func `each option of a preset comes from the side that changed it`() throws {
    try sides.linked()
    try sides.merge(sides.pulled(withPreset(preset()), usn: 10))
    let made = try #require(try store.read { try PresetTable.list($0).first { $0.name == "Hard" } })
    #expect(made.options.reviewsPerDay == 50)
    #expect(
      try store.read { try DeckTable.options($0, try #require(try DeckTable.named($0, "Spanish")).id).reviewsPerDay }
        == 50)
    try store.operation("options") { db in
      var options = made.options
      try options.set(.newPerDay, to: 7)
      try PresetTable.setOptions(db, made.id, to: options)
    }
    let third = try sides.pulled(
      withPreset(
        preset {
          $0["name"] = .text("Harder")
          $0["rev"] = .record(["perDay": .integer(80)])
          $0["strange"] = .text("kept")
        }), usn: 11)
    try sides.merge(third)
    let both = try store.read { try PresetTable.record($0, made.id) }
    #expect(both.name == "Harder" && both.options.reviewsPerDay == 80 && both.options.newPerDay == 7)
    let sent = try #require(try sides.outgoing(third).0.head.presets.first)
    #expect(sent["id"] == .integer(5) && sent["name"] == .text("Harder") && sent["strange"] == .text("kept"))
    #expect(sent["rev"]?.record?["perDay"] == .integer(80) && sent["new"]?.record?["perDay"] == .integer(7))
    #expect(try sides.outgoing(third).0.count == 0, "it is not sent twice")
  }

  @Test func `a local preset is sent with its deck, and a reverted change sends nothing`() throws {
    try sides.linked()
    let deck = try #require(try store.read { try DeckTable.named($0, "Spanish")?.id })
    let made = try store.operation("preset") { db in
      var options = DeckOptions()
      try options.set(.reviewsPerDay, to: 30)
      let made = try PresetTable.create(db, name: "Mine", options: options, now: 150)
      try DeckTable.setPreset(db, deck, to: made.id)
      return made
    }
    let sent = try sides.outgoing(sides.pulled()).0.head
    let preset = try #require(sent.presets.first)
    #expect(preset["name"] == .text("Mine") && preset["rev"]?.record?["perDay"] == .integer(30))
    #expect(sent.decks.first?["conf"] == preset["id"] && sent.decks.first?["newToday"] != nil)
    // An option that is changed and changed back is not sent.
    for limit in [31.0, 30] {
      try store.operation("options") { db in
        var options = made.options
        try options.set(.reviewsPerDay, to: limit)
        try PresetTable.setOptions(db, made.id, to: options)
      }
    }
    #expect(try sides.outgoing(sides.pulled()).0.count == 0)
    try store.operation("preset") { try DeckTable.setPreset($0, deck, to: nil) }
    #expect(try sides.outgoing(sides.pulled()).0.head.decks.first?["conf"] == .integer(1))
  }

  private func renamed(_ name: String, and decks: [Value.Record] = []) -> StagedHead {
    var head = ServerSide.head()
    head.decks[1] = ServerSide.deck(2, name)
    head.decks[1]["mod"] = .integer(6)
    head.decks += decks
    return head
  }

  private func decks() throws -> [String] { try store.read { try DeckTable.list($0).map(\.name) } }

  private func add(_ prompt: String, to deck: String) throws {
    try store.operation("add") { db in
      let id = try DeckTable.findOrMake(db, named: deck, now: 150).deck.id
      _ = try CardTable.add(db, NewCard(prompt: prompt, answer: "x", guid: prompt), to: id, now: 150) { 1 }
    }
  }

  @Test func `a deck renamed to the name of a deck that only we have takes over its cards`() throws {
    try sides.linked()
    try add("ours", to: "New")
    try sides.merge(sides.pulled(renamed("New")))
    #expect(try decks() == ["New"])
    let prompts = try store.read { db in
      try String.fetchAll(db, sql: "SELECT prompt FROM card_rows ORDER BY prompt")
    }
    #expect(prompts == ["ours", "uno"])
  }

  @Test func `a deck can move into itself, and takes the server's capitalisation`() throws {
    try sides.linked()
    try add("ours", to: "mine")
    try sides.merge(sides.pulled(renamed("Spanish::Inner", and: [ServerSide.deck(9, "Mine")])))
    #expect(try decks() == ["Mine", "Spanish", "Spanish::Inner"])
    #expect(
      try sides.here().map { card in try store.read { try DeckTable.record($0, card.deck).name } } == "Spanish::Inner")
  }

  @Test func `the progress of media sync is stored per user and server`() throws {
    let (mine, other) = (SyncLink(address: "a", user: "b"), SyncLink(address: "a", user: "c"))
    try store.operation("media") { db in
      #expect(try MediaTables.usn(db, of: mine) == 0)
      try MediaTables.setUSN(db, 7, of: mine)
      try MediaTables.setDeletion(db, of: "gone.png", 5)
      try MediaTables.setDeletion(db, of: "gone.png", 6)
      try MediaTable.set(db, "new.png", to: MediaState(hash: "h", size: 3, isPending: false))
    }
    let known = try store.read { try MediaTables.known($0, of: mine) }
    #expect(known.usn == 7 && known.deletions == ["gone.png": 6] && known.unsent == 0)
    let anew = try store.read { try MediaTables.known($0, of: other) }
    #expect(anew.usn == 0 && anew.unsent == 1, "another server may have none of it")
  }

  @Test(arguments: [
    ("https://sync.ankiweb.net/", "server_refused"), ("ftp://host/", "bad_value"), ("", "bad_value"),
    ("http://a b/", "bad_value"),
  ])
  func `an address that no account can sync with is refused`(address: String, code: String) throws {
    let error = try #require(throws: SyncError.self) { try SyncPlace(address) }
    #expect(error.code == code, "\(address): \(error)")
  }

  @Test func `an address says whether others on the network can read the traffic`() throws {
    #expect(try SyncPlace("http://192.168.1.5:8080").address == "http://192.168.1.5:8080/")
    #expect(try !SyncPlace("http://192.168.1.5:8080").isExposed && !SyncPlace("https://example.org").isExposed)
    #expect(try SyncPlace("http://example.org").isExposed)
  }
}
