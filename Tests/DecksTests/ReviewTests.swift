// Sessions of reviews: order, limits, what an answer writes, undo.

import Memory
import Problems
import TestDecks
import Values

@Suite struct ReviewTests {
  let collection = TestCollection(hasUndo: true)
  private let hour = 3600.0

  private func moment(_ seconds: Double = 0) -> StudyMoment { StudyMoment(now: collection.now + seconds) }

  private func session(_ deck: DeckID, limit: Int? = nil, query: String? = nil, after seconds: Double = 0) throws
    -> ReviewSession
  {
    let query = try query.map { try CardQuery($0) }
    return try collection.store.read {
      try ReviewSession($0, deck: deck, limit: limit, query: query, at: moment(seconds))
    }
  }

  private func prompt(_ session: ReviewSession, after seconds: Double = 0) throws -> String? {
    try collection.store.read { try session.card($0, at: moment(seconds))?.prompt }
  }

  @discardableResult
  private func answer(_ session: ReviewSession, _ rating: Rating, after seconds: Double = 0) throws -> ReviewResult {
    try collection.store.operation("answer") { try session.answer($0, rating, at: moment(seconds), seconds: 3) }
  }

  /// The columns of each recorded answer.
  private func reviews(_ columns: String) throws -> [[Value]] {
    try collection.store.read { try $0.rows("SELECT \(columns) FROM reviews ORDER BY id") { $0.values } }
  }

  @Test func `due cards come before new ones, and failed cards come again`() throws {
    let deck = try collection.deck("d")
    try collection.fill(deck, ["n1", "n2", "due"])
    try collection.store.execute(
      "UPDATE cards SET state = 2, due = ?, stability = 5, difficulty = 5, last_review = ? WHERE id IN (SELECT id FROM card_rows WHERE prompt = 'due')",
      [moment().start(ofDay: moment().today), collection.now - 5 * 86_400])
    let session = try session(deck)
    #expect((session.dueCount, session.newCount, session.remaining) == (1, 2, 3))
    #expect(try prompt(session) == "due")
    let lapse = try answer(session, .again)
    #expect(try collection.store.read { try CardTable.card($0, lapse.card)?.schedule } == lapse.schedule)
    #expect((lapse.schedule.state, lapse.schedule.lapses, lapse.interval, lapse.remaining) == (.relearning, 1, 600, 3))
    #expect(try prompt(session) == "n1")
    try answer(session, .again, after: 10)
    #expect(try prompt(session, after: 20) == "n2")
    // n1 is due again after a minute, but the card on screen does not change.
    #expect(try prompt(session, after: 80) == "n2")
    try answer(session, .easy, after: 80)
    #expect(try prompt(session, after: 80) == "n1")
    try answer(session, .easy, after: 80)
    // Nothing else is left, so learning cards are shown early.
    #expect(try prompt(session, after: 90) == "due")
    try answer(session, .good, after: 90)
    #expect(try prompt(session, after: 90) == nil)
    #expect(session.isOver && (session.right, session.wrong) == (3, 2))
    #expect(problemCode { try answer(session, .good) } == "over")
    #expect(try reviews("rating").map { $0[0].integer } == [1, 1, 4, 4, 3])
  }

  @Test func `a deck was last studied when it or a deck within it was`() throws {
    let inner = try collection.deck("a::b::c")
    for other in ["a b", "a::bc"] { _ = try collection.deck(other) }
    try collection.fill(inner, ["n"])
    try answer(try session(inner), .good)
    let list = try collection.store.read { try DeckTable.list($0) }
    #expect(list.filter { $0.studied == collection.now }.map(\.name) == ["a", "a::b", "a::b::c"])
    #expect(list.filter { $0.studied == nil }.count == 2)
  }

  @Test func `an answer is recorded with its schedule, and undo removes both`() throws {
    let deck = try collection.deck("d")
    try collection.fill(deck, ["a", "b"])
    let before = try collection.cards(deck)
    let session = try session(deck)
    #expect(problemCode { try collection.undo(session) } == "nothing_to_undo")
    let choices = try collection.store.read { try session.choices($0, at: moment()) }
    #expect(choices.map(\.rating) == Rating.allCases)
    #expect(choices.map(\.interval) == [60, 330, 600, 8 * 86_400])
    try answer(session, .easy)
    let rows = try reviews("rating, state, interval, seconds, elapsed")
    #expect(rows == [[.integer(4), .integer(0), .number(8 * 86_400), .number(3), .null]] as [[Value]])
    let card = try collection.cards(deck)[0]
    #expect((card.state, card.reps, card.stability, card.schedule.lastReview) == (.review, 1, 8.2956, collection.now))
    #expect(card.due == moment().start(ofDay: moment().today + 8))
    #expect(try collection.store.read { try DeckTable.record($0, deck).studied } == collection.now)
    try answer(session, .again)
    try collection.undo(session)
    #expect(try prompt(session) == "b" && session.remaining == 1)
    try collection.undo(session)
    #expect(try collection.cards(deck) == before)
    #expect(try reviews("id").isEmpty)
    #expect(try prompt(session) == "a" && (session.right, session.wrong, session.remaining) == (0, 0, 2))
  }

