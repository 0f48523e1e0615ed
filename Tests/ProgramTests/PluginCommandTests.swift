// Plugins through the built program. Commands of plugins and of the user: they work like the built-in ones, within
// their limits.

import Glibc
import TestSupport

@Suite struct PluginCommandTests {
  private let home = Home()

  private func quiz() throws {
    try home.plugin(
      "quizbowl", permissions: #"["shell", "decks.read"]"#, manifest: #""commands": ["quiz"]"#,
      """
      shell.command {
        name = "quiz", summary = "Asks.", example = "quiz Spanish --count 3",
        arguments = { "[DECK]: what is asked", "WORD...", "--count N: how many", "-q, --quick", "--as csv|tsv" },
        complete = function(word, before) return { "alpha", "beta" } end,
        run = function(args)
          if args[1] == "loop" then while true do pcall(function() while true do end end) end end
          if args[1] == "fill" then local t = {} for i = 1, 1e9 do t[i] = i .. "x" end end
          if args[1] == "fail" then nothing() end
          if args[1] == "soft" then return nil, { code = "none", title = "None", message = "there is none" } end
          if args[1] == "open" then return assert(decks.open("Nope")) end
          return { deck = args.deck, words = args.word, count = args.count, quick = args.quick, n = #args, as = args.as }
        end,
      }
      """.replacing("\"[DECK]: what is asked\", \"WORD...\"", with: "\"DECK: what is asked\", \"[WORD...]\""))
    try home.enable("quizbowl")
  }

  @Test func `a plugin's command works like a built-in one`() throws {
    try quiz()
    let json = try home.run("quiz", "Spanish", "a", "b c", "--count", "3", "-q", "--as", "csv", "--json")
    #expect(
      json.lines == [#"{"as": "csv", "count": 3, "deck": "Spanish", "n": 3, "quick": true, "words": ["a", "b c"]}"#])
    #expect(try home.run("quiz").status == 2)
    try home.run("quiz", "x", "--count", "many").fails("--count must be a whole number, not \"many\"", status: 2)
    #expect(try home.run("quiz", "x", "--cuont", "1").errors.contains("did you mean \"--count\""))
    let help = try home.run("help", "quiz").output
    #expect(help.contains("quiz DECK [WORD]... [--count N] [--quick] [--as csv|tsv]") && help.contains("how many"))
    #expect(help.contains("Added by the plugin \"quizbowl\"."))
    #expect(try home.run("quiz", "x", "--help").output == help)
    #expect(try home.lua(#"print(shell.run("quiz x --count 2").count)"#).lines == ["2"])
  }

  @Test func `a failure names the plugin and its line; a reported problem is the command's own`() throws {
    try quiz()
    let failed = try home.run("quiz", "fail")
    #expect(failed.status == 1)
    #expect(
      failed.errors
        == "quizbowl: init.lua:8: attempt to call a nil value (global 'nothing') (in command \"quiz\")\n")
    #expect(try home.run("quiz", "soft").errors == "quiz: there is none\n")
    #expect(try home.run("quiz", "soft", "--json").errors.contains(#""code": "none""#))
    #expect(try home.run("quiz", "open", "--json").errors.contains(#""code": "not_found""#))
    #expect(try home.run("plugin", "info", "quizbowl").output.contains("init.lua") == false)
  }

  @Test func `exceeding a limit ends only that call, and the message says how to raise the limit`() throws {
    try quiz()
    #expect(try home.run("plugin", "limit", "quizbowl", "--seconds", "1", "--memory", "1").status == 0)
    let run = try home.run([], input: "quiz loop\nquiz fill\nquiz fine --json\nplugin info quizbowl\n")
    let errors = run.errors.split(separator: "\n").map(String.init)
    #expect(
      errors.first
        == "quizbowl: stopped after 1 s in command \"quiz\" (init.lua:6); raise its limit with `plugin limit quizbowl --seconds 10`"
    )
    #expect(
      errors.last
        == "quizbowl: stopped at 1 MiB in command \"quiz\"; raise its limit with `plugin limit quizbowl --memory 2`")
    #expect(run.output.contains(#"{"deck": "fine", "n": 1, "quick": false, "words": []}"#), "\(run.output)")
    #expect(run.output.contains("last error") && run.output.contains("1 s and 1 MiB per call"))
    let caught = try home.lua(#"print(pcall(shell.run, "quiz loop")) print("on")"#)
    #expect(caught.lines.first?.hasPrefix("false\tquizbowl: stopped after 1 s") == true && caught.lines.last == "on")
    #expect(try home.run("plugin", "limit", "quizbowl", "--seconds", "0").status == 2)
    let far = try home.run("plugin", "limit", "quizbowl", "--seconds", "1e9")
    #expect(far.status == 2 && far.errors.hasSuffix("must be a number from 0.1 to 3,600, not \"1e9\"\n"), "\(far)")
  }

  @Test func `a limit that cannot be written is not in force`() throws {
    try quiz()
    let run = try home.lua(
      """
      os.execute("mkdir -p '\(home.path)/data/local/grants.json.tmp/in the way'")
      print(shell.run("plugin limit quizbowl --seconds 9") == nil, shell.run("plugin limit quizbowl").seconds)
      """)
    #expect(run.output == "true\t2.0\n", "\(run)")
  }

  @Test func `a typed path is granted for that call, and links lead nowhere else`() throws {
    try home.plugin(
      "reader", permissions: #"["shell", "files.read:\#(home.path)/open"]"#, manifest: #""commands": ["peek"]"#,
      """
      local function try(path) return (files.read(path)) or "refused" end
      shell.command{name="peek", arguments={{name="[FILE]", kind="file", access="read"}}, run=function(args)
        return table.concat({ try(args.file or "\(home.path)/secret"), try("\(home.path)/open/in"),
          try("\(home.path)/open/link"), try("\(home.path)/open/../secret"), try("\(home.path)/open/none/../../secret") }, " ")
      end}
      """)
    #expect(makeFolder(home.path + "/open"))
    let secret = try home.write("S", to: "secret")
    _ = try home.write("I", to: "open/in")
    #expect(symlink(secret, home.path + "/open/link") == 0)
    try home.enable("reader")
    let lines = try home.run([], input: "peek \(secret)\npeek\n").lines
    #expect(
      lines == ["S I S S S", "refused I refused refused refused"]
        || lines == ["S I S S refused", "refused I refused refused refused"])
  }
}
