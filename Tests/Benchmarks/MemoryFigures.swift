// The cost of the memory models: fitting FSRS-7 to 100,000 answers (3.5 s at most), and simulating 10,000 cards for a
// year (a second at most). References: the same with FSRS-6.

import Memory

struct MemoryFigures {
  private static let answers = sized(100_000)
  private static let cards = sized(10_000)
  private let fitting = "fitting FSRS-7 to 100,000 answers against fitting FSRS-6"
  private let playing = "a year of 10,000 cards simulated by both models against by FSRS-6"

  func all() throws -> [Figure?] {
    guard isAsked(fitting) || isAsked(playing) else { return [] }
    let history = Self.history()
    return [try fitted(history), try played(history)]
  }

  private func fitted(_ history: ReviewHistory) throws -> Figure? {
    try compare(fitting, wanted: nil, rounds: 3, scale: 1, unit: "s") {
      let start = now()
      var optimizer = Optimizer7(history)
      _ = try optimizer.run()
      return now() - start
    } reference: {
      let start = now()
      var optimizer = try Optimizer(history)
      _ = try optimizer.run()
      return now() - start
    }
  }

  private func played(_ history: ReviewHistory) throws -> Figure? {
    var optimizer = Optimizer7(history)
    var timed = Simulation.Options()
    let fitted = try FittedModels(
      answers: Self.answers, parameters: optimizer.run() ?? [], firsts: [99, 99, 99, 99],
      time: AnswerTime(median: 4, shift: 0, slope: -0.2))
    timed.model = RecallModel(MemoryModel(), fitted, .both)
    return try compare(
      playing, wanted: nil, rounds: 3, scale: 1, unit: "s", ours: { try seconds(timed) },
      reference: { try seconds(Simulation.Options()) })
  }

  private func seconds(_ given: Simulation.Options) throws -> Double {
    var options = given
    options.reviewsPerDay = 9999
    let cards = (0..<Self.cards).map { number in
      Simulation.Memory(
        state: MemoryState(stability: Double(number % 90 + 1), difficulty: 5), elapsed: number % 30, dueIn: number % 40)
    }
    let simulation = Simulation(options: options, cards: cards, newCards: Self.cards / 5)
    let start = now()
    _ = try simulation.run(retentions: [0.9], days: 365)
    return now() - start
  }

  /// Answers that follow FSRS-6, ten per card.
  private static func history() -> ReviewHistory {
    let model = MemoryModel()
    var (history, made, card) = (ReviewHistory(), 0, UInt64(0))
    /// A number from 0 to 1, from the card and the number of its answer.
    func share(_ number: Int) -> Double {
      Double(Fuzz.mixed(card &* 64 &+ UInt64(number)) >> 11) / 9_007_199_254_740_992
    }
    while made < answers {
      card += 1
      var (day, state) = (Int(share(0) * 300), model.initial(.good))
      func add(_ rating: Rating, first: Bool) {
        let moment = Int64(day) * 86_400_000 + Int64(share(63) * 40_000_000)
        history.add(
          card: Int64(card), day: day, moment: moment, rating: rating.rawValue, isFirst: first, isLearning: first)
      }
      add(.good, first: true)
      for number in 1...10 {
        let exact = model.exactInterval(stability: state.stability, retention: 0.9)
        let days = max(1, Int(exact * (0.5 + share(2 * number))))
        day += days
        let recall = model.retrievability(days: Double(days), stability: state.stability)
        let rating: Rating = share(2 * number + 1) < recall ? .good : .again
        state = model.next(state, rating, days: days)
        add(rating, first: false)
        made += 1
      }
    }
    history.close()
    return history
  }
}
