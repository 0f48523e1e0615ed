// The goals of decks as operations of a workspace. Invariant: setting a goal is one operation, planned with the
// current cards; reading one changes nothing.

public import Decks
import Files
import Storage

/// The goal of a deck.
///
///     try deck.goals.set(date: "2027-06-01", recall: 0.9).plan?.recall   // what is to be expected
///     try deck.goals.current()?.daysLeft
public struct DeckGoals {
  /// The goal in effect for a deck today.
  public struct Current {
    public let deck: DeckRecord
    public let goal: DeckGoal
    public let daysLeft: Int
    /// Whether the period reserved for the goal has begun.
    public let isNear: Bool
  }

  let deck: DeckHandle
  private var workspace: Workspace { deck.workspace }

  /// Sets the deck's goal, with as many final days as are needed to reach it.
  /// - Throws: `DeckError.badOption` for a value out of range.
  @discardableResult
  public func set(
    date: String, recall: Double = DeckGoal.initialRecall, minutes: Double = DeckGoal.initialMinutes
  ) throws -> GoalProgress {
    let moment = workspace.moment
    let goal = try DeckGoal(date: date, recall: recall, minutes: minutes, at: moment)
    let simulation = try workspace.read { try GoalSimulation($0, deck.id, goal, at: moment) }
    guard let planned = simulation.planned(isInterrupted: workspace.environment.isInterrupted) else {
      throw WorkspaceError.interrupted
    }
    return try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: deck.id)) {
      try DeckTable.setGoal($0, deck.id, to: planned)
      return try GoalSimulation($0, deck.id, planned, at: moment).progress
    }
  }

  /// Removes the deck's own goal; a parent deck may have one.
  public func remove() throws {
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: deck.id)) {
      try DeckTable.setGoal($0, deck.id, to: nil)
    }
  }

  /// Returns the goal in effect for the deck, its own or that of a parent deck; nil if there is none or its date has
  /// passed.
  public func current() throws -> Current? {
    let moment = workspace.moment
    guard let found = try workspace.read({ try DeckTable.goal($0, deck.id) }), found.goal.day > moment.today else {
      return nil
    }
    return Current(
      deck: found.deck, goal: found.goal, daysLeft: found.goal.day - moment.today,
      isNear: found.goal.isNear(at: moment))
  }

  /// Returns the forecast of the deck's own goal; nil if it has none.
  public func progress() throws -> GoalProgress? {
    try workspace.read { db in
      try DeckTable.limits(db, deck.id).goal.map { try GoalSimulation(db, deck.id, $0, at: workspace.moment).progress }
    }
  }
}

extension DeckHandle {
  public var goals: DeckGoals { DeckGoals(deck: self) }
}