  @Test func `limits count a whole day, inner decks included, and start again at 4`() throws {
    let deck = try collection.deck("d")
    try collection.fill(deck, (0..<5).map { "a\($0)" })
    try collection.fill(try collection.deck("d::e"), (0..<5).map { "b\($0)" })
    try collection.store.operation("x") { db in
      var options = DeckOptions()
      try options.set(DeckOptions.name("new_per_day"), to: 7)
      try DeckTable.setOptions(db, deck, to: options)
    }
    #expect(try session(deck).newCount == 7)
    #expect(try session(deck, limit: 2).remaining == 2)
    #expect(try session(deck, limit: -5).isOver)
    let today = try session(deck, limit: 3)
    for _ in 0..<3 { try answer(today, .easy) }
    #expect(try session(deck).newCount == 4)
    let tomorrow = moment().endOfToday - collection.now
    #expect(try session(deck, after: tomorrow - 1).newCount == 4)
    #expect(try session(deck, after: tomorrow).newCount == 7)
  }

  @Test func `suspended and removed cards are skipped, also in the middle`() throws {
    let deck = try collection.deck("d")
    try collection.fill(deck, ["a", "b", "c", "d"])
    let ids = try collection.cards(deck).map(\.id)
    try collection.store.operation("x") { try CardHiding.setSuspended($0, [ids[0]], true, now: 0) }
    let session = try session(deck)
    #expect(try prompt(session) == "b" && session.remaining == 3)
    try collection.store.operation("x") { db in
      try CardTable.remove(db, [ids[1]])
      try CardHiding.setSuspended(db, [ids[2]], true, now: 0)
    }
    #expect(try answer(session, .good).card == ids[3])
    try collection.store.operation("x") { try CardTable.remove($0, [ids[3]]) }
    #expect(try prompt(session) == nil && session.isOver)
  }

  @Test func `a query narrows a session`() throws {
    let deck = try collection.deck("d")
    try collection.fill(deck, ["perro", "gato", "pájaro"])
    let session = try session(deck, query: "prompt:pa*")
    #expect(session.remaining == 1)
    #expect(try prompt(session) == "pájaro")
  }

  @Test func `a paused session accepts no answer, and restart begins it anew`() throws {
    let deck = try collection.deck("d")
    try collection.fill(deck, ["a", "b"])
    let session = try session(deck)
    session.pause()
    #expect(!session.isActive)
    #expect(problemCode { try answer(session, .good) } == "paused")
    session.resume()
    try answer(session, .easy)
    try collection.store.read { try session.restart($0, at: moment()) }
    #expect((session.remaining, session.right) == (1, 0))
    #expect(problemCode { try collection.undo(session) } == "nothing_to_undo")
  }

  @Test func `a card forgotten too often becomes a leech, and undo reverts that`() throws {
    let deck = try collection.deck("d")
    try collection.fill(deck, ["a"])
    try collection.store.execute(
      "UPDATE cards SET state = 2, due = 1, stability = 5, difficulty = 5, last_review = 1, lapses = 7")
    try collection.store.execute("UPDATE notes SET tags = ' t '")
    let session = try session(deck)
    #expect(try answer(session, .again).isLeech)
    #expect(try collection.cards(deck)[0].tags == ["t", "leech"])
    try collection.undo(session)
    #expect(try collection.cards(deck)[0].tags == ["t"])
    #expect(try collection.cards(deck)[0].lapses == 7)
  }

  @Test func `no time passes when the clock goes back, and a future answer is found and corrected`() throws {
    let deck = try collection.deck("d")
    try collection.fill(deck, ["a", "b"])
    let early = try session(deck)
    for _ in 0..<2 { try answer(early, .easy) }
    #expect(try collection.store.read { try FutureAnswers.cards($0, now: moment().now) }.isEmpty)
    let year = 365 * 86_400.0
    let later = try session(deck, after: year)
    for _ in 0..<2 { try answer(later, .good, after: year) }
    #expect(try reviews("elapsed").last == [.number(year)])
    var all = StudySelection([deck])
    all.isCram = true
    let back = try collection.store.read { [all] in try ReviewSession($0, all, at: moment()) }
    let a = try answer(back, .good).card
    #expect(try reviews("elapsed").filter { $0 == [.number(0)] }.count == 1)
    let answered = try #require(try collection.cards(deck).first { $0.id != a }).id
    let now = moment().now
    #expect(try collection.store.read { try FutureAnswers.cards($0, now: now) } == [answered])
    let before = try collection.card(answered)
    let found = try collection.store.operation("mend") { try DecksCheck.mend($0, now: now, random: collection.random) }
    #expect(found.isEmpty)
    let after = try collection.card(answered)
    #expect(after.schedule.lastReview == now)
    #expect(moment().interval(of: after.schedule) == moment().interval(of: before.schedule))
  }

  @Test(arguments: [("right", Rating.good), ("wrong", .again), ("easy", .easy), ("hard", .hard)])
  func `answers have names`(name: String, rating: Rating) throws {
    #expect(try Rating(named: name) == rating)
    let error = #expect(throws: MemoryError.self) { try Rating(named: name + "er") }
    #expect(error?.code == "bad_answer")
  }
}
