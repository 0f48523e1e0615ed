// What must not grow with the number of cards and answers, by the plans of the statements that are run, and by
// processor time beside a reference of the same run.

import Decks
import Memory
import Storage
import TestDecks
import TestSupport
import Testing
import Values

@Suite struct GrowthTests {
  private let collection = TestCollection()

  /// How SQLite runs the statements of a body that read a table.
  private func plans(
    of table: String = "cards", _ body: (Database) throws -> Void
  ) throws -> [(sql: String, plan: String)] {
    try collection.store.read { db in
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
  }

  @Test func `a session begins, and a list counts, without a look at cards that are not due today`() throws {
    let deck = try collection.deck("d")
    for number in 0..<30 { try collection.add(deck, "p\(number)", "a") }
    let moment = StudyMoment(now: collection.now)
    let found = try plans { db in
      _ = try ReviewSession(db, deck: deck, at: moment).card(db, at: moment)
      _ = try StudyCounts.all(db, at: moment)
    }
    #expect(found.count > 3)
    for (sql, plan) in found {
      // By rank or content every card of the deck would be walked past.
      let isNarrow = !plan.contains("SCAN cards") && !plan.contains("cards_rank") && !plan.contains("cards_content")
      #expect(isNarrow, "\(sql): \(plan)")
    }
  }

  @Test func `the log is read for fitting from one index, without sorting it and without its rows`() throws {
    let deck = try collection.deck("d")
    let found = try plans(of: "reviews") { db in
      _ = try ReviewHistory(db, decks: [deck], at: StudyMoment(now: collection.now))
    }
    #expect(found.count == 1)
    for (sql, plan) in found {
      #expect(plan.contains("COVERING INDEX reviews_card") && !plan.contains("TEMP B-TREE"), "\(sql): \(plan)")
    }
  }

  @Test func `the first card of a session takes a fraction of looking at each card that is due`() throws {
    let deck = try collection.deck("d")
    _ = try collection.addAll(deck, (0..<20_000).map { NewCard(prompt: "p\($0)", answer: "a") })
    try collection.store.operation("learning") { db in
      try db.execute(
        sql:
          "UPDATE cards SET state = 2, stability = 9, difficulty = 5, reps = 3, due = ?1 - id, last_review = ?1 - 9e5",
        arguments: [collection.now - 86_400])
    }
    let moment = StudyMoment(now: collection.now)
    func seconds(_ body: (Database) throws -> Void) throws -> Double {
      try collection.store.read { db in
        let start = processorSeconds()
        for _ in 0..<5 { try body(db) }
        return processorSeconds() - start
      }
    }
    let look = "SELECT sum(length(prompt)) FROM cards INDEXED BY cards_due WHERE deck = ? AND state > 0"
    let all = try seconds { _ = try Int.fetchOne($0, sql: look, arguments: [deck.rawValue]) }
    let first = try seconds { _ = try ReviewSession($0, deck: deck, at: moment).card($0, at: moment) }
    #expect(first < all, "\(first) s, and \(all) s")
  }

  @Test func `a card is moved by its neighbours alone`() throws {
    let deck = try collection.deck("d")
    var ids: [CardID] = []
    for number in 0..<30 { ids.append(try collection.add(deck, "p\(number)", "a")) }
    let before = try collection.store.read { try Int.fetchOne($0, sql: "SELECT total_changes()") } ?? 0
    try collection.store.operation("move") { try CardTable.move($0, ids[3], to: 12) }
    let after = try collection.store.read { try Int.fetchOne($0, sql: "SELECT total_changes()") } ?? 0
    #expect(after - before == 1)
  }
}
