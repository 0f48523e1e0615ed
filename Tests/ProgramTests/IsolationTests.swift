// Plugins in processes of their own, through the built program: where they run, what they cannot do there, and what
// happens to the shell when such a process fails.

import Glibc
import TestSupport

@Suite struct IsolationTests {
  /// Lua code that finds the processes of plugins: `plugin_processes()` returns their ids. One of another test may end
  /// while its file is open; then nothing can be read from it.
  private static let finder = """
    local me = io.open("/proc/self/stat"):read("a"):match("^%d+")
    function plugin_processes()
      local found = {}
      for path in io.popen("grep -ls deckhand-plugin /proc/[0-9]*/comm"):lines() do
        local process = path:match("%d+")
        local file = io.open("/proc/" .. process .. "/status")
        local parent = file and (file:read("a") or ""):match("PPid:%s*(%d+)")
        if parent == me then found[#found + 1] = process end
      end
      return found
    end
    function status_of(process, name)
      return io.open("/proc/" .. process .. "/status"):read("a"):match("\\n" .. name .. ":%s*([^\\n]*)")
    end

    """

  private func home(_ code: String, manifest: String = #""commands": ["go"]"#) throws -> Home {
    let home = Home()
    try home.plugin("alone", permissions: #"["shell", "decks.read", "decks.write", "games"]"#, manifest: manifest, code)
    try home.enable("alone")
    return home
  }

  private static let go = """
    shell.command{name = "go", summary = "x", arguments = {"[WORD]"}, run = function(args)
      if args.word == "loop" then while true do end end
      return {word = args.word or "none", deck = #decks.list()}
    end}
    """

  @Test func `a plugin's code runs in a process without rights from its first use on`() throws {
    let home = try home(Self.go)
    let result = try home.lua(
      Self.finder + """
        print(#plugin_processes())
        print(shell.run("go").word)
        local own = plugin_processes()
        print(#own, status_of(own[1], "Seccomp"), status_of(own[1], "NoNewPrivs"))
        local open = {}
        for name in io.popen("ls /proc/" .. own[1] .. "/fd"):lines() do open[#open + 1] = name end
        print(table.concat(open, " "))
        local limits = io.open("/proc/" .. own[1] .. "/limits"):read("a")
        for _, name in ipairs { "Max file size", "Max core file size", "Max processes" } do
          print(limits:match(name .. "%s+(%S+)"))
        end
        print(tonumber(limits:match("Max address space%s+(%d+)")) < 1 << 30, limits:match("Max cpu time%s+(%d+)"))
        plugins.disable("alone")
        print(#plugin_processes())
        """)
    // Only root may list the open files of a process without rights.
    let open = geteuid() == 0 ? ["0 1 2"] : []
    #expect(result.lines == ["0", "none", "1\t2\t1"] + open + ["0", "0", "0", "true\t5", "0"], "\(result)")
  }

  @Test func `plugins that come with deckhand run in its process, and so do those that the user chooses`() throws {
    let home = try home(Self.go)
    #expect(try home.run("plugin", "info", "alone").output.contains("in a process of its own"))
    #expect(try home.run("--json", "plugin", "info", "alone").output.contains(#""isolated": true"#))
    #expect(try home.run("--json", "plugin", "info", "palindromes").output.contains(#""isolated": false"#))
    #expect(try home.run("plugin", "enable", "alone", "--grant", "--no-isolate").status == 0)
    #expect(try home.run("plugin", "info", "alone").output.contains("in Deckhand's process"))
    #expect(try home.run("plugin", "list").output.contains("on (not isolated)"))
    let count = Self.finder + #"print(shell.run("go").word, #plugin_processes())"#
    // The choice is remembered until the plugin is enabled again.
    #expect(try home.lua(count).lines == ["none\t0"])
    #expect(try home.run("plugin", "enable", "alone", "--grant").status == 0)
    #expect(try home.lua(count).lines == ["none\t1"])
  }

  @Test func `no plugin leaves its process, or makes another one leave it`() throws {
    let home = try home(Self.go)
    try home.plugin(
      "sly", permissions: #"["shell", "shell.run"]"#, manifest: #""commands": ["sly"]"#,
      """
      shell.command{name = "sly", summary = "x", run = function()
        return tostring(select(2, shell.run("plugin enable alone --grant --no-isolate")))
      end}
      """)
    try home.enable("sly")
    #expect(try home.run("sly").output.contains("only you can have it run in Deckhand's own process"))
    #expect(try home.run("plugin", "info", "alone").output.contains("in a process of its own"))
  }

  /// A home where a call of the plugin may take a second.
  private func limitedHome() throws -> Home {
    let home = try home(Self.go)
    #expect(try home.run("plugin", "limit", "alone", "--seconds", "1").status == 0)
    return home
  }

  @Test(arguments: ["KILL", "SEGV", "STOP"])
  func `a process that dies or hangs is reported as its plugin's failure, and the next line works`(_ signal: String)
    throws
  {
    let home = try limitedHome()
    let result = try home.lua(
      Self.finder + """
        print(shell.run("go").word)
        os.execute("kill -\(signal) " .. plugin_processes()[1])
        local function try() return select(2, pcall(shell.run, "go")) end
        print(try())
        print(try())
        print(plugins.info("alone").state, #plugin_processes(), shell.run("deck list") ~= nil)
        plugins.reload("alone")
        print(shell.run("go").word, plugins.info("alone").state)
        """)
    let why =
      switch signal {
      case "KILL": "its process was ended by signal 9 (Killed)"
      case "SEGV": "its process was ended by signal 11 (Segmentation fault)"
      default: "stopped after 1 s in command \"go\"; raise its limit with `plugin limit alone --seconds 10`"
      }
    #expect(result.lines.count == 5, "\(result)")
    guard result.lines.count == 5 else { return }
    #expect(
      result.lines[1].hasPrefix("-e:17: alone: \(why)") || result.lines[1].hasPrefix("alone: \(why)"), "\(result)")
    #expect(result.lines[3] == "failed\t0\ttrue", "\(result)")
    #expect(result.lines[4] == "none\ton", "\(result)")
  }

