// Server rows that Anki's own clients seldom or never send: each is imported or kept as received; and decks whose
// names cross.

import Decks
import Exchange
import Problems
import Storage
import Templates
import TestSupport
import Values

@testable import Sync

@Suite struct OddRowsTests {
  private let sides = TwoSides()
  private var store: Store { sides.store }

  private func counts() throws -> SyncCounts { try store.read { try Bases($0).counts() } }

  /// A row of the server's note.
  private func row(_ modified: Int, fields: [String], type: Int = ServerSide.type, id: Int = ServerSide.note) throws
    -> Value
  {
    var row = try #require(ServerSide.note(modified, "").list)
    (row[0], row[2], row[6]) = (.integer(id), .integer(type), .text(fields.joined(separator: "\u{1F}")))
    return .list(row)
  }

  @Test func `a second card there for the same side of a note stays there, and is counted`() throws {
    try sides.linked()
    var second = try #require(ServerSide.card(900).list)
    second[0] = .integer(ServerSide.card + 7)
    #expect(try sides.merge(sides.pulled(StagedHead(), [.cards: [.list(second)]], usn: 10)).received == 1)
    #expect(try counts().cards == 2)
    #expect(try store.read { try WholeCollection.cardCount($0) } == 1)
    // Its grave removes nothing here.
    var graves = SyncGraves()
    graves.cards = [Int64(ServerSide.card + 7)]
    #expect(try sides.merge(sides.pulled(graves: graves, usn: 11)).removedHere == 0)
    #expect(try counts().cards == 1 && sides.here() != nil)
  }

  @Test func `a card whose base is not the row of a card is sent whole`() throws {
    try sides.linked()
    try sides.change { db, id in try CardHiding.setFlag(db, [id], to: 2, now: 1_695_000_000) }
    // A forged backup may contain such a base.
    try store.operation("damage") { try $0.execute(sql: "UPDATE bases SET json = '[1]' WHERE kind = 0") }
    let sent = try #require(try sides.outgoing(sides.pulled()).1[.cards]?.first)
    #expect(sent.count == 18 && sent[0] == .integer(ServerSide.card) && sent[16] == .integer(2))
  }

  @Test func `an invalid answer stays there, and is counted`() throws {
    try sides.linked()
    let odd = try sides.pulled(StagedHead(), [.revlog: [ServerSide.review(1_690_000_009_000, 7)]], usn: 10)
    #expect(try sides.merge(odd).findings == ["not received: 1 answer with an impossible rating or time"])
    #expect(try counts().answers == 2)
    #expect(try store.read { try $0.count("SELECT count(*) FROM reviews") } == 1)
    #expect(try sides.outgoing(sides.pulled()).0.count == 0)
  }

  @Test func `setting aside many notes takes no longer per note`() throws {
    try sides.linked()
    let pulled = try sides.pulled()
    let spent = try store.operation("set aside") { db in
      let merge = try SyncMerge(db, pulled, sides.moment, isInterrupted: { false }) { _, _ in }
      let type = try NoteTypeTable.find(db, named: "Basic")
      let known = try NoteTable.record(db, NoteID(rawValue: Int64(ServerSide.note)))
      let start = processorSeconds()
      for number in 1...20_000 {
        merge.setAside(
          NoteRecord(
            id: known.id, guid: "g\(number / 2)", type: known.type, modified: 1, tags: [], fields: known.fields), type)
      }
      #expect(merge.report.setAside.count == 10_001)
      return processorSeconds() - start
    }
    #expect(spent < 10)
  }

  @Test func `many rows with taken ids each get another one with few queries`() throws {
    let count: Int64 = 2000
    let (free, asked) = try store.operation("free") { db in
      for id in 1...count { try Bases(db).bury(.card, id) }
      let bases = try Bases(db)
      var asked = 0
      db.trace { _ in asked += 1 }
      // In another order, as by decks, and each id is used at once.
      let free = try (1...count).map { place -> Int64 in
        let id = try bases.freeID(.card, after: place * 7 % count + 1)
        try bases.bury(.card, id)
        return id
      }
      db.trace(nil)
      return (free, asked)
    }
    #expect(try store.read { try Bases($0).freeID(.note, after: .max) } == 1)
    #expect(Set(free).count == free.count && (free.min(), free.max()) == (count + 1, 2 * count))
    #expect(asked < 20 * Int(count), "\(asked)")
  }

  @Test func `a note that gets a type which is invalid here stays as it was`() throws {
    try sides.linked()
    var head = StagedHead()
    head.types = [["id": .integer(9), "name": .text("Broken")]]
    let report = try sides.merge(sides.pulled(head, [.notes: [row(900, fields: ["dos", ""], type: 9)]], usn: 10))
    #expect(report.findings.contains { $0.contains("the note type 9 cannot be stored here") })
    #expect(try sides.note().fields == ["uno", "one"] && sides.note().type.rawValue == Int64(ServerSide.type))
  }

