// Plugins through the built program: what they see, what they may, what becomes of them when they fail.

import Glibc
import TestSupport
import Testing

extension Home {
  /// Writes a plugin into the person's folder. `permissions` and what `manifest` adds are JSON.
  func plugin(
    _ name: String, permissions: String = "[]", manifest: String = "", version: String = "1.0.0", _ code: String
  ) throws {
    for folder in ["/data", "/data/plugins", "/data/plugins/" + name] { _ = makeFolder(path + folder) }
    let more = manifest.isEmpty ? "" : ", " + manifest
    _ = try write(
      #"{"name": "\#(name)", "version": "\#(version)", "api": 1, "permissions": \#(permissions)\#(more)}"#,
      to: "data/plugins/\(name)/plugin.json")
    _ = try write(code, to: "data/plugins/\(name)/init.lua")
  }

  func enable(_ names: String...) throws {
    for name in names { #expect(try run("plugin", "enable", name, "--grant").status == 0) }
  }
}

@Suite struct PluginTests {
  // MARK: What a plugin sees

  /// Prints each path from the globals to a value, tables and metatables and the methods of strings included.
  private static let walk = """
    local seen, lines = {}, {}
    local function walk(value, path)
      lines[#lines + 1] = path .. " " .. type(value)
      if type(value) ~= "table" or seen[value] then return end
      seen[value] = true
      local keys = {}
      for key in pairs(value) do keys[#keys + 1] = key end
      table.sort(keys)
      for _, key in ipairs(keys) do walk(value[key], path .. "." .. key) end
      local metatable = getmetatable(value)
      if metatable ~= nil then walk(metatable, path .. "(meta)") end
    end
    walk(_G, "_G")
    for _, value in ipairs { "", 1, true, print, coroutine.create(print) } do
      lines[#lines + 1] = "meta of " .. type(value) .. " " .. type(getmetatable(value))
    end
    for name in ("byte char dump find format gmatch gsub len lower match pack packsize rep reverse sub unpack upper")
      :gmatch("%a+") do
      if (""):len() == 0 and ("")[name] ~= string[name] then lines[#lines + 1] = "method " .. name end
    end
    table.sort(lines)
    print(table.concat(lines, "\\n"))
    """

