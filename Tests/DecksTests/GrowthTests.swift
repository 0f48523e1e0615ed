// Costs that must not grow with the number of cards and answers, checked by the query plans of the statements.

import Memory
import TestDecks
import Values

@Suite struct GrowthTests {
  private let collection = TestCollection()

  /// Returns how SQLite runs the statements of a body that read a table.
  private func plans(
    of table: String = "cards", writing: Bool = false, _ body: (Database) throws -> Void
  ) throws -> [(sql: String, plan: String)] {
    func traced(_ db: Database) throws -> [(sql: String, plan: String)] {
      var statements: Set<String> = []
      db.trace { statements.insert($0) }
      try body(db)
      db.trace(nil)
      return try statements.filter { $0.contains("FROM \(table)") }.map { sql in
        (
          sql,
          try db.rows("EXPLAIN QUERY PLAN " + sql) { $0["detail"].text ?? "" }.joined(separator: "; ")
        )
      }
    }
    return try writing ? collection.store.operation("test", traced) : collection.store.read(traced)
  }

  @Test func `an existing card is found by its guid without scanning the deck`() throws {
    let deck = try collection.deck("d")
    let found = try plans(of: "notes", writing: true) { db in
      let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: collection.now, random: collection.random)
      for _ in 0..<2 { try batch.add(NewCard(prompt: "p", answer: "a", guid: "g")) }
      _ = try batch.finish()
    }.filter { $0.sql.contains("cards") }
    #expect(!found.isEmpty)
    for (sql, plan) in found { #expect(plan.contains("cards_note") && !plan.contains("(deck"), "\(sql): \(plan)") }
  }

  @Test func `a batch that updates searches once for the cards that had a prompt before, however many have it`() throws
  {
    let deck = try collection.deck("d")
    let searches = try collection.store.operation("test") { db in
      let batch = try CardBatch(db, deck: deck, onDuplicate: .update, now: collection.now, random: collection.random)
      var count = 0
      db.trace { if $0.contains("content BETWEEN") { count += 1 } }
      for number in 0..<10 { try batch.add(NewCard(prompt: "p", answer: "\(number)")) }
      db.trace(nil)
      return count
    }
    // Twice for each card with its answer, and once with the prompt alone.
    #expect(searches <= 21)
  }

  @Test func `all decks are listed with the same number of statements, however many there are`() throws {
    let moment = collection.moment
    func lists() throws -> [Int] {
      try collection.store.read { db in
        let decks = try DeckTable.list(db).map(\.id)
        var selection = StudySelection(decks)
        selection.isCram = true
        let readers: [(Database) throws -> Void] = [
          { _ = try ReviewHistory($0, decks: decks, at: moment) }, { _ = try StudyOutlook($0, decks, at: moment) },
          { _ = try DeckStatistics($0, decks: decks, at: moment) },
          { _ = try ReviewSession($0, selection, at: moment) },
        ]
        return try readers.map { read in
          var count = 0
          db.trace { if $0.hasSuffix(" FROM decks"), $0.contains("studied") { count += 1 } }
          try read(db)
          db.trace(nil)
          return count
        }
      }
    }
    for name in ["a::b", "c"] { _ = try collection.deck(name) }
    let few = try lists()
    #expect(few.allSatisfy { $0 > 0 })
    for number in 0..<20 { _ = try collection.deck("a::b::\(number)") }
    #expect(try lists() == few)
  }

