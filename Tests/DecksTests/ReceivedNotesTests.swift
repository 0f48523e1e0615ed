// Notes of a package that are written in batches, with and without a second thread, and their types.

import Templates
import TestDecks

@testable import Decks

@Suite struct ReceivedNotesTests {
  private let collection = TestCollection()

  /// A card as it arrived, and as it is stored.
  private struct Place: Equatable {
    let prompt: String
    let rank: Int64
    let elsewhere: Int64
    let raw: String
  }

  private func places(_ deck: DeckID) throws -> [Place] {
    let sql = """
      SELECT prompt, rank, id, raw FROM card_rows WHERE deck = ? ORDER BY rank
      """
    return try collection.store.read { db in
      try db.rows(sql, [deck.rawValue]) {
        Place(prompt: $0.text(0), rank: $0.integer(1), elsewhere: $0.integer(2), raw: $0.text(3))
      }
    }
  }

  /// Adds notes of two cards each; the number of a card is its rank and its id elsewhere.
  private func receive(_ count: Int, into deck: DeckID, isAlone: Bool, elsewhere: (Int) -> Int64) throws {
    try collection.store.operation("receive") { db in
      let type = try NoteTypeTable.stock(db, .reversed, now: 0)
      let receiver = try NoteReceiver(db, now: 0, isAlone: isAlone, isInterrupted: { false })
      for number in 0..<count {
        let note = NoteRecord(
          id: NoteID(rawValue: Int64(1_000_000 + number)), guid: "g\(deck.rawValue)/\(number)", type: type.id,
          modified: 1, tags: [],
          fields: ["f\(number)", "b\(number)"], data: "")
        let outcome = try receiver.receive(note, of: type, cards: [0, 1].map { (elsewhere(2 * number + $0), $0) }) {
          index in
          let place = 2 * number + index
          var card = StoredCard(
            id: CardID(rawValue: elsewhere(place)), ordinal: index, deck: deck, rank: Int64(place), modified: 0)
          card.raw = "\(place)"
          return card
        }
        #expect(outcome == .added(2))
      }
      try receiver.flush()
    }
  }

  @Test(arguments: [false, true])
  func `cards at taken positions are moved away, and each card keeps its data`(isAlone: Bool) throws {
    let deck = try collection.deck("d")
    let there = try collection.add(deck, "in the way", "x")
    try collection.store.execute("UPDATE cards SET rank = 777 WHERE id = ?", [there.rawValue])
    // Some are out of order elsewhere, and one number occurs twice.
    try receive(800, into: deck, isAlone: isAlone) { place in
      place == 1200 ? 100 : Int64(place % 97 == 0 ? 10_000 - place : place + 1)
    }
    let found = try places(deck)
    #expect(found.count == 1601)
    for place in found where place.prompt != "in the way" {
      let number = Int(place.raw) ?? -1
      #expect(place.prompt == (number % 2 == 0 ? "f\(number / 2)" : "b\(number / 2)"))
      if number != 777 { #expect(place.rank == Int64(number)) }
      if number != 1200 { #expect(place.elsewhere == Int64(number % 97 == 0 ? 10_000 - number : number + 1)) }
    }
    #expect(found.first?.raw == "777")
    #expect(Set(found.map(\.elsewhere)).count == 1601)
    #expect(try collection.store.integrityProblems() == [])
  }

  @Test func `notes whose ids are taken get free ones, also if the taken ones are far apart`() throws {
    let deck = try collection.deck("d")
    try collection.store.operation("receive") { db in
      let type = try NoteTypeTable.stock(db, .basic, now: 0)
      let receiver = try NoteReceiver(db, now: 0, isAlone: false, isInterrupted: { false })
      for (number, id) in [1000, 5_000_000, 5_000_000, 5_000_002, 1000].enumerated() {
        let note = NoteRecord(
          id: NoteID(rawValue: Int64(id)), guid: "g\(number)", type: type.id, modified: 1, tags: [],
          fields: ["f\(number)", "b"], data: "")
        let outcome = try receiver.receive(note, of: type, cards: [(Int64(number + 1), 0)]) { index in
          let id = CardID(rawValue: Int64(number + 1))
          return StoredCard(id: id, ordinal: index, deck: deck, rank: Int64(number), modified: 0)
        }
        #expect(outcome == .added(1))
      }
      try receiver.flush()
      let ids = try db.rows("SELECT id FROM notes ORDER BY id") { $0.integer(0) }
      #expect(ids == [1000, 1001, 5_000_000, 5_000_001, 5_000_002])
    }
  }

  @Test func `a note after a failure, and pending notes, are all stored`() throws {
    let (one, two) = (try collection.deck("one"), try collection.deck("two"))
    try receive(300, into: one, isAlone: true) { Int64($0 + 1) }
    // Each of these ids is taken.
    try receive(300, into: two, isAlone: true) { Int64($0 + 1) }
    #expect(try places(one).count == 600)
    let second = try places(two)
    #expect(second.count == 600 && Set(second.map(\.elsewhere)).count == 600)
    #expect(second.allSatisfy { $0.elsewhere > 600 })
    #expect(try collection.store.integrityProblems() == [])
  }

  @Test func `a received Basic takes the place of the stock type, unless that has notes`() throws {
    func names(_ collection: TestCollection, _ ids: [Int64]) throws -> [String] {
      try collection.store.operation("x") { db in
        try ids.map { id in
          var given = try NoteTypeTable.find(db, named: "Basic")
          given.id = NoteTypeID(rawValue: id)
          return try NoteTypeTable.receive(db, given, now: 2, isInterrupted: { false }).name
        }
      }
    }
    #expect(try names(TestCollection(), [5, 5, 6]) == ["Basic", "Basic", "Basic+"])
    try collection.addNote(collection.deck("d"), ["Front": "f", "Back": "b"])
    #expect(try names(collection, [5]) == ["Basic+"])
  }
}
