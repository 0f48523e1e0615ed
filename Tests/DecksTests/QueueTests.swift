// Which cards a session shows and in which order: limits of nested decks, orders, mixing, burials, selections.

import Memory
import Problems
import Templates
import TestDecks

@Suite struct QueueTests {
  let collection = TestCollection(hasUndo: true)
  private var moment: StudyMoment { collection.moment }

  /// Makes a card a learnt one that is due `days` from today.
  private func learn(_ prompt: String, dueIn days: Int = 0, interval: Int = 10, difficulty: Double = 5) throws {
    let due = moment.start(ofDay: moment.today + days)
    try collection.store.execute(
      "UPDATE cards SET state = 2, due = ?, stability = ?, difficulty = ?, last_review = ? WHERE id IN (SELECT id FROM card_rows WHERE prompt = ?)",
      [due, Double(interval), difficulty, due - Double(interval) * 86_400, prompt])
  }

  private func session(_ selection: StudySelection, after seconds: Double = 0) throws -> ReviewSession {
    try collection.store.read { try ReviewSession($0, selection, at: StudyMoment(now: collection.now + seconds)) }
  }

  /// The prompts of a session in order, each answered easy.
  private func shown(_ selection: StudySelection) throws -> [String] {
    let session = try session(selection)
    var prompts: [String] = []
    collection.store.beginUnit()
    while let card = try collection.store.read({ try session.card($0, at: moment) }), prompts.count < 1000 {
      prompts.append(card.prompt)
      _ = try collection.store.operation("x") { try session.answer($0, .easy, at: moment) }
    }
    try collection.store.rollbackUnit()
    return prompts
  }

  @Test func `an inner deck has its own limit, and counts towards those of the decks around it`() throws {
    let outer = try collection.deck("a")
    let inner = try collection.deck("a::b")
    try collection.fill(outer, (0..<10).map { "o\($0)" })
    try collection.fill(inner, (0..<10).map { "i\($0)" })
    try collection.set(outer, .newPerDay, "8")
    try collection.set(inner, .newPerDay, "3")
    #expect(try shown(StudySelection([outer])) == (0..<8).map { "o\($0)" })
    try collection.set(outer, .newGather, "lowest_position")
    #expect(try shown(StudySelection([outer])) == ["o0", "i0", "o1", "i1", "o2", "i2", "o3", "o4"])
    #expect(try shown(StudySelection([inner])).count == 3)
    let counts = try collection.store.read { try StudyCounts.all($0, at: moment) }
    #expect(counts == [outer: StudyCounts(new: 8), inner: StudyCounts(new: 3)])
  }

  @Test func `new cards wait when the day's reviews are used up, unless the options say otherwise`() throws {
    let deck = try collection.deck("a")
    try collection.fill(deck, (0..<10).map { "\($0)" })
    for card in 0..<5 { try learn("\(card)") }
    try collection.set(deck, .reviewsPerDay, "4")
    #expect(try shown(StudySelection([deck])).count == 4)
    try collection.set(deck, .reviewsPerDay, "7")
    #expect(try shown(StudySelection([deck])).count == 7)
    try collection.set(deck, .newIgnoresReviewLimit, "true")
    #expect(try shown(StudySelection([deck])).count == 10)
  }

