// Scheduling with options other than the published defaults: long term only, the order of answers, steps, the clock;
// and the review log as input to fitting the memory model. Expected values: ts-fsrs (cdec8d2f), from its own tests.

import Glibc
import Memory
import Problems
import TestDecks

@testable import Decks

@Suite struct SchedulerTests {
  private let collection = TestCollection()

  private static let longTerm: [(ratings: [Int64], days: [Int], stability: [Double])] = [
    (
      [3, 3, 3, 3, 3, 3, 1, 1, 3, 3, 3, 3, 3], [3, 13, 48, 155, 445, 1158, 17, 3, 11, 37, 112, 307, 773],
      [
        3.0412, 13.09130698, 48.15848988, 154.93732625, 445.05562739, 1158.07779739, 16.63063166, 3.01732209,
        11.42247264, 37.37521902, 111.8752758, 306.5974569, 772.94026648,
      ]
    ),
    (
      [1, 2, 3, 4, 1, 2, 3, 4], [1, 2, 6, 41, 4, 7, 21, 133],
      [0.4197, 1.0344317, 5.5356759, 41.0033667, 4.46605519, 6.67743292, 20.88868155, 132.81849454]
    ),
    (
      [4, 1, 2, 3, 4, 1, 2, 3], [15, 3, 6, 27, 240, 10, 17, 60],
      [15.2441, 3.25621013, 6.32684549, 26.56339029, 239.70462771, 9.75621519, 17.06035531, 59.59547542]
    ),
  ]

  @Test(arguments: longTerm)
  func `long-term scheduling gives ts-fsrs's intervals`(ratings: [Int64], days: [Int], stability: [Double]) throws {
    var options = DeckOptions()
    try options.set(.shortTerm, .flag(false))
    try options.set(
      .parameters,
      .parameters([
        0.4197, 1.1869, 3.0412, 15.2441, 7.1434, 0.6477, 1.0007, 0.0674, 1.6597, 0.1712, 1.1178, 2.0225, 0.0904, 0.3025,
        2.1214, 0.2498, 2.9466, 0.4891, 0.6468,
      ]))
    let scheduler = Scheduler(options: options)
    var schedule = CardSchedule()
    var now = 1_700_000_000.0
    for (index, rating) in ratings.enumerated() {
      let rating = try #require(Rating(rawValue: rating))
      let next = scheduler.next(schedule, rating, at: StudyMoment(now: now))
      schedule = next.schedule
      #expect(Int(next.interval / 86_400) == days[index], "answer \(index + 1)")
      #expect(isNear(schedule.stability ?? 0, stability[index], 1e-6) && schedule.state == .review)
      now = schedule.due ?? 0
    }
  }

  @Test func `hard comes before good and good before easy, whatever the card`() throws {
    var generator = TestGenerator(3)
    for _ in 0..<4000 {
      var options = DeckOptions()
      let maximum = Bool.random(using: &generator) ? 36_500.0 : Double(Int.random(in: 4...400, using: &generator))
      try options.set(.maximumInterval, to: maximum)
      try options.set(.desiredRetention, to: Double.random(in: 0.7...0.99, using: &generator))
      try options.set(.fuzz, .flag(Bool.random(using: &generator)))
      let scheduler = Scheduler(options: options)
      var old = CardSchedule()
      old.state = [.review, .learning, .relearning].randomElement(using: &generator) ?? .review
      old.step = 9
      old.stability = exp(Double.random(in: -4...9, using: &generator))
      old.difficulty = Double.random(in: 1...10, using: &generator)
      let moment = StudyMoment(now: 1_700_000_000)
      old.lastReview = moment.now - Double(Int.random(in: 0...500, using: &generator)) * 86_400
      old.due = moment.start(ofDay: moment.today - Int.random(in: 0...3, using: &generator))
      let seed = generator.next()
      let days = [Rating.hard, .good, .easy].map {
        scheduler.next(old, $0, at: moment, seed: seed).interval / 86_400
      }
      #expect(days.allSatisfy { $0 <= maximum })
      let isHeld = days[2] == maximum
      let isReview = old.state == .review
      if isReview { #expect(days[0] < days[1] || isHeld, "\(days) \(old)") }
      #expect(days[1] < days[2] || isHeld, "\(days) \(old)")
      #expect(scheduler.next(old, .good, at: moment, seed: seed).interval == days[1] * 86_400)
    }
  }

  @Test func `steps follow each other as the options say`() throws {
    var options = DeckOptions()
    try options.set(.learningSteps, toText: "1m 10m 2d")
    try options.set(.relearningSteps, toText: "")
    try options.set(.minimumLapseInterval, to: 3)
    let scheduler = Scheduler(options: options)
    var schedule = CardSchedule()
    var now = 1_700_000_000.0
    var seen: [Double] = []
    for rating in [Rating.good, .good, .hard, .good, .again] {
      let next = scheduler.next(schedule, rating, at: StudyMoment(now: now))
      seen.append(next.interval)
      schedule = next.schedule
      now += 86_400
    }
    #expect(Array(seen.prefix(3)) == [600, 172_800, 172_800])
    // Without steps a forgotten card is scheduled in days, at least the minimum of the options.
    #expect((schedule.state, schedule.lapses) == (.review, 1) && seen[4] >= 3 * 86_400)
  }

  @Test func `hard on a single step gives one and a half times the step, at most a day more`() throws {
    var options = DeckOptions()
    try options.set(.learningSteps, toText: "10m")
    let moment = StudyMoment(now: 0)
    #expect(Scheduler(options: options).next(CardSchedule(), .hard, at: moment).interval == 900)
    try options.set(.learningSteps, toText: "4d")
    #expect(Scheduler(options: options).next(CardSchedule(), .hard, at: moment).interval == 5 * 86_400)
  }

  @Test func `summer time and travel move no due day`() {
    // 2026-10-24 20:00 in Berlin; the clock goes back an hour in the night.
    let summer = StudyMoment(now: 1_792_864_800, utcOffset: 7200)
    for days in 1...400 {
      let due = summer.start(ofDay: summer.today + days)
      for offset in [3600.0, 7200, 10_800, -18_000, 43_200] {
        #expect(StudyMoment(now: summer.now, utcOffset: offset).dueDay(of: due) == summer.today + days)
      }
    }
    let winter = StudyMoment(now: 1_792_864_800 + 8.5 * 3600, utcOffset: 3600)
    // 03:30 in winter time still belongs to the day before, although by summer time the new day has begun.
    #expect(winter.today == summer.today)
    #expect(
      summer.start(ofDay: summer.today + 1) < winter.now && summer.start(ofDay: summer.today + 1) >= winter.dueCutoff)
  }

