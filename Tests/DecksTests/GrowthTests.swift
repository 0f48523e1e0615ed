// What must not grow with the number of cards, by the plans of the statements that are run.

import Decks
import Storage
import TestDecks
import Testing
import Values

@Suite struct GrowthTests {
  private let collection = TestCollection()

  /// How SQLite runs the statements of a body that read cards.
  private func plans(_ body: (Database) throws -> Void) throws -> [(sql: String, plan: String)] {
    try collection.store.read { db in
      var statements: Set<String> = []
      db.trace { statements.insert($0) }
      try body(db)
      db.trace(nil)
      return try statements.filter { $0.contains("FROM cards") }.map { sql in
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
