// `study`. Invariant: the command only connects a session to the screen; the rooms below decide what an answer does.

import Commands
import Decks
import Text
import Values
import Workspace

enum StudyCommands {
  static var command: BuiltIn {
    BuiltIn(
      "study", effect: .depends { $0.flag("--list") ? .reads : .changes },
      summary: "Studies decks: what is due by schedule, or a race against the clock.",
      answer: "{right, wrong, remaining, next_due?}",
      details: """
        Enter shows the answer; then 1 to 4 (again, hard, good, easy) say how well you knew it, and the card comes \
        back when it is due (FSRS-6 or FSRS-7). `?` lists the other keys. When nothing is due, it shows when the next \
        card is due, and what can be studied before then. With --sprint it is a race: r or w says right or wrong, a \
        wrong card goes back under the others, and no schedule is changed. The decks within a deck are studied with \
        it. Without a name, everything that is due is studied, deck by deck; at a terminal you choose first. In the \
        last days before a deck's goal (`deck goal`), it shows the cards that help the goal most.
        """,
      arguments: [
        Argument("DECK", .deck, isOptional: true, isRepeating: true, help: "left out: all that have new or due cards")
      ],
      options: [
        Option("--list", help: "only list the decks, with their new and due cards"),
        Option("--sprint", help: "a race against the clock"),
        Option("--seconds", "N", .integer(1...86_400), help: "how long a sprint lasts; `study.seconds` when left out"),
        Option("--limit", "N", .positive, help: "at most this many cards"),
        Option("--query", "QUERY", .query, help: "only the cards that match it"),
        Option("--new", "N", .integer(1...9999), help: "this many more new cards today, above the limit"),
        Option("--cram", help: "every card, due or not; with --query, every card that matches it"),
        Option("--no-schedule", help: "answers change no schedule and are not recorded"),
      ], example: "study Spanish --query \"tag:verb\" --cram --no-schedule"
    ) { invocation, session in
      try checkOptions(invocation)
      let choice = StudyChoice(session)
      if invocation.flag("--list") { return try choice.list() }
      let options = try options(invocation, session)
      let isDue = options.mode == .review && !options.isCram && options.query == nil
      guard
        let decks = try choice.decks(
          named: invocation.list("DECK"), areDue: isDue, mayBeSeveral: options.mode == .review)
      else { return CommandResult() }
      if let more = invocation.optionalInteger("--new") {
        for deck in decks { try deck.scheduling.extendToday(new: more) }
      }
      if options.mode == .review, let warning = try session.futureWarning() {
        session.console.note("warning: \(warning)")
      }
      try reportBuried(in: decks, options, session)
      let wantsJSON = invocation.wantsJSON(in: session)
      session.console.usesStandardError = wantsJSON && !session.console.terminal.hasScreen
      defer { session.console.usesStandardError = false }
      let isInTurn = invocation.list("DECK").isEmpty && decks.count > 1
      return try isInTurn ? runInTurn(options, decks, session) : run(options, decks, session)
    }
  }

  /// Refuses options that would be ignored.
  private static func checkOptions(_ invocation: Invocation) throws {
    let kinds = ["--sprint", "--new", "--cram"]
    try invocation.allowOne(of: kinds)
    let others = ["--seconds", "--limit", "--query", "--no-schedule"]
    try invocation.refuse(["DECK"] + kinds + others, beside: "--list")
    try invocation.require("--sprint", beside: "--seconds")
  }

  private static func options(
    _ invocation: Invocation, _ session: Session
  ) throws -> SessionHandle.Options {
    var options = SessionHandle.Options(try session.workspace().preferences())
    options.mode = invocation.flag("--sprint") ? .sprint : .review
    options.seconds = invocation.optionalInteger("--seconds").map(Double.init) ?? options.seconds
    options.limit = invocation.optionalInteger("--limit") ?? options.limit
    options.query = try session.query("--query", of: invocation)
    options.isCram = invocation.flag("--cram")
    options.reschedules = !invocation.flag("--no-schedule")
    return options
  }

  /// Tells the user about cards that are left out although cards were requested whether due or not: buried ones.
  private static func reportBuried(
    in decks: [DeckHandle], _ options: SessionHandle.Options, _ session: Session
  ) throws {
    guard options.mode == .review, options.isCram else { return }
    let buried = try session.workspace().decks.outlook(of: decks).buried
    if buried == 0 { return }
    session.console.note(
      "\(session.counted(buried, "card")) \(buried == 1 ? "is" : "are") left out: buried until tomorrow.")
  }

  /// Studies decks together in one session; offers other kinds of study when nothing is due.
  private static func run(
    _ options: SessionHandle.Options, _ decks: [DeckHandle], _ session: Session
  ) throws -> CommandResult {
    let names = try decks.map { try $0.record().name }
    var options = options
    options.moreDecks = Array(decks.dropFirst())
    while true {
      let study = try decks[0].study(options)
      if try study.card() != nil {
        let screen = try StudyScreen(session, study, name: names.joined(separator: ", "))
        return try screen.run().map(\.result) ?? CommandResult()
      }
      let custom = try CustomStudy(session, decks, names, options)
      guard try custom.choose(&options) else { return custom.result }
    }
  }

  /// Studies decks one after the other until the user leaves one; studies them together when none has anything due.
  private static func runInTurn(
    _ options: SessionHandle.Options, _ decks: [DeckHandle], _ session: Session
  ) throws -> CommandResult {
    var (score, hasStudied) = (StudyScore(), false)
    for deck in decks {
      let study = try deck.study(options)
      if try study.card() == nil { continue }
      hasStudied = true
      let screen = try StudyScreen(session, study, name: try deck.record().name)
      guard let more = try screen.run() else { return CommandResult() }
      score = score + more
      if screen.hasLeft || session.state.leaving != nil { break }
    }
    return try hasStudied ? score.result : run(options, decks, session)
  }
}
