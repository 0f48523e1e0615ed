// Lua's view of word games: the module `games` and the type `game`. Invariant: a change of anything in a game except
// its words and points goes through its handle.

import Decks
import Lexicon
public import LuaRuntime
import Problems
import Text
import WordGames
public import Workspace

extension GameHandle: BoundObject {}

/// The maximum bytes of a guess, far more than any word has.
private let longestGuess = 10_000

func gamesModule(_ context: BindingContext) -> BoundModule {
  context.module("games", "Word games: start one, list the modes, add a mode.", grant: .any(.games)) { module in
    module.function("modes", returns: .list(.object("mode")), "The modes that can be played.") { _ in
      let modes = try context.workspace().modes
      try modes.load(nil)
      return modes.entries.map { object(for: $0.thing) }
    }
    module.function(
      "mode", ["description": .table], returns: .object("mode"),
      example:
        "{name = \"sixes\", title = \"Sixes\", rules = {\"length:6\", \"unused\", \"from_letters\", "
        + "\"in_dictionary\"}}",
      "Adds a mode: {name=, title=, summary=, rules={...}, length=, setup=, show=, accept=, score=, finished=, hint=, "
        + "solution=}. Base words have that length unless another is asked for."
    ) { stack in
      let mode = try readMode(stack.table(1, "a table that describes a mode"), in: stack.state, context)
      try context.storing("mode", mode.name, stack) { try context.workspace().modes.add(mode, owner: context.owner) }
      return object(for: mode)
    }
    module.function(
      "new", ["options": .optional(.table)], returns: .object("game").orProblem,
      example: "{mode = \"classic\", language = \"english\", length = 9}",
      "Starts a game: {mode=\"classic\", language=, length=, base=, seed=, fold_accents=, lexicon=, deck=, query=}. "
        + "With fold_accents, à matches a; ñ remains a separate letter. With a deck the words are its prompts of "
        + "one word, and a hint is an answer. Code too_few_words: it has too few for the mode. A base is used as it "
        + "is; length is then that of the words after it."
    ) { stack in
      let wanted = try readOptions(stack.optionalTable(1))
      let workspace = try context.workspace()
      let folds = try wanted.foldsAccents ?? workspace.preferences().games.foldsAccents
      if wanted.lexicon == nil, wanted.deck == nil {
        _ = try openLexicon(wanted.language, foldAccents: folds, workspace)
      }
      return try workspace.games.start(wanted)
    }
  }
}

private func readOptions(_ table: consuming LuaTable?) throws -> GameOptions {
  var wanted = GameOptions()
  guard let table else { return wanted }
  try table.allowOnly(["mode", "language", "length", "base", "seed", "fold_accents", "lexicon", "deck", "query"])
  wanted.mode = try table.optionalText("mode") ?? wanted.mode
  wanted.language = try table.optionalText("language")
  wanted.length = try table.optionalInteger("length", in: 2...64)
  wanted.base = try table.optionalText("base")
  wanted.seed = try table.optionalInteger("seed").map { UInt64(bitPattern: Int64($0)) }
  wanted.foldsAccents = try table.optionalBoolean("fold_accents")
  wanted.deck = try table.optionalObject("deck", DeckHandle.self)
  wanted.query = try table.optionalText("query")
  wanted.lexicon = try table.optionalObject("lexicon", LexiconHandle.self)?.lexicon
  return wanted
}

/// The refusals of guesses in one state; the texts of each rule are made once. Invariant: `current` has the problems
/// of the rules of `game` as of its deal `deal`, in the order of the rules.
private final class Refusals {
  private var known: [(rule: Rule, problem: PreparedProblem)] = []
  private var current: [PreparedProblem] = []
  private var game: Game?
  private var deal = 0
  private static let limit = 256

  /// Pushes nil and the problem of an outcome that is not an acceptance; the original guess is at `index`.
  func push(
    _ outcome: GuessOutcome, _ guess: Guess, at index: Int, of game: Game, on stack: borrowing LuaStack
  ) -> LuaPushed {
    if case .refused(let rule) = outcome, guess.isAsGiven {
      return LuaPushed(Int(push(rule, at: index, of: game, on: stack)))
    }
    stack.pushNil()
    if let refusal = game.refusal(of: guess.word, as: outcome) { stack.push(refusal) } else { stack.pushNil() }
    return LuaPushed(2)
  }

