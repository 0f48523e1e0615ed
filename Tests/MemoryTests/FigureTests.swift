// Statistics of forecasts and of predictions, compared with values computed by hand.

import Glibc
import Testing

@testable import Memory

@Suite struct FigureTests {
  @Test func `a forecast is summed by days, by weekdays and by the time of answers`() {
    // Day 4 of 1970 was a Monday; nine days: two Mondays and two Tuesdays.
    let forecast = RetentionForecast(
      retention: 0.9, reviews: [7, 2, 3, 4, 5, 6, 9, 1, 8], new: [2, 0, 0, 0, 0, 0, 0, 0, 1],
      lapses: [1, 0, 0, 0, 0, 0, 0, 0, 2], known: [1, 2, 3.5], firstDay: 4)
    #expect(forecast.reviewsByWeekday == [4, 5, 3, 4, 5, 6, 9])
    #expect(forecast.reviewsPerDay == 5 && forecast.knownAtEnd == 3.5)
    // 42 remembered, 3 forgotten, 3 new.
    let times = AnswerTimes(remembered: 10, forgotten: 20, first: 30)
    #expect(abs(forecast.minutesPerDay(times) - (420 + 60 + 90) / 60.0 / 9) < 1e-12)
    let none = RetentionForecast(retention: 0.9, reviews: [], new: [], lapses: [], known: [], firstDay: 0)
    #expect(none.reviewsPerDay == 0 && none.knownAtEnd == 0 && none.minutesPerDay(times) == 0)
    #expect(none.reviewsByWeekday == [0, 0, 0, 0, 0, 0, 0])
  }

  @Test func `a simulation counts lapses, and reports progress`() throws {
    var options = Simulation.Options()
    options.reviewsPerDay = 9999
    let start = Simulation.Memory(state: MemoryState(stability: 20, difficulty: 5), elapsed: 20, dueIn: 0)
    let cards = Array(repeating: start, count: 1000)
    var shares: [Double] = []
    let forecasts = try Simulation(options: options, cards: cards, newCards: 0).run(retentions: [0.8, 0.9], days: 4) {
      shares.append($0)
    }
    #expect(shares == [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1])
    // One in ten cards is forgotten after as many days as its stability.
    #expect(forecasts[1].reviews[0] == 1000 && (70...130).contains(forecasts[1].lapses[0]), "\(forecasts[1].lapses[0])")
    #expect(forecasts[1].lapses.count == 4 && forecasts[1].known.count == 4)
  }

  @Test func `a card due on the day after the last is not answered, one due on the last day is`() throws {
    func reviews(dueIn: Int) throws -> [Int] {
      let card = Simulation.Memory(state: MemoryState(stability: 20, difficulty: 5), elapsed: 0, dueIn: dueIn)
      let simulation = Simulation(options: Simulation.Options(), cards: [card], newCards: 0)
      #expect(simulation.cardCount == 1)
      return try simulation.run(retentions: [0.9], days: 3)[0].reviews
    }
    #expect(try reviews(dueIn: 2) == [0, 0, 1])
    #expect(try reviews(dueIn: 3) == [0, 0, 0])
    #expect(try reviews(dueIn: -5)[0] == 1)
  }

  private typealias Answer = (recall: Double, isRight: Bool, days: Int, number: Int, lapses: Int)

  private func fit(_ answers: [Answer]) -> ModelFit {
    var predictions = Predictions()
    for (recall, isRight, days, number, lapses) in answers {
      predictions.add(recall, isRight, days: days, number: number, lapses: lapses)
    }
    return predictions.fit
  }

  @Test func `the metrics of a prediction follow their formulas`() {
    #expect(fit([]) == ModelFit())
    let alone = fit([(0.8, true, 1, 1, 0)])
    #expect(abs(alone.logLoss + log(0.8)) < 1e-12 && alone.auc == 0.5 && alone.count == 1)
    #expect(fit([(0.8, false, 1, 1, 0), (0.7, false, 1, 1, 0)]).auc == 0.5, "nothing was remembered")
    // Of the six pairs of one remembered and one forgotten answer, 4 are in order and one is tied.
    let mixed = fit([
      (0.9, true, 1, 1, 0), (0.5, true, 1, 1, 0), (0.3, true, 1, 1, 0), (0.5, false, 1, 1, 0), (0.2, false, 1, 1, 0),
    ])
    #expect(abs(mixed.auc - 4.5 / 6) < 1e-12)
    #expect(abs(mixed.rmse - abs(2.4 - 3) / 5) < 1e-12, "all of one bin: what was expected less what came")
    #expect(mixed.calibration.map(\.count) == [5])
    #expect(abs(mixed.calibration[0].predicted - 0.48) < 1e-6 && mixed.calibration[0].remembered == 0.6)
  }

