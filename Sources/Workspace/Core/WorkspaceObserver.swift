// Events of games and study sessions. Invariant: each event is notified once, by the handle of the game or session,
// whether a screen, a pipe, Lua or a plugin caused it.

/// What a workspace notifies of.
///
///     func notify(_ event: WorkspaceEvent) throws {
///       if case .gameFinished(let game) = event { print(game.game.score) }
///     }
public enum WorkspaceEvent {
  /// A guess counted.
  case wordFound(GameHandle, word: String)
  case gameFinished(GameHandle)
  /// - Parameter answer: `right` or `wrong` in a sprint, else the rating's name.
  case cardAnswered(CardHandle, answer: String)
  case sessionFinished(right: Int, wrong: Int)
}

/// Whoever is notified. It is declared here and implemented above, by the table of events:
///
///     workspace.observer = events
public protocol WorkspaceObserver: AnyObject {
  /// Whether anybody wants to know of found words, which are found on a hot path.
  var observesWords: Bool { get }
  /// Called when that changes.
  var observesWordsDidChange: (() -> Void)? { get set }
  /// - Throws: only a stop (Ctrl-C, exit) of code that was notified.
  func notify(_ event: WorkspaceEvent) throws
}
