// `study`. Invariant: it only wires a session to the screen; what an answer does is decided below.

import Commands
import Decks
import Text
import Values
import Workspace

enum StudyCommands {
  static var command: BuiltIn {
    BuiltIn(
      "study", theme: "Studying", access: .signedIn, effect: .changes,
      summary: "Studies a deck: what is due by schedule, or a race against the clock.",
      details: """
        Enter shows the answer; then 1 to 4 (again, hard, good, easy) say how well you knew it, and the card comes back when \
        it is time (FSRS-6). With --sprint it is a race: r or w says right or wrong, a wrong card comes back under the \
        others, and no schedule is changed. The decks within the deck are studied with it.
        """,
      arguments: [Argument("DECK", .deck, isOptional: true, help: "the deck; may be left out when there is only one")],
      options: [
        Option("--sprint", help: "a race against the clock"),
        Option("--seconds", "N", .integer(1...86_400), help: "how long a sprint lasts: `study.seconds` when left out"),
        Option("--limit", "N", .positive, help: "at most so many cards"),
        Option("--query", "QUERY", .query, help: "only the cards that it finds"),
      ], example: "study Spanish --sprint --seconds 60"
    ) { invocation, session in
      var options = SessionHandle.Options(try session.workspace().preferences())
      options.mode = invocation.flag("--sprint") ? .sprint : .review
      options.seconds = invocation.optionalInteger("--seconds").map(Double.init) ?? options.seconds
      options.limit = invocation.optionalInteger("--limit") ?? options.limit
      options.query = invocation.optionalText("--query")
      let deck = try deckToStudy(invocation.optionalText("DECK"), session)
      let study = try deck.study(options)
      let name = try deck.record().name
      guard try study.card() != nil else { return nothingToStudy(name, options) }
      return try StudyScreen(session, study, name: name).run()
    }
  }

  /// An empty race is a mistake; having nothing due is good news.
  private static func nothingToStudy(_ name: String, _ options: SessionHandle.Options) -> CommandResult {
    let why =
      options.mode == .review
      ? "Nothing is due in \(quoted(name)). Well done." : "\(quoted(name)) has no cards to study."
    return CommandResult(
      .record([("right", .integer(0)), ("wrong", .integer(0)), ("remaining", .integer(0))]), line: why)
  }

  /// The deck of that name, or the only one there is.
  static func deckToStudy(_ name: String?, _ session: Session) throws -> DeckHandle {
    if let name { return try session.workspace().openDeck(name) }
    let decks = try session.workspace().decks()
    if decks.count == 1 { return decks[0] }
    throw LookupError.whichDeck(isAny: !decks.isEmpty)
  }
}
