// Spreading the cards that wait after a pause, and before one: which cards, which days, and what stays.

import Memory
import Problems
import TestDecks
import Values

@testable import Decks

@Suite struct CatchUpTests {
  private let collection = TestCollection(hasUndo: true)
  private var moment: StudyMoment { collection.moment }

  /// Adds learnt cards, each with its due day counted from today; they were answered 20 days before that day.
  @discardableResult
  private func learn(_ deck: DeckID, due days: [Int], _ name: String = "c") throws -> [CardID] {
    let ids = try days.indices.map { try collection.add(deck, "\(name)\($0)", "x") }
    for (id, day) in zip(ids, days) {
      let due = moment.start(ofDay: moment.today + day)
      try collection.store.execute(
        "UPDATE cards SET state = 2, due = ?, stability = ?, difficulty = 5, last_review = ? WHERE id = ?",
        [due, Double(20 + id.rawValue % 7), due - 20 * 86_400, id.rawValue])
    }
    return ids
  }

  /// Logs answers of 8 seconds: so many on each of the given days before today.
  private func study(_ card: CardID, _ count: Int, on days: some Sequence<Int>) throws {
    try collection.store.operation("x") { db in
      for day in days {
        for number in 0..<count {
          let at = moment.start(ofDay: moment.today - day) + Double(3600 + number)
          var review = LoggedReview(at: at, rating: 3, state: .review, interval: 86_400)
          review.seconds = 8
          try ReviewTable.insert(db, review, of: card)
        }
      }
    }
  }

  private func plan(_ deck: DeckID? = nil, days: Int? = nil, minutes: Double? = nil, pause: ClosedRange<Int>? = nil)
    throws -> CatchUp
  {
    try collection.store.read { try CatchUp($0, deck: deck, days: days, minutes: minutes, pause: pause, at: moment) }
  }

  private func apply(_ plan: CatchUp) throws { try collection.store.operation("x") { try plan.apply($0, at: moment) } }

  /// How many cards are due on each day from today on; overdue ones count for the day -1.
  private func dueDays(_ deck: DeckID) throws -> [Int: Int] {
    Dictionary(
      try collection.cards(deck).compactMap(\.due).map { (max(-1, moment.dueDay(of: $0) - moment.today), 1) },
      uniquingKeysWith: +)
  }

  private func rows(_ sql: String) throws -> [[Value]] { try collection.store.read { try $0.rows(sql) { $0.values } } }

  @Test func `overdue cards and today's are spread, each once, and only their due days change`() throws {
    let deck = try collection.deck("d")
    let ids = try learn(deck, due: Array(-40..<0) + [0, 0, 3, 3, 3, 50])
    let columns = "id, state, stability, difficulty, last_review, reps, lapses, suspended, rank"
    let before = try (rows("SELECT \(columns) FROM cards"), rows("SELECT * FROM cards"), rows("SELECT * FROM reviews"))
    let plan = try plan()
    // A usual day is not known, so it takes ten minutes.
    #expect(plan.count == 42 && plan.days.count == 7 && plan.usualSeconds == 600 && plan.withoutRoom == 0)
    #expect(plan.days.map { $0.day } == Array(moment.today..<moment.today + 7))
    #expect(plan.days.reduce(0) { $0 + $1.spread } == 42 && plan.days[3].cards == plan.days[3].spread + 3)
    let seconds = plan.days.map { $0.seconds }
    #expect((seconds.max() ?? 0) - (seconds.min() ?? 0) < 40 && seconds.reduce(0, +) > plan.allSeconds + 3 * 7)
    try apply(plan)
    let found = try dueDays(deck)
    #expect(found[-1] == nil && found[50] == 1 && (0..<7).map { found[$0] ?? 0 } == plan.days.map { $0.cards })
    #expect(try rows("SELECT \(columns) FROM cards") == before.0 && rows("SELECT * FROM reviews") == before.2)
    #expect(try collection.store.read { try CardTable.card($0, ids[0]) }?.schedule.interval == nil)
    // On the same day nothing is left to do; after a missed day, the rest is spread again.
    #expect(try self.plan().count == 0)
    try collection.store.undo()
    #expect(try rows("SELECT * FROM cards") == before.1)
    try apply(plan)
    collection.now += 2 * 86_400
    #expect(try self.plan().count == plan.days.prefix(3).reduce(0) { $0 + $1.cards })
  }

