// A card that was studied goes only when somebody removes it: an edit that no longer makes it leaves it, unmade.

import Memory
import Templates
import TestDecks

@testable import Decks

@Suite struct StudiedCardsTests {
  private let collection = TestCollection(hasUndo: true)
  private let deck: DeckID

  init() throws { deck = try collection.deck("Spanish") }

  /// A note of two clozes whose second card was studied; the first was not.
  private func cloze() throws -> (note: NoteID, studied: CardID) {
    let note = try collection.addNote(deck, ["Text": "{{c1::sun}} and {{c2::moon}}"], .cloze)
    let card = try cards(note)[1].id
    try study(card)
    return (note, card)
  }

  private func study(_ card: CardID) throws {
    try collection.store.operation("study") { db in
      var replay = try AnswerReplay(db, at: collection.moment)
      _ = try replay.enter(card, .good, at: collection.moment, seconds: 3)
    }
  }

  private func cards(_ note: NoteID) throws -> [CardRecord] {
    try collection.store.read { db in try CardTable.cards(db, ids: NoteTable.cards(db, of: note)) }
  }

  @discardableResult
  private func edit(_ note: NoteID, _ fields: [String: String] = [:], tags: [String]? = nil) throws -> Int {
    try collection.store.operation("edit") {
      try NoteTable.update($0, note, fields: fields, tags: tags, now: collection.now, isInterrupted: { false })
    }
  }

  private func unmade() throws -> [CardID] {
    try collection.store.read { try NoteOrdinals.unmade($0, isInterrupted: { false }) }
  }

  private var answers: Int { get throws { try collection.store.read { try $0.count("SELECT count(*) FROM reviews") } } }

  @Test func `an edit leaves a studied card that it no longer makes, and removes one that was never studied`() throws {
    let (note, studied) = try cloze()
    let schedule = try cards(note)[1].schedule
    #expect(try collection.store.read { try NoteTable.lostCards($0, note, fields: ["Text": "{{c3::stars}}"]) } == 1)
    #expect(try edit(note, ["Text": "{{c3::stars}}"]) == 1)
    #expect(try cards(note).map(\.ordinal) == [1, 2])
    #expect(try cards(note)[0].id == studied && cards(note)[0].schedule == schedule)
    #expect(try cards(note)[0].prompt == CardTexts.blank && unmade() == [studied])
    // It is made again when its cloze comes back.
    try edit(note, ["Text": "{{c2::moon}} {{c3::stars}}"])
    #expect(try cards(note)[0].prompt == "[...] stars" && cards(note)[0].schedule == schedule && unmade() == [])
    try collection.store.undo()
    #expect(try unmade() == [studied] && answers == 1)
    try collection.store.undo()
    #expect(try cards(note).map(\.ordinal) == [0, 1] && unmade() == [])
  }

  @Test func `tags leave the cards that a note did not make before, and those that were studied`() throws {
    let type = try collection.store.operation("type") {
      try NoteTypeTable.create(
        $0,
        NoteTypeDraft(
          name: "Tagged", fields: ["Front", "Back"],
          cards: [
            CardTemplate("One", front: "{{Front}}", back: "{{Back}}"),
            CardTemplate("Two", front: "{{#Tags}}{{Back}}{{/Tags}}", back: "{{Front}}"),
          ]), now: collection.now)
    }
    func add(_ front: String) throws -> NoteID {
      try collection.addNote(deck, NewNote(fields: ["Front": front, "Back": "b"], tags: ["x"])) { _ in type }
    }
    let (new, known) = (try add("a"), try add("c"))
    try study(try cards(known)[1].id)
    for note in [new, known] { try edit(note, tags: []) }
    #expect(try cards(new).map(\.ordinal) == [0] && cards(known).map(\.ordinal) == [0, 1])
    // A card that came unmade, as from a package, is not a consequence of the next edit.
    let second = try cards(known)[1].id
    try collection.store.operation("forget") { db in
      try db.execute(sql: "DELETE FROM reviews")
      try ReviewTable.write(db, CardSchedule(), second)
    }
    try edit(known, ["Back": "d"])
    #expect(try cards(known).map(\.ordinal) == [0, 1])
  }

