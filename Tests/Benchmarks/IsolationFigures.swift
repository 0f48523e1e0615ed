// The cost of running a plugin's code in a process of its own. Invariant: both runs use the same program, plugin and
// guesses, and differ only in their number, so that start-up is not part of a figure.

import BenchmarkReferences
import Files

enum IsolationFigures {
  private static let count = sized(20_000)
  private static let reference = " against a round trip of bytes between two processes"
  /// The Lua code of each run, executed `count` times.
  private static let kinds: [(title: String, wanted: Double, code: String)] = [
    (
      "a guess that an isolated Lua mode accepts" + reference, 4,
      "local g = assert(games.new{mode = 'bench', base = 'cambering', language = 'english'}) "
        + "for i = 1, COUNT do g:guess('w' .. i) end"
    ),
    ("a field that an isolated plugin reads" + reference, 2.5, "assert(shell.run('bench fields COUNT'))"),
    ("a row that an isolated plugin adds" + reference, 1.5, "assert(shell.run('bench rows COUNT'))"),
  ]

  static func all() throws -> [Figure] {
    let folder = Asked.folder + "/isolation"
    let asked = kinds.filter { isAsked($0.title) }
    guard !asked.isEmpty else { return [] }
    try writePlugin(folder + "/plugins/bench")
    guard seconds(ofRunning: deckhand, ["--data", folder, "plugin", "enable", "bench", "--grant"]) >= 0 else {
      failed(kinds[0].title)
      return []
    }
    return asked.compactMap { kind in
      func run(_ count: Int) -> Double {
        let code = kind.code.split(separator: "COUNT", omittingEmptySubsequences: false).joined(separator: "\(count)")
        return seconds(ofRunning: deckhand, ["--data", folder, "--dry-run", "-e", code])
      }
      return compare(kind.title, wanted: kind.wanted, rounds: 7, scale: 1e6 / Double(count), unit: "us") {
        let (none, all) = (run(1), run(count))
        return none < 0 || all < 0 ? -1 : max(all - none, 1e-9)
      } reference: {
        reference_round_trips(count)
      }
    }
  }

  private static func writePlugin(_ folder: String) throws {
    try makePrivateFolder(folder)
    let manifest = """
      {"name": "bench", "version": "1.0.0", "api": 1, "permissions": ["decks.read", "decks.write", "games", "shell"],
       "commands": ["bench"], "modes": ["bench"]}
      """
    let code = """
      games.mode{name = "bench", rules = {"min_length:1"}, accept = function(game, word) return true end}
      shell.command{name = "bench", summary = "Measures.", arguments = {"WHAT", {name = "COUNT", kind = "integer"}},
        run = function(args)
          local deck = decks.open("bench") or assert(decks.create("bench"))
          if args.what == "fields" then
            for _ = 1, args.count do local _ = deck.name end
          else
            local rows = {}
            for i = 1, args.count do rows[i] = {prompt = "prompt " .. i, answer = "answer"} end
            assert(deck:add_all(rows))
          end
          return true
        end}
      """
    for (name, text) in [("plugin.json", manifest), ("init.lua", code)] {
      try AtomicFile.write(folder + "/" + name, Array(text.utf8))
    }
  }
}