  @Test func `a plugin that was granted nothing reaches exactly this`() throws {
    let home = try Home()
    try home.plugin("walker", manifest: #""load": "startup""#, Self.walk)
    let seen = try home.run("plugin", "enable", "walker", "--grant").lines.filter { !$0.hasPrefix("Enabled") }
    #expect(seen == Self.reachable.split(separator: "\n").map(String.init), "\(seen.joined(separator: "\n"))")
  }

  @Test(arguments: [
    ("decks.read", "decks"), ("decks.write", "decks"), ("words", "words"), ("games", "games"), ("shell", "shell"),
    ("shell.run", "shell"), ("files.read:/tmp", ""), ("files.write:/tmp", ""),
  ])
  func `a permission brings its module and no other`(permission: String, module: String) throws {
    let home = try Home()
    try home.plugin(
      "one", permissions: #"["\#(permission)"]"#, manifest: #""load": "startup""#,
      """
      local names = {}
      for _, name in ipairs { "decks", "documents", "words", "games", "settings", "auth", "shell", "plugins" } do
        if _G[name] ~= nil then names[#names + 1] = name end
      end
      print("sees " .. table.concat(names, " "))
      """)
    #expect(try home.run("plugin", "enable", "one", "--grant").lines.first == ("sees " + module))
  }

  @Test func `two plugins share nothing, and the host has its own`() throws {
    let home = try Home()
    try home.plugin(
      "poison", permissions: #"["shell"]"#, manifest: #""load": "startup""#,
      """
      string.len = function() return 42 end
      mine = "secret"
      table.insert = nil
      shell.print = nil
      print(pcall(setmetatable, getmetatable(""), {}))
      """)
    try home.plugin(
      "victim", permissions: #"["shell"]"#, manifest: #""load": "startup""#,
      #"print(("abc"):len(), mine, type(table.insert), type(shell.print))"#)
    try home.enable("poison")
    #expect(try home.run("plugin", "enable", "victim", "--grant").lines.contains("3\tnil\tfunction\tfunction"))
    #expect(try home.run("-e", #"print(("abc"):len(), mine, type(table.insert))"#).lines.last == "3\tnil\tfunction")
  }

  @Test func `require finds the plugin's own files and nothing else`() throws {
    let home = try Home()
    try home.plugin(
      "parts", manifest: #""load": "startup""#,
      """
      print(require("part").value, require("deep.er"), require("part") == require("part"))
      for _, name in ipairs { "out", "io", "debug", "package", "../parts/part", "/etc/passwd", "deep..er", "linked.er", "" } do
        print(name, pcall(require, name) and "found" or "refused")
      end
      """)
    let folder = home.path + "/data/plugins/parts"
    #expect(makeFolder(folder + "/deep"))
    _ = try home.write("return {value = 7}", to: "data/plugins/parts/part.lua")
    _ = try home.write("return 'deep'", to: "data/plugins/parts/deep/er.lua")
    let outside = try home.write("return 'outside'", to: "out.lua")
    #expect(symlink(outside, folder + "/out.lua") == 0)
    #expect(makeFolder(home.path + "/er"))
    _ = try home.write("return 1", to: "er/er.lua")
    #expect(symlink(home.path + "/er", folder + "/linked") == 0)
    let environment = home.environment + ["LUA_PATH=\(home.path)/?.lua;;", "LUA_INIT=print('init')"]
    let child = try Child(home.words(["plugin", "enable", "parts", "--grant"]), environment: environment)
    let lines = try child.finish(input: "").lines
    #expect(lines.first == "7\tdeep\ttrue")
    #expect(lines.count { $0.hasSuffix("\trefused") } == 9)
    #expect(!lines.contains { $0.hasSuffix("found") || $0 == "init" })
  }

  @Test func `a module that works elsewhere finds Lua's libraries by require, in the plugin's own safe versions`()
    throws
  {
    let home = try Home()
    try home.plugin(
      "portable", manifest: #""load": "startup""#,
      """
      for _, name in ipairs { "_G", "coroutine", "math", "os", "string", "table", "utf8" } do
        print(name, require(name) == _G[name], select("#", require(name)))
      end
      print(require("string").dump, require("os").execute, package, require("wrap").twice("ab"))
      """)
    _ = try home.write(
      """
      local string, table = require "string", require "table"
      return { twice = function(text) return table.concat({ string.upper(text), text }, "-") end }
      """, to: "data/plugins/portable/wrap.lua")
    let lines = try home.run("plugin", "enable", "portable", "--grant").lines
    #expect(lines.prefix(7).allSatisfy { $0.hasSuffix("\ttrue\t1") }, "\(lines)")
    #expect(lines.dropFirst(7).first == "nil\tnil\tnil\tAB-ab", "\(lines)")
  }

  // MARK: Commands

  private func quiz() throws -> Home {
    let home = try Home()
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
    return home
  }

  @Test func `a plugin's command is a peer of the built-in ones`() throws {
    let home = try quiz()
    let json = try home.run("quiz", "Spanish", "a", "b c", "--count", "3", "-q", "--as", "csv", "--json")
    #expect(
      json.lines == [#"{"as": "csv", "count": 3, "deck": "Spanish", "n": 3, "quick": true, "words": ["a", "b c"]}"#])
    #expect(try home.run("quiz").status == 2)
    let wrong = try home.run("quiz", "x", "--count", "many")
    #expect(wrong.status == 2 && wrong.errors.contains("--count must be a whole number, not \"many\""))
    #expect(try home.run("quiz", "x", "--cuont", "1").errors.contains("did you mean \"--count\""))
    let help = try home.run("help", "quiz").output
    #expect(help.contains("quiz DECK [WORD]... [--count N] [--quick] [--as csv|tsv]") && help.contains("how many"))
    #expect(help.contains("Added by the plugin \"quizbowl\"."))
    #expect(try home.run("quiz", "x", "--help").output == help)
    #expect(try home.run("-e", #"print(shell.run("quiz x --count 2").count)"#).lines == ["2"])
  }

  @Test func `a failure names the plugin and its line; a problem is the command's own`() throws {
    let home = try quiz()
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

  @Test func `what passes a limit ends that call only, and says how to raise it`() throws {
    let home = try quiz()
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
    #expect(run.output.contains("last error") && run.output.contains("1 s and 1 MiB a call"))
    let caught = try home.run("-e", #"print(pcall(shell.run, "quiz loop")) print("on")"#)
    #expect(caught.lines.first?.hasPrefix("false\tquizbowl: stopped after 1 s") == true && caught.lines.last == "on")
    #expect(try home.run("plugin", "limit", "quizbowl", "--seconds", "0").status == 1)
  }

  @Test func `the person adds commands too, and may describe them again`() throws {
    let home = try Home()
    let code = """
      shell.command{name="hi", arguments={"NAME"}, run=function(a) return "hi " .. a.name end}
      shell.command{name="hi", arguments={"NAME"}, run=function(a) return "hello " .. a[1] end}
      print(shell.run("hi you"))
      print(pcall(shell.command, {name="deck", run=print}))
      print(pcall(shell.command, {name="end", run=print}))
      print(pcall(shell.command, {name="x", arguments={"what"}, run=print}))
      print(pcall(shell.command, {name="x"}))
      """
    let lines = try home.run("-e", code).lines
    #expect(lines.first == "hello you")
    #expect(lines[1].hasPrefix("false\tyou cannot add the command \"deck\": Deckhand has one of that name"))
    #expect(lines[2].contains("\"end\" cannot name a command"))
    #expect(lines[3].contains("\"what\" is neither an argument"))
    #expect(lines[4].contains("bad argument #1 to 'command' (field 'run': function expected, got nil)"))
  }

  @Test func `a path that is typed is granted for that call, and links lead nowhere else`() throws {
    let home = try Home()
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

  // MARK: Grants

  @Test func `a new version that wants more asks again, one that does not goes on`() throws {
    let home = try Home()
    try home.plugin("grows", permissions: #"["shell"]"#, manifest: #""commands": ["grow"]"#, grow)
    try home.enable("grows")
    #expect(try home.run("grow").status == 0)
    try home.plugin("grows", permissions: #"["shell"]"#, manifest: #""commands": ["grow"]"#, version: "1.1", grow)
    #expect(try home.run("grow").status == 0)
    try home.plugin(
      "grows", permissions: #"["shell", "decks.read"]"#, manifest: #""commands": ["grow"]"#, version: "2.0", grow)
    #expect(try home.run("grow").status == 2)
    #expect(try home.run("plugin", "list").output.contains("asks for more than granted: decks.read"))
    let refused = try home.run("plugin", "enable", "grows")
    #expect(refused.status == 1 && refused.errors.contains("asks for shell, decks.read"))
  }

  private let grow = #"shell.command{name="grow", run=function() return "grown" end}"#

  @Test func `an installed plugin inherits nothing from the bundled one of its name`() throws {
    let home = try Home()
    #expect(try home.run("plugin", "enable", "palindromes").status == 0)
    try home.plugin("palindromes", permissions: #"["games"]"#, manifest: #""modes": ["palindromes"]"#, "print('ran')")
    let run = try home.run("plugin", "list")
    #expect(run.errors.contains("palindromes: your plugin stands in place of the bundled one"))
    #expect(run.lines.contains { $0.hasPrefix("palindromes") && $0.contains(" off ") })
  }

  @Test func `reading decks changes none`() throws {
    let home = try Home()
    try home.run("deck", "create", "D")
    try home.run("card", "add", "D", "a", "b")
    try home.plugin(
      "looks", permissions: #"["decks.read", "shell"]"#, manifest: #""commands": ["look"]"#,
      """
      shell.command{name="look", run=function()
        local deck = decks.open("D")
        local card = deck:card(1)
        local tries = {
          function() return decks.create("E") end, function() return decks.remove("D") end,
          function() deck.name = "F" return true end, function() return deck:add{prompt="x", answer="y"} end,
          function() return deck:add_all{{prompt="x", answer="y"}} end, function() return deck:remove(1) end,
          function() return deck:import("/tmp/none.csv") end, function() deck.options.desired_retention = 0.8 return true end,
          function() card.prompt = "z" return true end, function() card.answer = "z" return true end,
          function() card.tags = {"t"} return true end, function() card:tag("t") return true end,
          function() card:untag("t") return true end, function() card:suspend() return true end,
          function() card:resume() return true end, function() card:move(1) return true end,
          function() card:remove() return true end, function() return deck:study{mode="review"} end,
        }
        local codes = {}
        for i, try in ipairs(tries) do
          local ok, value, problem = pcall(try)
          if not ok then problem = value elseif value then problem = {code = "DONE " .. i} end
          codes[i] = type(problem) == "table" and problem.code or tostring(problem)
        end
        return table.concat(codes, " ")
      end}
      """)
    try home.enable("looks")
    let codes = try home.run("look").output.split(whereSeparator: \.isWhitespace)
    #expect(codes.count == 18 && codes.allSatisfy { $0 == "not_granted" }, "\(codes)")
    #expect(
      try home.run("-e", #"local d = decks.open("D") print(#decks.list(), #d, d:card(1).prompt)"#).lines == ["1\t1\ta"])
  }

  // MARK: Names, dependencies, failures

  @Test func `a name has one owner, and both are named`() throws {
    let home = try Home()
    try home.plugin(
      "one", permissions: #"["shell"]"#, manifest: #""commands": ["same"]"#,
      #"shell.command{name="same", run=function() return 1 end}"#)
    try home.plugin("two", permissions: #"["shell"]"#, manifest: #""commands": ["same"]"#, "")
    try home.plugin("three", permissions: #"["shell"]"#, manifest: #""commands": ["deck"]"#, "")
    try home.plugin("four", permissions: #"["games"]"#, manifest: #""modes": ["hangman"]"#, "")
    try home.enable("one")
    for name in ["two", "three", "four"] { #expect(try home.run("plugin", "enable", name, "--grant").status == 1) }
    let list = try home.run("plugin", "list").output
    #expect(
      list.contains("the plugin \"two\" cannot add the command \"same\": the plugin \"one\" has one of that name"))
    #expect(list.contains("cannot add the command \"deck\": Deckhand has one of that name"))
    #expect(list.contains("mode \"hangman\" is there already, of hangman"))
    #expect(try home.run("same").output == "1\n")
  }

  @Test func `what a plugin is built on is loaded before it; rings and gaps are named`() throws {
    let home = try Home()
    try home.plugin("base", manifest: #""commands": []"#, version: "1.4.0", "print('base')")
    try home.plugin(
      "top", permissions: #"["shell"]"#, manifest: #""commands": ["top"], "requires": {"base": "^1.2"}"#,
      "print('top') shell.command{name='top', run=function() end}")
    try home.plugin("ring_a", manifest: #""requires": {"ring_b": "*"}, "load": "startup""#, "print('a')")
    try home.plugin("ring_b", manifest: #""requires": {"ring_a": "*"}"#, "print('b')")
    try home.plugin("late", manifest: #""requires": {"base": ">=2"}"#, "")
    try home.plugin("gap", manifest: #""requires": {"nowhere": "*"}"#, "")
    for name in ["base", "top", "ring_b", "late", "gap", "ring_a"] { try home.run("plugin", "enable", name, "--grant") }
    let run = try home.run("top")
    #expect(run.lines == ["base", "top"])
    #expect(run.errors.contains("plugins need each other in a ring: ring_a > ring_b > ring_a"))
    let list = try home.run("plugin", "list").output
    #expect(list.contains("needs the plugin base, version >=2; 1.4.0 is there"))
    #expect(list.contains("needs the plugin nowhere, which is not installed"))
    try home.run("plugin", "disable", "base")
    #expect(try home.run("top").errors.contains("top: needs the plugin base, which is not on"))
  }

  @Test func `a plugin that fails at its start is told in one line, and the rest goes on`() throws {
    let home = try Home()
    let codes = [
      "breaks": "deks()", "spells": "local = 1", "loops": "while true do end", "raises": "error(setmetatable({}, {}))",
      "fills": "local t = {} for i = 1, 1e9 do t[i] = {} end",
    ]
    for (name, code) in codes {
      try home.plugin(name, manifest: #""load": "startup""#, code)
      if name == "loops" || name == "fills" {
        try home.run("plugin", "limit", name, "--seconds", "0.2", "--memory", "4")
      }
      #expect(try home.run("plugin", "enable", name, "--grant").status == 1)
    }
    let run = try home.run("-e", "print(1)")
    #expect(run.output == "1\n" && run.status == 0)
    #expect(run.errors.split(separator: "\n").count == codes.count)
    #expect(run.errors.contains("plugin breaks: init.lua:1: attempt to call a nil value (global 'deks')\n"))
    #expect(run.errors.contains("plugin loops: stopped after 0.2 s while it was loaded (init.lua:1);"))
  }

  // MARK: Taking back

  @Test func `disable and reload take back all that was added`() throws {
    let home = try Home()
    try home.plugin(
      "adds", permissions: #"["shell", "games"]"#, manifest: #""commands": ["add"], "modes": ["added"]"#,
      """
      shell.command{name="add", run=function() return "added" end}
      shell.command{name="more", run=function() return "more" end}
      shell.alias("al", "add")
      assert(games.mode{name="added"})
      shell.on("command", function(line) print("heard " .. line) end)
      """)
    try home.enable("adds")
    let run = try home.run(
      [],
      input: "add\nal\nplugin info adds\nplugin reload adds\nmore\nplugin disable adds\nal\nmore\nplay added\nversion\n"
    )
    #expect(run.output.contains("command add, command al, command more, mode added"))
    #expect(run.lines.count { $0.hasPrefix("heard") } == 5, "\(run.output)")
    // What is no command any more is Lua, and nil.
    #expect(run.lines.count { $0 == "nil" } == 2 && run.errors.contains("no mode is called \"added\""), "\(run.errors)")
  }

  @Test func `loading again and again leaves nothing behind`() throws {
    let home = try Home()
    try home.plugin(
      "again", permissions: #"["shell", "games", "words"]"#, manifest: #""commands": ["again"], "load": "startup""#,
      """
      shell.command{name="again", run=function() end}
      assert(games.mode{name="again", show=function() return "x" end})
      shell.alias("ag", "again")
      shell.on("command", function() end)
      big = ("x"):rep(100000)
      """)
    try home.enable("again")
    let code = """
      local function resident()
        for line in io.lines("/proc/self/status") do
          local size = line:match("^VmRSS:%s+(%d+)")
          if size then return tonumber(size) end
        end
      end
      for _ = 1, 100 do plugins.reload("again") end
      local before = resident()
      for _ = 1, 400 do plugins.reload("again") end
      print(resident() - before)
      """
    let growth = try #require(Int(home.run("-e", code).lines.last ?? ""))
    #expect(growth < 1_500, "\(growth) KiB")
  }

  // MARK: Events

  @Test func `an error in a listener is told once with its plugin and line, and breaks nothing`() throws {
    let home = try Home()
    try home.plugin(
      "listens", permissions: #"["shell", "games"]"#, manifest: #""events": ["word_found"]"#,
      """
      shell.on("word_found", function(game, word)
        print("found " .. word .. " " .. game.count)
        shell.on("word_found", function() print("late") end)
      end)
      shell.on("word_found", function()
        error("no")
      end)
      """)
    try home.enable("listens")
    let list = try home.write("cab\nrace\ngrace\n", to: "list")
    let code = """
      local game = games.new{base = "gracebc", lexicon = words.load("\(list)", {language = "english"})}
      print(game:guess("cab")) print(game:guess("race")) plugins.disable("listens") print(game:guess("grace"))
      """
    let run = try home.run("-e", code)
    #expect(run.lines == ["found cab 1", "3", "found race 2", "late", "4", "5"])
    #expect(run.errors == "listens: init.lua:6: no (in the event word_found)\n")
  }

  @Test func `what a listener is handed gives it no right`() throws {
    let home = try Home()
    try home.run("deck", "create", "D")
    try home.run("card", "add", "D", "a", "b")
    try home.plugin(
      "spies", permissions: #"["shell"]"#, manifest: #""load": "startup""#,
      #"shell.on("card_answered", function(card, answer) print(answer, pcall(function() return card.prompt end)) end)"#)
    try home.enable("spies")
    let run = try home.run("-e", #"local s = decks.open("D"):study{mode="sprint"} s:answer("right")"#)
    #expect(run.output.hasPrefix("right\tfalse\tspies was not granted decks.read"))
  }

  // MARK: For those who write plugins

  @Test func `a new plugin passes its own test, and a failing test ends with status 1`() throws {
    let home = try Home()
    #expect(try home.run("plugin", "new", "mine").status == 0)
    let passed = try home.run("plugin", "test", "mine")
    #expect(passed.status == 0 && passed.lines.last == "2 tests passed.")
    for name in ["deck", "end", "Mine", "mine", "palindromes", "../x", ""] {
      #expect(try home.run("plugin", "new", name).status != 0, "\(name)")
    }
    _ = try home.write(
      """
      test("fine", function() expect({1, {2}}):equals {1, {2}} expect("abc"):matches("b") expect(nil):is_nil() end)
      test("not fine", function()
        expect(1 + 1):equals(3)
      end)
      test("fails as it should", function() expect(function() error("oh no") end):fails("oh") end)
      test("never ends", function() while true do end end)
      test("decks are not granted", function() expect(decks):is_nil() end)
      """, to: "data/plugins/mine/test.lua")
    #expect(try home.run("plugin", "limit", "mine", "--seconds", "0.2").status == 0)
    let failed = try home.run("plugin", "test", "mine")
    #expect(failed.status == 1 && failed.lines.last == "2 of 5 tests failed.")
    #expect(failed.output.contains("FAILED  not fine\n          test.lua:3: expected 3, got 2\n"))
    #expect(failed.output.contains("stopped after 0.2 s in the test \"never ends\" (test.lua:6)"))
    #expect(try home.run("plugin", "test", "mine", "--json").lines.count == 5)
  }

  @Test(arguments: ["palindromes", "spelling_bee", "hangman", "word_ladder", "frequency_deck"])
  func `each bundled plugin passes its own test`(name: String) throws {
    let run = try Home().run("plugin", "test", name)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.lines.last?.hasSuffix("passed.") == true)
  }

  @Test func `a test reaches no file beyond its own, and leaves the person's data alone`() throws {
    let home = try Home()
    let outside = try home.write("out", to: "outside")
    try home.plugin(
      "mine", permissions: #"["shell", "decks.read", "decks.write", "files.read:\#(home.path)", "shell.run"]"#,
      manifest: #""commands": ["mine"]"#,
      #"shell.command{name="mine", arguments={"FILE"}, run=function(args) return assert(files.read(args.file)) end}"#)
    _ = try home.write(
      """
      test("no reach", function()
        expect(files.read("\(outside)")):is_nil()
        expect(select(2, run("mine \(outside)")).code):equals("not_granted")
        expect(select(2, shell.run("version")).code):equals("not_granted")
        assert(decks.create("Thrown away"))
        assert(files.write(folder .. "/x", "in"))
        expect(run("mine " .. folder .. "/x")):equals("in")
      end)
      """, to: "data/plugins/mine/test.lua")
    let run = try home.run("plugin", "test", "mine")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try home.run("deck", "list").output.contains("Thrown away") == false)
  }

  @Test func `the files of lua-types say what the real objects have, both ways`() throws {
    let home = try Home()
    #expect(try home.run("lua-types", home.path + "/types").status == 0)
    let script = try home.write(Self.compareTypes, to: "compare.lua")
    let run = try home.run("run", script, home.path + "/types")
    #expect(run.status == 0 && run.output == "same\n", "\(run.output)\(run.errors)")
  }

  /// Real names come from the upvalues of `__index`; the stubs are read line by line.
  private static let compareTypes = """
    local real, stubs, classes = {}, {}, {}
    local tables = {}
    for _, value in pairs(debug.getregistry()) do
      local names, count = {}, 0
      if type(value) == "table" and next(value) ~= nil and not rawget(value, "__name") and value ~= _G then
        for key, member in pairs(value) do
          local isMember = type(key) == "string" and (type(member) == "function" or type(member) == "userdata")
          if not isMember or key:find("^_") then names = nil break end
          names[key], count = true, count + 1
        end
        if names then tables[#tables + 1] = { names = names, count = count } end
      end
    end
    for name, module in pairs(deckhand) do
      if type(module) == "table" then
        for key in pairs(module) do real[name .. "_module." .. key] = true end
      end
    end
    for key in pairs(deckhand) do real["deckhand_module." .. key] = true end
    local computed = { deckhand = { "version", "api" }, auth = { "needs_authentication", "is_authenticating", "user" } }
    for module, keys in pairs(computed) do
      for _, key in ipairs(keys) do
        if pcall(function() return _G[module][key] end) then real[module .. "_module." .. key] = true end
      end
    end
    local list = assert(io.popen("ls " .. arg[1]))
    for file in list:lines() do
      local class
      assert(load(assert(files.read(arg[1] .. "/" .. file)), file))
      for line in io.lines(arg[1] .. "/" .. file) do
        class = line:match("^%-%-%-@class ([%w_]+)") or class
        local name = line:match("^%-%-%-@field ([%w_]+)") or line:match("^function [%w_]+[.:]([%w_]+)%(")
        if class and not class:find("_module$") then classes[class] = classes[class] or {} end
        if name and class ~= "problem" then
          if class:find("_module$") then stubs[class .. "." .. name] = true else classes[class][name] = true end
        end
      end
    end
    classes.problem = nil
    -- The members of a type are a table of the registry: each type has the one, and no such table is of no type.
    local function is_within(names, others)
      for name in pairs(names) do if not others[name] then return false end end
      return true
    end
    for class, names in pairs(classes) do
      local found = next(names) == nil
      for _, one in ipairs(tables) do found = found or is_within(names, one.names) and is_within(one.names, names) end
      if not found then real[class .. " has other members than its stub"] = true end
    end
    for _, one in ipairs(tables) do
      local found = false
      for _, names in pairs(classes) do found = found or is_within(one.names, names) end
      if not found then real["a type without a stub, with " .. next(one.names)] = true end
    end
    if #tables < 5 then real["the types were not found"] = true end
    local differences = {}
    for name in pairs(real) do if not stubs[name] then differences[#differences + 1] = "no stub: " .. name end end
    for name in pairs(stubs) do if not real[name] then differences[#differences + 1] = "only a stub: " .. name end end
    table.sort(differences)
    print(#differences == 0 and next(real) and "same" or table.concat(differences, "\\n"))
    """

  private static let reachable = """
    _G table
    _G._G table
    _G._VERSION string
    _G.assert function
    _G.collectgarbage function
    _G.coroutine table
    _G.coroutine.close function
    _G.coroutine.create function
    _G.coroutine.isyieldable function
    _G.coroutine.resume function
    _G.coroutine.running function
    _G.coroutine.status function
    _G.coroutine.wrap function
    _G.coroutine.yield function
    _G.deckhand table
    _G.deckhand(meta) string
    _G.deckhand.files table
    _G.deckhand.files(meta) string
    _G.deckhand.files.lines function
    _G.deckhand.files.read function
    _G.deckhand.files.write function
    _G.error function
    _G.files table
    _G.getmetatable function
    _G.ipairs function
    _G.load function
    _G.math table
    _G.math.abs function
    _G.math.acos function
    _G.math.asin function
    _G.math.atan function
    _G.math.ceil function
    _G.math.cos function
    _G.math.deg function
    _G.math.exp function
    _G.math.floor function
    _G.math.fmod function
    _G.math.huge number
    _G.math.log function
    _G.math.max function
    _G.math.maxinteger number
    _G.math.min function
    _G.math.mininteger number
    _G.math.modf function
    _G.math.pi number
    _G.math.rad function
    _G.math.random function
    _G.math.randomseed function
    _G.math.sin function
    _G.math.sqrt function
    _G.math.tan function
    _G.math.tointeger function
    _G.math.type function
    _G.math.ult function
    _G.next function
    _G.os table
    _G.os.clock function
    _G.os.date function
    _G.os.time function
    _G.pairs function
    _G.pcall function
    _G.print function
    _G.rawequal function
    _G.rawget function
    _G.rawlen function
    _G.rawset function
    _G.require function
    _G.select function
    _G.setmetatable function
    _G.string table
    _G.string.byte function
    _G.string.char function
    _G.string.find function
    _G.string.format function
    _G.string.gmatch function
    _G.string.gsub function
    _G.string.len function
    _G.string.lower function
    _G.string.match function
    _G.string.pack function
    _G.string.packsize function
    _G.string.rep function
    _G.string.reverse function
    _G.string.sub function
    _G.string.unpack function
    _G.string.upper function
    _G.table table
    _G.table.concat function
    _G.table.insert function
    _G.table.move function
    _G.table.pack function
    _G.table.remove function
    _G.table.sort function
    _G.table.unpack function
    _G.tonumber function
    _G.tostring function
    _G.type function
    _G.utf8 table
    _G.utf8.char function
    _G.utf8.charpattern string
    _G.utf8.codepoint function
    _G.utf8.codes function
    _G.utf8.len function
    _G.utf8.offset function
    _G.xpcall function
    meta of boolean nil
    meta of function nil
    meta of number nil
    meta of string boolean
    meta of thread nil
    """
}