  @Test func `the counts of one deck are read without reading the decks outside of it`() throws {
    for name in ["a::b", "a::c", "a;", "d"] { _ = try collection.deck(name) }
    let deck = try collection.store.read { try DeckTable.find($0, named: "a") }.id
    let found = try plans(of: "decks") { _ = try StudyCounts.of($0, deck, at: collection.moment) }
      // Goals are searched for in all decks, by SQLite alone.
      .filter { !$0.sql.contains("goal") }
    #expect(found.count > 2)
    for (sql, plan) in found { #expect(!plan.contains("SCAN decks"), "\(sql): \(plan)") }
    #expect(try collection.store.read { try DeckTable.within($0, deck) }.map(\.name) == ["a::b", "a::c"])
  }

  @Test func `a query is evaluated once in all decks of a large collection, and finds what it finds in each deck`()
    throws
  {
    let moment = collection.moment
    let cache = SearchCache()
    func add(_ range: Range<Int>) throws -> [DeckID] {
      try range.map { number in
        let deck = try collection.deck("d\(number)")
        for text in ["el gato", "x\(number)", "otro gato"] { try collection.add(deck, text, "a") }
        return deck
      }
    }
    func count(_ decks: [DeckID], _ text: String) throws -> Int {
      let query = try CardQuery(text)
      return try collection.store.read { db in
        var count = 0
        db.trace { _ in count += 1 }
        let found = try cache.found(db, in: decks, matching: query, at: moment)
        db.trace(nil)
        for deck in decks {
          let one = try CardTable.found(db, in: deck, matching: query, at: moment)
          let (ids, positions) = found[deck] ?? ([], [])
          #expect(ids == one.ids)
          #expect(positions == one.positions)
        }
        return count
      }
    }
    var decks = try add(0..<20)
    let texts = ["gato", "is:new", "x7", "deck:d3", "nothing"]
    let few = try texts.map { try count(decks, $0) }
    decks += try add(20..<40)
    #expect(try texts.map { try count(decks, $0) } == few)
  }

  @Test func `the query of a session, a sprint or statistics is evaluated once, however many decks there are`() throws {
    let (query, moment) = (try CardQuery("gato"), collection.moment)
    func add(_ range: Range<Int>) throws {
      for number in range { try collection.add(collection.deck("d\(number)"), "el gato", "x") }
    }
    func count() throws -> Int {
      try collection.store.read { db in
        var selection = StudySelection(try DeckTable.list(db).map(\.id))
        selection.query = query
        var count = 0
        db.trace { if $0.contains("FROM card_rows") { count += 1 } }
        #expect(try CardTable.stack(db, selection, at: moment).count == selection.decks.count)
        #expect(try ReviewSession(db, selection, at: moment).remaining == selection.decks.count)
        #expect(try DeckStatistics(db, query: query, at: moment).cards.all == selection.decks.count)
        db.trace(nil)
        return count
      }
    }
    try add(0..<2)
    let few = try count()
    #expect(few > 0)
    try add(2..<6)
    #expect(try count() == few)
  }

  @Test func `starting a session and counting a list do not read cards that are not due today`() throws {
    let deck = try collection.deck("d")
    for number in 0..<30 { try collection.add(deck, "p\(number)", "a") }
    let moment = collection.moment
    let found = try plans { db in
      _ = try ReviewSession(db, deck: deck, at: moment).card(db, at: moment)
      _ = try StudyCounts.all(db, at: moment)
    }
    #expect(found.count > 3)
    for (sql, plan) in found {
      // By rank or content SQLite would walk every card of the deck.
      let isNarrow = !plan.contains("SCAN cards") && !plan.contains("cards_rank") && !plan.contains("cards_content")
      #expect(isNarrow, "\(sql): \(plan)")
    }
  }

  @Test func `the log is read for fitting from one index, without sorting, after one pass for previews`() throws {
    let deck = try collection.deck("d")
    let found = try plans(of: "reviews") { db in
      _ = try ReviewHistory(db, decks: [deck], at: collection.moment)
    }
    // Counted to reserve memory, then read.
    let (previews, others) = (found.filter { $0.sql.contains("kind") }, found.filter { !$0.sql.contains("kind") })
    #expect(previews.count == 1 && previews.allSatisfy { !$0.plan.contains("TEMP B-TREE") } && others.count == 2)
    for (sql, plan) in others {
      let index = sql.contains("count(*)") ? "COVERING INDEX" : "COVERING INDEX reviews_card"
      #expect(plan.contains(index) && !plan.contains("TEMP B-TREE"), "\(sql): \(plan)")
    }
  }

  @Test func `whether a learnt card belongs to a session is read from the index, without its row`() throws {
    let deck = try collection.deck("d")
    let moment = collection.moment
    let found = try plans { _ = try ReviewSession($0, deck: deck, at: moment) }.filter { $0.plan.contains("cards_due") }
    #expect(found.count > 1)
    for (sql, _) in found {
      let condition = try #require(sql.firstRange(of: "WHERE deck"))
      let plan = try collection.store.read { db in
        try db.rows("EXPLAIN QUERY PLAN SELECT 1 FROM cards " + sql[condition.lowerBound...]) {
          $0["detail"].text ?? ""
        }
      }
      #expect(plan.contains { $0.contains("COVERING INDEX cards_due") }, "\(sql): \(plan)")
    }
  }

  @Test func `moving a card reads only its neighbours`() throws {
    let deck = try collection.deck("d")
    var ids: [CardID] = []
    for number in 0..<30 { ids.append(try collection.add(deck, "p\(number)", "a")) }
    let before = try collection.store.read { try Int.fetchOne($0, sql: "SELECT total_changes()") } ?? 0
    try collection.store.operation("move") { try CardTable.move($0, ids[3], to: 12) }
    let after = try collection.store.read { try Int.fetchOne($0, sql: "SELECT total_changes()") } ?? 0
    #expect(after - before == 1)
  }
}
