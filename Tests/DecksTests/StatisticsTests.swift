// Study statistics, compared with a slow count of the same rows.

import Memory
import Problems
import TestDecks

@Suite struct StatisticsTests {
  let collection = TestCollection()
  private var moment: StudyMoment { StudyMoment(now: collection.now, utcOffset: 3600) }

  private func statistics(_ decks: [DeckID]? = nil, _ query: String? = nil) throws -> DeckStatistics {
    let query = try query.map { try CardQuery($0) }
    return try collection.store.read { try DeckStatistics($0, decks: decks, query: query, at: moment) }
  }

  /// Creates cards in two decks and studies them for `days` days.
  private func study(days: Int) throws -> (a: DeckID, b: DeckID) {
    let (a, b) = (try collection.deck("a"), try collection.deck("a::b"))
    _ = try collection.addAll(a, (0..<60).map { NewCard(prompt: "a\($0)", answer: "x", tags: $0 < 20 ? ["t"] : []) })
    _ = try collection.addAll(b, (0..<30).map { NewCard(prompt: "b\($0)", answer: "x") })
    var generator = TestGenerator(8)
    for _ in 0..<days {
      let session = try collection.store.read { try ReviewSession($0, deck: a, at: moment) }
      while try collection.store.read({ try session.card($0, at: moment) }) != nil {
        let rating = [Rating.again, .hard, .good, .good, .good, .easy].randomElement(using: &generator) ?? .good
        _ = try collection.store.operation("x") { try session.answer($0, rating, at: moment, seconds: 4) }
        collection.now += 30
      }
      collection.now = moment.endOfToday + 3600 * Double.random(in: 1...15, using: &generator)
    }
    return (a, b)
  }

  @Test func `without data every figure is zero`() throws {
    let figures = try statistics()
    #expect(figures.cards.all == 0 && figures.days.isEmpty && figures.streak == 0 && figures.longestStreak == 0)
    #expect(figures.recall(days: 30).young.share == nil && figures.forecast.total == 0)
    #expect(figures.hours.count == 24 && figures.todayFigures.answers == 0)
  }

  @Test func `the rows that were read are reported, with the number of all`() throws {
    let deck = try collection.deck("a")
    _ = try collection.addAll(deck, (0..<8200).map { NewCard(prompt: "p\($0)", answer: "x") })
    var seen: [Int] = []
    _ = try collection.store.read { db in
      try DeckStatistics(db, at: moment) { read, all in seen += [read, all] }
    }
    #expect(seen == [8192, 8200])
  }

  @Test func `rows are counted in advance only if their number is asked for`() throws {
    func counts(_ progress: ((Int, Int) -> Void)?) throws -> Int {
      try collection.store.read { db in
        var count = 0
        db.trace { if $0.contains("count(*) FROM reviews") { count += 1 } }
        _ = try DeckStatistics(db, at: moment, progress: progress)
        db.trace(nil)
        return count
      }
    }
    #expect(try counts(nil) == 0)
    #expect(try counts({ _, _ in }) == 1)
  }

  @Test func `figures agree with a slow count, and with each other`() throws {
    let (a, b) = try study(days: 40)
    let figures = try statistics()
    let rows = try collection.store.read {
      try $0.rows("SELECT rating, state, at FROM reviews") { ($0.count(0), $0.count(1), $0.number(2)) }
    }
    #expect(rows.count > 500)
    let buttons = [figures.learningButtons, figures.youngButtons, figures.matureButtons]
    #expect(buttons.reduce(0) { $0 + $1.all } == rows.count)
    #expect(figures.hours.reduce(0) { $0 + $1.answers } == rows.count)
    #expect(figures.days.reduce(0) { $0 + $1.answers } == rows.count)
    let right = rows.filter { $0.0 > 1 }.count
    #expect(figures.days.reduce(0) { $0 + $1.right } == right && figures.hours.reduce(0) { $0 + $1.right } == right)
    #expect(figures.days.reduce(0.0) { $0 + $1.seconds } == 4 * Double(rows.count))
    #expect(figures.days.map(\.day) == figures.days.map(\.day).sorted() && figures.days.count == 40)
    #expect(figures.streak == 40 && figures.longestStreak == 40)
    for day in figures.days {
      let ofDay = rows.filter { moment.day(of: $0.2) == day.day }
      #expect(ofDay.count == day.answers && ofDay.filter { $0.1 == 0 }.count == day.new)
    }
    let recall = figures.recall(days: 10_000)
    let reviews = rows.filter { $0.1 == 2 }
    #expect(recall.young.asked + recall.mature.asked == reviews.count && recall.mature.asked > 0)
    let all = recall.young.predictions + recall.mature.predictions
    #expect(all == reviews.count && (0.5...1).contains((recall.young.predicted ?? 0)))
    // The cards.
    #expect(figures.cards.all == 90 && figures.added.total == 90)
    let learnt = try collection.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM cards WHERE state > 0") }
    #expect(figures.stabilities.total == learnt && figures.difficulties.total == learnt)
    #expect(figures.recalls.total == learnt && figures.forecast.total == learnt)
    // The parts and the whole.
    let inner = try statistics([b])
    let tagged = try statistics([a], "tag:t")
    #expect(inner.cards.all == 30 && tagged.cards.all == 20 && tagged.days.count <= 40)
    #expect(try statistics([a]).cards.all == 90)
    let rest = try statistics([a], "prompt:a*")
    #expect(rest.days.reduce(0) { $0 + $1.answers } + inner.days.reduce(0) { $0 + $1.answers } == rows.count)
  }

