// Descriptions of the functions that a game mode may have. Invariant: both the binding that reads a mode and the help
// use this list.

/// A function of a mode, all optional.
///
///     ModeFunction.accept.call   // "accept(game, word)"
public enum ModeFunction: String, CaseIterable, Sendable {
  case setup, show, accept, score, finished, hint, solution

  /// How it is called.
  public var call: String {
    switch self {
    case .accept, .score: "\(rawValue)(game, word)"
    default: "\(rawValue)(game)"
    }
  }

  /// When it is called, and what it returns.
  public var meaning: String {
    switch self {
    case .setup:
      "at the beginning and for each new base word; nil, or {base=, rules=} for this game, or nil and "
        + "{code=, title=, message=} where there is no such game"
    case .show: "the text in place of the base word on the screen"
    case .accept: "after every rule passed; true, or nil and {code=, title=, message=} or a text"
    case .score: "the points of an accepted word, a whole number; its letters where there is no such function"
    case .finished: "after each guess; whether the game is over"
    case .hint: "the text of a hint"
    case .solution:
      "what is told when the game was given up, in place of the words that were not found; then a list of words whose "
        + "meanings are told"
    }
  }
}
