// Handles of decks and cards through the workspace: one handle per object, always up to date with the store, invalid
// once the object is removed.

import Decks
import TestWorkspace
import Text

@testable import Workspace

@Suite struct HandleTests {
  private let person = Person()
  private let workspace: Workspace
  private let deck: DeckHandle

  init() throws {
    workspace = try person.workspace()
    deck = try workspace.decks.create("D")
    for prompt in ["c", "b", "a"] { _ = try deck.add(NewCard(prompt: prompt, answer: prompt + "!")) }
  }

  @Test func `an object has one handle while somebody holds it`() throws {
    func made(_ name: String) throws -> DeckHandle { try workspace.decks.openOrCreate(name, for: .createDeck) { $0 } }
    let card = try #require(try deck.card(at: 1))
    #expect(try workspace.decks.open("D") === deck && card.deck() === deck)
    #expect(try deck.cards().rest().first === card)
    #expect(try made("D") === deck && made("E") !== deck)
    #expect(try workspace.decks.all().map { try $0.record().name } == ["D", "E"])
    // Case makes no second deck, and does not prevent nesting.
    #expect(try made("d") === deck)
    #expect(try made("d::Ü") === made("D::ü"))
    #expect(try deck.within().map { try $0.record().name } == ["D::Ü"])
  }

  @Test func `a handle returns the current values, whoever changed them`() throws {
    let (first, last) = (try #require(try deck.card(at: 1)), try #require(try deck.card(at: 3)))
    #expect(try (first.position(), last.position(), deck.count()) == (1, 3, 3))
    try last.move(to: 1)
    #expect(try (first.position(), last.position()) == (2, 1) && deck.prompts() == ["c", "a", "b"])
    try last.move(to: 99)
    #expect(try (last.position(), deck.prompts()) == (3, ["a", "b", "c"]))
    let other = try person.workspace()
    try other.decks.open("D").cards().rest().forEach { try $0.update(answer: "new") }
    // Another process's changes are seen at the next read.
    #expect(try deck.count() == 3 && last.record().answer == "new")
    #expect(try other.decks.open("D").removeCards(at: [1]) == 1)
    #expect(try (deck.count(), last.position()) == (2, 2))
    try other.close()
  }

  @Test func `a removed object says so, and the others still work`() throws {
    let (gone, rest) = (try #require(try deck.card(at: 2)), try #require(try deck.card(at: 3)))
    #expect(try deck.remove(gone) == 1)
    #expect(throws: DeckError.self) { try gone.record() }
    #expect(throws: DeckError.self) { try gone.update(prompt: "x") }
    #expect(throws: DeckError.self) { try gone.move(to: 1) }
    #expect(try rest.position() == 2)
    #expect(try deck.removeCards(at: [2, 2, 9]) == 1)
    #expect(try deck.remove() == 1)
    #expect(throws: DeckError.self) { try deck.count() }
    #expect(throws: DeckError.self) { try deck.add(NewCard(prompt: "x", answer: "y")) }
    #expect(throws: DeckError.self) { try rest.record() }
  }

  @Test func `listed cards stay fixed, except those removed meanwhile`() throws {
    let cards = try deck.cards()
    let first = try #require(try cards.nextCard())
    #expect(cards.count == 3)
    _ = try deck.add(NewCard(prompt: "z", answer: "z"))
    try #require(try deck.card(at: 3)).update(prompt: "B")
    let last = try #require(try deck.card(at: 4))
    _ = try workspace.cards.remove([last])
    #expect(try cards.rest().map { try $0.record().prompt } == ["B"])
    #expect(try cards.nextCard() == nil && first.record().prompt == "a")
    #expect(try deck.cards(matching: "prompt:B").count == 1)
    #expect(throws: DeckError.self) { try deck.cards(matching: "prompt:") }
  }

  @Test func `several cards change in one step, or none of them`() throws {
    let cards = try deck.cards().rest()
    try workspace.cards.changeTags(cards, adding: ["x", "y"], removing: [])
    try workspace.cards.changeTags([cards[0]], adding: [], removing: ["x"])
    #expect(try cards.map { try $0.record().tags } == [["y"], ["x", "y"], ["x", "y"]])
    try workspace.cards.setSuspended([cards[0], cards[1]], true)
    #expect(try cards.map { try $0.record().isSuspended } == [true, true, false])
    _ = try deck.remove(cards[2])
    #expect(throws: DeckError.self) { try workspace.cards.update(cards, prompt: nil, answer: "same") }
    #expect(try cards[0].record().answer == "a!")
    #expect(try workspace.cards.find(guidBeginning: cards[1].record().guid).map { $0 === cards[1] } == [true])
  }

  @Test func `a page of a listing has its positions, with and without a query`() throws {
    let page = try workspace.cards.list(of: [deck], offset: 1, limit: 1)
    #expect(
      try page.total == 3 && page.cards.map { try $0.card.record().prompt } == ["b"] && page.cards[0].position == 2)
    let found = try workspace.cards.list(of: [deck], matching: "answer:c!", offset: 0, limit: 5)
    #expect(found.total == 1 && found.cards.map(\.position) == [3])
    #expect(try workspace.cards.list(of: [deck], offset: 5, limit: 5).cards.isEmpty)
  }

  @Test func `the options of a deck are its own, and values out of range are refused`() throws {
    let name = DeckOptions.Name.newPerDay
    let other = try workspace.decks.create("E")
    let before = try other.scheduling.options().value(name)
    try deck.scheduling.set(name, .number(before + 1))
    #expect(try (deck.scheduling.options().value(name), other.scheduling.options().value(name)) == (before + 1, before))
    #expect(throws: DeckError.self) { try deck.scheduling.set(name, .number(-1)) }
    #expect(try deck.scheduling.options().value(name) == before + 1)
  }
}

extension DeckHandle {
  /// The prompts of its cards, top first.
  func prompts() throws -> [String] { try cards().rest().map { try $0.record().prompt } }
}
