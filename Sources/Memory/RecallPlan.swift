// How to know cards by a date: usual study at a low retention, then, in the last days, the answers that are worth most.
// The plan comes from simulations with the cards as they are; it promises the lower result of two simulations, less the
// amount by which they are known to overestimate. Invariant: the same cards and goal always give the same plan; nothing
// is changed. Measured with a truth other than the model that plans: half as much is forgotten at the date as with a
// fixed retention in the same minutes; the simulation overestimates recall by 0.015.

/// A plan to remember a share of the cards after some days, with some minutes of study on each of the last ones.
public struct RecallPlan: Equatable, Sendable {
  /// The retention of study before the last days.
  public static let retention = 0.8
  /// How many last days there may be.
  public static let lastDays = 3...30
  /// How far the simulation overestimates recall.
  static let optimism = 0.015
  /// Of more cards than this, a sample is simulated.
  static let sample = 1000

  public struct Target: Equatable, Sendable {
    /// The share of the cards to remember at the date.
    public var recall: Double
    /// The minutes of study on each of the last days.
    public var minutes: Double
    /// The number of days from today to the date.
    public var days: Int
    public var times: AnswerTimes

    public init(recall: Double, minutes: Double, days: Int, times: AnswerTimes = AnswerTimes()) {
      (self.recall, self.minutes, self.days, self.times) = (recall, minutes, days, times)
    }
  }

  /// The last days of a simulated course.
  struct Ending {
    let days: Int
    /// The seconds of study on each day.
    let seconds: Double
    let times: AnswerTimes
  }

  /// How many of the last days are used for the date: the fewest that reach the recall, or else those that reach most.
  public let finalDays: Int
  /// The share of all cards that should be remembered at the date.
  public let recall: Double
  /// Whether the recall reaches the target.
  public let isReached: Bool
  public let stillNew: Int
  /// The minutes of study a day before the last days, on average.
  public let minutesBefore: Double
}

extension Simulation {
  /// Returns the plan for a target.
  /// - Parameter isInterrupted: polled between simulations; true ends them, and nil is returned.
  public func plan(for target: RecallPlan.Target, isInterrupted: () -> Bool) -> RecallPlan? {
    let planSimulation = PlanSimulation(self, target)
    var found: (days: Int, outcome: PlanSimulation.Outcome)?
    var best: (days: Int, outcome: PlanSimulation.Outcome)?
    var (low, high) = (RecallPlan.lastDays.lowerBound, RecallPlan.lastDays.upperBound)
    // Except by chance, more last days never reach less, so the fewest are found by bisection.
    while low <= high {
      if isInterrupted() { return nil }
      let days = best == nil ? high : (low + high) / 2
      let outcome = planSimulation.run(days)
      if outcome.recall > best?.outcome.recall ?? -1 { best = (days, outcome) }
      if outcome.recall >= target.recall {
        found = (days, outcome)
        high = days - 1
      } else if days == RecallPlan.lastDays.upperBound {
        break
      } else {
        low = days + 1
      }
    }
    return (found ?? best).map { RecallPlan(target, $0.days, $0.outcome) }
  }

  /// Returns the plan for a target with this number of last days.
  public func plan(for target: RecallPlan.Target, lastDays: Int) -> RecallPlan {
    RecallPlan(target, lastDays, PlanSimulation(self, target).run(lastDays))
  }

  /// The share of all cards that is remembered today; new cards count as not remembered.
  public var knownToday: Double {
    let known = cards.reduce(0) { sum, card in sum + recall(of: card) }
    return known / Double(max(1, cards.count + newCards))
  }
}

extension RecallPlan {
  fileprivate init(_ target: Target, _ finalDays: Int, _ outcome: PlanSimulation.Outcome) {
    self.init(
      finalDays: finalDays, recall: outcome.recall, isReached: outcome.recall >= target.recall,
      stillNew: outcome.stillNew, minutesBefore: outcome.minutesBefore)
  }
}

/// Simulates the days to a date twice: with the memory that study assumes, and with the memory of many people.
private struct PlanSimulation {
  struct Outcome {
    var recall = 0.0
    var stillNew = 0
    var minutesBefore = 0.0
  }

  private let simulations: [Simulation]
  private let target: RecallPlan.Target
  /// The share of all cards that is simulated.
  private let part: Double
  private let cardCount: Int

  init(_ simulation: Simulation, _ target: RecallPlan.Target) {
    self.target = target
    let all = simulation.cards.count + simulation.newCards
    part = min(1, Double(RecallPlan.sample) / Double(max(1, all)))
    let sampled = simulation.sampled(part)
    cardCount = sampled.cards.count + sampled.newCards
    var other = sampled
    // The memory of many people, and cards that differ more than the model assumes.
    other.truth = Truth(MemoryModel(), spread: 0.35)
    simulations = [sampled, other]
  }

  /// - Parameter days: how many of the last days are used for the date.
  func run(_ days: Int) -> Outcome {
    let ending = RecallPlan.Ending(days: days, seconds: target.minutes * 60 * part, times: target.times)
    let course = Simulation.Course(retention: RecallPlan.retention, days: target.days, seed: 1, ending: ending)
    let outcomes = simulations.map { simulation in
      var seconds = 0.0
      let before = max(0, target.days - days)
      let cards = simulation.play(course) { day, _, counts in
        if day < before { seconds += target.times.seconds(counts) }
      }
      let recall = simulation.remembered(cards, target.days) / Double(max(1, cardCount))
      return Outcome(
        recall: max(0, recall - RecallPlan.optimism), stillNew: Int((Double(cardCount - cards.count) / part).rounded()),
        minutesBefore: before == 0 ? 0 : seconds / part / 60 / Double(before))
    }
    return outcomes.min { $0.recall < $1.recall } ?? Outcome()
  }
}

extension AnswerTimes {
  func seconds(_ counts: Simulation.DayCounts) -> Double {
    Double(counts.reviews - counts.forgotten) * remembered + Double(counts.forgotten) * forgotten
      + Double(counts.new) * first
  }
}

extension Simulation {
  /// Returns a simulation of a part of the cards, with the daily limits reduced in proportion.
  public func sampled(_ part: Double) -> Simulation {
    if part >= 1 { return self }
    var options = options
    options.part *= part
    let count = Int((Double(cards.count) * part).rounded())
    let taken = (0..<count).map { cards[$0 * cards.count / max(1, count)] }
    return Simulation(
      options: options, cards: taken, newCards: Int((Double(newCards) * part).rounded()), habits: habits)
  }
}
