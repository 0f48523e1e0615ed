// `play`. Invariant: a suspended game is resumed only on request; starting another game does not lose its results.

import Bindings
import Commands
import LuaRuntime
import PluginHost
import Problems
import Text
import ToggleSettings
import Values
import WordGames
import Workspace

enum PlayCommands {
  static let command = BuiltIn(
    "play", effect: .depends { $0.flag("--list") || $0.flag("--scores") ? .reads : .changes },
    summary: "Plays a word game: make words from a word.",
    answer: "{base_word, language, mode}, then for each guess {word, points, count, average, score} or "
      + "{word, code, title, message}",
    details: """
      A line is a guess; /new /hint /shuffle /list /give-up /help /quit are commands of the game. Without a terminal \
      it reads guesses from standard input and answers each in a line, with --json as an object. A game is saved as it \
      is played: --resume continues it. A language or length given here is for this game (`set game.language` and `set \
      game.length` are for all). Of a language with a frequency list on this machine \
      (Debian's onboard-data, or frequency/CODE.tsv in the data folder: a word, a tab, a count; es.tsv for Spanish) a \
      game chooses and looks for only the 20,000 most frequent words (`set game.words all` uses all words); a guess \
      may be any word of the list. With --deck the words are those of your deck: its prompts of one word, without \
      articles; a hint is the answer of a word that is left, and each word that you find is shown with its answer.
      """,
    arguments: [
      Argument("MODE", .mode, isOptional: true, help: "classic when left out; `play --list` lists the modes")
    ],
    options: [
      Common.language, Option("--length", "N", .integer(2...64), help: "number of letters in the base word"),
      Option("--base", "WORD", help: "the base word"),
      Option("--deck", "DECK", .deck, help: "a game over the words of this deck"),
      Option("--query", "QUERY", .query, help: "with --deck, only the cards that match it"),
      Option("--to-deck", "DECK", .deck, help: "make cards of missed words, at most 20"),
      Option("--list", help: "list the modes"), Option("--resume", help: "resume the saved game"),
      Option("--scores", help: "show finished games and the best of them"),
    ],
    usage: [
      "play [MODE] [--language L] [--length N] [--base WORD] [--to-deck DECK]",
      "play [MODE] --deck DECK [--query QUERY]", "play --list", "play --resume", "play --scores",
    ], example: "play --language spanish --length 9"
  ) { invocation, session in
    try checkOptions(invocation)
    if invocation.flag("--list") {
      return CommandResult(listing: session.modes.names, [.name("Mode"), .words("What it is")]) {
        ["name": $0.name, "summary": $0.summary]
      } row: {
        [$0.name, $0.summary]
      }
    }
    if invocation.flag("--scores") { return try showScores(session) }
    var options = PlayScreen.Options()
    options.wantsJSON = invocation.wantsJSON(in: session)
    options.showsBase = invocation.optionalText("--base") == nil
    options.deck = try invocation.optionalText("--to-deck").map { try session.workspace().decks.checkedName($0) }
    let resumes = invocation.flag("--resume")
    let game = try resumes ? session.workspace().games.resume() : newGame(invocation, session)
    guard let game else { throw LookupError.noGame }
    return try PlayScreen(session, game, options).run()
  }

  /// Refuses options that would be ignored.
  private static func checkOptions(_ invocation: Invocation) throws {
    let uses = ["--list", "--resume", "--scores"]
    try invocation.allowOne(of: uses)
    let ofNewGames = ["MODE", Common.language.name, "--length", "--base", "--deck", "--query"]
    try invocation.require("--deck", beside: "--query")
    for use in uses {
      try invocation.refuse(ofNewGames + (use == "--resume" ? [] : ["--to-deck"]), beside: use)
    }
  }

  static func newGame(_ invocation: Invocation, _ session: Session) throws -> GameHandle {
    var options = GameOptions()
    options.mode = invocation.optionalText("MODE") ?? options.mode
    options.language = invocation.optionalText("--language")
    (options.length, options.base) = (invocation.optionalInteger("--length"), invocation.optionalText("--base"))
    options.deck = try invocation.optionalText("--deck").map { try session.workspace().decks.open($0) }
    options.query = try session.query("--query", of: invocation)
    return try session.workspace().games.start(options)
  }

  static func showScores(_ session: Session) throws -> CommandResult {
    let results = try session.workspace().games.results()
    let value = Value.list(results.map(record))
    guard !results.isEmpty else { return CommandResult(value, line: "No finished games yet.") }
    return CommandResult(
      value,
      .parts([
        .lines(["Best"]), .table(scoreTable(GameResult.best(of: results), session)), .lines(["", "Last"]),
        .table(scoreTable(Array(results.prefix(10)), session)),
      ]))
  }

  static func scoreTable(_ results: [GameResult], _ session: Session) -> TableText {
    TableText(
      [
        "Mode", "Language", .main("Base word"), .number("Score"), .number("Words"), .number("Average"), "Longest",
        .whole("When"),
      ],
      rows: results.map { result in
        [
          result.mode, result.language, printable(result.baseWord), session.grouped(result.score),
          result.longest.isEmpty ? "" : session.grouped(result.count),
          result.longest.isEmpty ? "" : "\((result.average * 10).rounded() / 10)", printable(result.longest),
          session.ago(result.finishedAt),
        ]
      })
  }

  private static func record(_ result: GameResult) -> Value {
    .record([
      "mode": result.mode, "language": result.language, "base_word": result.baseWord, "score": result.score,
      "count": result.count, "average": result.average, "longest": result.longest, "finished_at": result.finishedAt,
    ])
  }
}
