// The progress of a goal, and the plan for one, from a simulation with the deck's current cards. Invariant: it only
// reads.

public import Memory
public import Storage
public import Values

public struct GoalProgress: Equatable, Sendable {
  public let deck: String
  public let goal: DeckGoal
  /// Days from today to the date; 0 or negative if the date is over.
  public let daysLeft: Int
  /// The share of all cards that is remembered today.
  public let known: Double
  /// The plan, with the share that should be remembered at the date; nil if the date is over.
  public let plan: RecallPlan?

  /// The day on which the last days begin.
  public var firstDay: Int { goal.day - goal.lastDays }

  public var value: Value {
    .record([
      "deck": deck, "date": goal.date, "recall": goal.recall, "minutes": Value.measure(goal.minutes),
      "days_left": daysLeft, "last_days": goal.lastDays, "begins": StudyMoment.date(ofDay: firstDay), "known": known,
      "forecast": plan.map { $0.recall }, "reached": plan.map { $0.isReached }, "still_new": plan.map { $0.stillNew },
    ])
  }
}

/// A goal with all that is needed to simulate it.
public struct GoalSimulation {
  private let deck: DeckRecord
  private let goal: DeckGoal
  private let simulation: Simulation
  private let target: RecallPlan.Target

  /// - Parameter goal: a goal that the deck has or may get.
  public init(_ db: Database, _ deck: DeckID, _ goal: DeckGoal, at moment: StudyMoment) throws {
    self.deck = try DeckTable.record(db, deck)
    self.goal = goal
    // Decks within it that have a goal of their own are not part of this one.
    let key = self.deck.name.lowercased()
    let others = try DeckTable.goals(db).filter { $0.goal.isUnderWay(at: moment) }.map { $0.deck.name.lowercased() }
      .filter { DeckName.isKey($0, within: key) }
    let group = try ([self.deck] + DeckTable.within(db, deck)).filter { inner in
      let inner = inner.name.lowercased()
      return !others.contains { inner == $0 || DeckName.isKey(inner, within: $0) }
    }
    let options = try DeckTable.options(db, deck)
    simulation = try Simulation(db, group.map(\.id), options, at: moment)
    let times = try GoalGroup(db, group.map(\.id), moment).times()
    target = RecallPlan.Target(recall: goal.recall, minutes: goal.minutes, days: goal.day - moment.today, times: times)
  }

  /// The goal with the number of last days with which it is reached; nil if the user interrupted the simulation.
  public func planned(isInterrupted: () -> Bool) -> DeckGoal? {
    simulation.plan(for: target, isInterrupted: isInterrupted).map { plan in
      var goal = goal
      goal.lastDays = plan.finalDays
      return goal
    }
  }

  public var progress: GoalProgress {
    GoalProgress(
      deck: deck.name, goal: goal, daysLeft: target.days, known: simulation.knownToday,
      plan: target.days > 0 ? simulation.plan(for: target, lastDays: goal.lastDays) : nil)
  }
}