  @Test func `new cards from our fields are removed if the later fields there make none`() throws {
    try sides.linked()
    try sides.editType { edit in
      edit.cards.append(.init(CardTemplate("Card 2", front: "{{Back}}", back: "{{Front}}"), was: nil))
    }
    try sides.write(["Back": "mine"])
    #expect(try store.read { try WholeCollection.cardCount($0) } == 2)
    let report = try sides.merge(sides.pulled(StagedHead(), [.notes: [row(900, fields: ["dos", ""])]], usn: 10))
    #expect(report.findings.contains { $0.contains("changed on both sides") })
    #expect(try sides.note().fields == ["dos", ""])
    #expect(try store.read { try WholeCollection.cardCount($0) } == 1)
  }

  @Test func `a grave of a note that was deleted here and restored since removes nothing`() throws {
    let sides = TwoSides(hasUndo: true)
    try sides.linked()
    try sides.change { db, id in _ = try CardTable.remove(db, [id]) }
    #expect(try sides.outgoing(sides.pulled()).0.graves.notes == [Int64(ServerSide.note)])
    _ = try sides.store.undo()
    _ = try sides.store.undo()
    #expect(try sides.here() != nil)
    var graves = SyncGraves()
    (graves.notes, graves.cards) = ([Int64(ServerSide.note)], [Int64(ServerSide.card)])
    #expect(try sides.merge(sides.pulled(graves: graves, usn: 10)).removedHere == 0)
    #expect(try sides.store.read { try WholeCollection.cardCount($0) } == 1)
  }

  @Test func `after a full download a note type missing there is a local one again`() throws {
    try sides.linked()
    var head = ServerSide.head()
    head.types = []
    head.presets = []
    try sides.merge(sides.pulled(head, isWhole: true, usn: 10))
    #expect(try counts().types == 0 && counts().presets == 0 && counts().cards == 0)
    #expect(try store.read { try SyncTables.unsent($0).types } == 1)
  }

  private func decks(_ decks: [(Int, String)]) -> StagedHead {
    var head = StagedHead()
    head.decks = decks.map { id, name in
      var deck = ServerSide.deck(id, name)
      deck["mod"] = .integer(6)
      return deck
    }
    return head
  }

  private func names() throws -> [Int64: String] {
    let list = try store.read { try DeckTable.list($0) }
    return Dictionary(uniqueKeysWithValues: list.map { ($0.id.rawValue, $0.name) })
  }

  private func rename(_ deck: Int64, to name: String) throws {
    try store.operation("rename") { try DeckTable.rename($0, DeckID(rawValue: deck), to: name, now: 150) }
  }

  @Test func `a deck renamed here gives way to a new one there of that name, and this is reported`() throws {
    try sides.linked()
    try rename(2, to: "New")
    let pulled = try sides.pulled(decks([(9, "new")]), usn: 10)
    let report = try sides.merge(pulled)
    let mine = try #require(try names()[2])
    #expect(try names()[9] == "new" && mine != "New" && mine.hasPrefix("New"))
    #expect(report.findings == ["the deck New was renamed to \(mine): another one on the server has its name"])
    #expect(try sides.outgoing(pulled).0.head.decks.map { $0["name"] } == [.text(mine)])
  }

  @Test func `a deck there that takes the name another one gives up gives no report`() throws {
    try sides.linked()
    let report = try sides.merge(sides.pulled(decks([(9, "Spanish"), (2, "Spanish of old")]), usn: 10))
    #expect(try names() == [2: "Spanish of old", 9: "Spanish"])
    #expect(report.findings.isEmpty)
    #expect(try sides.here()?.deck.rawValue == 2)
  }

  @Test func `a local deck called Default becomes the first one there when a card arrives in that`() throws {
    try sides.linked()
    let own = try store.operation("deck") { try DeckTable.create($0, name: "default", now: 150).id.rawValue }
    #expect(own != 1)
    var card = try #require(ServerSide.card(900).list)
    card[2] = .integer(1)
    try sides.merge(sides.pulled(StagedHead(), [.cards: [.list(card)]], usn: 10))
    #expect(try sides.here()?.deck.rawValue == 1)
    #expect(try names()[own] == nil && names()[1] == "default")
  }