  @Test func `a clock that went back gives a valid schedule`() {
    var schedule = CardSchedule()
    schedule.state = .review
    (schedule.stability, schedule.difficulty) = (10, 5)
    schedule.lastReview = 1_700_000_000
    schedule.due = 1_700_864_000
    let moment = StudyMoment(now: 1_600_000_000)
    for rating in Rating.allCases {
      let next = Scheduler(options: DeckOptions()).next(schedule, rating, at: moment, seed: 1)
      #expect(next.interval > 0 && (next.schedule.due ?? 0) > moment.now && next.schedule.lastReview == moment.now)
    }
  }

  @Test func `impossible rows of a log are left out`() throws {
    let deck = try collection.deck("d")
    let other = try collection.deck("other")
    let card = try collection.add(deck, "a", "b").rawValue
    let second = try collection.add(deck, "c", "d").rawValue
    let foreign = try collection.add(other, "c", "d").rawValue
    let day = 86_400.0
    try collection.store.operation("x") { db in
      let rows: [(Int64, Double, Int64, Int64)] = [
        (card, 100 * day, 3, 0), (card, 101 * day, 9, 2), (card, 102 * day, 0, 2), (card, -5, 3, 2),
        (card, 9e300, 3, 2), (card, 103 * day, 3, 2), (card, 103 * day, 1, 2), (card, 104 * day, -3, 99),
        // The first answer is missing, so the start is unknown.
        (second, 100 * day, 3, 2), (second, 110 * day, 3, 2), (foreign, 90 * day, 3, 0), (foreign, 99 * day, 3, 2),
      ]
      for (card, at, rating, state) in rows {
        try db.execute(
          sql: """
            INSERT INTO reviews (card, at, rating, state, interval, stability, difficulty) VALUES (?, ?, ?, ?, 1, 1, 1)
            """, arguments: [card, at, rating, state])
      }
      let history = try ReviewHistory(db, decks: [deck], at: collection.moment)
      #expect(history.cardCount == 1 && history.laterCount == 1)
      #expect(Array(history.days) == [0, 3, 0] && Array(history.ratings) == [3, 3, 1])
      #expect(try ReviewHistory(db, at: collection.moment).laterCount == 2)
    }
  }

  @Test func `a log of thousands of answers is found by its card`() throws {
    let card = try collection.add(collection.deck("d"), "a", "b").rawValue
    try collection.store.operation("x") { db in
      let receiver = try ReviewReceiver(db, of: nil)
      let answer = ForeignAnswer(ease: 3, interval: 5, lastInterval: 0, factor: 500, time: 1000, kind: 1)
      for id in 1...5000 { try receiver.receive(ReceivedReview(id: Int64(id), card: card, answer: answer)) }
      try receiver.flush()
      #expect(try db.count("SELECT count(*) FROM reviews INDEXED BY reviews_card WHERE card = ?", [card]) == 5000)
    }
  }

  @Test func `answers in a filtered deck that does not reschedule are left out`() throws {
    let deck = try collection.deck("d")
    let card = try collection.add(deck, "a", "b")
    try collection.store.operation("x") { db in
      let receiver = try ReviewReceiver(db, of: nil)
      // A first answer, a review, a preview, a review before its day.
      let rows: [(day: Int64, kind: Int64, factor: Int64, ease: Int64)] = [
        (100, 0, 500, 3), (103, 1, 500, 3), (105, 3, 0, 1), (110, 3, 500, 3),
      ]
      for row in rows {
        let answer = ForeignAnswer(
          ease: row.ease, interval: 5, lastInterval: 0, factor: row.factor, time: 1000, kind: row.kind)
        try receiver.receive(ReceivedReview(id: row.day * 86_400_000, card: card.rawValue, answer: answer))
      }
      try receiver.flush()
      let moment = collection.moment
      let history = try ReviewHistory(db, decks: [deck], at: moment)
      #expect(Array(history.days) == [0, 3, 7] && Array(history.ratings) == [3, 3, 3])
      #expect(try LeechReading.test(db, card, DeckOptions(), at: moment).lapses == 0)
    }
  }
}
