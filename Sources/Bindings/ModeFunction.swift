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
        + "{code=, title=, message=} if no such game is possible"
    case .show: "the text shown on the screen instead of the base word"
    case .accept: "after every rule passed; true, or nil and {code=, title=, message=} or a text"
    case .score: "the points of an accepted word, a whole number; without this function, the number of its letters"
    case .finished: "after each guess; whether the game is over"
    case .hint: "the text of a hint"
    case .solution:
      "what is shown when the game is given up, instead of the words that were not found; then a list of words whose "
        + "meanings are shown"
    }
  }
}