  @Test func `the counts of a list and of a session agree, whatever the decks`() throws {
    var generator = TestGenerator(17)
    for _ in 0..<25 {
      let collection = TestCollection(hasUndo: true)
      var decks: [DeckID] = []
      for name in ["a", "a::b", "a::b::c", "a::d", "e"] {
        let deck = try collection.deck(name)
        decks.append(deck)
        let count = Int.random(in: 0...12, using: &generator)
        _ = try collection.addAll(deck, (0..<count).map { NewCard(prompt: "\(name)\($0)", answer: "x") })
        try collection.store.operation("x") { db in
          try db.execute(
            sql: """
              UPDATE cards SET state = 2, due = ?, stability = 3, difficulty = 4, last_review = ?
              WHERE deck = ? AND id % 3 < ?
              """,
            arguments: [
              moment.start(ofDay: moment.today), collection.now - 9e5, deck.rawValue,
              Int.random(in: 0...3, using: &generator),
            ])
          var options = DeckOptions()
          try options.set(.newPerDay, to: Double(Int.random(in: 0...9, using: &generator)))
          try options.set(.reviewsPerDay, to: Double(Int.random(in: 0...9, using: &generator)))
          try options.set(.newIgnoresReviewLimit, .flag(Bool.random(using: &generator)))
          try options.set(
            .reviewOrder, .choice(ReviewOrder.allCases.randomElement(using: &generator)?.rawValue ?? "due"))
          try options.set(
            .newGather, toText: ["deck", "random_cards", "highest_position"].randomElement(using: &generator) ?? "")
          if Bool.random(using: &generator) { try DeckTable.setOptions(db, deck, to: options) }
        }
      }
      let limit = Bool.random(using: &generator) ? Int.random(in: 0...9, using: &generator) : nil
      try collection.store.read { db in
        let counts = try StudyCounts.all(db, limit: limit, at: moment)
        for deck in decks {
          let session = try ReviewSession(db, deck: deck, limit: limit, at: moment)
          #expect(StudyCounts(due: session.dueCount, new: session.newCount) == counts[deck])
          #expect(try StudyCounts.of(db, deck, limit: limit, at: moment) == counts[deck])
        }
      }
    }
  }

  @Test func `answers that a wrong clock dated into the future are not counted today`() throws {
    let deck = try collection.deck("a")
    try collection.fill(deck, (0..<30).map { "\($0)" })
    let ahead = StudyMoment(now: collection.now + 400 * 86_400)
    let session = try collection.store.read { try ReviewSession($0, deck: deck, at: ahead) }
    for _ in 0..<5 { _ = try collection.store.operation("x") { try session.answer($0, .easy, at: ahead) } }
    #expect(try collection.store.read { try StudyCounts.of($0, deck, at: moment) }.new == 20)
  }

  @Test(arguments: [
    ("due", "a b c d"), ("shortest", "b d a c"), ("longest", "c a d b"), ("easiest", "d c b a"),
    ("hardest", "a b c d"), ("added", "a b c d"), ("added_last", "d c b a"), ("overdue", "b a c d"),
    ("forgotten", "b a c d"), ("remembered", "d c a b"), ("deck_due", "a b c d"), ("due_deck", "a b c d"),
  ])
  func `learnt cards come in the order of the option`(order: String, expected: String) throws {
    let deck = try collection.deck("a")
    for prompt in ["a", "b", "c", "d"] { try collection.add(deck, prompt, "x") }
    try learn("a", dueIn: -3, interval: 20, difficulty: 9)
    try learn("b", dueIn: -2, interval: 2, difficulty: 8)
    try learn("c", dueIn: -1, interval: 50, difficulty: 7)
    try learn("d", dueIn: 0, interval: 4, difficulty: 6)
    try collection.set(deck, .reviewOrder, order)
    #expect(try shown(StudySelection([deck])).joined(separator: " ") == expected)
  }

  @Test(arguments: ["random", "due_random"])
  func `a random order is the same all day and different tomorrow`(order: String) throws {
    let deck = try collection.deck("a")
    for card in 0..<30 {
      try collection.add(deck, "\(card)", "x")
      try learn("\(card)", dueIn: -1)
    }
    try collection.set(deck, .reviewOrder, order)
    let today = try shown(StudySelection([deck]))
    #expect(try shown(StudySelection([deck])) == today)
    collection.now += 86_400
    let tomorrow = try shown(StudySelection([deck]))
    #expect(tomorrow != today && tomorrow.sorted() == today.sorted() && today != today.sorted())
  }