  @Test func `cards that are due today alone are no backlog`() throws {
    let deck = try collection.deck("d")
    try learn(deck, due: Array(repeating: 0, count: 30))
    #expect(try plan().count == 0 && plan().usualDays == 0)
  }

  @Test func `suspended cards, cards being learnt and decks on the last days of a goal are left alone`() throws {
    let (deck, other) = (try collection.deck("d"), try collection.deck("goal"))
    let ids = try learn(deck, due: [-5, -5, -5])
    try learn(other, due: [-5, -5], "g")
    try collection.store.operation("x") { db in
      try CardHiding.setSuspended(db, [ids[0]], true, now: moment.now)
      try db.execute(sql: "UPDATE cards SET state = 3 WHERE id = ?", arguments: [ids[1].rawValue])
      try DeckTable.setGoal(
        db, other, to: DeckGoal(date: StudyMoment.date(ofDay: moment.today + 2), minutes: 20, at: moment))
    }
    #expect(try plan().count == 1)
    #expect(try plan(other).count == 0)
    try collection.store.operation("x") { try DeckTable.setGoal($0, other, to: nil) }
    #expect(try plan().count == 3 && plan(other).count == 2)
  }

  @Test func `the usual day is the mean of 30 days before the last gap of three days`() throws {
    let deck = try collection.deck("d")
    let ids = try learn(deck, due: Array(repeating: -10, count: 200))
    try study(ids[0], 10, on: 20..<40)
    try study(ids[0], 30, on: 40..<60)
    // After the gap, studied again: these days do not count.
    try study(ids[0], 500, on: 1...2)
    #expect(isNear(try plan().usualSeconds, 8 * (20 * 10 + 10 * 30) / 30, 1e-9))
    // The times of those days, too: 8 seconds for a remembered card instead of 7.
    let known = try plan()
    #expect(known.allSeconds > 8 * 200 && known.days.count == Int((known.allSeconds / known.usualSeconds).rounded(.up)))
    // Whoever studies most days has no gap.
    try study(ids[0], 1, on: stride(from: 1, to: 100, by: 3))
    #expect(try plan().usualSeconds > 250)
  }

  @Test func `fewer than five days of answers count as ten minutes`() throws {
    let ids = try learn(try collection.deck("d"), due: [-10])
    try study(ids[0], 10, on: 20..<24)
    #expect(try plan().usualSeconds == 600)
    try study(ids[0], 10, on: 24..<25)
    #expect(try plan().usualSeconds == 80)
  }

  @Test func `days and minutes decide the length; too few minutes are refused`() throws {
    let deck = try collection.deck("d")
    let ids = try learn(deck, due: Array(repeating: -10, count: 150))
    try study(ids[0], 30, on: 20..<50)
    #expect(try plan(days: 3).days.count == 3)
    let ten = try plan(minutes: 10)
    #expect(ten.days.count == Int((ten.allSeconds / 360).rounded(.up)) && ten.days.allSatisfy { $0.seconds < 600 })
    #expect(problemCode { _ = try plan(minutes: 4) } == "bad_value")
    #expect(try plan(minutes: 600).days.count == 1)
  }

  @Test func `free days get no card, easy days their share`() throws {
    let deck = try collection.deck("d")
    try learn(deck, due: Array(repeating: -10, count: 140))
    try collection.set(deck, .easyDays, "mon=0 tue=0.5")
    let byWeekday = Dictionary(try plan(days: 7).days.map { (($0.day + 3) % 7, $0.spread) }) { $1 }
    #expect(byWeekday[0] == 0)
    #expect((9...14).contains(byWeekday[1] ?? 0) && (23...28).contains(byWeekday[2] ?? 0), "\(byWeekday)")
    // Who keeps all days free has no day to choose.
    try collection.set(deck, .easyDays, "mon=0 tue=0 wed=0 thu=0 fri=0 sat=0 sun=0")
    #expect(try plan(days: 7).days.map { $0.spread }.min() ?? 0 > 15)
  }