  @Test func `a limit ends the call, not the process`() throws {
    let home = try limitedHome()
    let result = try home.lua(
      Self.finder + """
        print(shell.run("go").word)
        local before = plugin_processes()[1]
        print(select(2, pcall(shell.run, "go loop")))
        print(shell.run("go").word, plugin_processes()[1] == before)
        """)
    #expect(result.lines.count == 3 && result.lines[2] == "none\ttrue", "\(result)")
    #expect(result.output.contains("stopped after 1 s in command \"go\" (init.lua:2)"), "\(result)")
  }

  @Test(arguments: [[], ["--no-isolate"]])
  func `with --trace an error of a plugin shows where its code was`(place: [String]) throws {
    let home = Home()
    let inner = "local function inner() error('no') end\n"
    try home.plugin(
      "deep", permissions: #"["shell"]"#, manifest: #""commands": ["deep"]"#,
      inner + "shell.command{name = 'deep', run = function() inner() return 1 end}")
    try home.plugin("early", manifest: #""commands": ["early"]"#, inner + "inner()")
    for (name, words) in [("deep", ["deep"]), ("early", ["plugin", "reload", "early"])] {
      _ = try home.run(["plugin", "enable", name, "--grant"] + place)
      try home.run(["--trace"] + words)
        .fails("\(name): init.lua:1: no", "stack traceback:\n", "init.lua:2: in ")
      #expect(try !home.run(words).errors.contains("traceback"))
    }
  }

  @Test func `a mode keeps its table where its code runs, and the table is stored with the game`() throws {
    let home = try home(
      """
      games.mode{name = "counting", rules = {"min_length:1"},
        setup = function(game) game.data.seen = {} return nil end,
        accept = function(game, word)
          if game.data.seen[word] then return nil, {code = "again", title = "Again", message = word .. " again"} end
          game.data.seen[word] = true
          game.data.count = (game.data.count or 0) + 1
          return true
        end,
        score = function(game, word) return game.data.count end}
      """, manifest: #""modes": ["counting"]"#)
    let result = try home.lua(
      """
      local g = assert(games.new{mode = "counting", base = "cambering", language = "english"})
      print(g:guess("one"), g:guess("two"), select(2, g:guess("one")).code)
      print(g.data.count, g.data.seen.two, g.score, pcall(function() g.data.count = 5 end))
      """)
    #expect(result.lines.count == 2, "\(result)")
    guard result.lines.count == 2 else { return }
    #expect(result.lines[0] == "1\t2\tagain", "\(result)")
    #expect(result.lines[1].hasPrefix("2\ttrue\t3\tfalse"), "\(result)")
  }

  /// The scripts that the tests of LuaRuntime try on a Lua state are tried on plugins here, in both places.
  @Test(arguments: [true, false]) func `no hostile script harms the shell`(_ isIsolated: Bool) throws {
    let home = Home()
    let folder = sourceRoot() + "/Tests/LuaRuntimeTests/Scripts"
    let scripts = names(in: folder).filter { $0.hasSuffix(".lua") }.sorted()
    #expect(scripts.count > 40)
    for script in scripts {
      let name = "x" + script.prefix(2)
      let code = String(decoding: try #require(contents(of: folder + "/" + script)), as: UTF8.self)
      try home.plugin(
        name, permissions: #"["shell"]"#, manifest: #""commands": ["go\#(name)"]"#,
        """
        shell.command{name = "go\(name)", summary = "x", arguments = {"[ONLY-LOAD]"}, run = function(args)
        if args.only_load then return end
        \(code)
        end}
        """)
      #expect(try home.run(["plugin", "enable", name, "--grant"] + (isIsolated ? [] : ["--no-isolate"])).status == 0)
      #expect(try home.run("plugin", "limit", name, "--seconds", "0.3").status == 0)
    }
    let result = try home.lua(
      """
      for _, plugin in ipairs(plugins.list()) do
        if plugin.name:match("^x%d%d$") then
          -- On a busy machine one may need more time to load than it has: it gets a second more at each try.
          for seconds = 1, 20 do
            if pcall(shell.run, "go" .. plugin.name .. " yes") then break end
            shell.run("plugin limit " .. plugin.name .. " --seconds " .. seconds)
            plugins.reload(plugin.name)
          end
          local ok, problem = pcall(shell.run, "go" .. plugin.name)
          local info = plugins.info(plugin.name)
          -- On a busy machine a process can also be too slow to stop within a second of being told to.
          local holds = info.state == "on" or info.error == "its process did not stop"
          print(plugin.name, ok or type(problem), holds and "holds" or info.state, info.error)
        end
      end
      print(shell.run("deck list") ~= nil)
      """)
    #expect(result.status == 0 && result.lines.last == "true", "\(result)")
    #expect(result.lines.filter { $0.contains("\tholds") && $0.hasPrefix("x") }.count == scripts.count, "\(result)")
  }

  /// Calls between shell and plugin that nest without end fail like any recursion.
  @Test func `calls that nest without end are an error`() throws {
    let home = try home(
      """
      local deck
      shell.command{name = "go", summary = "x", run = function()
        local depth = 0
        local function nest()
          depth = depth + 1
          return (assert(decks.open("d")):add_all(nest)) and nil
        end
        local ok, problem = pcall(nest)
        return {ok = ok, problem = tostring(problem), deep = depth > 10}
      end}
      """)
    #expect(try home.run("deck", "create", "d").status == 0)
    let result = try home.lua(#"local r = shell.run("go") print(r.ok, r.deep, r.problem) print(shell.run("go").ok)"#)
    #expect(result.lines.count == 2 && result.lines[1] == "false", "\(result)")
    #expect(result.lines.first?.hasPrefix("false\ttrue") == true, "\(result)")
  }

  @Test func `the process ends with the shell, however that ends`() throws {
    let home = try home(Self.go)
    let result = try home.lua(
      Self.finder + """
        shell.run("go")
        print(plugin_processes()[1])
        io.stdout:flush()
        os.execute("kill -KILL " .. me)
        """)
    let process = try #require(pid_t(result.lines.first ?? ""))
    #expect(waits { kill(process, 0) != 0 })
  }

  @Test func `a plugin that disables itself still finishes the call under way`() throws {
    let home = Home()
    try home.plugin(
      "alone", permissions: #"["shell", "shell.run"]"#, manifest: #""commands": ["go"]"#,
      """
      shell.command{name = "go", run = function()
        shell.run("plugin disable alone")
        return {ok = true, list = pcall(shell.run, "deck list")}
      end}
      """)
    try home.enable("alone")
    let result = try home.lua(#"local r, p = shell.run("go") print(r and r.ok, r and r.list, p)"#)
    #expect(result.lines == ["true\tfalse\tnil"], "\(result)")
    #expect(try home.run("plugin", "info", "alone").output.contains("off"))
  }

  @Test func `a table with sparse keys is passed as it is, and is no list`() throws {
    let home = try home(
      """
      shell.command{name = "go", run = function()
        local t = {1, 2, 3, 4, 5, [9] = 9, [math.maxinteger] = 1}
        for i = 3, 62 do t[1 << i] = i end
        return decks.create("d"):remove(t)
      end}
      """)
    // Lua may take any of its borders for the length; between them are gaps.
    #expect(try home.run("go").errors.contains("list expected, got a table without element 6"))
  }
}
