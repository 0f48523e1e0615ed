// What Lua sees of studying: the type `session`. Invariant: only the top card can be answered.

import Decks
public import LuaRuntime
import Text
public import Workspace

extension SessionHandle: BoundObject {}

func addStudying(_ type: BoundType<DeckHandle>, _ context: BindingContext) {
  type.method(
    "study", [LuaParameter("options", .optional(.table))], returns: .object("session"), fails: true,
    "Starts a session: {mode=\"review\"|\"sprint\", seconds=100, limit=, query=}. "
      + "Reviews go by schedule (FSRS-6); "
      + "a sprint is a race against the clock that changes no schedule."
  ) { deck, stack in
    let wanted = try readOptions(stack.optionalTable(2), deck.workspace.preferences())
    if wanted.mode == .review { try context.requireGrant(.decksWrite) }
    return try deck.study(wanted)
  }
}

private func readOptions(_ table: consuming LuaTable?, _ preferences: Preferences) throws -> SessionHandle.Options {
  var wanted = SessionHandle.Options(preferences)
  guard let table else { return wanted }
  try table.allowOnly(["mode", "seconds", "limit", "query"])
  if let name = try table.optionalText("mode") {
    guard let mode = SessionHandle.SessionMode(rawValue: name) else {
      throw LuaFailure.argument(table.argument, "mode \"review\" or \"sprint\" expected, got \(quoted(name))")
    }
    wanted.mode = mode
  }
  wanted.seconds = try table.optionalNumber("seconds", in: 1...86_400) ?? wanted.seconds
  wanted.limit = try table.optionalInteger("limit", in: 1...Int.max) ?? wanted.limit
  wanted.query = try table.optionalText("query")
  return wanted
}

func sessionType(_ context: BindingContext) -> BoundType<SessionHandle> {
  BoundType<SessionHandle>(
    "session", "A study session.", weight: .measured({ 1024 + 32 * $0.queueLength }),
    summary: { "\($0.options.mode.rawValue) session (\(counted(try $0.remaining(), "card")) left)" },
    check: { try context.requireDecks($0, "session") }
  ) { type in
    type.field("card", .optional(.object("card")), "The top card; nil when the session is over.") { try $0.card() }
    type.field("mode", .string, "review or sprint.") { $0.options.mode.rawValue }
    type.field("remaining", .integer, "Cards left.") { try $0.remaining() }
    type.field("time_remaining", .optional(.number), "Seconds left of a sprint; nil in a review.") {
      try $0.timeRemaining()
    }
    type.field("active", .boolean, "Whether it goes on: neither paused nor over.") { try $0.isActive() }
    type.field("right", .integer, "Right answers.") { try $0.right() }
    type.field("wrong", .integer, "Wrong answers.") { try $0.wrong() }
    type.method(
      "answer", [LuaParameter("answer", .string)], returns: .table, fails: true,
      "Answers the top card: \"right\" or \"wrong\", or \"again\", \"hard\", \"good\", \"easy\". Codes: over, paused."
    ) { session, stack in
      let name = try stack.text(2)
      let rating = try Rating(named: name)
      if session.options.mode == .review { try context.requireGrant(.decksWrite) }
      let result = try session.answer(rating)
      var pairs: [(key: LuaValue, value: LuaValue)] = [
        (.text("right"), .boolean(result.isRight)), (.text("rating"), .text(result.rating.name)),
        (.text("remaining"), .integer(result.remaining)), (.text("over"), .boolean(result.remaining == 0)),
      ]
      // Intervals are told in days, as the contract has it.
      if let interval = result.interval { pairs.append((.text("interval"), .number(interval / 86_400))) }
      return LuaValue.table(pairs)
    }
    describeClock(type, context)
  }
}

private func describeClock(_ type: BoundType<SessionHandle>, _ context: BindingContext) {
  type.method("pause", [], returns: .nothing, "Stops the clock.") { session, _ in
    try session.pause()
    return LuaNothing()
  }
  type.method("resume", [], returns: .nothing, "Lets the clock run again.") { session, _ in
    try session.resume()
    return LuaNothing()
  }
  type.method("restart", [], returns: .nothing, "All seconds and the whole stack again.") { session, _ in
    try session.restart()
    return LuaNothing()
  }
  type.method("undo", [], returns: .boolean, fails: true, "Takes the last answer back.") { session, _ in
    if session.options.mode == .review { try context.requireGrant(.decksWrite) }
    try session.undo()
    return true
  }
}
