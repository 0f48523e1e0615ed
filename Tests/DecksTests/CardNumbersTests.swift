// The ids of cards and answers: millisecond timestamps, never reused.

import Templates
import TestDecks

@testable import Decks

@Suite struct CardNumbersTests {
  private let collection = TestCollection(hasUndo: true)

  private func ids(_ deck: DeckID) throws -> [Int64] {
    try collection.store.read { try CardTable.ids($0, in: deck).map(\.rawValue).sorted() }
  }

  @Test func `ids are milliseconds and increase, also in a batch, and none is reused`() throws {
    let deck = try collection.deck("d")
    let first = Int64(collection.now * 1000)
    #expect(try collection.add(deck, "a", "x").rawValue == first)
    _ = try collection.addAll(deck, (0..<200).map { NewCard(prompt: "p\($0)", answer: "x") })
    #expect(try ids(deck) == Array(first...first + 200))
    let last = try #require(try ids(deck).last)
    _ = try collection.store.operation("x") { try CardTable.remove($0, [CardID(rawValue: last)]) }
    #expect(try collection.add(deck, "b", "x").rawValue == last + 1)
    collection.now += 3600
    let note = try collection.addNote(deck, ["Front": "f", "Back": "g"], .reversed)
    let cards = try collection.store.read { try NoteTable.cards($0, of: note).map(\.rawValue) }
    #expect(cards == [first + 3_600_000, first + 3_600_001])
  }

  @Test func `a removed card comes back by undo although another one was added in its place`() throws {
    let deck = try collection.deck("d")
    let card = try collection.add(deck, "a", "x")
    try collection.store.operation("remove") { _ = try CardTable.remove($0, [card]) }
    // The ids of notes are times.
    collection.now += 1
    try collection.add(deck, "b", "x")
    let step = try #require(try collection.store.undoSteps().first { $0.name == "remove" }?.id)
    try collection.store.undo(step)
    #expect(try collection.prompts(deck).sorted() == ["a", "b"])
  }

  @Test func `a card dated far in the future does not drag the others along`() throws {
    let deck = try collection.deck("d")
    let one = try collection.add(deck, "a", "x")
    let far = Int64(collection.now * 1000) + 90_000_000
    try collection.store.operation("x") { db in
      let card = try #require(try SyncedCards.stored(db, one))
      try CardTable.renumber(db, card, to: CardID(rawValue: far))
    }
    let two = try collection.add(deck, "b", "x")
    #expect(two.rawValue < far - 80_000_000)
    #expect(try collection.add(deck, "c", "x").rawValue == two.rawValue + 1)
  }

  @Test func `a card that gets a new id is found, with its log`() throws {
    let deck = try collection.deck("d")
    let cache = SearchCache(leastIndexed: 0)
    let query = try CardQuery("gato")
    func found() throws -> [CardID] {
      try collection.store.read { db in
        cache.refresh(collection.store.changeCount, others: collection.store.otherChanges)
        return try CardTable.ids(db, matching: query, at: collection.moment, cache)
      }
    }
    let one = try collection.add(deck, "el gato", "x")
    let two = try collection.add(deck, "otro gato", "x")
    #expect(try found() == [one, two])
    let new = CardID(rawValue: 77)
    try collection.store.operation("x") { db in
      try CardTable.addLog(db, [LoggedReview(at: 1_600_000_000, rating: 3, state: .new, interval: 600)], to: one)
      try CardTable.renumber(db, #require(try SyncedCards.stored(db, one)), to: new)
    }
    #expect(try found() == [new, two])
    #expect(try collection.store.read { try SentReviews($0).of(new).map(\.id) } == [1_600_000_000_000])
    _ = try collection.store.operation("x") { try CardTable.remove($0, [two]) }
    #expect(try found() == [new])
    for _ in 0..<2 { try collection.store.undo { try SearchLog.forget($0) } }
    #expect(try found() == [one, two])
    #expect(try collection.store.read { try SentReviews($0).of(one).isEmpty })
  }

  @Test func `a card of a package keeps its id, and one whose id is taken keeps its log`() throws {
    let deck = try collection.deck("d")
    let there = try collection.add(deck, "there", "x")
    try collection.store.operation("x") { db in
      let type = try NoteTypeTable.stock(db, .basic, now: 0)
      let receiver = try NoteReceiver(db, now: collection.now, isInterrupted: { false })
      for (number, id) in [there.rawValue, 12].enumerated() {
        let note = NoteRecord(
          id: NoteID(rawValue: Int64(number + 1)), guid: "g\(number)", type: type.id, modified: 1, tags: [],
          fields: ["f\(number)", "b"])
        _ = try receiver.receive(note, of: type, cards: [(id, 0)]) { _ in
          StoredCard(id: CardID(rawValue: id), ordinal: 0, deck: deck, rank: Int64(number), modified: 7)
        }
      }
      try receiver.flush()
      let reviews = try ReviewReceiver(db, of: receiver.cards)
      let answer = ForeignAnswer(ease: 3, interval: 5, lastInterval: 0, factor: 500, time: 1000, kind: 1)
      for (number, id) in [there.rawValue, 12].enumerated() {
        try reviews.receive(ReceivedReview(id: Int64(1000 + number), card: id, answer: answer))
      }
      try reviews.flush()
    }
    let cards = try collection.store.read { try CardTable.ids($0, in: deck) }
    #expect(cards.contains(there) && cards.contains(CardID(rawValue: 12)) && cards.count == 3)
    let other = try #require(cards.first { $0 != there && $0.rawValue != 12 })
    let log = try collection.store.read { db in
      try [there, other, CardID(rawValue: 12)].map { try SentReviews(db).of($0).map(\.id) }
    }
    #expect(log == [[], [1000], [1001]])
  }

  @Test func `answers with the same time get ids of their own, whatever ids are taken`() throws {
    let deck = try collection.deck("d")
    let card = try collection.add(deck, "a", "x")
    let review = LoggedReview(at: 1_600_000_000.5, rating: 3, state: .review, interval: 600)
    try collection.store.operation("x") { db in
      try CardTable.addLog(db, Array(repeating: review, count: 300), to: card)
      try CardTable.addLog(db, [LoggedReview(at: 1_600_000_000.4, rating: 3, state: .review, interval: 600)], to: card)
    }
    let ids = try collection.store.read { try SentReviews($0).of(card).map(\.id) }
    #expect(ids == [1_600_000_000_400] + Array(1_600_000_000_500..<1_600_000_000_800))
  }

  @Test func `two cards with the same guid cannot be in one deck`() throws {
    let ids = try ["a", "b"].map { try collection.add(collection.deck($0), $0, "x", guid: "g") }
    let target = try collection.deck("c")
    func move(_ ids: [CardID]) throws -> Int {
      try collection.store.operation("move") { try CardTable.move($0, ids, into: target, now: 0) }
    }
    #expect(problemCode { _ = try move(ids) } == "duplicate")
    #expect(try collection.prompts(target) == [])
    #expect(try move([ids[0], ids[0]]) == 1)
    #expect(problemCode { _ = try move([ids[1]]) } == "duplicate")
    #expect(try collection.prompts(target) == ["a"])
  }
}
