// A race through a deck as it is handed to Lua and to the study screen. Invariant: when the deck's cards change, the race
// begins afresh with the cards as they are; this is looked at before each use.

public import Decks
import GRDB

/// A sprint under way.
public final class SprintHandle: WorkspaceHandle {
  public let workspace: Workspace
  public let deck: DeckHandle
  private let query: String?
  private let limit: Int?
  private let sprint: Sprint
  private var mark: DeckMark
  private var seenChanges: Int

  init(_ deck: DeckHandle, seconds: Double, limit: Int?, query: String?) throws {
    workspace = deck.workspace
    self.deck = deck
    self.query = query
    self.limit = limit
    mark = try deck.workspace.read { try DeckMark($0, deck.id) }
    seenChanges = deck.workspace.changeCount
    let cards = try Self.stack(of: deck, query, limit)
    sprint = Sprint(cards: cards, seconds: seconds, clock: deck.workspace.surroundings.elapsed)
  }

  private static func stack(of deck: DeckHandle, _ query: String?, _ limit: Int?) throws -> [CardID] {
    let ids = try deck.cards(matching: query).ids
    return limit.map { Array(ids.prefix($0)) } ?? ids
  }

  /// The race, begun afresh when the deck has changed.
  private func current() throws -> Sprint {
    _ = try workspace.store(for: "session")
    guard seenChanges != workspace.changeCount else { return sprint }
    let now = try workspace.read { try DeckMark($0, deck.id) }
    seenChanges = workspace.changeCount
    if now != mark {
      mark = now
      sprint.reset(cards: try Self.stack(of: deck, query, limit))
    }
    return sprint
  }

  /// The top card; nil when the race is over.
  public func card() throws -> CardHandle? { try current().card.map { workspace.handle(of: $0) } }
  public func remaining() throws -> Int { try current().remaining }
  /// Seconds left.
  public func timeRemaining() throws -> Double { try current().timeRemaining }
  public func isActive() throws -> Bool { try current().isActive }
  public func isOver() throws -> Bool { try current().isOver }
  public func right() throws -> Int { try current().right }
  public func wrong() throws -> Int { try current().wrong }
  public var seconds: Double { sprint.seconds }

  /// - Throws: `DeckError.over`, `.paused`.
  public func answer(isRight: Bool) throws -> SprintResult { try current().answer(isRight: isRight) }
  public func undo() throws { try current().undo() }
  public func pause() throws { try current().pause() }
  public func resume() throws { try current().resume() }
  public func restart() throws { try current().restart() }
}

extension DeckHandle {
  /// Starts a race through the deck's own cards.
  public func sprint(seconds: Double = 100, limit: Int? = nil, query: String? = nil) throws -> SprintHandle {
    try SprintHandle(self, seconds: seconds, limit: limit, query: query)
  }
}
