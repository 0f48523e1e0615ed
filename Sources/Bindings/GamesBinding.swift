// What Lua sees of word games: the module `games`, the types `game` and `mode`. Invariant: a mode's rules run natively; its
// functions run in the state that made it, and an error in one names its owner and breaks nothing.

import Lexicon
public import LuaRuntime
import WordGames
import Wording
public import Workspace

extension GameHandle: BoundObject {}

/// A mode as Lua sees it.
final class ModeObject: BoundObject {
  let mode: Mode
  init(_ mode: Mode) { self.mode = mode }
}

func gamesModule(_ context: BindingContext) -> BoundModule {
  BoundModule("games", "Word games: start one, list the modes, add a mode.", check: context.requireSignIn) { module in
    module.function("modes", [], returns: .list(.object("mode")), "The modes that can be played.") { _ in
      let workspace = try context.workspace()
      try context.plugins.prepareMode(nil)
      return workspace.modes.modes.map { ModeObject($0) }
    }
    module.function(
      "mode", [LuaParameter("description", .table)], returns: .object("mode"), fails: true,
      "Adds a mode: {name=, title=, summary=, rules={...}, setup=, show=, accept=, score=, finished=, hint=}."
    ) { stack in
      let mode = try readMode(stack.table(1, "a table that describes a mode"), context)
      try context.workspace().modes.add(mode, owner: context.owner ?? "you")
      return ModeObject(mode)
    }
    module.function(
      "new", [LuaParameter("wish", .optional(.table))], returns: .object("game"), fails: true,
      "Starts a game: {mode=\"classic\", language=, length=, base=, seed=, lexicon=}."
    ) { stack in
      let wish = try readWish(stack.optionalTable(1))
      let workspace = try context.workspace()
      try context.plugins.prepareMode(wish.mode)
      return try workspace.startGame(wish)
    }
  }
}

private func readWish(_ table: consuming LuaTable?) throws -> GameWish {
  var wish = GameWish()
  guard let table else { return wish }
  try table.allowOnly(["mode", "language", "length", "base", "seed", "lexicon"])
  wish.mode = try table.optionalText("mode") ?? wish.mode
  wish.language = try table.optionalText("language")
  wish.length = try table.optionalInteger("length", in: 2...64)
  wish.base = try table.optionalText("base")
  wish.seed = try table.optionalInteger("seed").map { UInt64(bitPattern: Int64($0)) }
  wish.lexicon = try table.optionalObject("lexicon", LexiconHandle.self)?.lexicon
  return wish
}

// MARK: Modes

private func readMode(_ table: borrowing LuaTable, _ context: BindingContext) throws -> Mode {
  try table.allowOnly([
    "name", "title", "summary", "rules", "setup", "show", "accept", "score", "finished", "hint",
  ])
  let name = try table.text("name")
  let rules = try table.optionalTexts("rules").map { try $0.map { try Rule(parsing: $0) } }
  return Mode(
    name: name, title: try table.optionalText("title") ?? name, summary: try table.optionalText("summary") ?? "",
    rules: rules ?? Mode.classicRules, hooks: try readHooks(table, context))
}

private func readHooks(_ table: borrowing LuaTable, _ context: BindingContext) throws -> ModeHooks {
  var hooks = ModeHooks()
  let handle = { (game: Game) throws in try context.workspace().handle(of: game) }
  if let function = try table.optionalFunction("setup") {
    hooks.setup = { game in try function.call([handle(game)]) { try readSetup($0) } }
  }
  if let function = try table.optionalFunction("show") {
    hooks.show = { game in
      try function.call([handle(game)]) { stack in try answer("show", "text", stack) { try $0.text(-1) } }
    }
  }
  if let function = try table.optionalFunction("accept") {
    hooks.accept = { game, word in try function.call([handle(game), word], results: 2) { try readVerdict($0, word) } }
  }
  if let function = try table.optionalFunction("score") {
    hooks.score = { game, word in
      try function.call([handle(game), word]) { stack in
        try answer("score", "an integer", stack) { try $0.integer(-1, in: -1_000_000...1_000_000) }
      }
    }
  }
  if let function = try table.optionalFunction("finished") {
    hooks.finished = { game in try function.call([handle(game)]) { $0.isTruthy(-1) } }
  }
  if let function = try table.optionalFunction("hint") {
    hooks.hint = { game in
      try function.call([handle(game)]) { stack in try answer("hint", "text", stack) { try $0.text(-1) } }
    }
  }
  return hooks
}

/// What a mode's function answered, or an error that says what it should have.
private func answer<R>(
  _ function: String, _ expected: String, _ stack: borrowing LuaStack, _ read: (borrowing LuaStack) throws -> R
) throws -> R {
  do {
    return try read(stack)
  } catch is LuaFailure {
    throw LuaFailure.message("a mode's \(function) must return \(expected), got \(stack.typeName(-1))")
  }
}

private func readSetup(_ stack: borrowing LuaStack) throws -> ModeSetup? {
  if stack.isNoneOrNil(-1) { return nil }
  return try answer("setup", "a table with base and rules, or nil", stack) { stack in
    let table = try stack.table(-1)
    try table.allowOnly(["base", "rules"])
    let rules = try table.optionalTexts("rules").map { try $0.map { try Rule(parsing: $0) } }
    return ModeSetup(base: try table.optionalText("base"), rules: rules)
  }
}

