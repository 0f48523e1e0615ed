// FSRS-6 beyond the published defaults: other versions' parameters, fuzz, the order of answers, the long term alone.
// Expected values: fsrs-rs 6.6.1, ts-fsrs (cdec8d2f), py-fsrs 6.3.2, as their own tests state them.

import Glibc
import Problems
import TestSupport
import Testing

@testable import Decks

@Suite struct MemoryModelTests {
  private func isNear(_ a: Double, _ b: Double, _ tolerance: Double = 1e-4) -> Bool {
    abs(a - b) <= tolerance * max(1, abs(b))
  }

  private static let seventeen = [
    0.4, 0.6, 2.4, 5.8, 4.93, 0.94, 0.86, 0.01, 1.49, 0.14, 0.94, 2.18, 0.05, 0.34, 1.26, 0.29, 2.61,
  ]
  private static let nineteen = [
    0.6845422, 1.6790825, 4.7349424, 10.042885, 7.4410233, 0.64219797, 1.071918, 0.0025195254, 1.432437, 0.1544,
    0.8692766, 2.0696752, 0.0953, 0.2975, 2.4691248, 0.19542035, 3.201072, 0.18046261, 0.121442534,
  ]

  @Test func `parameters of FSRS 4.5 become those of FSRS-6`() throws {
    let expected = [
      0.4, 0.6, 2.4, 5.8, 6.81, 0.44675013, 1.36, 0.01, 1.49, 0.14, 0.94, 2.18, 0.05, 0.34, 1.26, 0.29, 2.61, 0, 0, 0,
      0.5,
    ]
    let converted = try MemoryModel.converted(Self.seventeen)
    #expect(zip(converted, expected).allSatisfy { isNear($0, $1, 1e-7) } && converted.count == 21)
    #expect(try MemoryModel.converted(converted) == converted)
  }

  @Test(arguments: [
    (Rating.again, 2.9691455, 8.000659), (.hard, 17.091452, 7.6913934), (.good, 31.722992, 7.382128),
    (.easy, 71.7502, 7.0728626),
  ])
  func `parameters of FSRS-5 give the published states`(rating: Rating, stability: Double, difficulty: Double) throws {
    let model = try MemoryModel(parameters: Self.nineteen)
    var state = model.initial(.again)
    for days in [1, 3, 8] { state = model.next(state, .good, days: days) }
    state = model.next(state, rating, days: 21)
    #expect(isNear(state.stability, stability) && isNear(state.difficulty, difficulty))
    let one = model.next(MemoryState(stability: 20.925528, difficulty: 7.005062), .good, days: 21)
    #expect(isNear(one.stability, 40.87456) && isNear(one.difficulty, 6.9913807))
  }

  @Test func `without a short term the published state is another one`() throws {
    let model = try MemoryModel(parameters: [], countsSameDay: false)
    var state = model.initial(.again)
    for days in [0, 1, 3, 8, 21] { state = model.next(state, .good, days: days) }
    #expect(isNear(state.stability, 53.335106))
  }

  @Test(arguments: [1, 16, 18, 20, 22, 100])
  func `another number of parameters is refused`(count: Int) {
    let given = [Double](repeating: 1, count: count)
    let error = #expect(throws: DeckError.self) { try MemoryModel(parameters: given) }
    #expect(error?.code == "bad_value")
  }

  @Test(arguments: [
    (2.5, 10.0, 0.9, 10.0, 6.9140563), (2.5, 10, 0.8, 3.01572, 9.393428), (2.5, 10, 0.95, 24.841097, 1.2974405),
    (1.3, 20, 0.9, 20, 10),
  ])
  func `an ease of SM-2 gives the published state`(
    ease: Double, interval: Double, retention: Double, stability: Double, difficulty: Double
  ) {
    let state = MemoryModel().state(ease: ease, interval: interval, retention: retention)
    #expect(isNear(state.stability, stability) && isNear(state.difficulty, difficulty))
  }

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
  func `the long term alone gives ts-fsrs's intervals`(ratings: [Int64], days: [Int], stability: [Double]) throws {
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

  // MARK: Fuzz and order

  @Test(arguments: [
    (1.0, 1...1), (2, 2...2), (2.49, 2...2), (2.5, 2...4), (3, 2...4), (5, 4...6), (6.9, 5...9), (7, 5...9),
    (7.1, 5...9), (10, 8...12), (17, 14...20), (19.9, 17...23), (20, 17...23), (20.1, 17...23), (37, 33...41),
    (50, 46...54), (100, 93...107), (365, 345...385), (1000, 948...1052),
  ])
  func `fuzz stays within the bounds of the rule and reaches them`(interval: Double, bounds: ClosedRange<Int>) {
    #expect(Fuzz.bounds(interval) == bounds)
    let days = Set((0..<2000).map { Fuzz(seed: $0).days(interval, from: 1, to: 36_500) })
    if bounds.count > 1 { #expect(days == Set(bounds)) }
    #expect(Fuzz(seed: 5).days(interval, from: 1, to: 1) == 1)
    #expect(Fuzz(seed: 5).days(interval, from: 40, to: 30) == 30)
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
    // Without steps a forgotten card goes by days, at least so many as the options say.
    #expect((schedule.state, schedule.lapses) == (.review, 1) && seen[4] >= 3 * 86_400)
  }

  @Test func `an only step counts half as much again when it was hard, at most a day more`() throws {
    var options = DeckOptions()
    try options.set(.learningSteps, toText: "10m")
    let moment = StudyMoment(now: 0)
    #expect(Scheduler(options: options).next(CardSchedule(), .hard, at: moment).interval == 900)
    try options.set(.learningSteps, toText: "4d")
    #expect(Scheduler(options: options).next(CardSchedule(), .hard, at: moment).interval == 5 * 86_400)
  }

  // MARK: The clock

  @Test func `summer time and journeys move no due day`() {
    // 2026-10-24 20:00 in Berlin; the clock goes back an hour in the night.
    let summer = StudyMoment(now: 1_792_864_800, utcOffset: 7200)
    for days in 1...400 {
      let due = summer.start(ofDay: summer.today + days)
      for offset in [3600.0, 7200, 10_800, -18_000, 43_200] {
        let later = StudyMoment(now: summer.now, utcOffset: offset)
        #expect(later.dueDay(of: due) == summer.today + days)
      }
    }
    let winter = StudyMoment(now: 1_792_864_800 + 8.5 * 3600, utcOffset: 3600)
    // 3:30 in winter time is still the day before, though by the old clock it has begun.
    #expect(winter.today == summer.today)
    #expect(
      summer.start(ofDay: summer.today + 1) < winter.now && summer.start(ofDay: summer.today + 1) >= winter.dueBorder)
  }

  @Test func `a clock that went back gives a sound schedule`() {
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
}
