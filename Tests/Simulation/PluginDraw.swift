// Draws a random plugin: its commands do what scripts do, fail half way, yield where that is not allowed, and ask for
// more memory than there is; it also observes answers. Invariant: its code is drawn from the same descriptions as
// scripts.

struct PluginDraw {
  static let name = "own"
  static let commands = ["own", "own-half", "own-yield", "own-full", "own-shell"]
  private static let folder = "../data/plugins/own/"
  private static let permissions = [
    "decks.read", "decks.write", "documents.read", "documents.write", "settings", "shell", "shell.run",
  ]

  /// Writes the plugin and enables it.
  static func steps(_ scripts: LuaDraw, _ state: MachineState, _ chance: inout Random) -> [Step] {
    let quoted = { (words: [String]) in words.map { "\"\($0)\"" }.joined(separator: ", ") }
    let manifest =
      "{\"name\": \"\(name)\", \"version\": \"1.0.0\", \"api\": 1, \"summary\": \"Does this and that.\", "
      + "\"permissions\": [\(quoted(permissions))], \"commands\": [\(quoted(commands))]}\n"
    func body() -> String { scripts.script(state, &chance) }
    let ends: [(command: String, end: String)] = [
      ("own", ""), ("own-half", "error(\"half\")\n"), ("own-yield", "coroutine.yield()\n"),
      ("own-full", "local all = {} while true do all[#all + 1] = string.rep(\"x\", 1 << 16) end\n"),
      ("own-shell", "assert(shell.run(\"deck create Z\")) shell.run(\"undo\")\n"),
    ]
    var code = ends.map { command, end in
      "shell.command{name = \"\(command)\", summary = \"Does it.\", run = function()\n\(body())\(end)end}\n"
    }.joined()
    if chance.happens(onceIn: 2) {
      let answered = chance.pick(["decks.create(\"E\")", "error(\"no\")", "coroutine.yield()", "shell.run(\"undo\")"])
      code += "shell.on(\"card_answered\", function() \(answered) end)\n"
    }
    return [
      .file(folder + "plugin.json", manifest), .file(folder + "init.lua", code), .restart,
      .command(["plugin", "enable", name, "--grant"]),
      .command(["plugin", "limit", name, "--memory", chance.pick(["2", "8", "64"])]),
    ]
  }
}
