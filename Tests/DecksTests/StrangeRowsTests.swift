// Rows left by a damaged file, a wrong clock or another program, and answers that arrive late.

import Memory
import Problems
import Templates
import TestDecks

@Suite struct StrangeRowsTests {
  private let collection = TestCollection()
  private func moment(_ now: Double) -> StudyMoment { StudyMoment(now: now) }

  @Test(arguments: ["", "[1]", "{", "7"]) func `a note type that is not JSON is reported, and not used`(
    json: String
  ) throws {
    let deck = try collection.deck("a")
    try collection.addNote(deck, ["Front": "f", "Back": "b"])
    try collection.store.execute("UPDATE note_types SET json = ?", [json])
    #expect(problemCode { _ = try collection.store.read { try NoteTypeTable.list($0) } } == "storage_damaged")
  }

  @Test(arguments: [Int64.max, .min]) func `a card with any id and any number in its note is read and counted`(
    number: Int64
  ) throws {
    let deck = try collection.deck("a")
    let note = try collection.addNote(deck, NewNote(fields: ["Text": "{{c1::a}}"])) {
      try NoteTypeTable.stock($0, .cloze, now: 0)
    }
    let card = try collection.add(deck, "p", "a")
    let review = LoggedReview(at: 1_700_000_000, rating: 3, state: .new, interval: 60)
    try collection.store.operation("x") { db in
      try CardTable.addLog(db, [review], to: card)
      try db.execute(sql: "UPDATE cards SET ord = ?1, id = ?1 WHERE note = ?2", arguments: [number, note.rawValue])
    }
    #expect(try collection.cards(deck).map(\.prompt).sorted() == ["(blank)", "p"])
    let figures = try collection.store.read { try DeckStatistics($0, decks: [deck], at: moment(1_700_000_000)) }
    #expect(figures.cards.new == 2 && figures.days.map(\.answers) == [1])
  }

  @Test func `a late answer is inserted in its place, and one that already exists is ignored`() throws {
    let deck = try collection.deck("a")
    let card = try collection.add(deck, "p", "a")
    func enter(_ at: Double) throws -> AnswerOutcome {
      try collection.store.operation("x") { db in
        var replay = try AnswerReplay(db, at: moment(1_700_900_000))
        return try replay.enter(card, .good, at: moment(at), seconds: 2)
      }
    }
    #expect(try enter(1_700_100_000) == .entered && enter(1_700_100_000) == .known)
    #expect(try enter(1_700_500_000) == .entered)
    let schedule = try collection.cards(deck)[0].schedule
    #expect(try enter(1_700_000_000) == .older && enter(1_700_300_000) == .older)
    #expect(try collection.cards(deck)[0].schedule == schedule)
    let log = try collection.store.read { db in
      try db.rows("SELECT at, state, ifnull(elapsed, -1) FROM reviews ORDER BY at") {
        "\($0.integer(0) - 1_700_000_000) \($0.integer(1)) \($0.integer(2))"
      }
    }
    // The first one was the card's first answer; the other late one came 200,000 seconds after another.
    #expect(log.first == "0 0 -1" && log[2] == "300000 2 200000", "\(log)")
  }

  @Test func `unsent answers give way to those of a server, one after the other`() throws {
    let deck = try collection.deck("a")
    let card = try collection.add(deck, "p", "a")
    let log = [10.0, 10.001, 20].map { LoggedReview(at: 1_700_000_000 + $0, rating: 3, state: .review, interval: 60) }
    try collection.store.operation("x") { try CardTable.addLog($0, log, to: card) }
    func ids() throws -> [Int64] {
      try collection.store.read {
        try $0.rows("SELECT id FROM reviews ORDER BY at") { $0.integer(0) - 1_700_000_000_000 }
      }
    }
    #expect(try ids() == [10_000, 10_001, 20_000])
    let taken: Set<Int64> = [1_700_000_010_000, 1_700_000_010_002]
    try collection.store.operation("x") { try ReviewTable.renumberUnsent($0) { taken.contains($0) } }
    #expect(try ids() == [10_003, 10_001, 20_000])
  }

