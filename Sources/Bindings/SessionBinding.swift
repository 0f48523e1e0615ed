// What Lua sees of studying: the type `session`. Invariant: only the top card can be answered.

import Decks
public import LuaRuntime
import Wording
public import Workspace

extension SprintHandle: BoundObject {}

func addStudying(_ type: BoundType<DeckHandle>) {
  type.method(
    "study", [LuaParameter("options", .optional(.table))], returns: .object("session"),
    "Starts a session: {mode=\"sprint\", seconds=100, limit=, query=}. A sprint is a race against the clock."
  ) { deck, stack in
    let options = try stack.optionalTable(2)
    try options?.allowOnly(["mode", "seconds", "limit", "query"])
    let mode = try options?.optionalText("mode") ?? "sprint"
    guard mode == "sprint" else { throw LuaFailure.argument(2, "mode \"sprint\" expected, got \(quoted(mode))") }
    return try deck.sprint(
      seconds: options?.optionalNumber("seconds", in: 1...86_400) ?? 100,
      limit: options?.optionalInteger("limit", in: 1...Int.max), query: options?.optionalText("query"))
  }
}

func sessionType(_ context: BindingContext) -> BoundType<SprintHandle> {
  BoundType<SprintHandle>(
    "session", "A study session.", summary: { "session (\(counted(try $0.remaining(), "card")) left)" },
    check: { try requireOpen($0, "session") }
  ) { type in
    type.field("card", .optional(.object("card")), "The top card; nil when the session is over.") { try $0.card() }
    type.field("remaining", .integer, "Cards left.") { try $0.remaining() }
    type.field("time_remaining", .number, "Seconds left.") { try $0.timeRemaining() }
    type.field("active", .boolean, "Whether its clock runs.") { try $0.isActive() }
    type.field("right", .integer, "Right answers.") { try $0.right() }
    type.field("wrong", .integer, "Wrong answers.") { try $0.wrong() }
    type.method(
      "answer", [LuaParameter("answer", .string)], returns: .table, fails: true,
      "Answers the top card: \"right\" or \"wrong\". Codes: over, paused."
    ) { session, stack in
      let isRight = try readAnswer(stack)
      let result = try session.answer(isRight: isRight)
      return LuaValue.table([
        (.text("right"), .boolean(result.isRight)), (.text("remaining"), .integer(result.remaining)),
        (.text("over"), .boolean(result.isOver)),
      ])
    }
    describeClock(type)
  }
}

private func readAnswer(_ stack: borrowing LuaStack) throws -> Bool {
  switch try stack.text(2) {
  case "right": return true
  case "wrong": return false
  case let other: throw LuaFailure.argument(2, "\"right\" or \"wrong\" expected, got \(quoted(other))")
  }
}

private func describeClock(_ type: BoundType<SprintHandle>) {
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
    try session.undo()
    return true
  }
}
