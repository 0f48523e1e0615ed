// Cards: adding, order, batches, duplicates, hostile texts.

import Problems
import Templates
import TestDecks

@Suite struct CardTests {
  let collection = TestCollection()
  private let deck: DeckID

  init() throws { deck = try collection.deck("d") }

  private func all(_ prompts: String...) -> [NewCard] { prompts.map { NewCard(prompt: $0, answer: $0 + "!") } }

  @Test func `texts are trimmed and a new card goes on top`() throws {
    try collection.add(deck, "first", "1")
    let id = try collection.add(deck, " \u{3000}second\n", "\t2\u{85}")
    let card = try #require(try collection.store.read { try CardTable.card($0, id) })
    #expect((card.prompt, card.answer) == ("second", "2"))
    #expect(try collection.prompts(deck) == ["second", "first"])
    #expect(try collection.store.read { try CardTable.position($0, of: id) } == 1)
    #expect(card.guid.count == 11 && card.guid.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
    #expect((card.created, card.state, card.due, card.reps) == (collection.now, .new, nil, 0))
  }

  @Test(arguments: [
    ("", "a", "empty_prompt"), (" \u{2003}\n", "a", "empty_prompt"), ("p", "", "empty_answer"),
    ("p", "\u{A0}", "empty_answer"), ("p\u{0}", "a", "bad_text"), ("p", "a\u{0}b", "bad_text"),
    (String(repeating: "x", count: 1_000_001), "a", "bad_text"),
  ])
  func `texts that cannot be stored are refused`(prompt: String, answer: String, code: String) throws {
    #expect(problemCode { try collection.add(deck, prompt, answer) } == code)
    let report = try collection.addAll(deck, [NewCard(prompt: prompt, answer: answer)])
    #expect(report.rejected.map(\.code.rawValue) == [code])
    #expect(report.rejected.map(\.index) == [1])
    #expect(try collection.prompts(deck) == [])
  }