  /// The same for the rule that a guess failed, if the guess was given in normal form.
  func push(_ rule: Int, at index: Int, of game: Game, on stack: borrowing LuaStack) -> Int32 {
    problem(of: rule, of: game, on: stack).pushRefusal(detail: index, on: stack).push(on: stack)
  }

  private func problem(of rule: Int, of game: Game, on stack: borrowing LuaStack) -> PreparedProblem {
    if self.game !== game || deal != game.deals { take(game, on: stack) }
    return current[rule]
  }

  private func take(_ game: Game, on stack: borrowing LuaStack) {
    if known.count > Self.limit { known = [] }
    current = []
    for rule in game.rules { current.append(prepared(rule, on: stack)) }
    (self.game, deal) = (game, game.deals)
  }

  private func prepared(_ rule: Rule, on stack: borrowing LuaStack) -> PreparedProblem {
    if let old = known.first(where: { $0.rule == rule }) { return old.problem }
    let problem = PreparedProblem(PlainProblem(rule.report), detail: "word", on: stack)
    known.append((rule, problem))
    return problem
  }
}

/// Judges the guesses of a table; pushes the list of their points, or of the codes of refusals.
private func pushBatch(
  _ guesses: borrowing LuaTable, of handle: GameHandle, on stack: borrowing LuaStack
) throws -> LuaPushed {
  let game = handle.game
  let deal = game.deals
  var isSameDeal = true
  stack.pushTable(array: game.rules.count, fields: 0)
  let codes = stack.count
  for (index, rule) in game.rules.enumerated() { try stack.top.setElement(index + 1, rule.report.code.rawValue) }
  return try guesses.pushMapped { stack in
    let bytes = try stack.bytesInPlace(-1, limit: longestGuess) ?? stack.bytes(-1, limit: longestGuess)
    switch try handle.guessPlain(bytes) ?? handle.guess(bytes) {
    case .accepted(let points):
      try chargeGrowth(of: handle, on: stack)
      stack.push(points)
      isSameDeal = game.deals == deal
    case .refused(let rule) where isSameDeal: stack.pushElement(rule + 1, ofTableAt: codes)
    case let outcome: stack.push(game.code(of: outcome) ?? "")
    }
  }
}

func gameType(_ context: BindingContext) -> BoundType<GameHandle> {
  let refusals = Refusals()
  return BoundType<GameHandle>(
    "game", "A word game in play.", weight: .bytes(GameHandle.firstWeight),
    summary: {
      "game of \(printable($0.game.mode.name)) on \"\(printable($0.game.baseWord))\" (\($0.game.count) found)"
    }, identity: { .text($0.game.baseWord) },
    checks: context.checks(.any(.games)) { handle in
      try requireOpen(handle, "game")
      try handle.renewMode()
    }
  ) { type in
    type.example = "games.new{base = \"cambering\", language = \"english\"}"
    type.context = refusals
    describeState(type)
    describeGuessing(type, refusals)
    type.fastPath("guess", guessFast)
    describePlaying(type)
  }
}

private func describeState(_ type: BoundType<GameHandle>) {
  type.field("mode", .string, "The mode's name.") { $0.game.mode.name }
  type.field("language", .string, "The language's name.") { $0.game.language.name }
  type.field("base_word", .string, "The word whose letters are used.") { $0.game.baseWord }
  type.field("length", .integer, "How many letters the base word has.") { $0.game.length }
  type.field("found", .list(.string), "The words found, newest first.") {
    Frozen($0.game.found, advice: "words are found by game:guess()")
  }
  type.field("count", .integer, "How many words were found.") { $0.game.count }
  type.field("answers", .table, "Of a game over a deck: what each found word means, by the word.") { handle in
    let found = handle.game.found.map { ($0, handle.game.own.answers[$0]) }
    return Frozen(
      LuaValue.table(found.compactMap { word, answer in answer.map { (.text(word), .text($0)) } }),
      advice: "they are the answers of cards")
  }
  type.field("average", .number, "The mean length of the found words; 0 when there are none.") { $0.game.average }
  type.field(
    "lexicon", .object("lexicon"),
    "The words that it chooses from and looks for: common ones if `game.words` asks for them and frequencies are known."
  ) { handle in handle.workspace.handle(of: handle.game.sought) }
  type.field("score", .integer, "The points.") { $0.game.score }
  type.field("finished", .boolean, "Whether the game is over.") { try $0.game.isFinished() }
  type.field("data", .table, "The mode's own table: live in the mode's Lua state, a read-only copy elsewhere.") {
    GameData(data: try $0.game.data())
  }
}

