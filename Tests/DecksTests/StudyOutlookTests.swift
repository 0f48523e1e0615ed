// Siblings of a note in sessions and queries, waiting cards when nothing is due, and cards sorted and moved between
// decks.

import Memory
import Templates
import TestDecks

@Suite struct StudyOutlookTests {
  private let collection = TestCollection(hasUndo: true)
  private var moment: StudyMoment { collection.moment }

  private func outlook(_ decks: DeckID...) throws -> StudyOutlook {
    try collection.store.read { try StudyOutlook($0, decks, at: moment) }
  }

  @Test(arguments: [(true, 1), (false, 2)])
  func `siblings wait until tomorrow if the options say so, and undo shows them again`(buries: Bool, left: Int) throws {
    let deck = try collection.deck("d")
    try collection.addNote(deck, ["Front": "el sol", "Back": "the sun"], .reversed)
    try collection.add(deck, "plain", "x")
    if buries { try collection.set(deck, .buryNew, "on") }
    let session = try collection.store.read { try ReviewSession($0, deck: deck, at: moment) }
    #expect(session.remaining == left + 1)
    #expect(try collection.store.read { try StudyCounts.of($0, deck, at: moment) }.new == left + 1)
    // The plain card is on top of the deck.
    for _ in 0..<2 { try collection.store.operation("a") { _ = try session.answer($0, .easy, at: moment) } }
    #expect(session.remaining == left - 1)
    let buried = try collection.store.read { db in
      try CardTable.ids(db, in: deck, matching: CardQuery("is:buried"), at: moment).count
    }
    #expect(buried == (buries ? 1 : 0))
    try collection.undo(session)
    #expect(session.remaining == left)
    #expect(try outlook(deck).buried == 0)
  }

  @Test func `waiting cards are counted, and the time of the next card is reported`() throws {
    let deck = try collection.deck("d")
    #expect(try outlook(deck).all == 0 && outlook(deck).next == nil)
    for number in 0..<5 { try collection.add(deck, "p\(number)", "x") }
    try collection.set(deck, .newPerDay, "3")
    try collection.set(deck, .fuzz, "off")
    let session = try collection.store.read { try ReviewSession($0, deck: deck, at: moment) }
    for rating in [Rating.easy, .again, .good] {
      try collection.store.operation("a") { _ = try session.answer($0, rating, at: moment) }
    }
    let found = try outlook(deck, deck)
    #expect((found.all, found.newWaiting, found.forgotten, found.tomorrow) == (5, 2, 1, 0))
    #expect(found.next == moment.now + 60)
    collection.now += 86_400 * 7
    // The learning card is due; the learnt one comes tomorrow.
    #expect(try outlook(deck).tomorrow == 1 && outlook(deck).forgotten == 0)
    collection.now += 86_400
    try collection.set(deck, .reviewsPerDay, "0")
    #expect(try outlook(deck).dueWaiting == 1 && outlook(deck).newWaiting == 2)
  }

  @Test func `the next card comes on its day of study, also after a journey to the west`() throws {
    let deck = try collection.deck("d")
    try collection.add(deck, "p", "a")
    try collection.store.execute(
      "UPDATE cards SET state = 2, due = ?, stability = 5, difficulty = 5, last_review = ?",
      [moment.start(ofDay: moment.today + 3), collection.now])
    for hours in [0.0, -8] {
      let here = StudyMoment(now: collection.now, utcOffset: hours * 3600)
      let next = try collection.store.read { try StudyOutlook($0, [deck], at: here).next }
      #expect(next == here.start(ofDay: moment.today + 3))
    }
    try collection.store.operation("x") { db in
      try db.execute(sql: "UPDATE cards SET state = 1, due = ?", arguments: [collection.now])
      try CardHiding.bury(db, CardTable.ids(db, in: deck), at: moment)
    }
    let here = StudyMoment(now: collection.now, utcOffset: -8 * 3600)
    let next = try collection.store.read { try StudyOutlook($0, [deck], at: here).next }
    #expect(next == here.start(ofDay: moment.today + 1))
  }

  @Test func `as many cards are counted as a session would show`() throws {
    let deck = try collection.deck("d")
    for number in 0..<6 { try collection.add(deck, "p\(number)", "x") }
    let session = try collection.store.read { try ReviewSession($0, deck: deck, at: moment) }
    var ids: [CardID] = []
    for rating in [Rating.again, .again, .again, .easy] {
      ids.append(try #require(try collection.store.read { try session.card($0, at: moment) }).id)
      try collection.store.operation("a") { _ = try session.answer($0, rating, at: moment) }
    }
    try collection.store.operation("hide") { db in
      // The learnt card comes tomorrow.
      try db.execute(sql: "UPDATE cards SET due = ? WHERE id = ?", arguments: [moment.endOfToday, ids[3].rawValue])
      #expect(try StudyOutlook(db, [deck], at: moment).tomorrow == 1)
      try CardHiding.bury(db, [ids[0], ids[3]], at: moment)
    }
    let found = try outlook(deck)
    #expect((found.forgotten, found.tomorrow, found.all - found.buried) == (2, 0, 4))
  }

  @Test(arguments: [
    (CardProperty.prompt, false, "A b c"), (.prompt, true, "c b A"), (.created, false, "b A c"), (.due, false, "c b A"),
    (.stability, true, "c b A"), (.answer, false, "c b A"),
  ])
  func `cards are sorted by any field, those without a value last`(
    sort: CardProperty, isDescending: Bool, expected: String
  ) throws {
    let deck = try collection.deck("d")
    for (prompt, answer) in [("b", "2"), ("A", "3"), ("c", "1")] { try collection.add(deck, prompt, answer) }
    try collection.store.execute(
      "UPDATE cards SET due = 5, stability = 3, state = 2, last_review = 1 WHERE id IN (SELECT id FROM card_rows WHERE prompt = 'c')"
    )
    let ids = try collection.store.read { try CardTable.ids($0, in: deck) }
    let order = try collection.store.read { try CardTable.order($0, ids, by: sort, isDescending: isDescending) }
    let prompts = try collection.store.read { try CardTable.cards($0, ids: order.map { ids[$0] }) }.map(\.prompt)
    #expect(prompts.joined(separator: " ") == expected)
  }

  @Test func `cards move to another deck in their order; a guid that is taken, or is there twice, refuses all`() throws
  {
    let (from, into) = (try collection.deck("a"), try collection.deck("b"))
    for prompt in ["3", "2", "1"] { try collection.add(from, prompt, "x", guid: "g" + prompt) }
    try collection.add(into, "there", "x")
    let ids = try collection.store.read { try CardTable.ids($0, in: from) }
    let moved = try collection.store.operation("m") { try CardTable.move($0, Array(ids.prefix(2)), into: into, now: 5) }
    #expect(moved == 2)
    #expect(try collection.prompts(into) == ["1", "2", "there"] && collection.prompts(from) == ["3"])
    try collection.add(into, "same", "x", guid: "g3")
    let code = problemCode {
      _ = try collection.store.operation("m") { try CardTable.move($0, ids, into: into, now: 6) }
    }
    #expect(code == "duplicate")
    let third = try collection.deck("c")
    let both = try collection.store.read { try CardTable.ids($0, guidBeginning: "g3") }
    let refused = problemCode {
      _ = try collection.store.operation("m") { try CardTable.move($0, both, into: third, now: 7) }
    }
    #expect(both.count == 2 && refused == "duplicate")
    #expect(try collection.prompts(from) == ["3"])
  }
}