  @Test func `answers from elsewhere, without a stability, are predicted as those given here`() throws {
    _ = try study(days: 30)
    let known = try statistics().recall(days: 10_000).young
    try collection.store.operation("x") { try $0.execute(sql: "UPDATE reviews SET stability = 0, difficulty = 0") }
    let replayed = try statistics().recall(days: 10_000).young
    #expect(replayed.predictions == known.predictions && known.predictions > 0)
    #expect(abs(replayed.predictedSum - known.predictedSum) < 0.01 * known.predictedSum)
  }

  @Test func `impossible rows and a clock that went back do not affect valid figures`() throws {
    let deck = try collection.deck("d")
    let card = try collection.add(deck, "a", "b").rawValue
    try collection.store.operation("x") { db in
      let rows: [(Double, Int64, Int64, Double, Double)] = [
        (collection.now - 10, 3, 0, 600, 5), (collection.now - 9, 7, 2, 1, 1), (-1, 3, 2, 1, 1),
        (collection.now + 9e8, 3, 2, 1, 1), (collection.now - 5 * 86_400, 3, 2, -5, -1),
        (collection.now - 3, 3, 77, 9e300, 9e300),
      ]
      for (at, rating, state, interval, seconds) in rows {
        try db.execute(
          sql: """
            INSERT INTO reviews (card, at, rating, state, interval, stability, difficulty, seconds)
            VALUES (?, ?, ?, ?, ?, -1, 1e300, ?)
            """, arguments: [card, at, rating, state, interval, seconds])
      }
      try db.execute(
        sql: """
          UPDATE cards SET state = 2, due = 9e300, stability = -9e300, difficulty = 9e300, last_review = -9e300,
          created = 9e300
          """)
    }
    let figures = try statistics()
    #expect(figures.days.reduce(0) { $0 + $1.answers } == 3 && figures.todayFigures.answers == 2)
    #expect(figures.todayFigures.seconds == 5 + 86_400 && figures.known.isFinite)
    #expect(figures.todayFigures.minutes == 1441)
    #expect(figures.recall(days: 30).young.asked == 1)
  }

  @Test func `suspended and buried cards are counted only as such, and are not forecast`() throws {
    let deck = try collection.deck("d")
    let ids = try (0..<4).map { try collection.add(deck, "\($0)", "x") }
    try collection.store.operation("x") { db in
      try db.execute(
        sql: "UPDATE cards SET state = 2, due = ?, stability = 30, difficulty = 5, last_review = ?",
        arguments: [moment.start(ofDay: moment.today + 2), moment.now - 28 * 86_400])
      try CardHiding.setSuspended(db, [ids[0]], true, now: 1)
      try CardHiding.bury(db, [ids[1]], at: moment)
    }
    let figures = try statistics()
    #expect((figures.cards.suspended, figures.cards.buried, figures.cards.mature, figures.cards.all) == (1, 1, 2, 4))
    #expect(figures.forecast.bars.map { [$0.value, $0.count] } == [[2, 2]])
    #expect(figures.intervals.bars.map { [$0.value, $0.count] } == [[30, 4]])
  }

  @Test func `a card whose last answer is not known has the interval 0, as in lists`() throws {
    let deck = try collection.deck("d")
    let id = try collection.add(deck, "a", "x")
    var schedule = CardSchedule()
    schedule.state = .review
    (schedule.due, schedule.stability, schedule.difficulty) = (moment.start(ofDay: moment.today + 2), 30, 5)
    try collection.store.operation("x") { db in
      try CardHiding.setSchedule(db, id, to: schedule, isSuspended: false, flag: 0, now: 1)
    }
    let card = try #require(try collection.cards(deck).first)
    #expect(moment.interval(of: card.schedule) == 0)
    let figures = try statistics()
    #expect((figures.cards.young, figures.cards.mature, figures.known) == (1, 0, 1))
    #expect(figures.intervals.bars.map { [$0.value, $0.count] } == [[0, 1]])
  }
}
