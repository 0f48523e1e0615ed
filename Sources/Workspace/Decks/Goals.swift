// Goals of decks as operations of a workspace. Invariant: setting one is one operation, planned with the cards as they
// are; what only looks changes nothing.

public import Decks
import Files
import Storage

/// The goal of a deck.
///
///     try deck.goals.set(date: "2027-06-01", recall: 0.9).plan?.recall   // what is to be expected
///     try deck.goals.current()?.daysLeft
public struct DeckGoals {
  /// A goal that a deck goes by today.
  public struct Current {
    /// The deck that has it.
    public let deck: DeckRecord
    public let goal: DeckGoal
    public let daysLeft: Int
    /// Whether the days have begun that are for it alone.
    public let isNear: Bool
  }

  let deck: DeckHandle
  private var workspace: Workspace { deck.workspace }

  /// Gives the deck a goal, with as many last days as it takes to reach it.
  /// - Throws: `DeckError.badOption` for a value out of range.
  @discardableResult
  public func set(
    date: String, recall: Double = DeckGoal.initialRecall, minutes: Double = DeckGoal.initialMinutes
  ) throws -> GoalStanding {
    let moment = workspace.moment
    let goal = try DeckGoal(date: date, recall: recall, minutes: minutes, at: moment)
    let rehearsal = try workspace.read { try GoalRehearsal($0, deck.id, goal, at: moment) }
    guard let planned = rehearsal.planned(isInterrupted: workspace.environment.isInterrupted) else {
      throw WorkspaceError.interrupted
    }
    return try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: deck.id)) {
      try DeckTable.setGoal($0, deck.id, to: planned)
      return try GoalRehearsal($0, deck.id, planned, at: moment).standing
    }
  }

  /// Takes the deck's own goal away; a deck around it may have one.
  public func remove() throws {
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: deck.id)) {
      try DeckTable.setGoal($0, deck.id, to: nil)
    }
  }

  /// The goal that the deck goes by, its own or that of a deck around it; nil when there is none, or its date is over.
  public func current() throws -> Current? {
    let moment = workspace.moment
    guard let found = try workspace.read({ try DeckTable.goal($0, deck.id) }), found.goal.day > moment.today else {
      return nil
    }
    return Current(
      deck: found.deck, goal: found.goal, daysLeft: found.goal.day - moment.today,
      isNear: found.goal.isNear(at: moment))
  }

  /// What is to be expected of the deck's own goal; nil when it has none.
  public func standing() throws -> GoalStanding? {
    try workspace.read { db in
      try DeckTable.limits(db, deck.id).goal.map {
        try GoalRehearsal(db, deck.id, $0, at: workspace.moment).standing
      }
    }
  }
}

extension DeckHandle {
  public var goals: DeckGoals { DeckGoals(deck: self) }
}
