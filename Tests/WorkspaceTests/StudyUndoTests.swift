// Undo in a study session: it undoes the step of the undo log, inside and outside a unit of work.

import Decks
import Memory
import Problems
import TestDecks
import TestWorkspace

@testable import Workspace

/// Changes each card that is answered, and makes a deck of its name.
private final class Marker: WorkspaceObserver {
  let observesWords = false
  var observesWordsDidChange: (() -> Void)?

  func notify(_ event: WorkspaceEvent) throws {
    guard case .cardAnswered(let card, _) = event else { return }
    try card.workspace.cards.setFlag([card], to: 3)
    _ = try card.workspace.decks.create(card.record().prompt)
  }
}

@Suite struct StudyUndoTests {
  private let person = Person()
  private let workspace: Workspace
  private let deck: DeckHandle

  init() throws {
    workspace = try person.workspace()
    deck = try workspace.decks.create("Spanish")
    for word in ["el gato", "el perro"] { _ = try deck.add(NewCard(prompt: word, answer: "x"), at: .bottom) }
  }

  private func study() throws -> SessionHandle { try deck.study(SessionHandle.Options(workspace.preferences())) }

  private func names() throws -> [String] { try workspace.care.steps().filter { !$0.isUndone }.map(\.name) }

  private var added: [String] { Array(repeating: "adding 1 card to Spanish", count: 2) + ["creating the deck Spanish"] }

  /// The number of answers in the log.
  private func reviews() throws -> Int { try deck.statistics().days.reduce(0) { $0 + $1.answers } }

  @Test func `it undoes the step, and undoing once more does not bring the answer back`() throws {
    let session = try study()
    try session.answer(.good)
    #expect(try names() == ["answering \"el gato\": good"] + added)
    try session.undo()
    #expect(try names() == added)
    #expect(try session.card()?.record().prompt == "el gato")
    try session.answer(.again)
    try session.suspend()
    #expect(try names() == ["editing \"el perro\"", "answering \"el gato\": again"] + added)
    try session.undo()
    try session.undo()
    #expect(try names() == added && reviews() == 0)
    #expect(try (session.progress().right, session.progress().wrong, session.progress().remaining) == (0, 0, 2))
    #expect(problemCode { try session.undo() } == "nothing_to_undo")
    try workspace.care.undo()
    #expect(try deck.count() == 1)
  }

  @Test func `what a listener changed is undone with the answer, and not if the answer cannot be undone`() throws {
    workspace.observer = Marker()
    let session = try study()
    try session.answer(.good)
    #expect(try names().count == added.count + 3)
    try session.undo()
    #expect(try names() == added && reviews() == 0 && workspace.decks.all().count == 1)
    try session.answer(.good)
    _ = try workspace.cards.remove([try #require(try deck.card(at: 1))])
    #expect(problemCode { try session.undo() } == "undo_conflict")
    #expect(try names().count == added.count + 4)
  }

  @Test func `in a unit, what a listener changed is undone with the answer`() throws {
    workspace.observer = Marker()
    try workspace.beginUnit()
    let session = try study()
    for _ in 0..<2 { try session.answer(.good) }
    try session.undo()
    #expect(try workspace.decks.all().count == 2 && reviews() == 1)
    try session.undo()
    try workspace.commitUnit()
    #expect(try names() == added && reviews() == 0 && workspace.decks.all().count == 1)
  }

  @Test func `in a unit it rolls back its part, also for a card that is new in the unit`() throws {
    try workspace.beginUnit()
    _ = try deck.add(NewCard(prompt: "la casa", answer: "x"), at: .top)
    let session = try study()
    for _ in 0..<3 { try session.answer(.easy) }
    for _ in 0..<2 { try session.undo() }
    #expect(try reviews() == 1)
    #expect(try session.card()?.record().prompt == "el gato")
    try session.undo()
    #expect(try reviews() == 0)
    try workspace.commitUnit()
    try workspace.care.undo()
    #expect(try deck.count() == 2)
    #expect(try workspace.care.integrityProblems() == [])
  }

  @Test func `a unit that answered and undid the answer makes no step`() throws {
    let session = try study()
    try workspace.beginUnit()
    try session.answer(.good)
    try session.undo()
    try workspace.commitUnit()
    #expect(try names() == added)
  }

  @Test func `in a later unit it undoes the step of the earlier one, and only the answer of a longer one`() throws {
    let session = try study()
    try workspace.beginUnit()
    try session.answer(.good)
    try workspace.commitUnit()
    try workspace.beginUnit()
    try session.undo()
    try workspace.commitUnit()
    #expect(try names() == added && reviews() == 0)
    try workspace.beginUnit()
    try session.answer(.good)
    try deck.rename(to: "Español")
    try workspace.commitUnit()
    try session.undo()
    #expect(try names().first == "undoing an answer")
    #expect(try reviews() == 0 && deck.record().name == "Español")
    try workspace.care.undo()
    #expect(try reviews() == 1)
  }

  @Test func `later changes are not overwritten, and an answer already undone is only stepped back in the session`()
    throws
  {
    let session = try study()
    try session.answer(.easy)
    let card = try #require(try deck.card(at: 1))
    try card.setSuspended(true)
    try workspace.care.undo()
    #expect(try names().first == "answering \"el gato\": easy")
    try workspace.care.undo()
    try session.undo()
    #expect(try session.card()?.record().prompt == "el gato")
    #expect(try names() == added)
    try session.answer(.easy)
    _ = try workspace.cards.remove([card])
    #expect(problemCode { try session.undo() } == "undo_conflict")
    #expect(try session.progress().right == 1)
  }

  @Test func `a session goes on with the next day's cards, and undo goes back into the day before`() throws {
    let session = try study()
    try session.answer(.easy)
    try session.bury()
    #expect(try session.progress().isOver)
    person.clock.pass(86_400)
    #expect(try session.progress().remaining == 1 && session.card()?.record().prompt == "el perro")
    try session.answer(.easy)
    for _ in 0..<3 { try session.undo() }
    #expect(try names() == added && session.card()?.record().prompt == "el gato")
  }
}
