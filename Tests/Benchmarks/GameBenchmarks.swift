// Word and game operations that must be fast from Lua, compared with C functions called from Lua. Invariant: both
// sides get the same calls, in the same order, from the same Lua code.

import Authentication
import BenchmarkReferences
import Bindings
import CardDocuments
import Commands
import Files
import Glibc
import Lexicon
import LuaRuntime
import Problems
import Text
import ToggleSettings
import Values
import WordGames
import Workspace

struct GameBenchmarks {
  private let lexicon: Lexicon
  private let bases: [String]
  private let guesses: [String]
  let workspace: Workspace
  private let host: BenchHost
  private let state = try? LuaState()

  init(_ words: inout WordBenchmarks, folder: String) throws {
    lexicon = words.lexicon
    bases = words.bases(sized(2_000))
    var chance = Chance(seed: 7)
    let possible = words.lexicon.formableWords(from: Self.base).texts
    let others = words.words
    guesses = (0..<sized(2_000)).map { index in
      let shuffled = String(Self.base.shuffled(using: &chance).prefix(Int.random(in: 1...9, using: &chance)))
      return [possible.randomElement(using: &chance), others.randomElement(using: &chance), shuffled][index % 3] ?? ""
    }
    let environment = Environment(
      random: RandomSources(choices: RandomChoices(seed: 1)) { UInt64.random(in: 0...UInt64.max) },
      isInterrupted: { false })
    let access = try AccountStore(
      data: folder, environment: .ofSystem(bootID: "bench", isInterrupted: { false })
    ).openLocal()
    workspace = try Workspace(
      access, environment: environment, settings: SettingSources(), lexicons: words.library(), modes: ModeTable(),
      drawing: DrawingProgram(path: "", environment: [], clock: { 0 }, shouldStop: { false }))
    host = BenchHost(workspace)
  }

  private static let base = "cambering"

  func figures() throws -> [Figure?] {
    guard let state else { return [] }
    try install(bindingContext(), in: state)
    defer { state.close() }
    return [
      try guessing("a guess by four rules, mixed,", wanted: 1.2, each, guesses, state),
      try guessing(
        "a guess that is refused", wanted: 1.2, each, ["cab", "rimbecang", "paper", "a"], repeats: 500, state),
      try guessing(
        "a guess that counts", wanted: 1.2, each, lexicon.formableWords(from: Self.base).texts, isNew: true, state),
      try guessing("game:guess_all", wanted: 1.2, batch, guesses, state),
      try formable(state),
    ]
  }

  private let each =
    "local game, texts, repeats = ... for _ = 1, repeats do for i = 1, #texts do game:guess(texts[i]) end end"
  private let batch = "local game, texts, repeats = ... for _ = 1, repeats do game:guess_all(texts) end"

  /// Runs the same Lua code on both sides, with the same guesses; `isNew` starts a new game for each round.
  private func guessing(
    _ title: String, wanted: Double, _ code: String, _ guesses: [String], repeats: Int = 4, isNew: Bool = false,
    _ state: LuaState
  ) throws -> Figure? {
    let texts = Texts(guesses)
    guard let games = texts.withPointers({ reference_games_open(code, $0, $1, texts.count) }) ?? nil else { return nil }
    defer { reference_games_close(games) }
    let repeats = isNew ? 1 : repeats
    try state.setGlobal("texts", guesses)
    let run = try state.load("local run = function(...) \(code) end run(game, texts, \(repeats))", name: "bench")
    func begin() throws {
      var wanted = GameOptions()
      (wanted.base, wanted.language) = (Self.base, "english")
      try state.setGlobal("game", workspace.games.start(wanted))
    }
    try begin()
    reference_games_begin(games, Self.base)
    return try compare(
      "\(title) from Lua against a C method that answers the same", wanted: wanted, rounds: isNew ? 301 : 31,
      scale: 1e9 / Double(texts.count * repeats), unit: "ns"
    ) {
      // Each side starts right before its own run, so that the other one's run does not evict its memory from the
      // cache.
      if isNew { try begin() }
      let start = now()
      try run.call([], results: 0) { _ in }
      return now() - start
    } reference: {
      if isNew { reference_games_begin(games, Self.base) }
      return reference_games_run(games, repeats)
    }
  }

  private func formable(_ state: LuaState) throws -> Figure? {
    try state.setGlobal("texts", bases)
    let code = "local list = words.lexicon('english') for i = 1, #texts do list:formable(texts[i]) end"
    let run = try state.load(code, name: "bench")
    return try compare(
      "formable words from Lua against C without Lua", wanted: 8, rounds: 15, scale: 1e6 / Double(bases.count),
      unit: "us"
    ) {
      let start = now()
      try run.call([], results: 0) { _ in }
      return now() - start
    } reference: {
      timed { _ = referenceFormable(bases) }
    }
  }

  /// The program's bindings, with a shell that shows nothing.
  func bindingContext() -> BindingContext {
    workspace.observer = host.events
    return BindingContext(ContextOrigin(.user), shell: host, grants: .everything, events: host.events)
  }
}

private final class NoProgress: ProgressReporting {
  func step(_ count: Int) {}
  func update(_ done: Int, of total: Int?) {}
  func finish() {}
}

/// A shell that shows nothing, for measuring bindings.
final class BenchHost: ShellHost {
  let events = EventTable { _, _, _ in }
  let version = ""
  let settingOwner = Owner.user
  private let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  func workspace(for origin: ContextOrigin) -> Workspace { workspace }
  func isTyped(_ path: String) -> Bool { false }
  func show(_ index: Int, on stack: borrowing LuaStack) {}
  func table(_ rows: [[String]], _ columns: [String]) {}
  func chart(_ values: [(label: String, value: Double)], _ title: String?) {}
  func progress(_ label: String, _ total: Int) -> any ProgressReporting { NoProgress() }
  func ask(_ question: String, of owner: Owner) -> String? { nil }
  func display(of value: LuaValue) -> Display { .none }
  func run(_ line: String, of owner: Owner) -> CommandAnswer { .value(.null) }
  func synchronize() -> Value { .null }
  func addAlias(_ name: String, _ text: String, of owner: Owner, _ grants: Grants) {}
  func add(_ command: Command) {}
  func pluginList() -> [LuaValue] { [] }
  func pluginInfo(_ name: String) -> LuaValue { .none }
  func enablePlugin(_ name: String) {}
  func disablePlugin(_ name: String) {}
  func reloadPlugin(_ name: String) {}
  func startCode(_ lua: LuaState, _ terms: CodeTerms, seconds: Double) -> DistantCode? { nil }
  let needsAuthentication = false
  let isAuthenticating = false
  let user: String? = nil
  func login(_ user: String?, passwordFile: String?) {}
  func logout() {}
}
