// Single cards added in a loop: caching between additions never changes the resulting deck.

import Decks
import Storage
import TestWorkspace

@testable import Workspace

private struct Stop: Error {}

@Suite struct CardAddingTests {
  private let person = Person()

  /// Two decks as lists of prompts, top first.
  private struct Model {
    var decks: [[String]] = [[], []]

    mutating func insert(_ prompt: String, _ deck: Int, _ place: CardPlace) {
      switch place {
      case .top: decks[deck].insert(prompt, at: 0)
      case .bottom: decks[deck].append(prompt)
      case .position(let position): decks[deck].insert(prompt, at: min(position - 1, decks[deck].count))
      }
    }
  }

  private func place(_ generator: inout TestGenerator, _ count: Int) -> CardPlace {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0, 1: .top
    case 2, 3: .bottom
    default: .position(Int.random(in: 1...count + 2, using: &generator))
    }
  }

  /// Adds cards, and returns the last of them. A card that is there already is refused, also while it waits.
  private func add(_ count: Int, _ prompt: String, _ deck: DeckHandle, at place: CardPlace) throws -> CardHandle? {
    var added: [CardHandle] = []
    for number in 0..<count {
      let card = NewCard(prompt: "\(prompt) \(number)", answer: "a")
      added.append(try deck.add(card, at: place))
      if number % 60 == 59 { #expect(throws: DeckError.self) { try deck.add(card, at: place) } }
    }
    for index in stride(from: 0, to: count, by: 97) {
      #expect(try added[index].record().prompt == "\(prompt) \(index)")
    }
    return added.last
  }

  /// Makes one change other than adding a single card.
  private func change(
    _ handles: [DeckHandle], _ model: inout Model, _ step: Int, _ generator: inout TestGenerator
  ) throws {
    let deck = Int.random(in: 0..<2, using: &generator)
    let count = model.decks[deck].count
    switch Int.random(in: 0..<6, using: &generator) {
    case 0 where count > 0:
      let position = Int.random(in: 1...count, using: &generator)
      _ = try handles[deck].removeCards(at: [position])
      model.decks[deck].remove(at: position - 1)
    case 1 where count > 0:
      try handles[deck].card(at: count)?.move(to: 1)
      model.decks[deck].insert(model.decks[deck].removeLast(), at: 0)
    case 2:
      _ = try handles[deck].addAll(onDuplicate: .skip) { try $0.add(NewCard(prompt: "all \(step)", answer: "a")) }
      model.insert("all \(step)", deck, .top)
    case 3: try handles[deck].rename(to: "D\(deck) \(step)")
    case 4 where count > 0:
      // A refused card leaves nothing, and later cards are added correctly.
      let prompt = model.decks[deck][0]
      #expect(throws: DeckError.self) { try handles[deck].add(NewCard(prompt: prompt, answer: "a")) }
      #expect(throws: DeckError.self) { try handles[deck].add(NewCard(prompt: " ", answer: "a"), at: .bottom) }
    default:
      #expect(throws: Stop.self) {
        try handles[deck].addAll(onDuplicate: .skip) {
          try $0.add(NewCard(prompt: "no \(step)", answer: "a"))
          throw Stop()
        }
      }
    }
  }

  @Test func `cards that wait when SQLite rolls back are not stored`() throws {
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("D")
    let db = try workspace.read { $0 }
    try workspace.beginUnit()
    for number in 0..<100 { try deck.add(NewCard(prompt: "\(number)", answer: "a")) }
    // The effect of a full disk: the transaction is gone, but the unit does not know.
    try db.execute(sql: "ROLLBACK")
    for _ in 0..<2 { #expect(throws: StorageError.self) { try deck.count() } }
    try workspace.rollbackUnit()
    #expect(try deck.count() == 0)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `cards added one by one among other changes are ordered as in a list`(seed: UInt64) throws {
    var generator = TestGenerator(seed)
    let workspace = try person.workspace()
    let handles = try ["D0", "D1"].map { try workspace.decks.create($0) }
    var model = Model()
    for round in 0..<4 {
      let before = model
      try workspace.beginUnit()
      for step in 0..<60 {
        if Int.random(in: 0..<4, using: &generator) == 0 {
          try change(handles, &model, round * 1000 + step, &generator)
          continue
        }
        let deck = Int.random(in: 0..<2, using: &generator)
        let place = place(&generator, model.decks[deck].count)
        // The later cards of a long row wait.
        let count = Int.random(in: 0..<8, using: &generator) == 0 ? 200 : 1
        let added = try add(count, "p \(round) \(step)", handles[deck], at: place)
        for number in 0..<count { model.insert("p \(round) \(step) \(number)", deck, place) }
        let last = "p \(round) \(step) \(count - 1)"
        #expect(try added?.position() == model.decks[deck].firstIndex(of: last).map { $0 + 1 })
      }
      for deck in 0..<2 { #expect(try handles[deck].prompts() == model.decks[deck]) }
      _ = try add(200, "p \(round) end", handles[0], at: .bottom)
      for number in 0..<200 { model.insert("p \(round) end \(number)", 0, .bottom) }
      if round % 2 == 0 {
        try workspace.commitUnit()
      } else {
        try workspace.rollbackUnit()
        model = before
      }
      for deck in 0..<2 { #expect(try handles[deck].prompts() == model.decks[deck]) }
    }
    try workspace.care.undo()
    #expect(try handles[0].prompts().allSatisfy { $0.hasPrefix("p 0") || $0.hasPrefix("all ") })
    try workspace.care.undo()
    #expect(try handles[0].prompts().isEmpty && handles[1].prompts().isEmpty)
    #expect(try workspace.care.integrityProblems().isEmpty)
    try workspace.close()
  }

  @Test func `a loop whose deck was removed is told so, and a new deck of its name is a different deck`() throws {
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("D")
    try workspace.beginUnit()
    for prompt in ["a", "b"] { try deck.add(NewCard(prompt: prompt, answer: "x")) }
    try deck.remove()
    #expect(throws: DeckError.gone(what: "the deck")) { try deck.add(NewCard(prompt: "c", answer: "x")) }
    let other = try workspace.decks.create("D")
    try other.add(NewCard(prompt: "c", answer: "x"))
    try workspace.commitUnit()
    #expect(try other.prompts() == ["c"])
    try workspace.close()
  }
}
