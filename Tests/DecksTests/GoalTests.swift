// Goals by a date: how they change study before the last days, during them, and after the date.

import Memory
import Problems
import TestDecks

@testable import Decks

@Suite struct GoalTests {
  private let collection = TestCollection(hasUndo: true)
  private var moment: StudyMoment { collection.moment }

  private func date(in days: Int) -> String { StudyMoment.date(ofDay: moment.today + days) }

  private func goal(in days: Int, minutes: Double = 20, lastDays: Int = 3) throws -> DeckGoal {
    var goal = try DeckGoal(date: date(in: days), recall: 0.9, minutes: minutes, at: moment)
    goal.lastDays = lastDays
    return goal
  }

  private func set(_ deck: DeckID, _ goal: DeckGoal?) throws {
    try collection.store.operation("x") { try DeckTable.setGoal($0, deck, to: goal) }
  }

  /// Adds learnt cards of stability 10, 12, 14...: answered five days ago, due in 100 days except the first three.
  private func learn(_ deck: DeckID, _ count: Int, _ name: String = "c") throws {
    _ = try collection.addAll(deck, (0..<count).map { NewCard(prompt: "\(name)\($0)", answer: "x") })
    for number in 0..<count {
      let due = moment.start(ofDay: moment.today + (number < 3 ? 0 : 100))
      try collection.store.execute(
        "UPDATE cards SET state = 2, due = ?, stability = ?, difficulty = 5, last_review = ? WHERE id = (SELECT id FROM card_rows WHERE prompt = ?)",
        [due, Double(10 + 2 * number), moment.now - 5 * 86_400, "\(name)\(number)"])
    }
  }

  private func counts(_ deck: DeckID) throws -> StudyCounts {
    try collection.store.read { try StudyCounts.of($0, deck, at: moment) }
  }

  private func options(_ deck: DeckID) throws -> DeckOptions? {
    try collection.store.read { try DeckTable.allOptions($0, at: moment)[deck] }
  }

  @Test func `until the date the deck and its inner decks are studied at 0.8, then as before`() throws {
    let (outer, inner, other) = (try collection.deck("a"), try collection.deck("a::b"), try collection.deck("ab"))
    try collection.set(outer, .desiredRetention, "0.92")
    try set(outer, goal(in: 40))
    #expect(try options(outer)?.desiredRetention == 0.8 && options(inner)?.desiredRetention == 0.8)
    #expect(try options(other)?.desiredRetention == 0.9)
    let own = try collection.store.read { try DeckTable.options($0, outer).desiredRetention }
    #expect(own == 0.92)
    #expect(try collection.store.read { try DeckTable.options($0, inner, at: moment).desiredRetention } == 0.8)
    collection.now += 40 * 86_400
    #expect(try options(outer)?.desiredRetention == 0.92 && options(inner)?.desiredRetention == 0.92)
    #expect(try collection.store.read { try DeckTable.options($0, inner, at: moment).desiredRetention } == 0.92)
    #expect(try collection.store.read { try DeckTable.goal($0, inner)?.deck.id } == outer)
  }

  @Test func `in the last days the most valuable cards come, as many as fit into the minutes`() throws {
    let deck = try collection.deck("a")
    try learn(deck, 60)
    #expect(try counts(deck) == StudyCounts(due: 3))
    try set(deck, goal(in: 4))
    #expect(try counts(deck) == StudyCounts(due: 3))
    try set(deck, goal(in: 3, minutes: 5))
    let few = try counts(deck).due
    #expect((25...45).contains(few))
    let session = try collection.session(deck)
    #expect(session.remaining == few)
    // The limit of reviews does not apply; the minutes do.
    try collection.set(deck, .reviewsPerDay, "2")
    #expect(try counts(deck).due == few)
    let first = try #require(try collection.store.read { try session.card($0, at: moment) })
    let plan = try collection.store.read { db in
      var options = try DeckTable.allOptions(db, at: moment)
      return try GoalDay(db, of: [DeckTable.record(db, deck)], &options, at: moment)
    }
    #expect(plan.ranks[first.id] == 0 && plan.count(in: deck) == few)
  }

  @Test func `minutes already studied today and new cards are counted, and a card comes once a day`() throws {
    let deck = try collection.deck("a")
    try learn(deck, 60)
    try set(deck, goal(in: 2, minutes: 5))
    let before = try counts(deck).due
    let session = try collection.session(deck)
    for _ in 0..<3 {
      collection.now += 60
      _ = try collection.store.read { try session.card($0, at: moment) }
      _ = try collection.store.operation("x") { try session.answer($0, .good, at: moment, seconds: 50) }
    }
    let after = try counts(deck).due
    #expect(after < before - 10 && after > 0)
    _ = try collection.add(deck, "new", "x")
    #expect(try counts(deck).due < after && counts(deck).new == 1)
    collection.now += 2 * 86_400
    // The date has come: cards are due by the schedule, within the deck's limits.
    #expect(try counts(deck).due < 5)
  }

