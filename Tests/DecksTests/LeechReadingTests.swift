// Leeches of decks: found by their log, reported when they become one, with the cards they may be confused with.

import Memory
import Problems
import Templates
import TestDecks

@testable import Decks

@Suite struct LeechReadingTests {
  private let collection = TestCollection(hasUndo: true)

  /// Creates the notes; the first one's card is learnt and was answered with these ratings, each `days` after the
  /// last.
  private func deck(_ texts: [(String, String)], ratings: [Rating], days: Double) throws -> (DeckID, CardID) {
    let deck = try collection.deck("d")
    var first: CardID?
    for (prompt, answer) in texts {
      let card = try collection.add(deck, prompt, answer)
      first = first ?? card
    }
    let card = try #require(first)
    try collection.store.operation("x") { db in
      for (number, rating) in ratings.enumerated() {
        try db.execute(
          sql: "INSERT INTO reviews (card, at, rating, state, interval) VALUES (?, ?, ?, ?, 86400)",
          arguments: [
            card.rawValue, collection.now + Double(number) * days * 86_400, rating.rawValue, number == 0 ? 0 : 2,
          ])
      }
      let lapses = ratings.dropFirst().count { $0 == .again }
      let last = collection.now + Double(ratings.count - 1) * days * 86_400
      try db.execute(
        sql: """
          UPDATE cards SET state = 2, due = ?, stability = 2, difficulty = 8, lapses = ?, reps = ?, last_review = ?
          WHERE id = ?
          """, arguments: [last + days * 86_400, lapses, ratings.count, last, card.rawValue])
    }
    collection.now += Double(ratings.count) * days * 86_400
    return (deck, card)
  }

  private func leeches(_ deck: DeckID) throws -> [Leech] {
    try collection.store.read { try LeechReading.leeches($0, in: [deck], at: collection.moment) }
  }

  @Test func `a card that is forgotten after a day again and again is a leech, and one that is not is none`() throws {
    let forgotten: [Rating] = [.easy] + (0..<12).map { $0 % 2 == 0 ? .again : .good }
    let (deck, card) = try deck([("a", "x")], ratings: forgotten, days: 1)
    let found = try leeches(deck)
    #expect(found.map(\.card) == [card])
    #expect(found.first?.test.lapses == 6 && found.first?.test.answers == 12 && (found.first?.test.expected ?? 9) < 3)
  }

  @Test func `the model expects lapses after far too long intervals`() throws {
    let (deck, card) = try deck(
      [("a", "x")], ratings: [.good] + (0..<12).map { $0 % 2 == 0 ? .again : .good }, days: 120)
    #expect(try leeches(deck).isEmpty)
    let test = try collection.store.read {
      try LeechReading.test($0, card, DeckOptions(), at: collection.moment)
    }
    #expect(test.lapses == 6 && test.evidence < 10)
  }

  @Test func `a session marks a leech before the count of lapses does`() throws {
    let ratings: [Rating] = [.easy, .again, .good, .again, .good, .again, .good, .again, .good]
    let (deck, card) = try deck([("a", "x")], ratings: ratings, days: 1)
    let moment = collection.moment
    let session = try collection.store.read { try ReviewSession($0, .everything(deck), at: moment) }
    _ = try collection.store.read { try session.card($0, at: moment) }
    let result = try collection.store.operation("x") { try session.answer($0, .again, at: moment) }
    #expect(result.isLeech && result.schedule.lapses < 8)
    #expect(try collection.store.read { try CardTable.card($0, card)?.tags } == ["leech"])
    // It is reported once.
    collection.now += 2 * 86_400
    let next = collection.moment
    let later = try collection.store.read { try ReviewSession($0, .everything(deck), at: next) }
    _ = try collection.store.read { try later.card($0, at: next) }
    #expect(try collection.store.operation("x") { try later.answer($0, .again, at: next) }.isLeech == false)
  }