  @Test func `a changed type leaves studied cards that it no longer makes; a removed template is asked about`() throws {
    let note = try collection.addNote(deck, ["Front": "a", "Back": "b"], .reversed)
    let studied = try cards(note)[1].id
    try study(studied)
    func type() throws -> NoteType {
      try collection.store.read { try NoteTypeTable.record($0, NoteTable.record($0, note).type) }
    }
    func change(agreed: Bool = false, _ body: (inout NoteTypeEdit) -> Void) throws -> NoteTypeLoss {
      let old = try type()
      var edit = NoteTypeEdit(old)
      body(&edit)
      return try collection.store.operation("type") {
        try NoteTypeTable.edit($0, old.id, edit, agreed: agreed, now: collection.now, isInterrupted: { false })
      }
    }
    #expect(try change { $0.cards[1].value.front = "{{#Tags}}{{Back}}{{/Tags}}" }.isNothing)
    #expect(try cards(note).count == 2 && unmade() == [studied])
    #expect(problemCode { _ = try change { $0.cards.removeLast() } } == "loses_cards")
    #expect(try change(agreed: true) { $0.cards.removeLast() } == NoteTypeLoss(cards: 1))
    #expect(try cards(note).map(\.ordinal) == [0] && answers == 1)
  }

  @Test func `a newer note of a package leaves a studied card and its schedule`() throws {
    let (note, studied) = try cloze()
    let schedule = try cards(note)[1].schedule
    func receive(_ text: String, _ ordinals: [Int], modified: Int) throws -> ReceivedOutcome {
      try collection.store.operation("receive") { db in
        var record = try NoteTable.record(db, note)
        (record.fields, record.modified) = ([text, ""], modified)
        let receiver = try NoteReceiver(db, now: collection.now, isInterrupted: { false })
        let cards = ordinals.enumerated().map { (id: Int64(900 + $0), ordinal: $1) }
        return try receiver.receive(record, of: NoteTypeTable.record(db, record.type), cards: cards) { index in
          var card = StoredCard(
            id: CardID(rawValue: Int64(900 + index)), ordinal: ordinals[index], deck: deck, rank: Int64(50 + index),
            modified: 0)
          card.schedule.reps = 77
          return card
        }
      }
    }
    let later = Int(collection.now) + 100
    // The newer package still has the card that its note no longer makes.
    #expect(try receive("{{c1::sun}} and moon", [0, 1], modified: later) == .updated(2))
    #expect(try cards(note)[1].schedule == schedule && unmade() == [studied])
    #expect(try receive("{{c1::sun}} and {{c2::moon}}", [0, 1], modified: later + 1) == .updated(2))
    #expect(try cards(note)[1].id == studied && cards(note)[1].schedule == schedule && answers == 1)
  }

  @Test func `a note of another type keeps its cards by their order`() throws {
    let note = try collection.addNote(deck, ["Front": "a {{c2::b}} {{c1::c}}", "Back": "x"])
    let studied = try cards(note)[0].id
    try study(studied)
    func set(_ stock: StockNoteType) throws {
      try collection.store.operation("type") { db in
        try NoteTypeTable.assign(
          db, NoteTypeTable.stock(db, stock, now: collection.now), to: note, now: collection.now,
          isInterrupted: { false })
      }
    }
    try set(.cloze)
    #expect(try cards(note).map(\.prompt) == ["a b [...]", "a [...] c"] && cards(note)[0].id == studied)
    try study(try cards(note)[1].id)
    try set(.basic)
    #expect(try cards(note).map(\.ordinal) == [0, 1] && unmade() == [cards(note)[1].id] && answers == 2)
  }
}
