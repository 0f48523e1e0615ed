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
    let (deckhand, folder) = (Asked.program, Asked.folder)
    show([try boundMethod(), startUp(deckhand), addAll(deckhand, folder)].compactMap(\.self))
    show(try callFigures().compactMap(\.self))
    show(PlainLuaFigures.all(deckhand))
    show(try ExchangeFigures(deckhand, folder: folder).all().compactMap(\.self))
    show(try SyncFigures(deckhand, folder: folder).all().compactMap(\.self))
    show(DocumentFigures.all(deckhand, folder))
    show(try SafetyFigures.all(folder))
    show(try IsolationFigures.all(deckhand, folder + "/isolation"))
    show(try StudyFigures(folder: folder + "/study").all().compactMap(\.self))
    show(try MemoryFigures().all().compactMap(\.self))
    show(PackageFigures.all(deckhand, folder + "/packages"))
    show(CompareFigures.all(deckhand, folder + "/compare"))
    show(try ServingFigures.all(folder + "/serving").compactMap(\.self))
    show(try PromptFigures.all(deckhand, folder + "/prompt"))
    show(try EditorFigures.all(deckhand, folder + "/editor"))
    show(TextFigures.all(deckhand, folder + "/texts"))
    try MapFigures(deckhand, folder + "/map").measure()
    show(try GrowthFigures(deckhand, folder: folder + "/growth").all().compactMap(\.self))
    try wordsAndGames(folder)
    exitIfFailed()
  }

  private static func wordsAndGames(_ folder: String) throws {
    var words = try WordBenchmarks(folder: folder + "/words")
    show(try words.figures().compactMap(\.self))
    let games = try GameBenchmarks(&words, folder: folder + "/games")
    show(try games.figures().compactMap(\.self))
    let state = try LuaState()
    defer { state.close() }
    try install(games.bindingContext(), in: state)
    try state.withStack { reference_words_open($0.pointer) }
    show(try BindingBenchmarks(state, &words).figures().compactMap(\.self))
    if isAsked(MemberSweep.title) { try MemberSweep(state, folder: folder).show() }
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
  private static func startUp(_ deckhand: String) -> Figure? {
    let data = "/tmp/deckhand-bench/none"
    return compare("start-up against lua5.4", wanted: 3, rounds: 101, scale: 1e3, unit: "ms") {
      seconds(ofRunning: deckhand, ["--data", data, "-e", ""])
    } reference: {
      seconds(ofRunning: "lua5.4", ["-e", ""])
    }
  }

  /// 100,000 cards from a Lua iterator, including the program's start and exit.
  private static func addAll(_ deckhand: String, _ folder: String) -> Figure? {
    let count = sized(100_000)
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