  @Test func `the limits of reviews hold for each deck; what finds no room is due on the last day, and counted`() throws
  {
    let (outer, inner) = (try collection.deck("a"), try collection.deck("a::b"))
    try learn(outer, due: Array(repeating: -3, count: 40) + [2, 2])
    try learn(inner, due: Array(repeating: -3, count: 40), "i")
    try collection.set(outer, .reviewsPerDay, "5")
    let plan = try plan(days: 7)
    #expect(plan.days.count == 16 + 1 && plan.days.allSatisfy { $0.cards <= 5 } && plan.withoutRoom == 0)
    try collection.set(outer, .reviewsPerDay, "2")
    let full = try self.plan(days: 7)
    #expect(full.days.count == 30 && full.withoutRoom == 80 - 29 * 2 && full.days[29].cards == 2 + full.withoutRoom)
  }

  @Test func `cards due in a pause and overdue ones come after it, without new cards or other due days in it`() throws {
    let deck = try collection.deck("d")
    try learn(deck, due: [-3, 0, 1, 2, 3, 5, 6, 7, 40])
    try collection.add(deck, "new", "x")
    let pause = moment.today + 2...moment.today + 6
    let plan = try plan(pause: pause)
    #expect(plan.count == 5 && plan.days.first?.day == pause.upperBound + 1 && plan.days[0].cards >= 1)
    try collection.store.operation("x") { db in
      try DeckTable.setPause(db, to: pause)
      try plan.apply(db, at: moment)
    }
    let found = try dueDays(deck)
    #expect(found[-1] == nil && found[0] == 1 && found[1] == 1 && found[40] == 1)
    #expect((2...6).allSatisfy { found[$0] == nil } && (7...13).reduce(0) { $0 + (found[$1] ?? 0) } == 6)
    func counts() throws -> StudyCounts { try collection.store.read { try StudyCounts.of($0, deck, at: moment) } }
    #expect(try counts() == StudyCounts(due: 1, new: 1))
    collection.now += 2 * 86_400
    #expect(try counts() == StudyCounts(due: 2, new: 0))
    collection.now += 5 * 86_400
    #expect(try counts().new == 1)
    collection.now -= 5 * 86_400
    let limits = try collection.store.read { try DeckTable.limits($0, deck) }
    #expect(try limits == DeckLimits(json: limits.json) && limits.pause == pause)
    try collection.store.operation("x") { try DeckTable.setPause($0, to: nil) }
    #expect(try counts().new == 1 && collection.store.read { try DeckTable.limits($0, deck) } == DeckLimits())
  }

  @Test func `answers before and in a pause schedule no card for it, and keep the order of the ratings`() throws {
    let today = moment.today
    var options = DeckOptions()
    try options.set(.easyDays, toText: "wed=0")
    options.pause = today + 5...today + 20
    let days = (0...40).map { options.dayAfterPause(today + $0) - today }
    #expect(Array(days.prefix(5)) == [0, 1, 2, 3, 4] && Array(days[28...]) == Array(28...40))
    #expect(days[5..<28].allSatisfy((21...28).contains) && days == days.sorted() && Set(days[5..<28]).count >= 6)
    #expect(days[5..<28].allSatisfy { (today + $0 + 3) % 7 != 2 })
    var card = CardSchedule()
    (card.state, card.stability, card.difficulty) = (.review, 6, 5)
    (card.due, card.lastReview) = (moment.start(ofDay: today), moment.now - 6 * 86_400)
    for rating in Rating.allCases where rating != .again {
      let next = Scheduler(options: options).next(card, rating, at: moment)
      let due = moment.dueDay(of: next.schedule.due ?? 0)
      #expect(!(today + 5...today + 20).contains(due) && next.interval == Double(due - today) * 86_400)
      #expect(next.schedule.interval == due - today)
    }
  }
}