  @Test(arguments: [("after", "d0 d1 d2 d3 n0 n1"), ("before", "n0 n1 d0 d1 d2 d3"), ("mix", "d0 d1 n0 d2 d3 n1")])
  func `new cards are mixed with reviews as the option says`(mix: String, expected: String) throws {
    let deck = try collection.deck("a")
    try collection.fill(deck, ["d0", "d1", "d2", "d3", "n0", "n1"])
    for card in 0..<4 { try learn("d\(card)", dueIn: -1) }
    try collection.set(deck, .newMix, mix)
    #expect(try shown(StudySelection([deck])).joined(separator: " ") == expected)
  }

  @Test(arguments: ["random_cards", "random_notes", "highest_position", "deck"])
  func `new cards are gathered as the option says`(gather: String) throws {
    let deck = try collection.deck("a")
    try collection.fill(deck, (0..<60).map { "\($0)" })
    try collection.set(deck, .newPerDay, "10")
    try collection.set(deck, .newGather, gather)
    let prompts = try shown(StudySelection([deck]))
    #expect(prompts.count == 10 && Set(prompts).count == 10)
    switch gather {
    case "deck": #expect(prompts == (0..<10).map { "\($0)" })
    case "highest_position": #expect(prompts == (50..<60).reversed().map { "\($0)" })
    default: #expect(prompts != (0..<10).map { "\($0)" })
    }
    try collection.set(deck, .newSort, "random")
    #expect(try shown(StudySelection([deck])).sorted() == prompts.sorted())
  }

  @Test func `new cards are sorted as the option says`() throws {
    let deck = try collection.deck("a")
    for number in 0..<12 {
      try collection.addNote(deck, ["Front": "f\(number)", "Back": "b\(number)"], .reversed)
    }
    try collection.set(deck, .buryNew, "false")
    try collection.set(deck, .newPerDay, "100")
    func shown(_ sort: String) throws -> [String] {
      try collection.set(deck, .newSort, sort)
      return try self.shown(StudySelection([deck]))
    }
    func sides(_ prompts: [String]) -> String { prompts.map { String($0.prefix(1)) }.joined() }
    func numbers(_ prompts: [String]) -> [String] { prompts.map { String($0.dropFirst()) } }
    let gathered = try shown("gathered")
    #expect(try gathered == collection.prompts(deck))
    let fronts = gathered.filter { $0.hasPrefix("f") }
    #expect(try Array(shown("template").prefix(12)) == fronts)
    let mixed = try shown("template_random").prefix(12)
    #expect(Array(mixed) != fronts && mixed.sorted() == fronts.sorted())
    let byNote = try shown("random_note")
    // The two cards of a note stay together; the notes are in random order.
    #expect(sides(byNote) == String(repeating: "fb", count: 12) && numbers(byNote) != numbers(gathered))
  }

  @Test func `learnt siblings wait until tomorrow if the options say so`() throws {
    let deck = try collection.deck("a")
    try collection.addNote(deck, ["Front": "front", "Back": "back"], .reversed)
    for prompt in ["front", "back"] { try learn(prompt, dueIn: -1) }
    let order = try collection.prompts(deck)
    var everything = StudySelection([deck])
    everything.isCram = true
    #expect(try shown(everything) == order)
    try collection.set(deck, .buryReviews, "true")
    #expect(try shown(everything) == [order[0]])
    try collection.set(deck, .buryReviews, "false")
    try collection.set(deck, .buryLearning, "true")
    #expect(try shown(everything) == order)
    // The second card has a learning step of more than a day.
    try collection.store.execute(
      """
      UPDATE cards SET state = 1, last_review = due - 86400
      WHERE id IN (SELECT id FROM card_rows WHERE prompt = ?)
      """, [order[1]])
    #expect(try shown(everything) == [order[0]])
  }

