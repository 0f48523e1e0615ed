// The program behind `Scripts/bench`: each figure is a ratio against a named reference, measured in the same run.

import BenchmarkReferences
import Bindings
import Glibc
import LuaRuntime

/// The object of the bound method: a word that is compared.
private final class Word: BoundObject {
  /// Bytes in place, as in the C reference, so that the call is measured and not an array's reference counting.
  let text: StaticString
  init(_ text: StaticString) { self.text = text }
}

@main struct Benchmarks {
  static func main() throws {
    Resources.answerIfAsked()
    show([try boundMethod(), startUp(), addAll()])
    show(try callFigures())
    show(PlainLuaFigures.all())
    show(try ExchangeFigures().all())
    show(try SyncFigures().all())
    show(DocumentFigures.all())
    show(try SafetyFigures().all())
    show(try IsolationFigures.all())
    show(try StudyFigures().all())
    show(try MemoryFigures().all())
    show(PackageFigures.all())
    show(CompareFigures().all())
    show(try ServingFigures.all())
    show(try PromptFigures.all())
    show(try EditorFigures.all())
    show(TextFigures.all())
    try MapFigures().measure()
    show(try GrowthFigures().all())
    try showMembers()
    try wordsAndGames()
    exitIfFailed()
  }

  private static func wordsAndGames() throws {
    let folder = Asked.folder
    var words = try WordBenchmarks(folder: folder + "/words")
    show(try words.figures())
    let games = try GameBenchmarks(&words, folder: folder + "/games")
    show(try games.figures())
    let state = try LuaState()
    defer { state.close() }
    try install(games.bindingContext(), in: state)
    try state.withStack { reference_words_open($0.pointer) }
    show(try BindingBenchmarks(state, &words).figures())
  }

  /// A method with one string argument and one boolean result, called from Lua.
  private static func boundMethod() throws -> Figure? {
    let count = sized(2_000_000)
    let state = try LuaState()
    state.register(
      BoundType<Word>("word", "A word.", summary: { _ in "word" }) { type in
        type.method("contains", ["text": .string], returns: .boolean, "Whether it is the word.") {
          word, stack in
          let bytes = try stack.bytes(2)
          guard let start = bytes.baseAddress, bytes.count == word.text.utf8CodeUnitCount else { return false }
          return memcmp(start, word.text.utf8Start, bytes.count) == 0
        }
      })
    let code = "local word, count = ... for i = 1, count do word:contains('cambering') end"
    let loop = try state.load(code, name: "bench")
    let word = Word("cambering")
    return try compare(
      "a bound method against the same in C with luaL_checkudata, of a C type with methods only", wanted: 1.1,
      rounds: 15, scale: 1e9 / Double(count),
      unit: "ns"
    ) {
      let start = now()
      try loop.call([word, count], results: 0) { _ in }
      return now() - start
    } reference: {
      reference_bound_method(count)
    }
  }

  /// `deckhand -e ''` against `lua5.4 -e ''`.
  private static func startUp() -> Figure? {
    compare(
      "start-up against lua5.4", wanted: 3, rounds: 101, scale: 1e3, unit: "ms",
      ours: { seconds(ofRunning: deckhand, ["--data", "/tmp/deckhand-bench/none", "-e", ""]) },
      reference: { seconds(ofRunning: "lua5.4", ["-e", ""]) })
  }

  /// 100,000 cards from a Lua iterator, including the program's start and exit.
  private static func addAll() -> Figure? {
    let (count, folder) = (sized(100_000), Asked.folder)
    let code = """
      local i = 0
      assert(decks.create("Bench")):add_all(function()
        i = i + 1
        if i <= \(count) then return {prompt = "prompt " .. i, answer = "answer " .. i, guid = "bench:" .. i} end
      end)
      """
    let like = folder + "/like/local/collection.sqlite"
    let title = "100,000 cards from a Lua iterator against SQLite's own interface"
    guard isAsked(title) else { return nil }
    guard seconds(ofRunning: deckhand, ["--data", folder + "/like", "deck", "create", "Like"]) >= 0 else {
      failed(title)
      return nil
    }
    return compare(title, wanted: 2, rounds: 5, scale: 1e3, unit: "ms") {
      remove(folder)
      return seconds(ofRunning: deckhand, ["--data", folder, "--no-plugins", "-e", code])
    } reference: {
      remove(folder)
      return reference_insert_cards(folder + "/reference.sqlite", like, count)
    }
  }

  private static func remove(_ folder: String) {
    for name in ["reference.sqlite", "local/collection.sqlite"] {
      for ending in ["", "-wal", "-shm"] { unlink("\(folder)/\(name)\(ending)") }
    }
  }
}
