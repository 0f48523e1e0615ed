// Lua's view of studying: the type `session`. Invariant: only the top card can be answered.

import Decks
public import LuaRuntime
import Memory
import Text
public import Workspace

extension SessionHandle: BoundObject {}

func addStudying(_ type: BoundType<DeckHandle>, _ context: BindingContext) {
  type.method(
    "study", ["options": .optional(.table)], returns: .object("session").orProblem,
    grant: .decksWrite.unless("it changes no schedule") { (deck: DeckHandle, stack: borrowing LuaStack) in
      !(try readOptions(stack.optionalTable(2), deck, context).changesSchedule)
    }, example: "{mode = \"sprint\", seconds = 60}",
    "Starts a session: {mode=\"review\"|\"sprint\", seconds=100, limit=, query=, cram=, schedule=, exercise=, "
      + "decks={...}}. A review shows what is due and new, with cram=true every card; schedule=false changes no "
      + "schedule. A sprint is a race against the clock and changes none either. An exercise asks the cards of a "
      + "review its own way; one of recognition changes no schedule. decks adds further decks."
  ) { deck, stack in try deck.study(readOptions(stack.optionalTable(2), deck, context)) }
}

private func readOptions(
  _ table: consuming LuaTable?, _ deck: DeckHandle, _ context: BindingContext
) throws -> SessionHandle.Options {
  var wanted = SessionHandle.Options(try deck.workspace.preferences())
  guard let table else { return wanted }
  try table.allowOnly(["mode", "seconds", "limit", "query", "cram", "schedule", "exercise", "decks"])
  if let name = try table.optionalText("mode") {
    guard let mode = SessionHandle.SessionMode(rawValue: name) else {
      throw table.wrong("mode \"review\" or \"sprint\" expected, got \(quoted(name))")
    }
    wanted.mode = mode
  }
  wanted.seconds = try table.optionalNumber("seconds", in: 1...86_400) ?? wanted.seconds
  wanted.limit = try table.optionalInteger("limit", in: 1...Int.max) ?? wanted.limit
  wanted.query = try table.optionalText("query")
  wanted.isCram = try table.optionalBoolean("cram") ?? false
  if wanted.isCram, wanted.mode == .sprint { throw table.wrong("one of mode=\"sprint\" and cram expected") }
  wanted.reschedules = try table.optionalBoolean("schedule") ?? true
  wanted.exercise = try table.optionalText("exercise").map { try context.workspace().exercises.named($0) }
  if wanted.exercise != nil, wanted.mode == .sprint {
    throw table.wrong("one of mode=\"sprint\" and exercise expected")
  }
  wanted.moreDecks = try table.optionalTable("decks") { try $0.elements { try $0.object(-1, DeckHandle.self) } } ?? []
  return wanted
}

func sessionType(_ context: BindingContext) -> BoundType<SessionHandle> {
  BoundType<SessionHandle>(
    "session", "A study session.", weight: .measured({ 1024 + 32 * $0.queueLength }),
    summary: { "\($0.options.mode.rawValue) session (\(counted(try $0.progress().remaining, "card")) left)" },
    checks: context.checks(.decks) { try requireOpen($0, "session") }
  ) { type in
    type.example = "decks.open(\"Spanish\"):study()"
    type.field("card", .optional(.object("card")), "The top card; nil when the session is over.") { try $0.card() }
    type.field("mode", .string, "review or sprint.") { $0.options.mode.rawValue }
    type.field("remaining", .integer, "Cards left.") { try $0.progress().remaining }
    type.field("time_remaining", .optional(.number), "Seconds left of a sprint; nil in a review.") {
      try $0.timeRemaining()
    }
    type.field("active", .boolean, "Whether it is running: neither paused nor over.") { try $0.progress().isActive }
    type.field("right", .integer, "Right answers.") { try $0.progress().right }
    type.field("wrong", .integer, "Wrong answers.") { try $0.progress().wrong }
    type.method(
      "answer", ["answer": .string], returns: .table.orProblem, grant: .ofAnswers, example: "(\"good\")",
      "Answers the top card: \"right\" or \"wrong\", or \"again\", \"hard\", \"good\", \"easy\". Codes: over, paused, "
        + "bad_answer."
    ) { session, stack in
      let name = try stack.text(2)
      let result = try session.answer(Rating(named: name))
      // Intervals are in days, as documented.
      return LuaValue.record([
        "right": result.isRight, "rating": result.rating.name, "remaining": result.remaining,
        "over": result.remaining == 0, "interval": result.interval.map { $0 / 86_400 },
      ])
    }
    describeQuestions(type)
    describeControls(type)
  }
}

private func describeQuestions(_ type: BoundType<SessionHandle>) {
  type.field(
    "question", .optional(.table),
    "What the top card asks: {input=, prompt=, say=, choices=, tokens=, hint=}; nil if it is only to be recalled."
  ) { try $0.question().map { Frozen(LuaValue($0.value), advice: "a question is made by its exercise") } }
  type.method(
    "give", ["answer": .oneOf([.string, .integer, .list(.integer)])], returns: .table.orProblem,
    example: "(\"el perro\")",
    "Judges an answer to the question: a text, the number of a choice, or the numbers of words in order. Returns "
      + "{rating=, feedback=, expected=, words={{mark=, given=, expected=}...}}; rating is a proposal for answer(). "
      + "Codes: over, bad_answer."
  ) { session, stack in try judged(session, 2, on: stack) }
}

private func describeControls(_ type: BoundType<SessionHandle>) {
  type.method("pause", [:], "Stops the clock.") { session, _ in try session.pause() }
  type.method("resume", [:], "Starts the clock again.") { session, _ in try session.resume() }
  type.method("restart", [:], "Starts again with all seconds and the whole stack.") { session, _ in
    try session.restart()
  }
  type.action("undo", grant: .ofAnswers, "Undoes the last answer.") { session, _ in try session.undo() }
  type.action(
    "suspend", grant: .decksWrite, "Suspends the top card of a review; a sprint goes on unchanged. Code: over."
  ) { session, _ in try session.suspend() }
  type.action(
    "bury", grant: .decksWrite,
    "Buries the top card of a review until tomorrow; a sprint goes on unchanged. Code: over."
  ) { session, _ in try session.bury() }
  type.action(
    "flag", ["flag": .integer], grant: .decksWrite, example: "(1)",
    "Gives the top card a flag from 1 to 7, or none with 0. Code: over."
  ) { session, stack in
    let flag = try stack.integer(2, in: CardHiding.flags)
    try session.flag(flag)
  }
}

extension LuaGrant {
  /// An answer that changes a schedule requires the right to change decks.
  fileprivate static var ofAnswers: LuaGrant {
    .decksWrite.unless("the session changes no schedule") { (session: SessionHandle, _: borrowing LuaStack) in
      !session.options.changesSchedule
    }
  }
}