/// Judges a guess whose only result is its points or a refusal; the context is the state's `Refusals`.
private let guessFast: LuaFastPath = { L, handle, context in
  guard let call = FastCall(L, openedBy: handle, as: GameHandle.self), let handle, let context,
    let bytes = call.stack.bytesInPlace(2, limit: longestGuess),
    let outcome = borrowed(handle, as: GameHandle.self, { $0.guessPlain(bytes) })
  else { return FastCall.declined }
  switch outcome {
  case .accepted(let points): return call.answer(points)
  case .refused(let rule):
    return borrowed(context, as: Refusals.self) { refusals in
      borrowed(handle, as: GameHandle.self) { refusals.push(rule, at: 2, of: $0.game, on: call.stack) }
    }
  case .declined, .over: return FastCall.declined
  }
}

private func describeGuessing(_ type: BoundType<GameHandle>, _ refusals: Refusals) {
  type.method(
    "guess", ["word": .string], returns: .integer.orProblem, example: "(\"grace\")",
    "Judges a guess: returns its points, or nil and why it was refused."
  ) { handle, stack in
    let guess = handle.game.read(try stack.bytes(2, limit: longestGuess))
    let outcome = try handle.guess(guess)
    guard case .accepted(let points) = outcome else {
      return refusals.push(outcome, guess, at: 2, of: handle.game, on: stack)
    }
    try chargeGrowth(of: handle, on: stack)
    stack.push(points)
    return LuaPushed(1)
  }
  type.method(
    "guess_all", ["words": .list(.string)], returns: .list(.oneOf([.integer, .string])),
    example: "{\"grace\", \"margin\"}", "Judges many guesses: returns for each its points or the code of the refusal."
  ) { handle, stack in try pushBatch(stack.table(2, "list of strings"), of: handle, on: stack) }
}

private func describePlaying(_ type: BoundType<GameHandle>) {
  type.method(
    "possible", returns: .list(.string), "The words that can be found; only the common ones if the game uses those."
  ) { handle, stack in try words(handle.game.possible(), of: handle, keptBy: stack) }
  type.method("missed", returns: .list(.string), "The words that could be found and were not.") { handle, stack in
    try words(handle.game.missed(), of: handle, keptBy: stack)
  }
  type.method("hint", returns: .string, "A hint for a word not found yet; it costs points.") { handle, _ in
    try handle.hint()
  }
  type.method(
    "to_deck", ["deck": .object("deck")], returns: .table.orProblem, grant: .decksWrite,
    example: "(decks.create(\"Missed\"))",
    "Makes cards from missed words, each only once and at most 20: the most common ones that have a meaning, or a "
      + "sentence on a card."
  ) { handle, stack in
    let deck = try stack.object(2, DeckHandle.self)
    return LuaValue(try handle.addMissed(to: deck).value)
  }
  type.method("new_word", returns: .string.orProblem, "A new base word; the list of found words is cleared.") {
    handle, _ in
    try handle.newWord()
  }
}

/// Returns words that the game stores once they were asked for, and charges the game for them.
private func words(_ words: [String], of handle: GameHandle, keptBy stack: borrowing LuaStack) throws -> [String] {
  handle.listBytes = words.count * 48
  try stack.memory.charge(handle.listBytes)
  stack.memory.setCost(1, handle.weight)
  return words
}

/// Charges for the growth of the found words since the last charge.
@inline(__always) private func chargeGrowth(of handle: GameHandle, on stack: borrowing LuaStack) throws {
  if handle.game.foundBytes != handle.chargedBytes { try chargeWords(of: handle, on: stack) }
}

@inline(never) private func chargeWords(of handle: GameHandle, on stack: borrowing LuaStack) throws {
  let more = handle.game.foundBytes - handle.chargedBytes
  handle.chargedBytes += more
  stack.memory.setCost(1, handle.weight)
  try stack.memory.charge(max(0, more))
}