  @Test func `an inner deck's own goal takes its cards, and suspended cards belong to none`() throws {
    let (outer, inner) = (try collection.deck("a"), try collection.deck("a::b"))
    try learn(outer, 20, "o")
    try learn(inner, 20, "i")
    try set(outer, goal(in: 2, minutes: 600))
    #expect(try counts(outer).due == 40 && counts(inner).due == 20)
    try set(inner, goal(in: 30))
    #expect(try counts(outer).due == 23 && counts(inner).due == 3)
    try collection.store.execute(
      "UPDATE cards SET suspended = 1 WHERE id = (SELECT id FROM card_rows WHERE prompt = 'o7')")
    #expect(try counts(outer).due == 22)
  }

  @Test func `counting a deck reads only the options of the deck whose goal applies and of the decks in it`() throws {
    let (outer, middle) = (try collection.deck("a"), try collection.deck("a::b"))
    let (inner, other) = (try collection.deck("a::b::c"), try collection.deck("d"))
    try learn(inner, 20)
    func decks() throws -> Set<DeckID> {
      try collection.store.read { db in
        Set(try DeckTable.allOptions(db, at: moment, within: DeckTable.record(db, inner)).keys)
      }
    }
    try set(other, goal(in: 2))
    #expect(try decks() == [inner] && counts(inner).due == 3)
    try set(middle, goal(in: 2, minutes: 600))
    #expect(try decks() == [middle, inner] && counts(inner).due == 20 && counts(outer).due == 20)
    #expect(try collection.store.read { try DeckTable.goals($0).map(\.deck.id) } == [middle, other])
  }

  @Test func `a goal is stored with the deck's limits, and one step undoes it`() throws {
    let deck = try collection.deck("a")
    var limits = DeckLimits()
    try limits.set(.newPerDay, to: 4)
    try collection.store.operation("x") { try DeckTable.setLimits($0, deck, to: limits) }
    try set(deck, goal(in: 50, minutes: 12.5, lastDays: 9))
    let kept = try collection.store.read { try DeckTable.limits($0, deck) }
    #expect(try kept.goal == goal(in: 50, minutes: 12.5, lastDays: 9) && kept.value(.newPerDay) == 4)
    try collection.store.undo()
    #expect(try collection.store.read { try DeckTable.limits($0, deck) } == limits)
    for bad in [#"{"goal": 3}"#, #"{"goal": {"day": 20000, "recall": 7, "minutes": 20, "last_days": 3}}"#] {
      try collection.store.execute("UPDATE decks SET options = ? WHERE id = ?", [bad, deck.rawValue])
      #expect(try collection.store.read { try DeckTable.goals($0) }.isEmpty)
    }
  }

  @Test(arguments: [
    ("2027-13-01", 0.9, 20.0, "a date like 2027-06-01"), ("tomorrow", 0.9, 20, "a date like 2027-06-01"),
    ("2027-9223372036854775807-01", 0.9, 20, "a date like 2027-06-01"),
    ("2027-06-9223372036854775807", 0.9, 20, "a date like 2027-06-01"), ("2024-06-+1", 0.9, 20, "a date like"),
    ("2020-01-01", 0.9, 20, "after today"), ("2050-01-01", 0.9, 20, "within ten years"),
    ("2024-06-01", 1, 20, "from 0.5 to 0.99"), ("2024-06-01", .nan, 20, "from 0.5 to 0.99"),
    ("2024-06-01", 0.9, 0, "from 1 to 600"),
  ])
  func `a goal out of range is refused with the expected range`(
    date: String, recall: Double, minutes: Double, expected: String
  ) throws {
    let error = #expect(throws: DeckError.self) {
      try DeckGoal(date: date, recall: recall, minutes: minutes, at: moment)
    }
    #expect(error?.message.contains(expected) == true)
  }

  @Test func `a simulation predicts the goal, with the answer times that were measured`() throws {
    let deck = try collection.deck("a")
    try learn(deck, 100)
    var goal = try DeckGoal(date: date(in: 30), recall: 0.9, minutes: 20, at: moment)
    let simulation = try collection.store.read { try GoalSimulation($0, deck, goal, at: moment) }
    goal = try #require(simulation.planned { false })
    let progress = try collection.store.read { try GoalSimulation($0, deck, goal, at: moment) }.progress
    #expect(progress.daysLeft == 30 && progress.deck == "a" && progress.plan?.isReached == true)
    #expect((0.95...0.999).contains(progress.known) && progress.plan?.recall ?? 0 >= 0.9)
    #expect(simulation.planned { true } == nil)
    // Sixty slow answers from yesterday.
    let yesterday = moment.start(ofDay: moment.today - 1)
    let cards = try collection.store.read { try CardTable.ids($0, in: deck) }
    try collection.store.operation("x") { db in
      for (number, card) in cards.prefix(60).enumerated() {
        try db.execute(
          sql: "INSERT INTO reviews (card, at, rating, state, interval, seconds) VALUES (?, ?, 3, 2, 0, 30)",
          arguments: [card.rawValue, yesterday + Double(number)])
      }
    }
    let times = try collection.store.read {
      try GoalGroup($0, [deck], moment).times()
    }
    #expect(times == AnswerTimes(remembered: 30))
    try set(deck, goal)
    collection.now += 31 * 86_400
    let over = try collection.store.read { try GoalSimulation($0, deck, goal, at: moment) }.progress
    #expect(over.plan == nil && over.daysLeft == -1)
  }
}