  @Test func `a typed wrong answer is stored with the answer, and removed with it`() throws {
    let texts = [("dog", "perro"), ("but", "pero"), ("window", "ventana"), ("wind", "viento")]
    let (deck, card) = try deck(texts, ratings: [.good], days: 1)
    func answer(_ typed: String) throws {
      let moment = collection.moment
      let session = try collection.store.read { try ReviewSession($0, .everything(deck), at: moment) }
      try collection.store.operation("x") { db in
        while let shown = try session.card(db, at: moment), shown.id != card { try session.bury(db, at: moment) }
        try session.answer(db, .again, at: moment, mistyped: typed)
      }
      collection.now += 2 * 86_400
    }
    func kept() throws -> [Mistype] { try collection.store.read { try MistypeTable.list($0, of: card) } }
    for typed in ["ventana", "Pero ", "pero", "pero", " ", String(repeating: "x", count: 201)] { try answer(typed) }
    let once = ["Pero", "ventana"].map { Mistype(text: $0, times: 1) }
    #expect(try kept() == [.init(text: "pero", times: 2)] + once)
    let near = try collection.store.read { db in
      let record = try #require(try CardTable.card(db, card))
      return try Confusions.findings(db, for: [record], in: [[deck]])[0].near.map { try CardTable.card(db, $0)?.prompt }
    }
    #expect(near == ["but", "window"])
    try collection.store.undo()
    try collection.store.undo()
    try collection.store.undo()
    #expect(try kept().first == .init(text: "pero", times: 1))
    for number in 0..<25 { try answer("number \(number)") }
    #expect(try kept().count == 20 && !kept().contains { $0.text == "pero" })
    try collection.store.operation("x") { _ = try CardTable.remove($0, [card]) }
    #expect(try kept().isEmpty)
  }

  @Test func `sides are compared up to 60 letters of any alphabet`() throws {
    let long = String(repeating: "слово", count: 11)
    let (deck, card) = try deck([(long, "a"), (long + "а", "b"), (long + long, "c")], ratings: [.good], days: 1)
    try collection.store.read { db in
      let record = try #require(try CardTable.card(db, card))
      #expect(try Confusions.findings(db, for: [record], in: [[deck]])[0].near.count == 1)
    }
  }

  @Test func `a typed sentence is not compared with sides that are too long`() throws {
    let sentence = String(repeating: "palabra ", count: 9)
    let (deck, card) = try deck([("dog", "perro"), ("words", sentence)], ratings: [.good], days: 1)
    try collection.store.execute(
      "INSERT INTO mistypes (card, text, times, at) VALUES (?, ?, 1, 1)", [card.rawValue, sentence + "otra"])
    try collection.store.read { db in
      let record = try #require(try CardTable.card(db, card))
      #expect(try Confusions.findings(db, for: [record], in: [[deck]])[0].near.isEmpty)
    }
  }

  @Test func `near prompts and same answers may be confused, and a sentence shows the word`() throws {
    let (deck, card) = try deck(
      [
        ("perro", "dog"), ("perra", "bitch"), ("pero", "but"), ("can", "dog"), ("ventana", "window"),
        ("El perro duerme bajo la mesa", "the dog sleeps under the table"),
        ("El perro de mi hermano ladra toda la noche sin parar", "..."), ("perros", "dogs"),
      ], ratings: [.good], days: 1)
    let other = try collection.deck("other")
    let again = try collection.add(other, "perro", "dog")
    try collection.store.read { db in
      let record = try #require(try CardTable.card(db, card))
      let found = try Confusions.findings(db, for: [record], in: [[deck, other]], limit: 9)[0]
      #expect(found.same == [again])
      let prompts = try found.near.map { try CardTable.card(db, $0)?.prompt ?? "" }
      #expect(Set(prompts) == ["perra", "pero", "perros", "can"] && prompts.last == "can", "\(prompts)")
      #expect(try Confusions.findings(db, for: [record], in: [[deck]], limit: 2)[0].near.count == 2)
      #expect(try Confusions.findings(db, for: [record], in: [[]])[0].sentence == "El perro duerme bajo la mesa")
      #expect(try Confusions.family(db, of: DeckTable.record(db, deck)) == [deck])
    }
  }
}
