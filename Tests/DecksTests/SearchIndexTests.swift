// The search index: the same results as without it, whatever happens to the cards and to its file.

import TestDecks

@testable import Decks

@Suite struct SearchIndexTests {
  let folder = TemporaryFolder()
  let collection: TestCollection

  init() { collection = TestCollection(path: folder.file("c.sqlite")) }

  private var path: String { folder.file(".search") }

  private func cache(_ isSaved: Bool = true) -> SearchCache {
    SearchCache(path: path, isSaved: isSaved, leastIndexed: 1, unsavedLimit: 0)
  }

  private func found(_ query: String, _ deck: DeckID, _ cache: SearchCache) throws -> [String] {
    cache.refresh(collection.store.changeCount, others: collection.store.otherChanges)
    return try collection.store.read { db in
      let found = try CardTable.found(
        db, in: deck, matching: CardQuery(query), at: collection.moment, cache)
      let cards = try CardTable.cards(db, ids: found.ids)
      for (card, position) in zip(cards, found.positions) {
        #expect(try CardTable.position(db, of: card.id) == position)
      }
      return cards.map(\.prompt)
    }
  }

  /// The cards that a query finds, each with its position in the deck.
  private func places(_ query: String, _ deck: DeckID, _ cache: SearchCache) throws -> [String] {
    cache.refresh(collection.store.changeCount, others: collection.store.otherChanges)
    return try collection.store.read { db in
      let found = try CardTable.found(
        db, in: deck, matching: CardQuery(query), at: collection.moment, cache)
      return zip(found.ids, found.positions).map { "\($0.rawValue) at \($1)" }
    }
  }

  private func edit(_ body: (Database) throws -> Void) throws { try collection.store.operation("x", body) }

  @Test func `added, changed, moved and removed cards are found in their current state, by this process and the next`()
    throws
  {
    let (deck, other) = (try collection.deck("d"), try collection.deck("e"))
    let first = try collection.add(deck, "el gato", "the cat")
    try collection.add(deck, "el perro", "the dog")
    let cache = cache()
    /// Checks the cards that contain "gat": with this process's cache, with the file and without an index.
    func gats(_ expected: [String], _ place: SourceLocation = #_sourceLocation) throws {
      #expect(try found("gat", deck, cache) == expected, sourceLocation: place)
      #expect(try found("gat", deck, self.cache()) == expected, sourceLocation: place)
      #expect(try found("gat", deck, SearchCache()) == expected, sourceLocation: place)
    }
    try gats(["el gato"])
    let second = try collection.add(deck, "La GÁTA", "x")
    try gats(["La GÁTA", "el gato"])
    try edit { try CardTable.move($0, first, to: 1) }
    try gats(["el gato", "La GÁTA"])
    try edit { try CardTable.update($0, first, prompt: "el zorro", now: 1) }
    try gats(["La GÁTA"])
    try edit { try CardTable.update($0, first, answer: "gatito", now: 1) }
    try gats(["el zorro", "La GÁTA"])
    try collection.add(deck, "gatas", "y")
    try edit { try CardTable.update($0, first, tags: ["ga"], now: 1) }
    try gats(["gatas", "el zorro", "La GÁTA"])
    #expect(try found("tag:ga", deck, cache) == ["el zorro"] && found("tag:g", deck, cache) == [])
    #expect(try found("gat -tag:ga", deck, cache) == ["gatas", "La GÁTA"])
    #expect(try found("gat is:new -prompt:la*", deck, cache) == ["gatas", "el zorro"])
    try edit { _ = try CardTable.remove($0, [second]) }
    try gats(["gatas", "el zorro"])
    try edit { _ = try CardTable.move($0, [first], into: other, now: 1) }
    try gats(["gatas"])
    #expect(try found("gat", other, cache) == ["el zorro"])
  }

