// FSRS-6 compared with published and generated values, and the resulting schedule.

import Decks
import Memory
import Problems
import Storage
import TestSupport

@Suite struct SchedulingTests {
  let model = MemoryModel()

  @Test(arguments: [
    (Rating.again, 0.212, 6.4133), (.hard, 1.2931, 5.11217071), (.good, 2.3065, 2.11810397), (.easy, 8.2956, 1),
  ])
  func `a first answer gives the published state`(rating: Rating, stability: Double, difficulty: Double) {
    let state = model.initial(rating)
    #expect(isNear(state.stability, stability) && isNear(state.difficulty, difficulty, 1e-8))
  }

  @Test(arguments: [
    (0.0, 1.0, 1.0), (1, 2, 0.9403443), (2, 3, 0.9253786), (3, 4, 0.9185229), (4, 4, 0.9), (5, 2, 0.8261359),
    (1, 1, 0.9), (2, 1, 0.84588465), (3, 1, 0.8093881),
  ])
  func `the forgetting curve goes through the published points`(days: Double, stability: Double, expected: Double) {
    #expect(isNear(model.retrievability(days: days, stability: stability), expected, 1e-6))
  }

  @Test(arguments: [
    (0.2, 34793), (0.3, 2508), (0.4, 387), (0.5, 90), (0.6, 27), (0.7, 9), (0.8, 3), (0.9, 1), (1.0, 1),
  ])
  func `intervals for a desired retention are the published ones`(retention: Double, days: Int) {
    #expect(max(1, model.exactInterval(stability: 1, retention: retention).rounded()) == Double(days))
  }

  @Test func `a sequence of answers gives the published state`() {
    var state = model.initial(.again)
    for days in [0, 1, 3, 8, 21] { state = model.next(state, .good, days: days) }
    #expect(isNear(state.stability, 53.62691) && isNear(state.difficulty, 6.3574867))
  }

  @Test func `answering on each due day gives the published intervals`() {
    let ratings: [Rating] = [
      .good, .good, .good, .good, .good, .good, .again, .again, .good, .good, .good, .good, .good,
    ]
    let scheduler = Scheduler(options: DeckOptions())
    var schedule = CardSchedule()
    var moment = StudyMoment(now: 1_700_000_000)
    let days = ratings.map { rating in
      let next = scheduler.next(schedule, rating, at: moment)
      schedule = next.schedule
      moment = StudyMoment(now: schedule.due ?? 0)
      return Int(next.interval / 86_400)
    }
    #expect(days == [0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21])
  }

  @Test func `the histories of twenty cards match py-fsrs`() throws {
    var schedule = CardSchedule()
    var now = 0.0
    var count = 0
    for line in try fixtureText("fsrs6_sequences.tsv").split(separator: "\n", omittingEmptySubsequences: false)
    where !line.hasPrefix("#") {
      if line.isEmpty {
        schedule = CardSchedule()
        now = 1_700_000_000
        continue
      }
      let cells = line.split(separator: "\t")
      let numbers = try [0, 2, 3, 4, 6].map { try #require(Double(cells[$0])) }
      var options = DeckOptions()
      try options.set(DeckOptions.name("desired_retention"), to: numbers[0])
      now += numbers[1] * 86_400
      let grade = try #require(Int64(cells[1]))
      let rating = try #require(Rating(rawValue: grade))
      let next = Scheduler(options: options).next(schedule, rating, at: StudyMoment(now: now))
      schedule = next.schedule
      #expect(
        isNear(schedule.stability ?? 0, numbers[2], 1e-9) && isNear(schedule.difficulty ?? 0, numbers[3], 1e-9),
        "\(line)")
      #expect(schedule.state.name == cells[5].lowercased() && next.interval == numbers[4], "\(line)")
      count += 1
    }
    #expect(count > 150)
  }

  @Test(arguments: [(Rating.again, 60.0), (.hard, 330), (.good, 600), (.easy, 8 * 86_400)])
  func `a new card's steps are the published ones`(rating: Rating, seconds: Double) {
    #expect(Scheduler(options: DeckOptions()).next(CardSchedule(), rating, at: StudyMoment(now: 0)).interval == seconds)
  }

  @Test func `states that no answer could give are handled`() {
    for bad in [Double.nan, .infinity, -.infinity, -1, 0, 1e308, 5] {
      for days in [0, 1, 36_500, Int.max] {
        for rating in Rating.allCases {
          let state = model.next(MemoryState(stability: bad, difficulty: bad), rating, days: days)
          #expect((0.001...36_500).contains(state.stability) && (1...10).contains(state.difficulty))
        }
      }
      var schedule = CardSchedule()
      schedule.state = .review
      schedule.lastReview = bad
      (schedule.stability, schedule.difficulty, schedule.step) = (bad, bad, .max)
      (schedule.reps, schedule.lapses) = (.max, .max)
      let next = Scheduler(options: DeckOptions()).next(schedule, .again, at: StudyMoment(now: bad))
      #expect(next.schedule.lapses == .max && next.schedule.due?.isFinite == true)
    }
  }

  /// UTC offset in seconds, hours in UTC, and whether it is still the day before.
  @Test(
    arguments: [
      (0.0, 3.99, true), (0, 4.0, false), (3600, 2.99, true), (3600, 3.0, false), (-18_000, 8.9, true),
      (-18_000, 9, false),
    ] as [(Double, Double, Bool)])
  func `days begin at 4 in the morning, local time`(offset: Double, hour: Double, isDayBefore: Bool) {
    let moment = StudyMoment(now: 1_700_006_400 + hour * 3600, utcOffset: offset)
    let noon = moment.day(of: 1_700_006_400 + 12 * 3600 - offset)
    #expect(moment.today == (isDayBefore ? noon - 1 : noon))
    #expect(moment.day(of: moment.start(ofDay: noon)) == noon)
    #expect(moment.day(of: moment.start(ofDay: noon) - 1) == noon - 1)
  }
}
