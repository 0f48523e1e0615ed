// Cards of a long batch that are written together: until then nothing of it is visible from outside.

import Templates
import TestDecks

@testable import Decks

@Suite struct WaitingCardsTests {
  private let folder = TemporaryFolder()
  private let collection = TestCollection()

  /// Returns random cards: some are duplicates, some have a guid, and some are refused.
  private func cards(_ count: Int, _ generator: inout TestGenerator) -> [NewCard] {
    (0..<count).map { index in
      let number = Int.random(in: 0..<8, using: &generator) == 0 ? Int.random(in: 0...index, using: &generator) : index
      let guid = Int.random(in: 0..<12, using: &generator) == 0 ? "guid \(number)" : nil
      let prompt = Int.random(in: 0..<20, using: &generator) == 0 ? " " : "prompt \(number)"
      let long = String(repeating: "long ", count: number % 50 == 0 ? 9000 : 1)
      return NewCard(
        prompt: prompt, answer: long + "answer \(number)", tags: number % 3 == 0 ? ["tag"] : [], guid: guid,
        fields: number % 7 == 0 ? [CardField("f", .text("x"))] : [], document: number % 11 == 0 ? "doc" : nil)
    }
  }

  @Test func `a batch updates notes that were there before, each once, by the prompt of the first card`() throws {
    let deck = try collection.deck("d")
    let old = try collection.addNote(deck, ["Front": "bank", "Back": "x"], .reversed)
    // Its second card has the prompt, and is above the other note.
    try collection.addNote(deck, ["Front": "banco", "Back": "bank"], .reversed)
    let outcomes = try collection.store.operation("add") { db in
      let type = try NoteTypeTable.stock(db, .reversed, now: collection.now)
      let batch = try CardBatch(db, deck: deck, onDuplicate: .update, now: collection.now, random: collection.random)
      return try ["a", "b"].map { back in
        let note = NewNote(fields: ["Front": "bank", "Back": back])
        return try batch.write(note, type: type, over: nil, random: collection.random)
      }
    }
    #expect(outcomes.map(\.0) == [.updated, .added] && outcomes[0].1 == old)
    #expect(try collection.prompts(deck).sorted() == ["a", "b", "banco", "bank", "bank", "bank"])
  }

  @Test(arguments: [1, 2, 3])
  func `a batch gives the same result as adding its cards one by one`(seed: UInt64) throws {
    var generator = TestGenerator(seed)
    let cards = cards(1500, &generator)
    let (one, all) = (try collection.deck("one"), try collection.deck("all"))
    try collection.store.operation("add") { db in
      let batch = try CardBatch(db, deck: one, onDuplicate: .skip, now: 5, random: collection.random)
      for card in cards {
        do { _ = try card.checked { try batch.write($0) } } catch is DeckError { continue }
      }
    }
    collection.now = 5
    let report = try collection.addAll(all, cards)
    let (expected, found) = (try collection.cards(one), try collection.cards(all))
    #expect(report.added == expected.count && report.added + report.skipped + report.rejected.count == cards.count)
    #expect(found.map(\.prompt) == expected.map(\.prompt))
    #expect(found.map(\.answer) == expected.map(\.answer))
    #expect(found.map(\.tags) == expected.map(\.tags))
    #expect(found.map(\.fields) == expected.map(\.fields))
    #expect(found.map(\.document) == expected.map(\.document))
    #expect(found.map(\.created) == expected.map(\.created) && found.map(\.modified) == expected.map(\.modified))
    #expect(Set(found.map(\.guid)).count == found.count)
    #expect(try collection.addAll(all, cards).added == 0)
  }

  @Test func `taken guids are generated again`() throws {
    let deck = try collection.deck("d")
    var bits: [UInt64] = [1, 1, 33, 2000]
    try collection.store.operation("add") { db in
      let batch = try CardBatch(db, deck: deck, onDuplicate: .error, now: 0) { bits.removeFirst() }
      for number in 0..<200 { try batch.add(NewCard(prompt: "\(number)", answer: "a")) }
      #expect(try batch.finish().added == 200)
    }
    #expect(try collection.prompts(deck) == (0..<200).map(String.init))
    #expect(bits.isEmpty)
  }

