// Stepping back within a session, as far as it keeps its steps, and what is left when all cards are hidden.

import Memory
import Problems
import TestDecks

@Suite struct SessionStepsTests {
  private let collection = TestCollection(hasUndo: true)
  private var moment: StudyMoment { collection.moment }

  @Test func `a session counts its steps and can go back as many as it keeps`() throws {
    let deck = try collection.deck("a")
    _ = try collection.addAll(deck, (0..<5).map { NewCard(prompt: "\($0)", answer: "x") })
    let session = try collection.store.read { try ReviewSession($0, StudySelection([deck]), at: moment) }
    _ = try collection.store.operation("x") { try session.answer($0, .easy, at: moment) }
    try collection.store.operation("x") { try session.bury($0, at: moment) }
    try collection.store.operation("x") { try session.suspend($0, at: moment) }
    #expect(session.actionCount == 3 && session.pastCount == 3)
    for left in [2, 1, 0] {
      try collection.undo(session)
      #expect(session.actionCount == left && session.pastCount == left)
    }
    #expect(try collection.store.read { try session.card($0, at: moment)?.prompt } == "0")
    #expect(problemCode { try session.stepBack() } == "nothing_to_undo")
    while let card = try collection.store.read({ try session.card($0, at: moment) }) {
      try collection.store.operation("x") { try session.suspend($0, at: moment) }
      #expect(try collection.store.read { try CardTable.card($0, card.id)?.isSuspended } == true)
    }
    #expect(problemCode { try collection.store.operation("x") { try session.bury($0, at: moment) } } == "over")
  }

  @Test func `a new day brings its cards and limits after the card that is shown; stepping back goes over it`() throws {
    let deck = try collection.deck("a")
    try collection.fill(deck, (0..<6).map { "\($0)" })
    try collection.set(deck, .newPerDay, "2")
    let session = try collection.store.read { try ReviewSession($0, deck: deck, at: moment) }
    let limited = try collection.store.read { try ReviewSession($0, deck: deck, limit: 2, at: moment) }
    func shown(_ moment: StudyMoment) throws -> String? {
      try collection.store.read { try session.card($0, at: moment)?.prompt }
    }
    func answer(_ moment: StudyMoment) throws -> ReviewResult {
      try collection.store.operation("x") { try session.answer($0, .easy, at: moment) }
    }
    _ = try answer(moment)
    try collection.store.operation("x") { try session.bury($0, at: moment) }
    #expect(try shown(moment) == nil && session.isOver)
    let second = StudyMoment(now: moment.endOfToday)
    #expect(try shown(second) == "1" && session.newCount == 2)
    #expect(try answer(second).remaining == 1 && shown(second) == "2")
    let third = StudyMoment(now: second.endOfToday)
    #expect(try shown(third) == "2" && session.newCount == 1)
    #expect(try answer(third).remaining == 1 && shown(third) == "3")
    for _ in 0..<4 { try collection.undo(session) }
    #expect(try shown(third) == "0" && session.newCount == 2)
    #expect(try answer(third).remaining == 1 && shown(third) == "1")
    #expect(!limited.isOutdated(at: third))
  }
}

@Suite struct SessionLimitTests {
  private let collection = TestCollection()
  private var moment: StudyMoment { collection.moment }

  @Test func `a card due much later today does not use up the limit for waiting cards`() throws {
    let deck = try collection.deck("a")
    _ = try collection.addAll(deck, ["1", "2", "3"].map { NewCard(prompt: $0, answer: "x") })
    try collection.set(deck, .learningSteps, "1m 3h")
    let first = try collection.session(deck)
    _ = try collection.store.operation("x") { try first.answer($0, .good, at: moment) }
    for limit in 1...4 {
      let session = try collection.session(deck, limit: limit)
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
    try collection.store.execute(
      "UPDATE cards SET state = 2, due = ?, stability = 9, difficulty = 5, last_review = ?",
      [moment.start(ofDay: moment.today), collection.now - 9 * 86_400])
    try collection.set(deck, .reviewsPerDay, "2")
    try collection.store.execute(
      """
      INSERT INTO reviews (card, at, rating, state, interval, ivl, last_ivl, factor, time, kind)
      SELECT id, ?, ?, 2, 864000, 10, 9, 0, 0, ? FROM cards
      """, [collection.now - 60, rating, kind])
    #expect(try collection.store.read { try StudyCounts.of($0, deck, at: moment) }.due == left)
  }
}
