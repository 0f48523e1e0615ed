// A running sprint while its deck changes.

import Decks
import Memory
import TestWorkspace

@testable import Workspace

@Suite struct SprintTests {
  private let person = Person()

  /// A sprint of three cards, the first of which is answered.
  private func sprint(of deck: DeckHandle, in workspace: Workspace) throws -> SessionHandle {
    for prompt in ["a", "b", "c"] { try deck.add(NewCard(prompt: prompt, answer: "x"), at: .bottom) }
    var options = SessionHandle.Options(try workspace.preferences())
    options.mode = .sprint
    let sprint = try deck.study(options)
    try sprint.answer(.good)
    return sprint
  }

  @Test func `a sprint restarts when cards are added or removed, and goes on when another deck is made`() throws {
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("Deck")
    let within = try workspace.decks.create("Deck::Within")
    let sprint = try sprint(of: deck, in: workspace)
    #expect(try sprint.progress().remaining == 2 && sprint.progress().right == 1)
    #expect(try sprint.counts() == (0, 0) && sprint.choices().isEmpty)
    _ = try workspace.decks.create("Other")
    #expect(try sprint.progress().remaining == 2)
    try within.add(NewCard(prompt: "d", answer: "x"))
    #expect(try sprint.progress().remaining == 4)
    try sprint.answer(.again)
    _ = try deck.removeCards(at: [1, 2])
    #expect(try sprint.progress().remaining == 2)
    while try sprint.card() != nil { try sprint.answer(.good) }
    #expect(throws: DeckError.over) { try sprint.flag(1) }
    try workspace.close()
  }

  @Test func `a sprint goes on when a flag is set in it`() throws {
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("Deck")
    let sprint = try sprint(of: deck, in: workspace)
    person.clock.pass(2)
    try sprint.flag(1)
    #expect(try sprint.progress().remaining == 2 && sprint.progress().right == 1)
    person.clock.pass(2)
    try workspace.cards.setFlag(deck.cards().rest(), to: 2)
    #expect(try sprint.progress().remaining == 3 && sprint.progress().right == 0)
    try workspace.close()
  }

  @Test func `decks named together share one sprint, each card once`() throws {
    let workspace = try person.workspace()
    let decks = try ["A", "A::B", "C"].map { try workspace.decks.create($0) }
    for deck in decks { try deck.add(NewCard(prompt: "p", answer: "x")) }
    var options = SessionHandle.Options(try workspace.preferences())
    (options.mode, options.moreDecks) = (.sprint, Array(decks.dropFirst()))
    let sprint = try decks[0].study(options)
    #expect(try sprint.progress().remaining == 3)
    try sprint.answer(.good)
    try decks[2].add(NewCard(prompt: "q", answer: "x"))
    #expect(try sprint.progress().remaining == 4)
    try workspace.close()
  }
}