  @Test func `a card from a clock that is ahead does not hide an edit of another one`() throws {
    let deck = try collection.deck("d")
    let (ahead, other) = (try collection.add(deck, "a", "x"), try collection.add(deck, "b", "x"))
    try collection.store.execute("UPDATE cards SET mod = mod + 600 WHERE id = ?", [ahead.rawValue])
    let before = try collection.store.read { try DeckMark($0, deck) }
    collection.now += 60
    try collection.store.operation("x") { try CardTable.update($0, other, answer: "y", now: collection.now) }
    #expect(try collection.store.read { try DeckMark($0, deck) } != before)
  }

  @Test func `a card that is listed twice is sorted once`() throws {
    let deck = try collection.deck("d")
    let (b, a) = (try collection.add(deck, "b", "x"), try collection.add(deck, "a", "x"))
    let order = try collection.store.read { try CardTable.order($0, [b, a, b], by: .prompt, isDescending: false) }
    #expect(order == [1, 0])
  }

  @Test func `a formatted field that the type does not have is named by its number`() throws {
    let deck = try collection.deck("d")
    try collection.add(deck, "p", "a")
    try collection.store.operation("x") { db in
      try db.execute(sql: "UPDATE notes SET fields = fields || char(31) || '<b>c</b>'")
      let batch = try CardBatch(db, deck: deck, onDuplicate: .update, now: 0) { 0 }
      #expect(throws: NoteError.formatted(field: "3")) {
        try NewCard(prompt: "p", answer: "b").checked { given in
          var card = given
          card.saysNoFormatting = true
          _ = try batch.write(card)
        }
      }
    }
  }

  @Test func `texts that cannot be confused with others are not compared`() throws {
    let outer = try collection.deck("a")
    let inner = try collection.deck("a::b")
    let long = String(repeating: "palabra ", count: 12)
    let cards = try [(long, "x"), (long + "s", "y"), ("ir", "to go"), ("Voy a ir a casa hoy", "z"), ("-- --", "w")].map
    {
      try collection.add(inner, $0, $1)
    }
    try collection.store.read { db in
      for (place, card) in cards.enumerated() {
        let record = try #require(try CardTable.card(db, card))
        let near = try Confusions.findings(db, for: [record], in: [[inner]])[0].near
        #expect(place == 2 || near.isEmpty, "\(record.prompt)")
        #expect(try Confusions.findings(db, for: [record], in: [[]])[0].sentence == nil, "\(record.prompt)")
      }
      #expect(try Confusions.family(db, of: DeckTable.record(db, inner)) == [outer, inner])
    }
  }

  @Test func `the sentence of a word may be on either side, the shortest is used`() throws {
    let deck = try collection.deck("a")
    let word = try collection.add(deck, "gato", "cat")
    try collection.add(deck, "El gato negro duerme sobre la mesa", "x")
    try collection.add(deck, "yesterday", "Ayer vi un gato\ngato")
    try collection.store.read { db in
      let record = try #require(try CardTable.card(db, word))
      #expect(try Confusions.findings(db, for: [record], in: [[]])[0].sentence == "Ayer vi un gato")
    }
  }

  @Test func `a deck is removed as empty only if nothing is in it`() throws {
    let deck = try collection.deck("a")
    let inner = try collection.deck("a::b")
    let card = try collection.add(inner, "p", "a")
    try collection.store.operation("x") { db in
      #expect(try !DeckTable.removeEmpty(db, deck) && !DeckTable.removeEmpty(db, inner))
      _ = try CardTable.remove(db, [card])
      #expect(try !DeckTable.removeEmpty(db, deck) && DeckTable.removeEmpty(db, inner))
      #expect(try DeckTable.removeEmpty(db, deck))
    }
    #expect(try collection.names().isEmpty)
  }

  @Test func `fields and a document that arrive with a known card are stored only if they differ`() throws {
    let deck = try collection.deck("a")
    func add(_ fields: [CardField], _ document: String?) throws -> (Int, Int) {
      let card = NewCard(prompt: "p", answer: "a", guid: "g", fields: fields, document: document)
      let report = try collection.addAll(deck, [card], .update)
      return (report.updated, report.skipped)
    }
    try collection.add(deck, "p", "a", guid: "g")
    collection.now += 100
    let level = [CardField("level", .json("3"))]
    #expect(try add(level, nil) == (1, 0) && add(level, nil) == (0, 1) && add([], nil) == (0, 1))
    #expect(try add([], "0123456789abcdef") == (1, 0) && add(level, "0123456789abcdef") == (0, 1))
    let card = try collection.cards(deck)[0]
    #expect(card.fields == level && card.document == "0123456789abcdef" && card.modified == collection.now)
  }
}
