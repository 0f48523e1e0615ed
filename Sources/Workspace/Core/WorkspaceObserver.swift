// Events of games and study sessions. Invariant: each event is notified once, by the handle of the game or session,
// whether a screen, a pipe, Lua or a plugin caused it.

/// An event of which a workspace notifies its observer.
///
///     func notify(_ event: WorkspaceEvent) throws {
///       if case .gameFinished(let game) = event { print(game.game.score) }
///     }
public enum WorkspaceEvent {
  /// A guess was counted.
  case wordFound(GameHandle, word: String)
  case gameFinished(GameHandle)
  /// - Parameter answer: `right` or `wrong` in a sprint, else the rating's name.
  case cardAnswered(CardHandle, answer: String)
  case sessionFinished(right: Int, wrong: Int)
}

/// Receives the events. Declared here and implemented in a higher layer, by the table of events:
///
///     workspace.observer = events
public protocol WorkspaceObserver: AnyObject {
  /// Whether anybody listens for found words, which are found on a hot path.
  var observesWords: Bool { get }
  /// Called when `observesWords` changes.
  var observesWordsDidChange: (() -> Void)? { get set }
  /// - Throws: only an interrupt (Ctrl-C, exit) of the code that was notified.
  func notify(_ event: WorkspaceEvent) throws
}
