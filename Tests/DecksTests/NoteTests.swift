// Notes and their types in the database: their cards are created, updated and removed with them.

import Problems
import Templates
import TestDecks

@testable import Decks

@Suite struct NoteTests {
  let collection = TestCollection()
  let deck: DeckID

  init() throws { deck = try collection.deck("Spanish") }

  private func note(_ id: NoteID) throws -> NoteRecord { try collection.store.read { try NoteTable.record($0, id) } }
  private func cards(_ id: NoteID) throws -> [CardRecord] {
    try collection.store.read { db in try CardTable.cards(db, ids: NoteTable.cards(db, of: id)) }
  }
  private func pairs(_ id: NoteID) throws -> [String] { try cards(id).map { "\($0.prompt) = \($0.answer)" } }
  private func edit(_ id: NoteID, _ fields: [String: String] = [:], tags: [String]? = nil) throws {
    try collection.store.operation("edit") {
      _ = try NoteTable.update($0, id, fields: fields, tags: tags, now: collection.now, isInterrupted: { false })
    }
  }
  private func type(_ id: NoteID) throws -> NoteType {
    try collection.store.read { try NoteTypeTable.record($0, NoteTable.record($0, id).type) }
  }
  @discardableResult
  private func change(_ type: NoteType, _ edit: NoteTypeEdit, agreed: Bool = false) throws -> NoteTypeLoss {
    try collection.store.operation("type") {
      try NoteTypeTable.edit($0, type.id, edit, agreed: agreed, now: collection.now, isInterrupted: { false })
    }
  }
  private func count(_ table: String) throws -> Int {
    try collection.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } ?? -1
  }

  @Test func `each stock type makes its cards, the first on top, and is created once`() throws {
    let basic = try collection.addNote(deck, ["Front": "el gato", "Back": "the cat"])
    let reversed = try collection.addNote(deck, ["Front": "uno", "Back": "one"], .reversed, tags: ["number", "small"])
    let optional = try collection.addNote(deck, ["Front": "dos", "Back": "two"], .optionalReversed)
    let both = try collection.addNote(deck, ["Front": "tres", "Back": "three", "Add Reverse": "y"], .optionalReversed)
    let typed = try collection.addNote(deck, ["Front": "dog", "Back": "perro"], .typed)
    let cloze = try collection.addNote(
      deck, ["Text": "The {{c1::sun}} {{c3::rises::verb}}", "Back Extra": "east"], .cloze)
    #expect(try pairs(basic) == ["el gato = the cat"])
    #expect(try pairs(reversed) == ["uno = one", "one = uno"])
    #expect(try pairs(optional) == ["dos = two"])
    #expect(try pairs(both) == ["tres = three", "three = tres"])
    #expect(try pairs(typed) == ["dog = perro"])
    #expect(try pairs(cloze) == ["The [...] rises = The sun rises\neast", "The sun [verb] = The sun rises\neast"])
    #expect(try cards(reversed).allSatisfy { $0.tags == ["number", "small"] })
    let guid = try note(cloze).guid
    #expect(try cards(cloze).map(\.guid) == [guid, guid + "/3"] && guid.count == 11)
    #expect(try cards(cloze).map(\.ordinal) == [0, 2])
    #expect(try Array(collection.prompts(deck).prefix(3)) == ["The [...] rises", "The sun [verb]", "dog"])
    #expect(
      try collection.store.read { try NoteTypeTable.list($0) }.map(\.name)
        == StockNoteType.allCases.filter { $0 != .occlusion }.map(\.rawValue).sorted())
    #expect(try collection.store.integrityProblems() == [])
  }

  @Test func `an empty note, a duplicate or one with an unknown field is refused and leaves nothing`() throws {
    try collection.add(deck, "el gato", "the cat")
    for (code, fields, stock) in [
      ("empty_note", ["Front": "<br> ", "Back": "x"], StockNoteType.basic), ("no_cloze", ["Text": "no cloze"], .cloze),
      ("no_cloze", ["Text": "{{c0::x}} {{c1::open"], .cloze), ("not_found", ["Frnt": "x"], .basic),
      ("duplicate", ["Front": "el gato", "Back": "the cat"], .basic), ("bad_text", ["Front": "a\u{1F}b"], .basic),
      ("bad_text", ["Front": "a\0b"], .basic), ("bad_tag", ["Front": "x", "Back": "y"], .basic),
      ("bad_text", ["Front": "e" + String(repeating: "\u{301}", count: 200)], .basic),
    ] {
      let tags = code == "bad_tag" ? ["a b"] : []
      #expect(problemCode { try collection.addNote(deck, fields, stock, tags: tags) } == code)
    }
    #expect(try count("notes") == 1 && count("cards") == 1 && count("note_types") == 5)
    #expect(problemCode { try collection.addNote(DeckID(rawValue: 99), ["Front": "x"]) } == "not_found")
  }

  @Test func `a guid belongs to one note`() throws {
    let first = try collection.addNote(deck, NewNote(fields: ["Front": "a", "Back": "b"], guid: " G1 ")) {
      try NoteTypeTable.stock($0, .reversed, now: 0)
    }
    #expect(try cards(first).map(\.guid) == ["G1", "G1/2"])
    let again = NewNote(fields: ["Front": "c", "Back": "d"], guid: "G1")
    #expect(
      problemCode { try collection.addNote(deck, again) { try NoteTypeTable.stock($0, .basic, now: 0) } } == "duplicate"
    )
    let error = DeckError.duplicate(guid: "G1", prompt: "")
    #expect(error.message == "a note with the guid \"G1\" already exists")
    #expect(throws: error) {
      try collection.addNote(try collection.deck("other"), again) { try NoteTypeTable.stock($0, .basic, now: 0) }
    }
    // A card of another note may already have the guid.
    let plain = try collection.add(deck, "plain", "x", guid: "G2/2")
    let other = try #require(try collection.store.read { try CardTable.card($0, plain) }).note
    let second = try collection.addNote(deck, NewNote(fields: ["Front": "e", "Back": "f"], guid: "G2")) {
      try NoteTypeTable.stock($0, .reversed, now: 0)
    }
    #expect(try cards(second).map(\.guid) == ["G2", "G2/2"])
    #expect(try collection.store.read { try NoteTable.ids($0, guidBeginning: "G") } == [first, other, second])
    #expect(try collection.store.read { try CardTable.ids($0, guidBeginning: "G1/") }.count == 1)
  }

  @Test func `an edited field updates, adds and removes cards in one operation, and keeps the other cards' schedules`()
    throws
  {
    let id = try collection.addNote(deck, ["Front": "tres", "Back": "three", "Add Reverse": "y"], .optionalReversed)
    let first = try cards(id)[0]
    var schedule = CardSchedule()
    (schedule.state, schedule.due, schedule.reps) = (.review, 5, 3)
    let learnt = schedule
    try collection.store.operation("study") { try ReviewTable.write($0, learnt, first.id) }
    collection.now += 10
    try edit(id, ["Back": "3", "Add Reverse": ""])
    #expect(try pairs(id) == ["tres = 3"])
    #expect(
      try cards(id)[0].schedule == learnt && cards(id)[0].id == first.id && cards(id)[0].modified == collection.now)
    try edit(id, ["Add Reverse": "y"], tags: ["number"])
    #expect(try pairs(id) == ["tres = 3", "3 = tres"] && cards(id).allSatisfy { $0.tags == ["number"] })
    #expect(problemCode { try edit(id, ["Front": ""]) } == "empty_note")
    #expect(problemCode { try edit(id, ["Nope": ""]) } == "not_found")
    #expect(try pairs(id) == ["tres = 3", "3 = tres"])
    let cloze = try collection.addNote(deck, ["Text": "{{c1::a}} {{c2::b}}"], .cloze)
    let second = try cards(cloze)[1].id
    try edit(cloze, ["Text": "{{c2::b}} {{c5::c}}"])
    #expect(try pairs(cloze) == ["[...] c = b c", "b [...] = b c"] && cards(cloze).map(\.ordinal) == [1, 4])
    #expect(try cards(cloze)[0].id == second)
    #expect(problemCode { try edit(cloze, ["Text": "gone"]) } == "no_cloze")
  }

  @Test func `a note is removed with its last card, however the card is removed`() throws {
    let one = try collection.addNote(deck, ["Front": "a", "Back": "b"], .reversed)
    let other = try collection.deck("Other")
    let two = try collection.addNote(other, ["Front": "c", "Back": "d"], .reversed)
    let three = try collection.addNote(deck, ["Front": "e", "Back": "f"], .reversed)
    try collection.store.operation("x") { (db: Database) throws in
      try db.execute(
        sql: "INSERT INTO reviews (card, at, rating, state, interval) VALUES (?, 1, 3, 0, 1)",
        arguments: [NoteTable.cards(db, of: one)[0].rawValue])
      _ = try CardTable.remove(db, [NoteTable.cards(db, of: one)[0]])
    }
    #expect(try pairs(one) == ["b = a"])
    try collection.store.operation("x") { _ = try CardTable.remove($0, NoteTable.cards($0, of: one)) }
    #expect(try collection.store.read { try !NoteTable.exists($0, one) && NoteTable.exists($0, two) })
    #expect(try count("reviews") == 1)
    try collection.store.operation("x") { _ = try DeckTable.remove($0, other) }
    #expect(try collection.store.read { try !NoteTable.exists($0, two) })
    #expect(try collection.store.operation("x") { try NoteTable.remove($0, [three, three]) } == 2)
    #expect(try count("notes") == 0 && count("cards") == 0)
    #expect(try collection.store.integrityProblems() == [])
  }

  @Test func `the texts of a Basic card can be set, those of other types come from their note`() throws {
    let basic = try collection.addNote(deck, ["Front": "a &lt; b", "Back": "x"])
    let card = try cards(basic)[0].id
    func write(_ card: CardID, _ prompt: String? = nil, _ answer: String? = nil, tags: [String]? = nil) -> String? {
      problemCode {
        try collection.store.operation("edit") {
          _ = try CardTable.update($0, card, prompt: prompt, answer: answer, tags: tags, now: collection.now)
        }
      }
    }
    #expect(write(card, "uno < dos\nand & more", "the\ncat") == nil)
    #expect(try note(basic).fields == ["uno &lt; dos<br>and &amp; more", "the<br>cat"])
    #expect(try pairs(basic) == ["uno < dos\nand & more = the\ncat"])
    #expect(write(card, "  ") == "empty_prompt" && write(card, nil, "") == "empty_answer")
    try edit(basic, ["Front": "<b>bold</b>"])
    #expect(write(card, "plain") == "formatted" && write(card, "bold", "only the answer") == nil)
    #expect(try note(basic).fields == ["<b>bold</b>", "only the answer"])
    let reversed = try collection.addNote(deck, ["Front": "c", "Back": "d"], .reversed)
    #expect(try write(cards(reversed)[0].id, "z") == "made_from_note")
    #expect(try write(cards(reversed)[1].id, nil, nil, tags: ["t"]) == nil)
    #expect(try note(reversed).tags == ["t"] && cards(reversed).allSatisfy { $0.tags == ["t"] })
    #expect(
      NoteError.madeFromNote(what: "prompt", fields: ["Front", "Back"]).message
        == "the prompt is made from fields of the note (Front, Back); change those: "
        + "`note edit CARD --set FIELD=TEXT`, in Lua card.note.fields.FIELD")
  }

  @Test func `a batch updates a Basic card by its prompt and refuses the others one by one`() throws {
    let basic = try collection.addNote(deck, ["Front": "a", "Back": "b"])
    let reversed = try collection.addNote(deck, ["Front": "c", "Back": "d"], .reversed)
    let report = try collection.addAll(
      deck,
      [NewCard(prompt: "a", answer: "new"), NewCard(prompt: "c", answer: "new"), NewCard(prompt: "e", answer: "f")],
      .update)
    #expect(report.updated == 1 && report.added == 1 && report.rejected.map(\.code.rawValue) == ["made_from_note"])
    #expect(try note(basic).fields == ["a", "new"] && pairs(reversed) == ["c = d", "d = c"])
  }

  @Test func `a front of spaces is kept as it is`() throws {
    let card = CardTemplate("Card 1", front: "Q {{Back}}", back: "{{Back}}")
    let id = try collection.addNote(deck, NewNote(fields: ["Front": "a"])) {
      try NoteTypeTable.create($0, NoteTypeDraft(name: "Odd", fields: ["Front", "Back"], cards: [card]), now: 0)
    }
    #expect(try pairs(id) == ["(blank) = (blank)"])
  }

  @Test func `a card that shows its id, its deck and its type shows the right ones`() throws {
    let card = CardTemplate("Only", front: "{{Front}} {{CardID}}", back: "{{Deck}} {{Subdeck}} {{Type}} {{Card}}")
    let id = try collection.addNote(try collection.deck("A::B"), NewNote(fields: ["Front": "a"])) {
      try NoteTypeTable.create($0, NoteTypeDraft(name: "Facts", fields: ["Front"], cards: [card]), now: 0)
    }
    #expect(try pairs(id) == ["a \(cards(id)[0].id.rawValue) = A::B B Facts Only"])
    try edit(id, ["Front": "b"])
    #expect(try pairs(id) == ["b \(cards(id)[0].id.rawValue) = A::B B Facts Only"])
    try collection.store.operation("rename") { db in
      try DeckTable.rename(db, DeckTable.find(db, named: "A").id, to: "C", now: 0)
    }
    #expect(try cards(id)[0].answer == "C::B B Facts Only")
  }

  @Test func `a card that moves to another deck, or gets a flag, shows it at once`() throws {
    let card = CardTemplate("Only", front: "{{Front}} {{CardFlag}}", back: "{{Deck}}{{#Back}}{{CardFlag}}{{/Back}}")
    let id = try collection.addNote(deck, NewNote(fields: ["Front": "a", "Back": "b"])) {
      try NoteTypeTable.create($0, NoteTypeDraft(name: "Facts", fields: ["Front", "Back"], cards: [card]), now: 0)
    }
    let plain = try collection.add(deck, "p", "q")
    let only = try cards(id)[0].id
    let other = try collection.deck("Other")
    try collection.store.operation("flag") { try CardHiding.setFlag($0, [only], to: 3, now: 5) }
    #expect(try pairs(id).first?.hasPrefix("a flag3 = ") == true && cards(id)[0].answer.hasSuffix("flag3"))
    try collection.store.operation("move") { _ = try CardTable.move($0, [plain, only], into: other, now: 6) }
    #expect(try pairs(id) == ["a flag3 = Otherflag3"] && cards(id)[0].deck == other)
    try edit(id, ["Back": ""])
    #expect(try pairs(id) == ["a flag3 = Other"])
  }

  @Test func `renaming a field renames it in the templates and keeps every text`() throws {
    let id = try collection.addNote(deck, ["Front": "a", "Back": "b"], .reversed)
    let old = try type(id)
    var edit = NoteTypeEdit(old)
    edit.fields[0].value = "Word"
    edit.fields.swapAt(0, 1)
    edit.name = "Mine"
    #expect(try change(old, edit).isNothing)
    let new = try type(id)
    #expect(new.fields == ["Back", "Word"] && new.name == "Mine" && new.cards[0].front == "{{Word}}")
    #expect(try note(id).fields == ["b", "a"] && pairs(id) == ["a = b", "b = a"])
    // A changed stock type is not used as the stock type.
    let fresh = try collection.addNote(deck, ["Front": "c", "Back": "d"], .reversed)
    #expect(try type(fresh).name == "Basic (and reversed card)" && type(fresh).id != new.id)
  }

  @Test func `a change that would remove cards says how many and changes nothing until it is confirmed`() throws {
    let ids = try ["a", "b", "c"].map { try collection.addNote(deck, ["Front": $0, "Back": $0 + "2"], .reversed) }
    let old = try type(ids[0])
    var edit = NoteTypeEdit(old)
    edit.cards.removeFirst()
    #expect { try change(old, edit) } throws: {
      $0 as? NoteError == .losesCards(type: old.name, cards: 3, notes: 0)
        && ($0 as? NoteError)?.message.contains("removes 3 cards; confirm") == true
    }
    #expect(try count("cards") == 6 && type(ids[0]) == old)
    let second = try cards(ids[1])[1].id
    #expect(try change(old, edit, agreed: true) == NoteTypeLoss(cards: 3))
    #expect(try pairs(ids[1]) == ["b2 = b"] && cards(ids[1])[0].id == second && cards(ids[1])[0].ordinal == 0)
    edit = NoteTypeEdit(try type(ids[0]))
    edit.fields.removeFirst()
    edit.cards[0].value.back = "{{FrontSide}}"
    #expect(problemCode { try change(old, edit) } == "loses_cards")
    #expect(try change(old, edit, agreed: true) == NoteTypeLoss(cards: 0, notes: 3))
    #expect(try note(ids[2]).fields == ["c2"] && pairs(ids[2]) == ["c2 = (blank)"])
  }

  @Test func `cards whose changed front is empty are removed, a new template adds some`() throws {
    let id = try collection.addNote(deck, ["Front": "a", "Back": "b"], .reversed)
    var edit = NoteTypeEdit(try type(id))
    edit.fields.append(.init("Hint", was: nil))
    edit.cards[1].value.front = "{{#Hint}}{{Back}}{{/Hint}}"
    edit.cards.append(.init(CardTemplate("Third", front: "{{Back}}?", back: "{{Front}}"), was: nil))
    #expect(
      try collection.store.read { try NoteTypeTable.loss($0, note(id).type, edit, isInterrupted: { false }) }
        == NoteTypeLoss(cards: 1))
    #expect(problemCode { try change(try type(id), edit) } == "loses_cards")
    try change(try type(id), edit, agreed: true)
    #expect(try pairs(id) == ["a = b", "b? = a"] && cards(id).map(\.ordinal) == [0, 2])
    var swapped = NoteTypeEdit(try type(id))
    swapped.cards.swapAt(0, 2)
    try change(try type(id), swapped)
    #expect(try pairs(id) == ["b? = a", "a = b"])
    var broken = NoteTypeEdit(try type(id))
    broken.cards[0].value.front = "{{#Back}}x"
    #expect(problemCode { try change(try type(id), broken, agreed: true) } == "bad_template")
    broken = NoteTypeEdit(try type(id))
    broken.fields.remove(at: 1)
    #expect(problemCode { try change(try type(id), broken, agreed: true) } == "bad_template")
  }

  @Test func `a draft is matched with existing fields and templates by name, and renames those at the same position`()
    throws
  {
    let type = try collection.store.operation("x") { try NoteTypeTable.stock($0, .optionalReversed, now: 0) }
    var draft = type.draft
    draft.fields = ["Add Reverse", "Word", "Back"]
    #expect(NoteTypeEdit(type, to: draft).fields.map(\.was) == [2, nil, 1])
    draft.fields = ["Word", "Back", "Add Reverse"]
    #expect(NoteTypeEdit(type, to: draft).fields.map(\.was) == [0, 1, 2])
    draft.fields = ["Front", "New", "Back", "Add Reverse"]
    #expect(NoteTypeEdit(type, to: draft).fields.map(\.was) == [0, nil, 1, 2])
  }

  @Test(arguments: [
    ("", ["F"], "must have a name"), ("T", [], "at least one field"), ("T", ["F", "f"], "twice"),
    ("T", ["a:b"], "without :"), ("T", ["#a"], "do not begin"), ("T", [" "], "not blank"), ("T\u{7}", ["F"], "control"),
    ("A", ["e" + String(repeating: "\u{301}", count: 129)], "names of at most 128 combining marks in a row"),
  ])
  func `names of types and fields have rules`(name: String, fields: [String], words: String) throws {
    let card = CardTemplate("C", front: "{{\(fields.first ?? "")}}", back: "")
    let draft = NoteTypeDraft(name: name, fields: fields, cards: [card])
    #expect { try collection.store.operation("x") { try NoteTypeTable.create($0, draft, now: 0) } } throws: {
      ($0 as? NoteError)?.message.contains(words) == true
    }
  }

  @Test func `types are found by name, case-insensitively; one in use stays`() throws {
    let id = try collection.addNote(deck, ["Front": "a", "Back": "b"])
    let type = try type(id)
    try collection.store.operation("x") { (db: Database) throws in
      #expect(try NoteTypeTable.findOrMake(db, named: "basic", now: 0).id == type.id)
      #expect(try NoteTypeTable.findOrMake(db, named: "cloze", now: 0).isCloze)
      #expect(problemCode { try NoteTypeTable.create(db, StockNoteType.basic.draft, now: 0) } == "exists")
      #expect(problemCode { try NoteTypeTable.remove(db, type.id) } == "in_use")
      #expect { try NoteTypeTable.find(db, named: "Basik") } throws: {
        ($0 as? NoteError) == .typeNotFound(name: "Basik", suggestion: "Basic")
      }
    }
    #expect(type.isBasic)
  }

  @Test func `unknown keys of a type survive a change`() throws {
    let json = """
      {"id": 5, "name": "X", "flds": [{"name": "A", "rtl": true, "mine": [1.50]}, {"name": "B"}], "css": ".card{}", "future": {"a": null},
       "tmpls": [{"name": "C1", "qfmt": "{{A}}", "afmt": "{{B}}", "did": 7}], "latexPre": "x"}
      """
    var type = try NoteType(id: NoteTypeID(rawValue: 5), name: "X", isCloze: false, modified: 0, json: json)
    type.cards[0].front = "{{A}}!"
    let again = try NoteType(id: type.id, name: "X", isCloze: false, modified: 0, json: type.json)
    #expect(again == type && again.css == ".card{}")
    for part in [#""future""#, #""mine""#, "1.50", #""rtl": true"#, #""did": 7"#, #""latexPre": "x""#] {
      #expect(again.json.contains(part))
    }
  }

  @Test func `two thousand cloze numbers give 500 cards`() throws {
    func a(_ count: Int) -> String { String(repeating: "a", count: count) }
    let text = (1...2_000).map { "{{c\($0)::a}}" }.joined()
    let id = try collection.addNote(deck, ["Text": text], .cloze)
    let cards = try cards(id)
    #expect(try cards.count == 500 && count("cards") == 500)
    #expect(cards[499].prompt.utf8.elementsEqual("\(a(499))[...]\(a(1_500))".utf8))
    #expect(cards[0].prompt.hasPrefix("[...]aaa"))
    // Each card reads all of it.
    let long = ["Text": text, "Back Extra": a(1_100_000)]
    #expect(problemCode { _ = try collection.addNote(deck, long, .cloze) } == "too_large")
    #expect(problemCode { try edit(id, long) } == "too_large")
    #expect(try count("notes") == 1 && count("cards") == 500)
  }

  @Test func `a field of 10 MB is stored whole, and shown as far as a card's text may go`() throws {
    let long = String(repeating: "<b>word</b> ", count: 850_000)
    let id = try collection.addNote(deck, ["Front": long, "Back": "x"])
    #expect(try note(id).fields[0].utf8.count == long.utf8.count)
    let card = try cards(id)[0]
    #expect(
      card.prompt.utf8.count <= CardTexts.limit && card.prompt.hasPrefix("word word") && card.prompt.hasSuffix("…"))
    #expect(problemCode { try edit(id, ["Back": String(repeating: "x", count: 60_000_000)]) } == "too_large")
  }

  @Test func `a received note type whose id is taken is added once, and never takes over another type`() throws {
    let draft = { NoteTypeDraft(name: $0, fields: [$1], cards: [CardTemplate("C", front: "{{\($1)}}", back: "x")]) }
    try collection.store.operation("x") { db in
      var given = try NoteTypeTable.create(db, draft("Verb", "Word"), now: 1)
      let other = try NoteTypeTable.create(db, draft("Verbs of motion", "Infinitive"), now: 1)
      // The same id and name, but the field of the other local type.
      given.fieldList = other.fieldList
      given.cards = other.cards
      let received = try NoteTypeTable.receive(db, given, now: 2, isInterrupted: { false })
      #expect(received.name == "Verb+" && received.id != given.id)
      #expect(try NoteTypeTable.receive(db, given, now: 3, isInterrupted: { false }).id == received.id)
    }
  }

  @Test func `note type names are case-insensitive, like deck names`() throws {
    try collection.store.operation("x") { db in
      let draft = { NoteTypeDraft(name: $0, fields: ["A"], cards: [CardTemplate("C", front: "{{A}}", back: "x")]) }
      let type = try NoteTypeTable.create(db, draft("Cafe\u{301}"), now: 1)
      #expect(Array(type.name.utf8) == Array("Caf\u{E9}".utf8))
      #expect(try NoteTypeTable.named(db, "CAF\u{C9}")?.id == type.id)
      #expect(throws: NoteError.typeExists(name: type.name)) {
        try NoteTypeTable.create(db, draft("Caf\u{E9}"), now: 1)
      }
      let error = #expect(throws: NoteError.self) { try NoteTypeTable.create(db, draft(" "), now: 1) }
      #expect(error?.message == "a note type must have a name that is not blank")
    }
  }
}