  @Test(
    arguments: [
      [0xFF], [0xC0, 0xAF], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xF8, 0x88, 0x80, 0x80, 0x80], [0x61, 0x80], [0xE0, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80],
    ] as [[UInt8]])
  func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) throws {
    let report = try collection.store.operation("add") { db in
      let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: 0, random: collection.random)
      let outcomes = try bytes.withUnsafeBufferPointer { bad in
        try Array("fine".utf8).withUnsafeBufferPointer { good in
          [
            try batch.add(prompt: bad, answer: good), try batch.add(prompt: good, answer: bad),
            try batch.add(prompt: good, answer: good, guid: bad), try batch.add(prompt: good, answer: good),
          ]
        }
      }
      #expect(outcomes == [.rejected, .rejected, .rejected, .added])
      return try batch.finish()
    }
    #expect(report.rejected.map(\.code.rawValue) == ["bad_text", "bad_text", "bad_text"])
    #expect(report.rejected.map(\.index) == [1, 2, 3])
    #expect(report.added == 1)
  }

  @Test func `bytes are checked and trimmed like Swift strings`() throws {
    var generator = TestGenerator(7)
    let alphabet: [[UInt8]] = [
      [0x61], [0x20], [0x0A], [0xC2, 0xA0], [0xE3, 0x80, 0x80], [0xE2, 0x80, 0x83], [0xF0, 0x9F, 0x98, 0x80], [0xC3],
      [0xA9], [0xE2, 0x80, 0x8B], [0xC2, 0x85], [0x85],
    ]
    for _ in 0..<3000 {
      let bytes = (0..<Int.random(in: 1...5, using: &generator)).flatMap { _ in
        alphabet.randomElement(using: &generator) ?? []
      }
      let answer = Array("a".utf8)
      try collection.store.operation("add") { db in
        let batch = try CardBatch(db, deck: deck, onDuplicate: .update, now: 0, random: collection.random)
        try bytes.withUnsafeBufferPointer { prompt in
          _ = try answer.withUnsafeBufferPointer { try batch.add(prompt: prompt, answer: $0) }
        }
        let code = try batch.finish().rejected.first?.code.rawValue
        guard let text = String(validating: bytes, as: UTF8.self) else {
          #expect(code == "bad_text")
          return
        }
        let scalars = text.unicodeScalars
        let start = scalars.firstIndex { !$0.properties.isWhitespace }
        #expect((code == "empty_prompt") == (start == nil))
        guard let start, let end = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return }
        let trimmed = String(scalars[start...end])
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM card_rows WHERE prompt = ?", arguments: [trimmed])
        #expect(count == 1)
      }
    }
  }

  @Test func `a batch goes on top with its first card first`() throws {
    try collection.add(deck, "old", "x")
    #expect(try collection.addAll(deck, all("a", "b", "c")).added == 3)
    #expect(try collection.addAll(deck, all("d", "e")).added == 2)
    try collection.add(deck, "new", "x")
    #expect(try collection.prompts(deck) == ["new", "d", "e", "a", "b", "c", "old"])
  }

  @Test func `duplicates are found by guid, or without one by prompt and answer`() throws {
    try collection.add(deck, "p", "a", guid: "g1")
    #expect(problemCode { try collection.add(deck, "other", "text", guid: "g1") } == "duplicate")
    #expect(problemCode { try collection.add(deck, " p", "a ") } == "duplicate")
    try collection.add(deck, "p", "a", guid: "g2")
    try collection.add(deck, "p", "b")
    #expect(try collection.cards(deck).count == 3)
    try collection.add(try collection.deck("e"), "p", "a", guid: "g1")
  }

  @Test func `a guid whose note has lost its first card is matched all the same`() throws {
    let note = try collection.addNote(deck, NewNote(fields: ["Front": "dog", "Back": "perro"], guid: "g")) {
      try NoteTypeTable.stock($0, .reversed, now: collection.now)
    }
    let cards = try collection.store.read { try NoteTable.cards($0, of: note) }
    try collection.store.operation("x") { _ = try CardTable.remove($0, [cards[0]]) }
    let row = [NewCard(prompt: "dog", answer: "hound", guid: "g")]
    for mode in [OnDuplicate.skip, .update] {
      let report = try collection.addAll(deck, row, mode)
      #expect((report.added, report.updated, report.skipped) == (0, 0, 1))
    }
    #expect(problemCode { _ = try collection.addAll(deck, row, .error) } == "duplicate")
    #expect(problemCode { try collection.add(deck, row[0]) } == "duplicate")
    #expect(try collection.prompts(deck) == ["perro"])
    // Another deck may have the same guid, like any guid.
    try collection.add(try collection.deck("e"), row[0])
  }

  @Test func `skip, update and error work as described`() throws {
    try collection.add(deck, NewCard(prompt: "p", answer: "a", tags: ["t"], guid: "g"))
    let same = [NewCard(prompt: "p2", answer: "a2", guid: "g"), NewCard(prompt: "new", answer: "n")]
    var report = try collection.addAll(deck, same)
    #expect((report.added, report.updated, report.skipped) == (1, 0, 1))
    report = try collection.addAll(deck, same, .update)
    #expect((report.added, report.updated, report.skipped) == (0, 1, 1))
    #expect(try collection.cards(deck).map(\.prompt) == ["new", "p2"])
    #expect(try collection.cards(deck).map(\.tags) == [[], ["t"]])
    let code = problemCode { _ = try collection.addAll(deck, all("x") + same, .error) }
    #expect(code == "duplicate")
    #expect(try collection.prompts(deck) == ["new", "p2"])
  }

  @Test func `update without a guid matches an older card with the same prompt`() throws {
    try collection.add(deck, "perro", "dog")
    let rows = ["the dog", "hound", "hound", "cur"].map { NewCard(prompt: "perro", answer: $0) }
    let report = try collection.addAll(deck, rows, .update)
    #expect((report.added, report.updated, report.skipped) == (2, 1, 1))
    #expect(try collection.cards(deck).map(\.answer) == ["hound", "cur", "the dog"])
  }

  @Test func `two cards of one updating batch do not overwrite each other`() throws {
    try collection.add(deck, "perro", "dog")
    try collection.add(deck, "gato", "cat", guid: "g")
    var report = try collection.addAll(deck, ["dog", "hound"].map { NewCard(prompt: "perro", answer: $0) }, .update)
    #expect((report.added, report.updated, report.skipped) == (1, 0, 1))
    report = try collection.addAll(
      deck, [NewCard(prompt: "gato", answer: "tomcat", guid: "g"), NewCard(prompt: "gato", answer: "jack")], .update)
    #expect((report.added, report.updated, report.skipped) == (1, 1, 0))
    #expect(try collection.cards(deck).map(\.answer) == ["jack", "hound", "tomcat", "dog"])
  }

  @Test func `a card of the batch itself counts as a duplicate too`() throws {
    let report = try collection.addAll(
      deck,
      all("a", "b", "a") + [NewCard(prompt: "x", answer: "1", guid: "g"), NewCard(prompt: "y", answer: "2", guid: "g")])
    #expect((report.added, report.skipped) == (3, 2))
  }

  @Test func `generated guids that collide are generated again`() throws {
    var bits: [UInt64] = [5, 5, 5, 6, 6, 7]
    let random = { bits.removeFirst() }
    try collection.store.operation("add") { db in
      for prompt in ["a", "b", "c"] {
        try CardTable.add(db, NewCard(prompt: prompt, answer: "x"), to: deck, now: 0, random: random)
      }
    }
    #expect(Set(try collection.cards(deck).map(\.guid)).count == 3)
  }

  @Test func `moving a card gives the same order as moving it in a list`() throws {
    var model = (0..<12).map { "c\($0)" }
    _ = try collection.addAll(deck, model.map { NewCard(prompt: $0, answer: "x") })
    var generator = TestGenerator(3)
    for step in 0..<600 {
      // The same position often, so that the gaps run out and ranks are reassigned.
      let from = step % 3 == 0 ? 11 : Int.random(in: 0..<12, using: &generator)
      let to = step % 3 == 0 ? 5 : Int.random(in: 0...13, using: &generator)
      try collection.store.operation("move") { db in
        let id = try #require(try CardTable.id(db, in: deck, at: from + 1))
        try CardTable.move(db, id, to: to)
      }
      let moved = model.remove(at: from)
      model.insert(moved, at: min(model.count, max(0, to - 1)))
      #expect(try collection.prompts(deck) == model)
    }
  }

  @Test func `positions out of range are handled`() throws {
    let ids = try ["a", "b", "c"].map { try collection.add(deck, $0, "x") }
    for position in [Int.min, -1, 0, 4, Int.max] {
      #expect(try collection.store.read { try CardTable.id($0, in: deck, at: position) } == nil)
      try collection.store.operation("move") { try CardTable.move($0, ids[1], to: position) }
      #expect(try collection.store.read { try CardTable.position($0, of: ids[1]) } == (position < 2 ? 1 : 3))
    }
    let removed = try collection.store.operation("remove") {
      try CardTable.remove($0, in: deck, positions: [Int.min, 0, 1, 1, 3, 4, Int.max])
    }
    #expect(removed == 2)
    #expect(try collection.prompts(deck) == ["a"])
  }

  @Test func `an id is never reused`() throws {
    let id = try collection.add(deck, "a", "x")
    #expect(try collection.store.operation("remove") { try CardTable.remove($0, [id, id]) } == 1)
    #expect(try collection.add(deck, "b", "x") != id)
    #expect(try collection.store.read { try CardTable.card($0, id) } == nil)
    #expect(problemCode { try collection.store.operation("move") { try CardTable.move($0, id, to: 1) } } == "not_found")
    #expect(problemCode { _ = try collection.store.read { try CardTable.position($0, of: id) } } == "not_found")
  }

  @Test func `fields of a card are changed by the same rules as when it is created`() throws {
    let fields = [CardField("level", .json("2.50")), CardField("note", .text("say \"hi\"\n"))]
    let id = try collection.add(deck, NewCard(prompt: "p", answer: "a", fields: fields, document: "D"))
    collection.now += 5
    try collection.store.operation("edit") { db in
      try CardTable.update(db, id, prompt: " q ", tags: ["x", "y", "X"], now: collection.now)
      try CardHiding.setSuspended(db, [id], true, now: collection.now)
    }
    let card = try #require(try collection.cards(deck).first)
    #expect((card.prompt, card.answer, card.tags, card.document) == ("q", "a", ["x", "y"], "D"))
    #expect(card.fields == fields)
    #expect(card.isSuspended && card.modified == card.created + 5)
    for (prompt, answer, tag, code) in [
      ("", "b", "t", "empty_prompt"), ("p", " ", "t", "empty_answer"), ("p", "b", "t u", "bad_tag"),
    ] {
      #expect(
        problemCode {
          try collection.store.operation("edit") {
            _ = try CardTable.update($0, id, prompt: prompt, answer: answer, tags: [tag], now: 0)
          }
        } == code)
    }
    #expect(try collection.cards(deck).first == card)
    // Duplicates are detected by the new texts.
    #expect(problemCode { try collection.add(deck, "q", "a") } == "duplicate")
    try collection.add(deck, "p", "a")
  }

  @Test(arguments: [
    [CardField("prompt", .text("x"))], [CardField("", .text("x"))],
    [CardField("a", .text("x")), CardField("a", .text("y"))], [CardField("a", .json("{"))],
    [CardField("a", .json("1 2"))], [CardField("a", .text("x\u{0}"))], [CardField("a\u{0}", .text("x"))],
    [CardField("a", .json(String(repeating: "[", count: 100_000)))],
  ])
  func `fields that could not be written to a file are refused`(fields: [CardField]) throws {
    #expect(problemCode { try collection.add(deck, NewCard(prompt: "p", answer: "a", fields: fields)) } == "bad_text")
  }

  @Test func `removing the deck while a batch is running ends the batch`() throws {
    let code = problemCode {
      try collection.store.operation("add") { db in
        let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: 0, random: collection.random)
        try batch.add(NewCard(prompt: "a", answer: "x"))
        try DeckTable.remove(db, deck)
        try batch.add(NewCard(prompt: "b", answer: "x"))
      }
    }
    #expect(code == "not_found")
    #expect(try collection.names() == ["d"])
  }

  @Test func `a batch goes on when its callback changes the deck`() throws {
    try collection.store.operation("add") { db in
      let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: 0, random: collection.random)
      for number in 0..<50 {
        try batch.add(NewCard(prompt: "b\(number)", answer: "x"))
        let single = try CardTable.add(
          db, NewCard(prompt: "s\(number)", answer: "x"), to: deck, now: 0, random: collection.random)
        try CardTable.move(db, single, to: 2)
      }
      #expect(try batch.finish().added == 50)
    }
    #expect(try collection.cards(deck).count == 100)
    #expect(try collection.store.integrityProblems() == [])
  }

  @Test func `a full disk in the middle of a batch leaves nothing of it`() throws {
    let folder = TemporaryFolder()
    let collection = TestCollection(path: folder.file("x.sqlite"))
    let deck = try collection.deck("d")
    try collection.add(deck, "before", "x")
    try collection.store.read { try $0.execute(sql: "PRAGMA max_page_count = 60") }
    let cards = (0..<5000).map { NewCard(prompt: "prompt \($0)", answer: "answer \($0)") }
    let error = #expect(throws: StorageError.self) { try collection.addAll(deck, cards) }
    #expect(error?.code == "storage_full")
    #expect(try collection.prompts(deck) == ["before"])
    #expect(try collection.store.integrityProblems() == [])
    try collection.add(deck, "after", "x")
  }

  @Test func `a sprint's stack includes inner decks, without suspended cards`() throws {
    let ids = try ["a", "b", "c"].map { try collection.add(deck, $0, "x") }
    let inner = try collection.add(try collection.deck("d::e"), "b2", "x")
    try collection.store.operation("x") { try CardHiding.setSuspended($0, [ids[0]], true, now: 0) }
    let moment = StudyMoment(now: 0)
    var selection = StudySelection([deck])
    #expect(try collection.store.read { try CardTable.stack($0, selection, at: moment) } == [ids[2], ids[1], inner])
    selection.query = try CardQuery("b*")
    #expect(try collection.store.read { try CardTable.stack($0, selection, at: moment) } == [ids[1], inner])
    let other = try collection.add(try collection.deck("z"), "b3", "x")
    selection.decks = try collection.store.read { try DeckTable.list($0).map(\.id).reversed() }
    #expect(try collection.store.read { try CardTable.stack($0, selection, at: moment) } == [other, ids[1], inner])
    selection.limit = 2
    #expect(try collection.store.read { try CardTable.stack($0, selection, at: moment) } == [other, ids[1]])
  }

  @Test func `values from a forged file give an error or are corrected, never a crash`() throws {
    let ids = try ["a", "b", "c", "d"].map { try collection.add(deck, $0, "x") }
    try collection.store.operation("forge") { db in
      try db.execute(sql: "UPDATE cards SET rank = id + 9")
      for (id, rank) in [(ids[0], Int64.min), (ids[1], .min + 1), (ids[2], .max - 1), (ids[3], .max)] {
        try db.execute(sql: "UPDATE cards SET rank = ? WHERE id = ?", arguments: [rank, id.rawValue])
      }
      try db.execute(
        sql: "UPDATE cards SET state = 99, reps = ?, due = 9e999, stability = -9e999, created = 9e999",
        arguments: [Int64.max])
    }
    try collection.store.operation("move") { db in
      try CardTable.move(db, ids[0], to: 3)
      try CardTable.move(db, ids[3], to: 1)
      try CardTable.move(db, ids[1], to: 4)
    }
    #expect(try collection.prompts(deck) == ["d", "c", "a", "b"])
    _ = try collection.addAll(deck, all("top"))
    #expect(try collection.prompts(deck).first == "top")
    let moment = StudyMoment(now: 0)
    for query in ["added:5", "prop:interval>1", "prop:stability<1", "is:due"] {
      _ = try collection.store.read { try CardTable.ids($0, in: deck, matching: CardQuery(query), at: moment) }
    }
    try collection.store.operation("forge") { try $0.execute(sql: "UPDATE notes SET data = '{\"fields\":{\"a\":}'") }
    let error = #expect(throws: StorageError.self) { try collection.cards(deck) }
    #expect(error?.code == "storage_damaged")
  }

  @Test func `oversized lists of tags and fields are refused quickly`() throws {
    let tags = (0..<100_000).map { "t\($0)" }
    #expect(problemCode { try collection.add(deck, NewCard(prompt: "p", answer: "a", tags: tags)) } == "bad_tag")
    let fields = tags.map { CardField($0, .text("x")) }
    #expect(problemCode { try collection.add(deck, NewCard(prompt: "p", answer: "a", fields: fields)) } == "bad_text")
  }

  @Test func `a guid prefix finds its cards, an exact match first`() throws {
    let ids = try ["abc", "ab", "abd", "xab", "AB"].map { try collection.add(deck, $0, "x", guid: $0) }
    let found = try collection.store.read { try CardTable.ids($0, guidBeginning: "ab") }
    #expect(found == [ids[1], ids[0], ids[2]])
    #expect(try collection.store.read { try CardTable.ids($0, guidBeginning: "%") } == [])
  }
}
