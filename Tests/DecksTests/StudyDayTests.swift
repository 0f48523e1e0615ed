// Each time belongs to the day that it had: the days of an answer, of a due day and of an interval.

import Memory
import TestDecks
import Text
import Values

@testable import Decks

@Suite struct StudyDayTests {
  private let collection = TestCollection()

  /// 2026-10-25 01:00 UTC, when Paris goes back to winter time, and 2026-03-29 01:00 UTC, when summer time begins.
  private static let (autumn, spring) = (1_792_890_000.0, 1_774_746_000.0)
  @Sendable private static func paris(_ time: Double) -> Double {
    time >= autumn || time < spring ? 3600 : 7200
  }

  private func moment(_ now: Double) -> StudyMoment { StudyMoment(now: now, zoneOffset: Self.paris) }

  @Test(arguments: [StudyDayTests.autumn, StudyDayTests.spring], [3.5, 4.5])
  func `an answer a day at the same time is an answer on each day, over a change of the clock`(
    change: Double, hour: Double
  ) {
    let midnight = ((change - 10 * 86_400) / 86_400).rounded(.down) * 86_400
    let times = (0..<20).map { day in
      let shown = midnight + Double(day) * 86_400 + hour * 3600
      return shown - Self.paris(shown - Self.paris(shown))
    }
    for now in [times[0], times[10], times[19] + 60] {
      let days = times.map { moment(now).day(of: $0) }
      #expect(days == Array(days[0]..<(days[0] + 20)))
      for day in days {
        let start = moment(now).start(ofDay: day)
        #expect(moment(now).day(of: start) == day && moment(now).day(of: start - 1) == day - 1)
        #expect(start + Self.paris(start) == Double(day) * 86_400 + 4 * 3600)
      }
    }
  }

  @Test func `answers before and after a change of the clock are found on their days`() throws {
    let deck = try collection.deck("d")
    let ids = try ["a", "b"].map { try collection.add(deck, $0, "x") }
    // 04:30 in Paris on the day before the change and on that of the change.
    let times = [Self.autumn - 22.5 * 3600, Self.autumn + 2.5 * 3600]
    for (id, time) in zip(ids, times) {
      try collection.store.operation("study") { db in
        var replay = try AnswerReplay(db, at: moment(time))
        _ = try replay.enter(id, .good, at: moment(time), seconds: 3)
      }
    }
    func found(_ query: String) throws -> Int {
      try collection.store.read { db in
        try CardTable.ids(db, in: deck, matching: CardQuery(query), at: moment(times[1] + 3600)).count
      }
    }
    #expect(try found("rated:1") == 1 && found("rated:2") == 2 && found("introduced:1") == 1)
  }

  @Test func `a card keeps the interval that it was given, until it gets another due day`() throws {
    let deck = try collection.deck("d")
    let id = try collection.add(deck, "a", "x")
    let now = moment(collection.now)
    var schedule = CardSchedule()
    (schedule.state, schedule.stability, schedule.difficulty) = (.review, 20, 5)
    (schedule.lastReview, schedule.due) = (collection.now - 5 * 86_400, now.start(ofDay: now.today + 5))
    schedule.interval = 30
    let given = schedule
    try collection.store.operation("write") { try ReviewTable.write($0, given, id) }
    let card = try collection.cards(deck)[0]
    #expect(card.schedule == given && card.value(of: .interval, at: now) == .integer(30))
    for (query, count) in [("prop:ivl=30", 1), ("prop:ivl=10", 0)] {
      let query = try CardQuery(query)
      #expect(try collection.store.read { try CardTable.ids($0, in: deck, matching: query, at: now) }.count == count)
    }
    let statistics = try collection.store.read { try DeckStatistics($0, decks: [deck], at: now) }
    #expect(statistics.cards.mature == 1 && statistics.cards.young == 0)
    schedule.due = now.start(ofDay: now.today + 6)
    #expect(now.interval(of: schedule) == 11)
  }

  @Test func `without steps a card that is being learnt comes back after the model's own time`() throws {
    var options = DeckOptions()
    try options.set(.learningSteps, .steps([]))
    try options.set(.fuzz, .flag(false))
    let now = moment(collection.now)
    let scheduler = Scheduler(options: options)
    let again = scheduler.next(CardSchedule(), .again, at: now)
    let stability = MemoryModel().initial(.again).stability
    #expect(again.schedule.state == .learning && abs(again.interval - stability * 86_400) <= 1)
    #expect(scheduler.next(CardSchedule(), .good, at: now).schedule.state == .review)
    try options.set(.shortTerm, .flag(false))
    #expect(Scheduler(options: options).next(CardSchedule(), .again, at: now).interval == 86_400)
  }

  @Test func `one text in two normal forms is one card`() throws {
    let deck = try collection.deck("d")
    try collection.add(deck, "cafe\u{301}", "x")
    for (prompt, answer) in [("caf\u{E9}", "x"), ("cafe\u{301}", "x")] {
      #expect(problemCode { try collection.add(deck, prompt, answer) } == "duplicate")
    }
    let texts = ["が", "각", "Å", "ο\u{301}"].flatMap { [$0.composed, $0.decomposed] }
    let report = try collection.addAll(deck, texts.map { NewCard(prompt: $0, answer: "y") })
    #expect(report.added == 4 && report.skipped == 4)
    try collection.add(deck, "caf\u{E9}", "another")
    let found = try collection.store.read {
      try CardTable.ids($0, in: deck, matching: CardQuery("dupe:"), at: moment(collection.now))
    }
    #expect(found.count == 2)
    let updated = try collection.addAll(deck, [NewCard(prompt: "ó".decomposed, answer: "1")])
    #expect(updated.added == 1)
    #expect(try collection.addAll(deck, [NewCard(prompt: "ó".composed, answer: "2")], .update).updated == 1)
  }
}
