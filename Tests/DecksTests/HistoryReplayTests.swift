// What another program knows of a card becomes its schedule: answers are replayed, states and intervals are taken.
// Reference: py-fsrs 6.3.2 with its default parameters.

import Memory
import TestDecks

@testable import Decks

@Suite struct HistoryReplayTests {
  private static let day = 86_400.0
  private let moment = StudyMoment(now: 1_700_000_000)

  private func made(_ set: (inout CardHistory) -> Void) -> (CardSchedule, [LoggedReview], HistoryReport.Part) {
    var history = CardHistory()
    set(&history)
    return HistoryReplay.schedule(history, DeckOptions(), at: moment)
  }

  /// Answers with whole days between them.
  private func answers(_ list: [(days: Double, rating: Rating)]) -> [LoggedReview] {
    var at = moment.now - 200 * Self.day
    return list.map { days, rating in
      at += days * Self.day
      var answer = LoggedReview(at: at, rating: Int(rating.rawValue), state: .new, interval: 0)
      answer.seconds = 4
      return answer
    }
  }

  @Test func `answers are replayed as they were given, and the due day stays`() {
    let given: [(days: Double, rating: Rating)] = [
      (0, .good), (3, .good), (8, .good), (25, .again), (2, .good), (60, .good),
    ]
    let due = moment.now + 3 * Self.day
    let (schedule, log, source) = made {
      // The log may be in any order; a state beside it is ignored.
      ($0.answers, $0.known.due, $0.known.stability) = (answers(given).reversed(), due, 900)
      $0.known.difficulty = 1
    }
    #expect(source == .log && schedule.state == .review && schedule.reps == 6 && schedule.lapses == 1)
    for (row, stability) in zip(log.dropFirst(), [13.8269, 42.063, 2.6793, 6.2427, 35.8381]) {
      #expect(abs((row.stability ?? 0) - stability) < 1e-3, "\(row)")
    }
    #expect(schedule.stability == log.last?.stability && schedule.due == due && schedule.lastReview == log.last?.at)
    #expect(log.map(\.state) == [.new, .review, .review, .review, .relearning, .review])
    #expect(log.map(\.rating) == [3, 3, 3, 1, 3, 3] && log.allSatisfy { $0.seconds == 4 })
    #expect(log[1].elapsed == 3 * Self.day && log[1].interval == 8 * Self.day)
    #expect(log[5].interval == due - log[5].at)
  }

  @Test func `a card that was never remembered is being learnt, and due now`() {
    let (schedule, log, _) = made { $0.answers = answers([(0, .again), (1, .again)]) }
    #expect(schedule.state == .learning && schedule.due == moment.now && schedule.lapses == 0 && log.count == 2)
    let failed = made {
      ($0.interval, $0.known.lastReview, $0.known.due) = (-1, moment.now - Self.day, moment.now + Self.day)
    }
    #expect(failed.0.state == .learning && failed.0.due == moment.now && failed.1.isEmpty)
  }

  @Test func `a state is taken within its limits, and an interval with its ease becomes one`() {
    let state = made {
      ($0.known.stability, $0.known.difficulty, $0.known.lastReview) = (1e6, 99, moment.now - 10 * Self.day)
    }
    #expect(state.0.stability == 36_500 && state.0.difficulty == 10 && state.2 == .state && state.1.isEmpty)
    let due = moment.now + 2 * Self.day
    let interval = made { ($0.interval, $0.known.due, $0.known.reps, $0.known.lapses) = (12, due, 6, 2) }
    let memory = MemoryModel().state(ease: 2.5, interval: 12)
    #expect(interval.0.stability == memory.stability && interval.0.difficulty == memory.difficulty)
    #expect(interval.0.due == due && interval.0.lastReview == due - 12 * Self.day && interval.0.interval == 12)
    #expect(interval.0.reps == 6 && interval.0.lapses == 2 && interval.2 == .interval)
  }

  @Test func `a plan is at most ten years ahead, and nothing is made of nothing`() throws {
    let far = made { ($0.interval, $0.known.due) = (12, moment.now + 50 * 365 * Self.day) }
    #expect(far.0.due == moment.now + 3_653 * Self.day)
    #expect(made { $0.known.due = moment.now }.0 == CardSchedule())
    #expect(made { _ in }.2 == .none)
    for (schedule, _, _) in [
      far,
      made {
        ($0.known.stability, $0.known.difficulty) = (0, 0)
      }, made { $0.interval = 0.2 },
    ] {
      try schedule.check()
    }
  }
}