  @Test func `for any query the index finds what reading each card finds, in the same order`() throws {
    let (deck, other) = (try collection.deck("d"), try collection.deck("e"))
    let animals = ["gato", "perro", "zorro", "vaca", "pájaro"]
    for (deck, first) in [(deck, 0), (other, 700)] {
      let cards = (first..<first + 700).map { number in
        NewCard(
          prompt: "\(animals[number % 5]) \(number)", answer: number % 3 == 0 ? "beast" : "animal \(number)",
          tags: number % 7 == 0 ? ["seven"] : [])
      }
      #expect(try collection.addAll(deck, cards).added == 700)
    }
    let cache = cache()
    for query in [
      "gato or perro", "answer:beast", "answer:beast or tag:seven", "not answer:animal", "-gato -perro",
      "gato (answer:beast or tag:seven)", "prompt:*99*", "is:new \"gato 5\"", "is:new gato", "gato or is:due",
      "not is:new", "not (gato is:new)", "answer:?east", "tag:seven answer:beast is:new", "*", "prompt:* gato",
      "nothing at all",
    ] {
      for deck in [deck, other] {
        let expected = try places(query, deck, SearchCache(leastIndexed: .max))
        #expect(try places(query, deck, cache) == expected, "\(query)")
        // Once more, from the cache.
        #expect(try places(query, deck, cache) == expected, "\(query)")
      }
    }
    // Ids so far apart that no bit set is built for them.
    try edit { try $0.execute(sql: "UPDATE cards SET id = 5 WHERE id = (SELECT max(id) FROM cards WHERE deck = 1)") }
    #expect(try places("answer:beast", deck, self.cache(false)).count == 234)
  }

  @Test func `a search with the index can be interrupted too`() throws {
    let deck = try collection.deck("d")
    for number in 0..<50 { try collection.add(deck, "word \(number)", "answer") }
    let cache = cache()
    #expect(try found("word", deck, cache).count == 50)
    let query = try CardQuery("word or answer:answer", isInterrupted: { true })
    #expect(throws: DeckError.interrupted) {
      try collection.store.read { db in
        try CardTable.found(db, in: deck, matching: query, at: collection.moment, cache)
      }
    }
  }

  @Test func `undone changes are forgotten, and reused ids belong to other cards`() throws {
    let deck = try collection.deck("d")
    try collection.add(deck, "uno", "one")
    let cache = cache()
    #expect(try found("uno", deck, cache) == ["uno"])
    let store = collection.store
    store.beginUnit()
    try collection.add(deck, "dos", "two")
    #expect(try found("dos", deck, cache) == ["dos"])
    try store.rollbackUnit()
    #expect(try found("dos", deck, cache) == [])
    try collection.add(deck, "tres", "three")
    #expect(try found("dos", deck, cache) == [] && found("tres", deck, cache) == ["tres"])
    #expect(try found("tres", deck, self.cache()) == ["tres"])
  }

  @Test func `a card that got an id above all that were given is found once`() throws {
    let deck = try collection.deck("d")
    let first = try collection.add(deck, "el gato", "the cat")
    let second = try collection.add(deck, "el perro", "the dog")
    let cache = cache()
    #expect(try found("gato", deck, cache) == ["el gato"])
    try edit { db in
      let card = try #require(try SyncedCards.stored(db, first))
      try CardTable.renumber(db, card, to: CardID(rawValue: second.rawValue + 1000))
    }
    for prompt in ["la vaca", "el zorro"] {
      try edit { try CardTable.update($0, second, prompt: prompt, now: 1) }
      #expect(try found("gato", deck, cache) == ["el gato"])
    }
  }

  @Test func `the log holds the latest changes; an older index is rebuilt`() throws {
    let deck = try collection.deck("d")
    let card = try collection.add(deck, "uno", "one")
    #expect(try found("uno", deck, cache()) == ["uno"])
    try edit { db in
      for number in 0..<5000 { try CardTable.update(db, card, prompt: "n\(number)", now: 1) }
    }
    #expect(try collection.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM undo_search_log") } == 4096)
    #expect(try found("n4999", deck, cache(false)) == ["n4999"] && found("uno", deck, cache(false)) == [])
    try edit { try SearchLog.forget($0) }
    #expect(try found("n4999", deck, cache()) == ["n4999"])
  }

  @Test func `a damaged file is ignored and rewritten`() throws {
    let deck = try collection.deck("d")
    for number in 0..<20 { try collection.add(deck, "word \(number)", "answer") }
    #expect(try found("\"word 7\"", deck, cache()) == ["word 7"])
    let whole = try #require(contents(of: path))
    var generator = TestGenerator(3)
    for round in 0..<200 {
      var bytes = whole
      if round % 2 == 0 {
        bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
      } else {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
      }
      try writeFile(bytes, to: path)
      #expect(try found("\"word 7\"", deck, cache(round % 4 == 0)) == ["word 7"])
    }
    try writeFile(whole, to: path)
    let index = SearchIndex()
    #expect(index.load(path) && index.cards.count == 20)
  }
}
