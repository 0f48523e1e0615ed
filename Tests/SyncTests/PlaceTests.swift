// The order of new cards among the server's, notes with the same guid, removed decks, and a full download of a
// collection.

import Decks
import Exchange
import Problems
import Storage
import Templates
import TestDecks
import TestSupport
import Values

@testable import Sync

@Suite struct PlaceTests {
  private let sides = TwoSides()
  private var store: Store { sides.store }

  /// A new card with its own note, at a position of the deck `Spanish`.
  private func rows(_ number: Int, _ front: String, position: Int, guid: String? = nil) -> (note: Value, card: Value) {
    let note = ServerSide.note + 1000 * number
    let card = [note + 1, note, 2, 0, 100, 3, 0, 0, position, 0, 0, 0, 0, 0, 0, 0, 0].map { Value.integer($0) }
    return (
      .list([
        .integer(note), .text(guid ?? "guid-\(number)"), .integer(ServerSide.type), .integer(100), .integer(3),
        .text(""), .text("\(front)\u{1F}x"), .text(""), .text(""), .integer(0), .text(""),
      ]), .list(card + [.text("")])
    )
  }

  private func pulled(
    _ cards: [(note: Value, card: Value)], head: StagedHead = StagedHead(), isWhole: Bool = false, usn: Int = 10
  ) throws -> PulledCollection {
    try sides.pulled(head, [.notes: cards.map(\.note), .cards: cards.map(\.card)], isWhole: isWhole, usn: usn)
  }

  /// The prompts of a deck, from the top.
  private func prompts(_ deck: String = "Spanish") throws -> [String] {
    try store.read { db in
      let id = try #require(try DeckTable.named(db, deck)?.id)
      return try CardTable.cards(db, ids: CardTable.ids(db, in: id)).map(\.prompt)
    }
  }

  @Test func `a new card is inserted among the local ones at its position, and one moved there moves here`() throws {
    let cards = [rows(1, "one", position: 10), rows(2, "two", position: 20), rows(3, "three", position: 30)]
    try sides.merge(pulled(cards, head: ServerSide.head(), isWhole: true), isFirst: true)
    #expect(try prompts() == ["one", "two", "three"])
    try sides.merge(
      pulled([rows(4, "between", position: 15), rows(5, "first", position: 1), rows(6, "last", position: 99)]))
    #expect(try prompts() == ["first", "one", "between", "two", "three", "last"])
    var moved = try #require(rows(2, "two", position: 2).card.list)
    moved[4] = .integer(900)
    try sides.merge(sides.pulled(StagedHead(), [.cards: [.list(moved)]], usn: 11))
    #expect(try prompts() == ["first", "two", "one", "between", "three", "last"])
  }

  @Test func `the places of new cards are read once, even if other cards come between them`() throws {
    let cards = [rows(1, "one", position: 10), rows(2, "two", position: 20)]
    try sides.merge(pulled(cards, head: ServerSide.head(), isWhole: true), isFirst: true)
    try store.operation("places") { db in
      let deck = try #require(try DeckTable.named(db, "Spanish")?.id)
      var places = NewPlaces()
      let first = try places.rank(db, in: deck, at: 15)
      _ = try places.rank(db, in: deck, at: nil)
      // No card has the first rank: only the list that was read before contains it.
      #expect(try places.rank(db, in: deck, at: 15) > first)
    }
  }

  @Test(arguments: [(3, 1, 10), (1, 3, 30), (2, 2, nil)])
  func `a new card moved here is sent with a position between its neighbours`(from: Int, to: Int, position: Int?) throws
  {
    let cards = [rows(1, "one", position: 10), rows(2, "two", position: 20), rows(3, "three", position: 30)]
    let first = try pulled(cards, head: ServerSide.head(), isWhole: true)
    try sides.merge(first, isFirst: true)
    #expect(try sides.outgoing(first).0.count == 0)
    try store.operation("move") { db in
      let deck = try #require(try DeckTable.named(db, "Spanish")?.id)
      let card = try #require(try CardTable.id(db, in: deck, at: from))
      try CardTable.move(db, card, to: to)
    }
    let sent = try sides.outgoing(pulled([])).1[.cards] ?? []
    #expect(sent.map { $0[8] } == (position.map { [.integer($0)] } ?? []))
  }

  @Test func `a local note that another device created too is one note`() throws {
    try sides.linked()
    try store.operation("add") { db in
      let deck = try DeckTable.findOrMake(db, named: "Spanish", now: 50).deck.id
      _ = try CardTable.add(db, NewCard(prompt: "dos", answer: "x", guid: "twin"), to: deck, now: 50) { 1 }
    }
    let theirs = rows(7, "dos", position: 5, guid: "twin")
    let second = try pulled([theirs])
    let report = try sides.merge(second)
    #expect(report.findings.isEmpty && report.setAside.isEmpty)
    #expect(try prompts().count { $0 == "dos" } == 1)
    let id = try store.read { try NoteTable.id($0, guid: "twin") }
    #expect(id?.rawValue == Int64(ServerSide.note + 7000), "under the id of the server's")
    #expect(try sides.outgoing(second).0.count == 0)
  }