/// `true`, or `nil, {code=, title=, message=}`.
private func readVerdict(_ stack: borrowing LuaStack, _ word: String) throws -> (any Problem)? {
  if stack.isTruthy(-2) { return nil }
  if let problem = stack.problem(at: -1) { return problem }
  return Refusal(
    code: "not_accepted", title: "This word does not count", message: "The mode does not take it", word: word)
}

func modeType() -> BoundType<ModeObject> {
  BoundType<ModeObject>(
    "mode", "A way of playing.", summary: { "mode \"\(printable($0.mode.name))\"" },
    identity: { .text($0.mode.name) }
  ) { type in
    type.field("name", .string, "Its name.") { $0.mode.name }
    type.field("title", .string, "Its title.") { $0.mode.title }
    type.field("summary", .string, "What it is, in a sentence.") { $0.mode.summary }
    type.field("rules", .list(.string), "Its native rules, in the order they are judged.") {
      FrozenList($0.mode.rules.map(\.description), advice: "a mode's rules are fixed when it is added")
    }
  }
}

// MARK: Games

/// What a guess answers: points, or nil and the refusal.
struct GuessAnswer: LuaRepresentable {
  let outcome: GuessOutcome
  let word: () -> String

  func push(on stack: borrowing LuaStack) -> Int32 {
    if case .accepted(let points) = outcome {
      stack.push(points)
      return 1
    }
    stack.pushNil()
    if let refusal = outcome.refusal(of: word()) { stack.push(refusal) } else { stack.pushNil() }
    return 2
  }
  var luaValue: LuaValue {
    if case .accepted(let points) = outcome { return .integer(points) }
    return .text(outcome.code ?? "")
  }
}

func gameType(_ context: BindingContext) -> BoundType<GameHandle> {
  BoundType<GameHandle>(
    "game", "A word game in play.",
    summary: {
      "game of \(printable($0.game.mode.name)) on \"\(printable($0.game.baseWord))\" (\($0.game.count) found)"
    },
    identity: { .text($0.game.baseWord) }, check: { try requireOpen($0, "game") }
  ) { type in
    describeState(type)
    describePlaying(type, context)
  }
}

private func describeState(_ type: BoundType<GameHandle>) {
  type.field("mode", .string, "The mode's name.") { $0.game.mode.name }
  type.field("language", .string, "The language's name.") { $0.game.language.name }
  type.field("base_word", .string, "The word whose letters are used.") { $0.game.baseWord }
  type.field("length", .integer, "Its letters.") { $0.game.length }
  type.field("found", .list(.string), "The words found, newest first.") {
    FrozenList($0.game.found, advice: "words are found by game:guess()")
  }
  type.field("count", .integer, "How many words were found.") { $0.game.count }
  type.field("average", .number, "The mean length of the found words; 0 when there are none.") { $0.game.average }
  type.field("score", .integer, "The points.") { $0.game.score }
  type.field("finished", .boolean, "Whether no guess is judged any more.") { try $0.game.isFinished() }
  type.field("data", .table, "A table of the mode's own, live in its own state.") { GameData(handle: $0) }
}

/// The table that a mode keeps with a game: made at its first use, in the state that asks first.
struct GameData: LuaRepresentable {
  let handle: GameHandle

  func push(on stack: borrowing LuaStack) -> Int32 {
    if let kept = handle.companion as? LuaReference {
      if kept.state === stack.state {
        stack.push(kept)
      } else {
        return kept.copied().push(on: stack)
      }
      return 1
    }
    stack.pushTable(array: 0, fields: 4)
    handle.companion = stack.reference(-1)
    return 1
  }
  var luaValue: LuaValue { (handle.companion as? LuaReference)?.copied() ?? .table([]) }
}

private func describePlaying(_ type: BoundType<GameHandle>, _ context: BindingContext) {
  let word = LuaParameter("word", .string)
  type.method("guess", [word], returns: .integer, fails: true, "Judges a guess: its points, or nil and why not.") {
    handle, stack in
    let bytes = try stack.bytes(2)
    return GuessAnswer(outcome: try handle.game.guess(bytes)) { [lexicon = handle.game.lexicon] in
      lexicon.normalized(String(decoding: bytes, as: UTF8.self))
    }
  }
  type.method(
    "guess_all", [LuaParameter("words", .list(.string))], returns: .list(.oneOf([.integer, .string])),
    "Judges many guesses: for each its points, or the code of the refusal."
  ) { handle, stack in
    try stack.table(2, "list of strings").elements { stack in
      let outcome = try handle.game.guess(stack.bytes(-1))
      if case .accepted(let points) = outcome { return LuaValue.integer(points) }
      return .text(outcome.code ?? "")
    }
  }
  type.method("possible", [], returns: .list(.string), "All words that can be found.") { handle, _ in
    handle.game.possible()
  }
  type.method("missed", [], returns: .list(.string), "Those that were not.") { handle, _ in handle.game.missed() }
  type.method("hint", [], returns: .string, "A hint to a word not found yet; it costs points.") { handle, _ in
    try handle.game.hint()
  }
  type.method("new_word", [], returns: .string, fails: true, "A new base word; the list of found words is cleared.") {
    handle, _ in
    try handle.game.newWord()
  }
}
