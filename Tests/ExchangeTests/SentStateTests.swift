// The memory state of a card that a server or a package gets: it never depends on the model that schedules.

import Decks
import Storage
import TestSupport
import Values

@testable import Exchange
@testable import Memory

@Suite struct SentStateTests {
  @Test func `a schedule and its package form compare as equal`() {
    var schedule = CardSchedule()
    (schedule.state, schedule.reps) = (.review, 3)
    (schedule.due, schedule.lastReview) = (1_795_693_652.7, 1_795_693_052.6)
    (schedule.stability, schedule.difficulty) = (2.30746, 5.12347)
    var kept = schedule
    (kept.due, kept.lastReview) = (1_795_693_652, 1_795_693_052)
    (kept.stability, kept.difficulty) = (2.3075, 5.123)
    #expect(ComparedNotes.text(schedule) == ComparedNotes.text(kept))
  }

  @Test func `a row of a server whose values have other forms is no row, or has empty texts`() {
    let one = Value.integer(1)
    var note = Array(repeating: one, count: 11)
    #expect(ServerRows.note(note)?.guid == "" && ServerRows.note(note)?.fields == [""] && ServerRows.note([one]) == nil)
    note[3] = .null
    #expect(ServerRows.note(note)?.modified == 0 && ServerRows.tags(note) == [])
    #expect(ServerRows.card(Array(repeating: one, count: 18))?.data == "" && ServerRows.card([one]) == nil)
    #expect(!ServerRows.haveOneSchedule([one], [one]) && ServerRows.review([one]) == nil && ServerRows.id([:]) == 0)
    let review = LoggedReview(at: 9, rating: 3, state: .relearning, interval: 600)
    #expect(ServerRows.row(of: (id: 9, review, nil, true), card: 1, last: 0, usn: -1).row.last == .integer(2))
  }

  @Test(arguments: ["fsrs-7", "both"]) func `no byte of a card's data depends on which model schedules`(
    model: String
  ) throws {
    var seven = DeckOptions()
    seven.fitted = try FittedModels(
      answers: 5000, parameters: MemoryModel7.published, firsts: [99, 99, 99, 99],
      time: AnswerTime(median: 4, shift: 0.1, slope: -0.3))
    try seven.set(.model, toText: model)
    let six = DeckOptions()
    var random = TestGenerator(5)
    var (compared, otherDue) = (0, 0)
    for _ in 0..<100 {
      var (one, other, now) = (CardSchedule(), CardSchedule(), 1_700_000_000.0)
      for _ in 0..<10 {
        let (rating, moment) = (Rating.allCases.randomElement(using: &random) ?? .good, StudyMoment(now: now))
        let seconds = Double.random(in: 1...20, using: &random)
        one = Scheduler(options: six).next(one, rating, at: moment, seconds: seconds).schedule
        other = Scheduler(options: seven).next(other, rating, at: moment, seconds: seconds).schedule
        let rows = [(six, one), (seven, other)].map { SentSchedule(moment, $0).made($1, Int(now)) }
        #expect(rows[0].data == rows[1].data && !rows[0].data.isEmpty)
        if rows[0].due != rows[1].due { otherDue += 1 }
        compared += 1
        now += Double.random(in: 60...3_000_000, using: &random).rounded()
      }
    }
    // The due days are those of the model.
    #expect(compared == 1000 && otherDue > 300, "\(otherDue)")
  }
}