  @Test func `a deck removed here and changed there is removed there too, and a card in it brings it back`() throws {
    try sides.linked()
    try sides.merge(sides.pulled(decks([(9, "Old")]), usn: 10))
    let remove = { try store.operation("remove") { _ = try DeckTable.remove($0, DeckID(rawValue: 9)) } }
    try remove()
    let changed = try sides.pulled(decks([(9, "Older")]), usn: 11)
    try sides.merge(changed)
    #expect(try names()[9] == nil)
    var card = try #require(ServerSide.card(900).list)
    card[2] = .integer(9)
    let last = try sides.pulled(StagedHead(), [.cards: [.list(card)]], usn: 12)
    try sides.merge(last)
    #expect(try names()[9] == "Older" && sides.here()?.deck.rawValue == 9)
    #expect(try sides.outgoing(last).0.graves.decks.isEmpty)
    try sides.merge(sides.pulled(decks([(10, "Other")]), usn: 13))
    try store.operation("remove") { _ = try DeckTable.remove($0, DeckID(rawValue: 10)) }
    #expect(try sides.outgoing(sides.pulled(usn: 14)).0.graves.decks == [10])
  }

  @Test func `a preset with default options does not exist here until it has others there, then its decks use it`()
    throws
  {
    func head(_ more: Value.Record) -> StagedHead {
      var head = ServerSide.head()
      head.presets.append(["id": .integer(5), "name": .text("Hard"), "usn": .integer(1)])
      for field in more.fields { head.presets[1][field.name] = field.value }
      head.decks[1]["conf"] = .integer(5)
      return head
    }
    try sides.merge(sides.pulled(head([:]), isWhole: true), isFirst: true)
    let spanish = DeckID(rawValue: 2)
    let rows: [StagedKind: [Value]] = [.notes: [ServerSide.note(100, "one")], .cards: [ServerSide.card(100)]]
    try sides.merge(sides.pulled(StagedHead(), rows))
    #expect(try store.read { try DeckTable.preset($0, spanish) } == nil)
    var changed = head(["rev": .record(["perDay": .integer(50)])])
    (changed.types, changed.decks) = ([], [])
    try sides.merge(sides.pulled(changed, usn: 10))
    #expect(try store.read { try DeckTable.options($0, spanish).reviewsPerDay } == 50)
    #expect(try sides.outgoing(sides.pulled(usn: 10)).0.count == 0)
  }

  @Test func `a preset changed here and changed there to the same value is not sent`() throws {
    try sides.linked()
    func head(_ limit: Int) -> StagedHead {
      var head = StagedHead()
      head.presets = [
        [
          "id": .integer(1), "name": .text("Default"), "mod": .integer(9), "usn": .integer(1),
          "rev": .record(["perDay": .integer(limit)]),
        ]
      ]
      return head
    }
    try sides.merge(sides.pulled(head(60), usn: 10))
    try store.operation("preset") { db in
      let id = try #require(try PresetTable.list(db).first { $0.id.rawValue == 1 }?.id)
      var options = try PresetTable.record(db, id).options
      try options.set(.reviewsPerDay, to: 70)
      try PresetTable.setOptions(db, id, to: options)
    }
    let pulled = try sides.pulled(head(70), usn: 11)
    try sides.merge(pulled)
    #expect(try sides.outgoing(pulled).0.head.presets.isEmpty)
    #expect(try sides.outgoing(pulled).0.count == 0)
  }

  @Test func `a preset removed here stays there, and its decks use the default options on both sides`() throws {
    try sides.linked()
    var head = ServerSide.head()
    head.types = []
    head.presets = [
      [
        "id": .integer(5), "name": .text("Hard"), "mod": .integer(5), "usn": .integer(1),
        "rev": .record(["perDay": .integer(50)]),
      ]
    ]
    head.decks = [ServerSide.deck(2, "Spanish")]
    head.decks[0]["conf"] = .integer(5)
    try sides.merge(sides.pulled(head, usn: 10))
    let spanish = DeckID(rawValue: 2)
    #expect(try store.read { try DeckTable.options($0, spanish).reviewsPerDay } == 50)
    try store.operation("remove") { try PresetTable.remove($0, PresetID(rawValue: 5)) }
    let pulled = try sides.pulled(usn: 11)
    let report = try sides.merge(pulled)
    #expect(report.findings.contains { $0.contains("the preset Hard was removed here but stays on the server") })
    let sent = try sides.outgoing(pulled).0.head
    #expect(sent.decks.map { $0["conf"] } == [.integer(1)] && sent.presets.isEmpty)
  }

  @Test func `a merge that reshapes many notes can be interrupted`() throws {
    try sides.linked()
    try sides.write(["Back": "mine"])
    var head = ServerSide.head()
    head.types[0]["flds"] = .list([.record(["name": .text("Front")])])
    head.types[0]["tmpls"] = .list([
      .record(["name": .text("Card 1"), "ord": .integer(0), "qfmt": .text("{{Front}}"), "afmt": .text("{{Front}}")])
    ])
    head.types[0]["mod"] = .integer(500)
    let pulled = try sides.pulled(head, usn: 10)
    #expect(throws: SyncError.interrupted) {
      try store.operation("sync") { db in
        try SyncMerge(db, pulled, sides.moment, isInterrupted: { true }, progress: { _, _ in }).run(isFirst: false)
      }
    }
    #expect(try sides.note().fields == ["uno", "mine"])
  }
}