  @Test(arguments: [(days: 3, number: 1, lapses: 0), (4, 2, 0), (14, 4, 1), (3, 1, 2)])
  func `answers share a bin within powers of days, answers and lapses`(days: Int, number: Int, lapses: Int) {
    // The errors of two answers in one bin add up; in different bins their squares do.
    func rmse(_ days: Int, _ number: Int, _ lapses: Int) -> Double {
      fit([(0.5, true, 3, 1, 0), (0.5, false, days, number, lapses)]).rmse
    }
    let isAlike = (days, number, lapses) == (3, 1, 0)
    #expect(rmse(days, number, lapses) == (isAlike ? 0 : 0.5))
    #expect(rmse(1, 1, 0) == 0 && rmse(3, 0, 0) == 0)
  }

  @Test func `answers are grouped by at least twenty, in at most ten groups, from the least probable on`() {
    let few = fit((0..<39).map { Answer(0.5 + Double($0) / 100, $0 % 2 == 0, 1, 1, 0) })
    #expect(few.calibration.map(\.count) == [39])
    let many = fit((0..<400).shuffled().map { Answer(0.5 + Double($0) / 1000, $0 >= 200, 1, 1, 0) })
    #expect(many.calibration.map(\.count) == Array(repeating: 40, count: 10))
    #expect(many.calibration.map(\.remembered) == [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    #expect(abs(many.calibration[0].predicted - (0.5 + 19.5 / 1000)) < 1e-6)
  }

  /// Returns cards answered on the given days with the given ratings.
  private func history(_ cards: [[(day: Int, rating: Int64)]]) -> ReviewHistory {
    var history = ReviewHistory()
    for (card, answers) in cards.enumerated() {
      for (number, answer) in answers.enumerated() {
        history.add(
          card: Int64(card), day: answer.day, moment: Int64(answer.day) * 86_400_000, rating: answer.rating,
          isFirst: number == 0, isLearning: number == 0)
      }
    }
    history.close()
    return history
  }

  @Test func `the lapses before an answer are counted for its bin, with both models`() throws {
    // The third answers differ only in the lapses before them.
    let history = history([[(0, 3), (3, 3), (10, 3)], [(0, 3), (3, 1), (10, 1)]])
    let model = try MemoryModel7(parameters: MemoryModel7.published)
    var predictions = Predictions()
    for (second, third) in [(Rating.good, true), (.again, false)] {
      let first = model.initial(.good)
      predictions.add(model.retrievability(first, days: 3), second == .good, days: 3, number: 1, lapses: 0)
      let recall = model.retrievability(model.next(first, second, days: 3), days: 7)
      predictions.add(recall, third, days: 7, number: 2, lapses: second == .good ? 0 : 1)
    }
    let fit = history.fit(fsrs7: MemoryModel7.published)
    #expect(abs(fit.rmse - predictions.fit.rmse) < 1e-9 && abs(fit.logLoss - predictions.fit.logLoss) < 1e-9)
    #expect(history.fit(fsrs7: MemoryModel7.published, since: 10 * 86_400_000).count == 2)
    #expect(history.fit(fsrs7: MemoryModel7.published, until: 10 * 86_400_000).count == 2)
    #expect(history.fit(fsrs6: MemoryModel.defaultParameters, since: 3 * 86_400_000, until: 10 * 86_400_000).count == 2)
  }

  @Test func `of one card 128 answers are used, and rows that no session writes are ignored`() {
    let long = history([(0..<200).map { (day: $0, rating: 3) }, [(day: 5, rating: 3), (day: 6, rating: 3)]])
    #expect(long.cardCount == 2 && long.starts == [0, 128, 130] && long.laterCount == 128)
    #expect(history([[(0, 3), (4, 0), (5, 5), (20_000_000, 3), (6, 2)]]).ratings == [3, 2])
  }

  @Test func `a moment splits a history at the predicted answers`() {
    let history = history([[(0, 3), (1, 3), (3, 3), (5, 3)], [(0, 3), (2, 3), (4, 3)]])
    #expect(history.moment(after: 0.8) == 5 * 86_400_000 && history.moment(after: 0.6) == 4 * 86_400_000)
    #expect(history.until(3 * 86_400_000).starts == [0, 2, 4])
    #expect(ReviewHistory().moment(after: 0.5) == nil)
  }

  @Test(arguments: [(days: 3, right: 0.5), (20, 0.8)])
  func `the initial stabilities are those that the second answers support`(days: Int, right: Double) throws {
    let cards = 4000
    let answers = (0..<cards).map { card in
      [(day: 0, rating: Int64(3)), (day: days, rating: Double(card % 10) < right * 10 ? Int64(3) : 1)]
    }
    let stability = try Optimizer(history(answers)).firstStabilities()[2]
    #expect(abs(MemoryModel().retrievability(days: Double(days), stability: stability) - right) < 0.03, "\(stability)")
  }
}