  @Test func `several decks are studied at once, each card once`() throws {
    let (a, b, inner) = (try collection.deck("a"), try collection.deck("b"), try collection.deck("a::i"))
    for (deck, prompt) in [(a, "a1"), (b, "b1"), (inner, "i1")] { try collection.add(deck, prompt, "x") }
    #expect(try shown(StudySelection([b, inner, a])) == ["b1", "a1", "i1"])
  }

  @Test func `cramming shows all cards, or those that a query finds`() throws {
    let deck = try collection.deck("a")
    try collection.fill(deck, ["late", "soon", "far", "new", "gone"])
    try learn("late", dueIn: -1)
    try learn("soon", dueIn: 2)
    try learn("far", dueIn: 9)
    try learn("gone", dueIn: 1)
    let gone = try collection.cards(deck)[4].id
    try collection.store.operation("x") { try CardHiding.setSuspended($0, [gone], true, now: 0) }
    var selection = StudySelection([deck])
    selection.isCram = true
    #expect(try shown(selection) == ["late", "soon", "far", "new"])
    selection.query = try CardQuery("far or new")
    #expect(try shown(selection) == ["far", "new"])
    selection.query = try CardQuery("prop:due=2")
    #expect(try shown(selection) == ["soon"])
    let session = try session(StudySelection([deck]))
    _ = try collection.store.operation("x") { try session.answer($0, .again, at: moment) }
    selection.query = try CardQuery("rated:1:1")
    #expect(try shown(selection) == ["late"])
  }

  @Test func `a session that changes no schedule writes nothing, and shows forgotten cards again`() throws {
    let deck = try collection.deck("a")
    try collection.fill(deck, ["a", "b"])
    try learn("a")
    let before = try collection.cards(deck)
    var selection = StudySelection([deck])
    (selection.isCram, selection.reschedules) = (true, false)
    let session = try session(selection)
    func answer(_ rating: Rating) throws -> String? {
      let prompt = try collection.store.read { try session.card($0, at: moment)?.prompt }
      _ = try collection.store.operation("x") { try session.answer($0, rating, at: moment) }
      return prompt
    }
    #expect(try [answer(.again), answer(.good), answer(.again), answer(.good)] == ["a", "b", "a", "a"])
    #expect(session.isOver && (session.right, session.wrong) == (2, 2))
    #expect(try collection.cards(deck) == before)
    #expect(try collection.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM reviews") } == 0)
    try session.stepBack()
    #expect((session.remaining, session.right) == (1, 1))
  }

  @Test(arguments: ["due", "due_random", "due_deck", "deck_due"])
  func `cards beyond a day's limit are not read, and the order of the rest is the same`(order: String) throws {
    let outer = try collection.deck("a")
    let inner = try collection.deck("a::b")
    for (number, deck) in [outer, inner, outer].enumerated() {
      try collection.fill(deck, (0..<12).map { "\(number) \($0)" })
      for card in 0..<12 { try learn("\(number) \(card)", dueIn: -(card * 7 % 5)) }
    }
    try collection.set(outer, .reviewOrder, order)
    let all = try shown(StudySelection([outer]))
    #expect(all.count == 36)
    try collection.set(outer, .reviewsPerDay, "7")
    #expect(try shown(StudySelection([outer])) == Array(all.prefix(7)))
    #expect(try collection.store.read { try StudyCounts.of($0, outer, at: moment) }.due == 7)
  }

