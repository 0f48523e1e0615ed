// Objects that were removed while a handle was still held: each use reports it, and changes nothing.

import Memory
import Problems
import TestDecks

@Suite struct GoneTests {
  private let collection = TestCollection()

  private func code(_ body: (Database) throws -> Void) -> String? {
    problemCode { try collection.store.operation("x", body) }
  }

  @Test func `a removed deck`() throws {
    let deck = try collection.deck("a")
    try collection.store.operation("x") { _ = try DeckTable.remove($0, deck) }
    let uses: [(String, (Database) throws -> Void)] = [
      ("record", { _ = try DeckTable.record($0, deck) }), ("preset", { _ = try DeckTable.preset($0, deck) }),
      ("set preset", { try DeckTable.setPreset($0, deck, to: nil) }),
      ("limits", { _ = try DeckTable.limits($0, deck) }),
      ("set limits", { try DeckTable.setLimits($0, deck, to: DeckLimits(checking: "{}")) }),
      ("extend", { try DeckTable.extendToday($0, deck, reviews: 3, at: collection.moment) }),
      ("into", { _ = try CardTable.move($0, [], into: deck, now: 1) }),
      ("batch", { _ = try CardBatch($0, deck: deck, onDuplicate: .skip, now: 1, random: collection.random) }),
      ("rename", { try DeckTable.rename($0, deck, to: "b", now: 1) }),
    ]
    for (name, use) in uses { #expect(code(use) == "not_found", "\(name)") }
    #expect(try collection.store.read { try DeckTable.removeEmpty($0, deck) })
    #expect(try collection.names().isEmpty)
  }

  @Test func `a removed card`() throws {
    let deck = try collection.deck("a")
    let card = try collection.add(deck, "p", "a")
    let note = try #require(try collection.store.read { try CardTable.card($0, card)?.note })
    try collection.store.operation("x") { _ = try CardTable.remove($0, [card]) }
    let log = LoggedReview(at: 1_700_000_000, rating: 3, state: .new, interval: 60)
    let uses: [(String, (Database) throws -> Void)] = [
      ("update", { try CardTable.update($0, card, prompt: "q", now: 1) }),
      ("position", { _ = try CardTable.position($0, of: card) }),
      ("log", { try CardTable.addLog($0, [log], to: card) }),
      ("flag", { try CardHiding.setFlag($0, [card], to: 1, now: 1) }),
      ("move", { try CardTable.move($0, card, to: 1) }),
      ("note", { _ = try NoteTable.record($0, note) }),
      (
        "answer",
        { db in
          var replay = try AnswerReplay(db, at: collection.moment)
          _ = try replay.enter(card, .good, at: collection.moment, seconds: 1)
        }
      ),
    ]
    for (name, use) in uses { #expect(code(use) == "not_found", "\(name)") }
  }

  @Test func `a removed preset or note type`() throws {
    let deck = try collection.deck("a")
    let preset = try collection.store.operation("x") { db in
      let made = try PresetTable.create(db, name: "p", now: 1)
      try PresetTable.remove(db, made.id)
      return made
    }
    let uses: [(String, (Database) throws -> Void)] = [
      ("remove", { try PresetTable.remove($0, preset.id) }),
      ("rename", { try PresetTable.rename($0, preset.id, to: "q") }),
      ("options", { try PresetTable.setOptions($0, preset.id, to: DeckOptions()) }),
      ("give", { try DeckTable.setPreset($0, deck, to: preset.id) }),
    ]
    for (name, use) in uses { #expect(code(use) == "not_found", "\(name)") }
  }

  @Test func `a taken preset name gets a number, and a long one is truncated`() throws {
    try collection.store.operation("x") { db in
      #expect(try PresetTable.freeName(db, like: "p") == "p")
      for name in ["p", "P 2"] { _ = try PresetTable.create(db, name: name, now: 1) }
      #expect(try PresetTable.freeName(db, like: "p") == "p 3")
      let long = String(repeating: "x", count: 100)
      #expect(try PresetTable.freeName(db, like: long + "::" + long) == long)
    }
  }
}
