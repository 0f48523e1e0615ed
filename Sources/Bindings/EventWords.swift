// Descriptions of the events, for help and the reference. Invariant: every event has a sentence here.

extension ShellEvent {
  /// When the event occurs.
  public var meaning: String {
    switch self {
    case .started: "The shell has started and is about to show its first prompt."
    case .command: "A command was run and did not fail."
    case .cardAnswered: "A card was answered, in a review or a sprint."
    case .sessionFinished: "A study session ended."
    case .wordFound: "A guess was accepted in a game."
    case .gameFinished: "A game is over."
    case .authenticationChanged: "Somebody signed in or out, or a sign-in began or ended."
    case .exiting: "The program is about to end: the last moment at which anything can be stored."
    }
  }

  /// The arguments of a listener: names and types.
  public var parameters: [(name: String, type: String)] {
    switch self {
    case .started, .exiting: []
    case .command: [("line", "string; the command's name alone without the permission `commands.read`")]
    case .cardAnswered: [("card", "card"), ("answer", "string")]
    case .sessionFinished: [("right", "integer"), ("wrong", "integer")]
    case .wordFound: [("game", "game"), ("word", "string")]
    case .gameFinished: [("game", "game")]
    case .authenticationChanged: [("needs_authentication", "boolean"), ("is_authenticating", "boolean")]
    }
  }
}
