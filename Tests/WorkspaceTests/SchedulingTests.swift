// Presets, limits, selections, statistics and fitting through the workspace.

import Decks
import Memory
import Problems
import TestWorkspace

@testable import Workspace

@Suite struct SchedulingOperationTests {
  private let person = Person()
  private let workspace: Workspace

  init() throws { workspace = try person.workspace() }

  private func deck(_ name: String, cards: Int) throws -> DeckHandle {
    let deck = try workspace.decks.create(name)
    for card in (0..<cards).reversed() { _ = try deck.add(NewCard(prompt: "\(name)\(card)", answer: "x")) }
    return deck
  }

  @Test func `options are set for a preset, which decks share and inner decks inherit`() throws {
    let (a, b) = (try deck("a", cards: 0), try deck("b", cards: 0))
    try a.scheduling.set([(.learningSteps, "5m 1d"), (.newPerDay, "3")])
    #expect(try a.scheduling.options().learningSteps == [300, 86_400] && a.scheduling.preset()?.name == "a")
    #expect(throws: DeckError.self) { try a.scheduling.set([(.newPerDay, "4"), (.fuzz, "maybe")]) }
    #expect(try a.scheduling.options().newPerDay == 3)
    try b.scheduling.setPreset("A")
    try b.scheduling.set(.newPerDay, .number(9))
    #expect(try a.scheduling.options().newPerDay == 9 && workspace.presets.find("a").deckCount == 2)
    #expect(try workspace.decks.create("a::i").scheduling.options().newPerDay == 9)
    try b.scheduling.setLimits([(.newPerDay, "2")])
    try b.scheduling.set(.newPerDay, .number(1))
    #expect(try (a.scheduling.options().newPerDay, b.scheduling.options().newPerDay) == (9, 1))
    try a.scheduling.set([(.newPerDay, "")])
    #expect(try a.scheduling.options().newPerDay == 20)
    let preset = try workspace.presets.create("Other")
    try workspace.presets.setOption(of: preset.id, .leechAction, .choice("suspend"))
    try workspace.presets.rename(preset.id, to: "Another")
    #expect(try workspace.presets.all().map(\.name) == ["a", "Another"])
    try workspace.presets.remove(preset.id)
    #expect(throws: DeckError.presetNotFound(name: "Another", suggestion: nil)) {
      try workspace.presets.find("Another")
    }
    try workspace.close()
  }

  @Test func `several decks are studied at once, beyond today's limits, without a schedule`() throws {
    let (a, b) = (try deck("a", cards: 3), try deck("b", cards: 2))
    try a.scheduling.set(.newPerDay, .number(1))
    try a.scheduling.setPreset("a")
    #expect(try a.studyCounts().new == 1)
    try a.scheduling.extendToday(new: 1)
    #expect(try a.studyCounts().new == 2)
    var options = SessionHandle.Options(try workspace.preferences())
    options.moreDecks = [b]
    #expect(try a.study(options).progress().remaining == 4)
    (options.isCram, options.reschedules) = (true, false)
    let session = try a.study(options)
    #expect(try session.progress().remaining == 5)
    try session.answer(.again)
    #expect(try session.progress().remaining == 5 && a.statistics().days.isEmpty)
    try session.bury()
    try session.suspend()
    #expect(try session.progress().remaining == 3)
    try session.undo()
    #expect(try session.progress().remaining == 4)
    let card = try #require(try a.card(at: 1))
    try workspace.cards.setFlag([card], to: 2)
    #expect(try workspace.cards.bury([card]) == 1 && workspace.cards.unbury([card]) == 1 && card.record().flag == 2)
    try workspace.close()
  }

  @Test func `statistics, fitting and simulation work for a deck, and fitting needs enough answers`() throws {
    let deck = try deck("a", cards: 5)
    let session = try deck.study(SessionHandle.Options(try workspace.preferences()))
    while try session.card() != nil { try session.answer(.easy, seconds: 2) }
    let figures = try deck.statistics()
    #expect(figures.todayFigures.answers == 5 && figures.todayFigures.seconds == 10 && figures.streak == 1)
    #expect(try deck.statistics(query: "prompt:a1").cards.all == 1)
    #expect(try workspace.decks.statistics() == figures)
    let error = #expect(throws: MemoryError.self) { try deck.fitting.run() }
    #expect(error == .tooFewReviews(count: 0, needed: 400))
    let forecasts = try deck.scheduling.simulate(retentions: [0.8, 0.9], days: 30)
    #expect(forecasts.count == 2 && forecasts.allSatisfy { $0.knownAtEnd > 3 && $0.reviews.count == 30 })
    #expect(throws: CancellationError.self) { try deck.scheduling.simulate { _ in throw CancellationError() } }
    try workspace.close()
  }
}