  @Test func `a buried card waits until tomorrow, and no clock change makes it wait longer`() throws {
    let deck = try collection.deck("a")
    try collection.fill(deck, ["a", "b"])
    let session = try session(StudySelection([deck]))
    try collection.store.operation("x") { try session.bury($0, at: moment) }
    #expect(try collection.store.read { try session.card($0, at: moment)?.prompt } == "b")
    #expect(try shown(StudySelection([deck])) == ["b"])
    let counts = try collection.store.read { try DeckTable.counts($0, deck, at: moment) }
    #expect(counts.newCount == 1)
    for now in [moment.endOfToday, collection.now - 30 * 86_400] {
      #expect(try collection.store.read { try StudyCounts.of($0, deck, at: StudyMoment(now: now)) }.new == 2)
    }
    // Tomorrow begins elsewhere at another time: in summer and winter time, in Kathmandu and New York.
    for (zone, hours, new) in [(1.0, -0.5, 2), (-1, 0.5, 1), (5.75, -3, 2), (-5, 4, 1)] {
      let there = StudyMoment(now: moment.endOfToday + hours * 3600, utcOffset: zone * 3600)
      #expect(try collection.store.read { try StudyCounts.of($0, deck, at: there) }.new == new, "\(zone)")
    }
    try collection.undo(session)
    #expect(try shown(StudySelection([deck])) == ["a", "b"])
  }

  @Test func `a suspended card leaves the session, and undo brings it back`() throws {
    let deck = try collection.deck("a")
    try collection.fill(deck, ["a", "b"])
    let session = try session(StudySelection([deck]))
    try collection.store.operation("x") { try session.suspend($0, at: moment) }
    #expect(try collection.cards(deck)[0].isSuspended && session.remaining == 1)
    try collection.undo(session)
    #expect(try !collection.cards(deck)[0].isSuspended && session.remaining == 2)
  }

  @Test func `a leech is suspended if the options say so, and undo brings it back`() throws {
    let deck = try collection.deck("a")
    try collection.fill(deck, ["a", "b"])
    try learn("a")
    try collection.set(deck, .leechThreshold, "1")
    try collection.set(deck, .leechAction, "suspend")
    let session = try session(StudySelection([deck]))
    let result = try collection.store.operation("x") { try session.answer($0, .again, at: moment, seconds: 500) }
    #expect(result.isLeech && result.remaining == 1)
    #expect(try collection.cards(deck)[0].isSuspended)
    #expect(try collection.store.read { try Double.fetchOne($0, sql: "SELECT seconds FROM reviews") } == 60)
    try collection.undo(session)
    #expect(try !collection.cards(deck)[0].isSuspended)
  }

  @Test func `flags are 0 to 7`() throws {
    let deck = try collection.deck("a")
    let card = try collection.add(deck, "a", "b")
    try collection.store.operation("x") { db in
      try CardHiding.setFlag(db, [card], to: 7, now: 1)
      #expect(problemCode { try CardHiding.setFlag(db, [card], to: 8, now: 1) } == "bad_value")
      #expect(problemCode { try CardHiding.setFlag(db, [card], to: -1, now: 1) } == "bad_value")
      #expect(problemCode { try CardHiding.setFlag(db, [CardID(rawValue: 99)], to: 1, now: 1) } == "not_found")
    }
    #expect(try collection.cards(deck)[0].flag == 7)
  }

  @Test func `a learning step of a day or more is due from the start of that day, and one of hours not at once`() throws
  {
    let deck = try collection.deck("a")
    try collection.fill(deck, ["a"])
    try collection.set(deck, .learningSteps, "1h 1d")
    let session = try session(StudySelection([deck]))
    _ = try collection.store.operation("x") { try session.answer($0, .again, at: moment) }
    #expect(session.isOver && session.nextDue == collection.now + 3600)
    #expect(try collection.store.read { try session.card($0, at: moment) } == nil)
    let later = StudyMoment(now: collection.now + 3600)
    #expect(try collection.store.read { try session.card($0, at: later) }?.prompt == "a")
    _ = try collection.store.operation("x") { try session.answer($0, .good, at: later) }
    #expect(session.isOver && session.nextDue == nil)
    let tomorrow = StudyMoment(now: moment.endOfToday + 60)
    let next = try collection.store.read { try ReviewSession($0, deck: deck, at: tomorrow) }
    #expect(try collection.store.read { try next.card($0, at: tomorrow) }?.prompt == "a")
  }
}
