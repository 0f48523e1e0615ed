// Cards made due on a day or new again, without an answer.

import Memory
import Problems
import TestDecks
import Values

@testable import Decks

@Suite struct ReschedulingTests {
  private let collection = TestCollection()
  private var moment: StudyMoment { collection.moment }

  private func log() throws -> [[Value]] {
    try collection.store.read {
      try $0.rows("SELECT rating, state, interval, round(difficulty, 3) FROM reviews ORDER BY id") { $0.values }
    }
  }

  private func setDue(_ id: CardID, _ days: Int) throws {
    try collection.store.operation("x") { try Rescheduling.setDue($0, id, in: days, at: moment) }
  }

  private func answer(_ id: CardID, _ rating: Rating) throws {
    try collection.store.operation("x") { db in
      var replay = try AnswerReplay(db, at: moment)
      _ = try replay.enter(id, rating, at: moment, seconds: 5)
    }
  }

  @Test(
    arguments: [
      ("0", 0...0), ("12", 12...12), ("3-7", 3...7), ("7-3", 3...7), ("5!", 5...5), (" 2-2! ", 2...2),
      ("2023-11-20", 6...6), ("36500", 36_500...36_500),
    ] as [(String, ClosedRange<Int>)])
  func `days are numbers, ranges or dates`(text: String, days: ClosedRange<Int>) throws {
    #expect(try Rescheduling.days(text, at: moment) == days)
  }

  @Test(
    arguments: [
      "", "!", "-1", "1-", "1-2-3", "+1", "1-+2", "x", "1.5", "2023-11-13", "2023-13-01", "36501",
      "99999999999999999999",
    ])
  func `anything else is no day`(text: String) throws {
    #expect(problemCode { _ = try Rescheduling.days(text, at: moment) } == "bad_due")
  }

  @Test func `a new card becomes a learnt one, with the memory that the interval implies`() throws {
    let id = try collection.add(collection.deck("d"), "a", "b")
    try setDue(id, 10)
    let known = MemoryModel().state(ease: 2.5, interval: 10)
    let card = try collection.card(id)
    #expect(card.state == .review && card.stability == known.stability && card.difficulty == known.difficulty)
    #expect(card.due == moment.start(ofDay: moment.today + 10) && card.schedule.interval == 10 && card.reps == 0)
    #expect(card.schedule.lastReview == moment.start(ofDay: moment.today))
    #expect(try log().map { Array($0.prefix(3)) } == [[.integer(0), .integer(0), .number(864_000)]])
    try setDue(id, 0)
    #expect(try collection.card(id).due == moment.start(ofDay: moment.today))
    #expect(try collection.card(id).stability == known.stability)
  }

  @Test func `a learnt card keeps its memory, and is shown again`() throws {
    let id = try collection.add(collection.deck("d"), "a", "b")
    try answer(id, .easy)
    let before = try collection.card(id).schedule
    collection.now += 3 * 86_400
    try collection.store.operation("x") { db in
      try CardHiding.setSuspended(db, [id], true, now: moment.now)
      try CardHiding.bury(db, [id], at: moment)
    }
    try setDue(id, 4)
    let card = try collection.card(id)
    #expect(!card.isSuspended && card.buriedUntil == nil && card.modified == collection.now)
    #expect(card.stability == before.stability && card.difficulty == before.difficulty && card.reps == before.reps)
    #expect(card.schedule.lastReview == before.lastReview && moment.interval(of: card.schedule) == 7)
    #expect(card.due == moment.start(ofDay: moment.today + 4))
    let row = try #require(try log().last)
    #expect(row.prefix(3) == [.integer(0), .integer(2), .number(7 * 86_400)] && row[3] != .null)
  }

  @Test func `a card that is being learnt is learnt, one that is relearnt keeps its memory`() throws {
    let deck = try collection.deck("d")
    let (new, old) = (try collection.add(deck, "a", "b"), try collection.add(deck, "c", "d"))
    try answer(new, .again)
    try answer(old, .easy)
    collection.now += 30 * 86_400
    try answer(old, .again)
    let memory = try collection.card(old).stability
    for id in [new, old] { try setDue(id, 2) }
    #expect(
      try collection.card(new).state == .review && collection.card(old).state == .review
        && collection.card(old).stability == memory)
    #expect(try collection.card(new).stability == MemoryModel().state(ease: 2.5, interval: 2).stability)
  }

  @Test func `a forgotten card is new, at the end of the deck, and its earlier answers no longer count`() throws {
    let deck = try collection.deck("d")
    let ids = try ["c", "b", "a"].map { try collection.add(deck, $0, "x") }
    try answer(ids[2], .good)
    collection.now += 5 * 86_400
    try collection.store.operation("x") { db in
      try CardHiding.setSuspended(db, [ids[2]], true, now: moment.now)
      try Rescheduling.forget(db, ids[2], keepsPosition: false, resetsCounts: false, at: moment)
    }
    #expect(try collection.prompts(deck) == ["b", "c", "a"])
    let card = try collection.card(ids[2])
    #expect(card.state == .new && card.due == nil && card.stability == nil && card.reps == 1 && !card.isSuspended)
    try card.schedule.check()
    #expect(try log().last == [.integer(0), .integer(1), .number(0), .null])
    collection.now += 86_400
    try answer(ids[2], .good)
    #expect(try collection.card(ids[2]).stability == MemoryModel().initial(.good).stability)
    let history = try collection.store.read { try ReviewHistory($0, at: moment) }
    #expect(history.cardCount == 2 && history.days == [0, 0])
    try collection.store.operation("x") { db in
      try Rescheduling.forget(db, ids[1], keepsPosition: true, resetsCounts: true, at: moment)
      try Rescheduling.forget(db, ids[2], keepsPosition: true, resetsCounts: true, at: moment)
    }
    #expect(try collection.prompts(deck) == ["b", "c", "a"] && collection.card(ids[2]).reps == 0)
    #expect(throws: DeckError.self) { try setDue(CardID(rawValue: 7), 1) }
  }
}
