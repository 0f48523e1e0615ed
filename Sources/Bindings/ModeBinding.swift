// Word game modes that Lua defines: reads the table passed to `games.mode`, and describes the type `mode`. Invariant:
// a mode's functions run in the state that made it, and an error in one names its owner and breaks nothing.

import LuaRuntime
import Problems
import Text
import WordGames
import Workspace

/// The maximum number of rules, more than a mode can need; each is checked for each guess.
private let mostRules = 100

final class ModeObject: BoundObject {
  let mode: Mode
  init(_ mode: Mode) { self.mode = mode }
}

func object(for mode: Mode) -> ModeObject { held(&mode.standIn.object) { ModeObject(mode) } }

func readMode(_ table: borrowing LuaTable, in state: LuaState, _ context: BindingContext) throws -> Mode {
  try table.allowOnly(["name", "title", "summary", "rules", "length"] + ModeFunction.allCases.map(\.rawValue))
  let name = try table.text("name")
  let rules = try readRules(table)
  var hooks = try readHooks(table, name, of: state, context)
  let data = ModeDataTable { reason in
    let plugin = context.owner.plugin.map { "\($0): mode \(quoted(name)): " } ?? ""
    context.events.report(context.owner, "mode \(quoted(name))", LuaFailure.message(plugin + reason))
  }
  hooks.makeData = { LuaModeData(in: state, stored: $0, mode: name, table: data) }
  hooks.isGone = { state.isClosed }
  hooks.willRemove = data.storeAll
  var mode = Mode(
    name: name, title: try table.optionalText("title") ?? name, summary: try table.optionalText("summary") ?? "",
    rules: rules ?? Mode.classicRules, hooks: hooks)
  mode.length = try table.optionalInteger("length", in: 2...64)
  return mode
}

private func readHooks(
  _ table: borrowing LuaTable, _ mode: String, of state: LuaState, _ context: BindingContext
) throws -> ModeHooks {
  var hooks = ModeHooks()
  let handle = { (game: Game) throws in try context.workspace().handle(of: game) }
  func calling<R>(
    _ name: String, _ function: LuaReference, _ arguments: [any LuaRepresentable], results: Int = 1,
    _ read: (borrowing LuaStack) throws -> R
  ) throws -> R {
    // The mode's plugin was disabled while one of its games continues.
    if state.isClosed {
      throw NameProblem.unknown(.unknownMode, kind: "mode", name: mode, names: [], reason: "its plugin is off")
    }
    return try context.calling(.part("mode", mode, function: name)) {
      try function.call(arguments, results: results, read)
    }
  }
  func hook<R>(
    _ table: borrowing LuaTable, _ name: String, results: Int = 1, _ read: @escaping (borrowing LuaStack) throws -> R
  ) throws -> ((Game) throws -> R)? {
    try table.optionalFunction(name).map { function in
      { game in try calling(name, function, [handle(game)], results: results, read) }
    }
  }
  func text(_ table: borrowing LuaTable, _ name: String) throws -> ((Game) throws -> String)? {
    try hook(table, name) { stack in try answer(name, "text", stack) { try $0.text(-1) } }
  }
  hooks.setup = try hook(table, "setup", results: 2, readSetup)
  hooks.show = try text(table, "show")
  hooks.finished = try hook(table, "finished") { $0.isTruthy(-1) }
  hooks.hint = try text(table, "hint")
  hooks.solution = try hook(table, "solution", results: 2, readSolution)
  if let function = try table.optionalFunction("accept") {
    hooks.accept = { game, word in
      try calling("accept", function, [handle(game), word], results: 2) { try readAnswer($0, word) }
    }
  }
  if let function = try table.optionalFunction("score") {
    hooks.score = { game, word in
      try calling("score", function, [handle(game), word]) { stack in
        try answer("score", "an integer", stack) { try $0.integer(-1, in: -1_000_000...1_000_000) }
      }
    }
  }
  return hooks
}

/// Reads a text, and a list of words or nil.
private func readSolution(_ stack: borrowing LuaStack) throws -> Solution {
  let text = try answer("solution", "text", stack) { try $0.text(-2) }
  if stack.isNoneOrNil(-1) { return Solution(text) }
  let words = try answer("solution", "a list of words as its second result", stack) { stack in
    try stack.table(-1).elements { try $0.text(-1) }
  }
  return Solution(text, words: Array(words.prefix(100)))
}

/// Reads the result of a mode's function, or throws an error that says what it should be.
private func answer<R>(
  _ function: String, _ expected: String, _ stack: borrowing LuaStack, _ read: (borrowing LuaStack) throws -> R
) throws -> R {
  do { return try read(stack) } catch LuaFailure.argument(_, let reason) {
    throw LuaFailure.message("a mode's \(function) must return \(expected): \(reason)")
  }
}

private func readRules(_ table: borrowing LuaTable) throws -> [Rule]? {
  try table.optionalTexts("rules", atMost: mostRules)?.map { try Rule(parsing: $0) }
}

private func readSetup(_ stack: borrowing LuaStack) throws -> ModeSetup? {
  if stack.isNoneOrNil(-2) {
    if let failure = failure(at: -1, on: stack) { throw failure }
    return nil
  }
  return try answer("setup", "a table with base and rules, or nil", stack) { stack in
    let table = try stack.table(-2)
    try table.allowOnly(["base", "rules"])
    let rules = try readRules(table)
    return ModeSetup(base: try table.optionalText("base"), rules: rules)
  }
}

/// Reads `true`, or false or nil with the reason: `{code=, title=, message=}`, or a text.
private func readAnswer(_ stack: borrowing LuaStack, _ word: String) throws -> (any Problem)? {
  if stack.isTruthy(-2) { return nil }
  if let problem = PlainProblem(at: -1, on: stack) { return problem }
  var message = "The mode does not accept it"
  if !stack.isNoneOrNil(-1) {
    message = try answer("accept", "true, or nil and a problem or a text", stack) { stack in
      stack.kind(-1) == .table ? try stack.table(-1).text("message") : try stack.text(-1)
    }
  }
  return Refusal.notAccepted(message, word: word)
}

func modeType() -> BoundType<ModeObject> {
  BoundType<ModeObject>(
    "mode", "A way of playing.", weight: .bytes(512), summary: { "mode \"\(printable($0.mode.name))\"" },
    identity: { .text($0.mode.name) }
  ) { type in
    type.example = "games.modes()[1]"
    type.field("name", .string, "Its name.") { $0.mode.name }
    type.field("title", .string, "Its title.") { $0.mode.title }
    type.field("summary", .string, "What it is, in a sentence.") { $0.mode.summary }
    type.field("rules", .list(.string), "Its native rules, in the order in which they are checked.") {
      Frozen($0.mode.rules.map(\.description), advice: "a mode's rules are fixed when it is added")
    }
  }
}

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