  @Test func `a note that is invalid here is reported, and stays as received`() throws {
    try sides.linked()
    var (note, card) = rows(8, "dos", position: 5)
    var values = try #require(note.list)
    values[6] = .text("\u{1F}")
    note = .list(values)
    let report = try sides.merge(pulled([(note, card)]))
    let id = ServerSide.note + 8000
    #expect(try prompts() == ["uno"] || report.findings.isEmpty, "\(report.findings)")
    #expect(try store.read { try Bases($0).counts() }.notes == 2)
    // The card of a note that was never received.
    values = try #require(card.list)
    (values[0], values[1]) = (.integer(id + 50), .integer(id + 60))
    card = .list(values)
    try sides.merge(sides.pulled(StagedHead(), [.cards: [card]], usn: 11))
    #expect(try store.read { try Bases($0).counts() }.cards == 3)
    #expect(try sides.outgoing(sides.pulled(usn: 12)).0.count == 0)
  }

  @Test
  func `a deck removed here is removed there, unless it is the first one or contains rows that cannot be imported`()
    throws
  {
    var head = ServerSide.head()
    head.decks += [ServerSide.deck(3, "Empty"), ServerSide.deck(4, "Strays")]
    var (_, stray) = rows(9, "stray", position: 3)
    var values = try #require(stray.list)
    values[2] = .integer(4)
    stray = .list(values)
    let first = try sides.pulled(
      head, [.notes: [ServerSide.note(100, "one")], .cards: [ServerSide.card(100), stray]], isWhole: true)
    try sides.merge(first, isFirst: true)
    _ = try sides.outgoing(first)
    try store.operation("remove") { db in
      for deck in try DeckTable.list(db) where deck.name != "Spanish" { _ = try DeckTable.removeEmpty(db, deck.id) }
    }
    let sent = try sides.outgoing(sides.pulled()).0
    #expect(sent.graves.decks == [3] && sent.graves.cards.isEmpty)
    #expect(try sides.outgoing(sides.pulled()).0.count == 0)
  }

  private func importAll(_ pulled: PulledCollection, isInterrupted: Bool = false) throws -> PullReport {
    try store.operation("take") { db in
      try pulled.importAll(
        db, SyncLink(address: "a", user: "b"), sides.moment, isInterrupted: { isInterrupted }, progress: { _, _ in })
    }
  }

  @Test func `a full download gives the server's state, including the rows that cannot be imported`() throws {
    let orphan = rows(2, "dos", position: 2).note
    let whole = try sides.pulled(
      ServerSide.head(),
      [
        .notes: [ServerSide.note(100, "one"), orphan], .cards: [ServerSide.card(100)],
        .revlog: [ServerSide.review(1_690_000_000_000, 3), ServerSide.review(1_690_000_000_500, 9)],
      ], isWhole: true)
    let report = try importAll(whole)
    #expect(report.cards == 1 && report.answers == 2 && report.unstorable > 0, "\(report)")
    let counts = try store.read { try Bases($0).counts() }
    #expect(counts.cards == 1 && counts.notes == 2 && counts.answers == 2 && counts.types == 1, "\(counts)")
    #expect(try sides.outgoing(whole).0.count == 0)
    #expect(try store.read { try SyncTables.link($0)?.meta?.usn } == 9)
  }

  @Test func `an invalid collection is refused, an invalid note type is not imported`() throws {
    let note = ServerSide.note(100, "one")
    let stray = try sides.pulled(
      ServerSide.head(), [.notes: [note], .cards: [ServerSide.card(100), rows(1, "x", position: 1).card]], isWhole: true
    )
    let error = try #require(throws: SyncError.self) { try importAll(stray) }
    #expect(error.code == "bad_sync_answer" && error.message.contains("a card belongs to no note"))
    var head = ServerSide.head()
    head.types[0]["flds"] = .text("none")
    let whole = try sides.pulled(head, [.notes: [note], .cards: [ServerSide.card(100)]], isWhole: true)
    let report = try importAll(whole)
    #expect(report.cards == 0 && report.unstorable == 2 && report.findings.count == 1, "\(report)")
    let many = (1...300).map { rows($0, "word \($0)", position: $0) }
    let long = try pulled(many, head: ServerSide.head(), isWhole: true)
    #expect(throws: SyncError.interrupted) { try importAll(long, isInterrupted: true) }
  }
}
