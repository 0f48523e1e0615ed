// Which cards use up a session's limit and a day's limit, and which do not.

import Decks
import Memory
import Problems
import Storage
import TestDecks
import Testing

@Suite struct SessionLimitTests {
  private let collection = TestCollection()
  private var moment: StudyMoment { StudyMoment(now: collection.now) }

  private func session(_ deck: DeckID, limit: Int? = nil) throws -> ReviewSession {
    try collection.store.read { try ReviewSession($0, deck: deck, limit: limit, at: moment) }
  }

  @Test func `a card due much later today does not use up the limit for waiting cards`() throws {
    let deck = try collection.deck("a")
    _ = try collection.addAll(deck, ["1", "2", "3"].map { NewCard(prompt: $0, answer: "x") })
    try collection.set(deck, .learningSteps, "1m 3h")
    let first = try session(deck)
    _ = try collection.store.operation("x") { try first.answer($0, .good, at: moment) }
    for limit in 1...4 {
      let session = try session(deck, limit: limit)
      #expect((session.remaining, session.newCount) == (min(2, limit), min(2, limit)))
      #expect((session.nextDue != nil) == (limit > 2))
      #expect(try collection.store.read { try StudyCounts.of($0, deck, limit: limit, at: moment) }.new == min(2, limit))
    }
  }

  @Test(arguments: [(0, 5, 2), (3, 3, 2), (3, 1, 0)])
  func `cards that Anki rescheduled or only previewed do not count as today's reviews`(
    rating: Int, kind: Int, left: Int
  ) throws {
    let deck = try collection.deck("a")
    _ = try collection.addAll(deck, ["1", "2", "3"].map { NewCard(prompt: $0, answer: "x") })
    try collection.store.operation("x") {
      try $0.execute(
        sql: "UPDATE cards SET state = 2, due = ?, stability = 9, difficulty = 5, last_review = ?",
        arguments: [moment.start(ofDay: moment.today), collection.now - 9 * 86_400])
    }
    try collection.set(deck, .reviewsPerDay, "2")
    try collection.store.operation("x") {
      try $0.execute(
        sql: """
          INSERT INTO reviews (card, at, rating, state, interval, ivl, last_ivl, factor, time, kind)
          SELECT id, ?, ?, 2, 864000, 10, 9, 0, 0, ? FROM cards
          """, arguments: [collection.now - 60, rating, kind])
    }
    #expect(try collection.store.read { try StudyCounts.of($0, deck, at: moment) }.due == left)
  }
}