  @Test func `reads and writes of the database see the pending cards of a batch`() throws {
    let deck = try collection.deck("d")
    let store = collection.store
    try store.operation("add") { db in
      let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: 0, random: collection.random)
      try store.writing(batch) {
        var changes = store.changeCount
        for number in 1...300 {
          try batch.add(NewCard(prompt: "b\(number)", answer: "x"))
          #expect(store.changeCount != changes)
          changes = store.changeCount
          if number % 10 == 0 {
            #expect(try store.read { try DeckTable.count($0, deck) } == number + number / 10 - 1)
            let single = try collection.add(deck, "s\(number)", "x")
            try store.operation("move") { try CardTable.move($0, single, to: 2) }
          }
        }
        #expect(try batch.add(NewCard(prompt: "s290", answer: "x")) == .skipped)
      }
    }
    #expect(try collection.cards(deck).count == 330)
    #expect(try store.integrityProblems() == [])
  }

  @Test func `a part of a batch that is rolled back leaves the parts before it, and is forgotten`() throws {
    struct Stop: Error {}
    let deck = try collection.deck("d")
    let store = collection.store
    try store.operation("add") { db in
      let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: 0, random: collection.random)
      try store.writing(batch) {
        for number in 1...100 { try batch.add(NewCard(prompt: "\(number)", answer: "x")) }
        #expect(throws: Stop.self) {
          try store.operation("part") { _ in
            try collection.add(deck, "gone", "x")
            throw Stop()
          }
        }
        #expect(try batch.add(NewCard(prompt: "gone", answer: "x")) == .added)
      }
    }
    #expect(try collection.cards(deck).count == 101)
  }

  @Test func `a batch that changes much of a large deck is written as a whole`() throws {
    let collection = TestCollection(path: folder.file("x.sqlite"))
    let deck = try collection.deck("d")
    func add(_ numbers: Range<Int>) throws -> Int {
      try collection.store.operation("add") { db in
        let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: 0, random: collection.random)
        for number in numbers { try batch.add(NewCard(prompt: "\(number)", answer: "a")) }
        return try batch.finish().added
      }
    }
    #expect(try add(0..<60_000) == 60_000)
    // The memory needed to roll back a part of a unit grows with the pages it changes.
    collection.store.beginUnit()
    #expect(try add(0..<1) == 0)
    #expect(try add(60_000..<66_000) == 6_000)
    try collection.store.commitUnit()
    #expect(try collection.store.read { try DeckTable.count($0, deck) } == 66_000)
    #expect(try collection.store.integrityProblems() == [])
  }

  @Test func `cards whose guids or positions are taken meanwhile are written, in their order`() throws {
    let deck = try collection.deck("d")
    // The guid that the 500th pending card will get.
    let taken = String(decoding: guid(1 + 500), as: UTF8.self)
    _ = try collection.addAll(deck, [NewCard(prompt: "there", answer: "x", guid: taken)])
    _ = try collection.addAll(deck, [NewCard(prompt: "in the way", answer: "x")])
    // A card already has the position of one of the batch.
    let place =
      try collection.store.operation("room") { try CardOrder.above($0, deck, room: CardOrder.batchRoom) }
      + 1700 * CardOrder.step
    try collection.store.operation("move") { db in
      var made: UInt64 = 0
      let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: 0) {
        made += 1
        return made == 2 ? 1 : made << 32
      }
      let way = "SELECT id FROM card_rows WHERE prompt = 'in the way'"
      try db.execute(sql: "UPDATE cards SET rank = ? WHERE id = (\(way))", arguments: [place])
      for number in 0..<2000 { try batch.add(NewCard(prompt: "\(number)", answer: "a")) }
      #expect(try batch.finish().added == 2000)
    }
    let mine = try collection.prompts(deck).compactMap(Int.init)
    #expect(mine.count == 2000 && Set(mine).count == 2000)
    // Those after the taken position came on top of all; each part is in its order.
    let falls = zip(mine, mine.dropFirst()).filter { $0 > $1 }.count
    #expect(falls == 1)
    #expect(try collection.store.integrityProblems() == [])
  }

  private func guid(_ bits: UInt64) -> [UInt8] {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Guid.length) { bytes in
      Guid.write(bits, into: bytes)
      return Array(bytes)
    }
  }

  @Test func `an error in the middle of a batch leaves nothing of it, whatever is being written`() throws {
    struct Stop: Error {}
    let collection = TestCollection(path: folder.file("x.sqlite"))
    let deck = try collection.deck("d")
    for count in [100, 129, 500, 1000, 1025] {
      #expect(throws: Stop.self) {
        try collection.store.operation("add") { db in
          let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: 0, random: collection.random)
          for number in 0..<count { try batch.add(NewCard(prompt: "\(number)", answer: "a")) }
          throw Stop()
        }
      }
      #expect(try collection.store.read { try DeckTable.count($0, deck) } == 0)
    }
    #expect(try collection.addAll(deck, (0..<500).map { NewCard(prompt: "\($0)", answer: "a") }).added == 500)
    #expect(try collection.store.integrityProblems() == [])
  }

  @Test func `the error that rolls the transaction back while cards are written is the one reported`() throws {
    let patience = Patience()
    let store = Store(path: folder.file("x.sqlite"), schema: DecksSchema.schema) { patience.isOver() }
    let deck = try store.operation("deck") { try DeckTable.create($0, name: "d", now: 0).id }
    patience.set(19)
    #expect(
      problemCode {
        try store.operation("add") { db in
          let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: 0, random: collection.random)
          for number in 0..<5000 {
            try batch.add(NewCard(prompt: "\(number)", answer: "a"))
            // A flush at any moment makes no difference.
            if number % 700 == 0 { try batch.flush() }
          }
        }
      } == "interrupted")
    patience.set(.max)
    #expect(try store.read { try DeckTable.count($0, deck) } == 0)
  }

  @Test func `a deck that is removed ends the batch although foreign keys are checked later`() throws {
    let deck = try collection.deck("d")
    let code = problemCode {
      try collection.store.operation("add") { db in
        try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
        let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: 0, random: collection.random)
        try DeckTable.remove(db, deck)
        try batch.add(NewCard(prompt: "a", answer: "x"))
        _ = try batch.finish()
      }
    }
    #expect(code == "not_found")
  }
}

/// A bulk add that is large enough for a second thread; `ThreadWatchTests` also runs it under its thread check.
@Suite struct SecondThreadTests {
  @Test func `a long batch adds all cards, and finds existing ones`() throws {
    let collection = TestCollection()
    let deck = try collection.deck("Many")
    let cards = (0..<5000).map { NewCard(prompt: "prompt \($0 % 4900)", answer: "answer \($0 % 4900)") }
    let report = try collection.addAll(deck, cards)
    #expect((report.added, report.skipped) == (4900, 100))
    #expect(try collection.prompts(deck) == (0..<4900).map { "prompt \($0)" })
    #expect(try collection.addAll(deck, cards).skipped == 5000)
    let index = "SELECT 1 FROM sqlite_master WHERE name = 'cards_content'"
    #expect(try collection.store.read { try $0.hasRow(index) })
  }
}
