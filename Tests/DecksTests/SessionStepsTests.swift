// Stepping back within a session, as far as it keeps its steps, and what is left when all cards are hidden.

import Decks
import Memory
import Problems
import Storage
import TestDecks
import Testing

@Suite struct SessionStepsTests {
  private let collection = TestCollection(hasUndo: true)
  private var moment: StudyMoment { StudyMoment(now: collection.now) }

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
