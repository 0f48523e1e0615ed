// Files of older programs: one fixture for every step that was released, as SQL.

import Decks
import Storage
import TestDecks
import TestSupport
import Testing
import Values

@Suite struct SchemaTests {
  private func shape(_ store: Store) throws -> [String] {
    try store.read {
      try String.fetchAll(
        $0, sql: "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master ORDER BY 1")
    }
  }

  /// A collection that the SQL of a fixture made.
  private func opened(_ name: String, in folder: TemporaryFolder) throws -> TestCollection {
    let path = folder.file("x.sqlite")
    let sql = try fixture(name)
    try ExclusiveDatabase(path).use { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.transaction { try db.execute(sql: sql) }
    }
    return TestCollection(path: path)
  }

  @Test func `a file of step 1 opens with all that it holds`() throws {
    let folder = TemporaryFolder()
    let collection = try opened("decks_1.sql", in: folder)
    #expect(try collection.names() == ["Spanish", "Spanish::Verbs"])
    let deck = try collection.store.read { try DeckTable.find($0, named: "Spanish") }
    #expect(deck.studied == 1_700_000_100)
    #expect(try collection.store.read { try DeckTable.options($0, deck.id).newPerDay } == 7)
    let cards = try collection.cards(deck.id)
    #expect(cards.map(\.prompt) == ["el perro", "el gato"])
    #expect(cards[0].tags == ["animal", "pet"] && cards[0].document == "DOC" && cards[0].isSuspended)
    #expect(cards[0].fields == [CardField("level", .json("1.50")), CardField("note", .text("x\"y"))])
    #expect((cards[1].state, cards[1].reps, cards[1].stability) == (.review, 1, 8.2956))
    // What a duplicate is told by is stored too: the hash must never change.
    #expect(problemCode { try collection.add(deck.id, "el perro", "the dog") } == "duplicate")
    #expect(try collection.store.integrityProblems() == [])
    #expect(try collection.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM reviews") } == 1)
    // The log outlives its card, and a review of step 1 is still its card's.
    #expect(try collection.store.read { try Int.fetchOne($0, sql: "SELECT card FROM reviews") } == 1)
    try collection.store.operation("remove") { _ = try CardTable.remove($0, [cards[1].id]) }
    let log = try collection.store.read { try $0.rows("SELECT card, rating, stability FROM reviews") { $0.values } }
    #expect(log == [[.null, .integer(4), .number(8.2956)]])
    #expect(cards.allSatisfy { $0.note == nil })
    // The types that everybody has are those that `StockNoteType` tells by their shape.
    let types = try collection.store.read { try NoteTypeTable.list($0) }
    #expect(types.map(\.draft) == StockNoteType.allCases.map(\.draft))
    let id = try collection.add(deck.id, "new", "x")
    #expect(id.rawValue > 3)
  }

  @Test(arguments: ["decks_2.sql", "decks_3.sql"])
  func `a file with notes opens with its cards, notes, answers and what was set`(name: String) throws {
    let folder = TemporaryFolder()
    let collection = try opened(name, in: folder)
    let deck = try collection.store.read { try DeckTable.find($0, named: "Spanish") }
    #expect(try collection.prompts(deck.id) == ["[...] luna", "La [moon]", "el sol", "the sun", "el perro", "el gato"])
    let cards = try collection.cards(deck.id)
    #expect(cards[0].note != nil && cards[0].note == cards[1].note && cards[5].note == nil && cards[0].isSuspended)
    #expect(cards[2].tags == ["sky"] && cards[4].fields == [CardField("level", .json("2"))])
    #expect(cards[0].state == .review && cards.count { $0.state == .learning && $0.reps == 1 } == 1)
    let options = try collection.store.read { try DeckTable.options($0, deck.id) }
    #expect(options.newPerDay == 7)
    let inner = try collection.store.read { try DeckTable.find($0, named: "Spanish::Verbs").id }
    #expect(try collection.store.read { try DeckTable.options($0, inner).newPerDay } == 7)
    #expect(try collection.store.read { try PresetTable.list($0).map(\.name) } == ["Spanish"])
    #expect(try collection.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM reviews") } == 2)
    #expect(try collection.store.integrityProblems() == [])
    if name == "decks_3.sql" {
      #expect(cards[2].flag == 3 && options.learningSteps == [300, 86_400] && cards[3].buriedUntil != nil)
    }
  }

  @Test(arguments: ["decks_1.sql", "decks_2.sql", "decks_3.sql"])
  func `a fresh file has the same tables as one that was brought up to date`(name: String) throws {
    let folder = TemporaryFolder()
    #expect(try shape(opened(name, in: folder).store) == shape(TestCollection().store))
  }
}
