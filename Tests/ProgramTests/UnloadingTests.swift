// Plugins that are unloaded while their code runs, by themselves, by what they call or by their observers: the program
// continues, their additions are gone, and the next line works.

import TestSupport

@Suite struct UnloadingTests {
  private let home = Home()

  /// Runs the lines of a session with one plugin `p` whose `init.lua` is `code`; it must end well and run the last
  /// line.
  private func session(
    _ code: String, manifest: String = #""commands": ["go"]"#, _ lines: String, isEnabled: Bool = true
  ) throws -> Run {
    let home = Home()
    try home.plugin("p", permissions: #"["shell", "shell.run", "games", "words"]"#, manifest: manifest, code)
    if isEnabled { _ = try home.run("plugin", "enable", "p", "--grant") }
    let run = try home.run([], input: lines + "\nprint(6 * 7)\n")
    #expect(run.lines.last == "42", "\(run.output)\(run.errors)")
    // A command that no longer exists by then is wrong usage.
    #expect((0...2).contains(run.status), "\(run.status)")
    return run
  }

  private static let ways = [
    "plugin disable p", "plugin reload p", "logout", "plugin disable p; go",
  ]

  /// Runs each of the lines separated by `;`.
  private static let act = """
    local function act(text)
      for line in text:gmatch("[^;]+") do pcall(shell.run, line) end
      pcall(shell.print, "still here")
      pcall(shell.command, {name = "late", run = function() return "late" end})
      return pcall(games.mode, {name = "late"})
    end

    """

  @Test(arguments: ways) func `from a command of its own`(way: String) throws {
    let run = try session(
      Self.act + #"shell.command{name="go", run=function() act("\#(way)") return "ended" end}"#,
      "go\nplugin list\nlate\ngo\nplugin enable p\ngo")
    if !way.contains("logout") { #expect(!run.output.contains("still here") && !run.lines.contains("late")) }
  }

  @Test(arguments: ways) func `from a coroutine, a sort and a callback of its own command`(way: String) throws {
    _ = try session(
      Self.act
        + """
        shell.command{name="go", run=function()
          table.sort({3, 2, 1}, function(a, b)
            coroutine.wrap(function() for _ = 1, 3 do act("\(way)") end end)()
            return a < b
          end)
          return {words = {"a", "b"}}
        end, complete=function() act("\(way)") return {"x"} end}
        """, "go\ngo\ngo")
  }

  @Test(arguments: ways) func `from init.lua`(way: String) throws {
    let run = try session(
      Self.act + #"act("\#(way)") shell.command{name="go", run=function() return "ran" end}"#,
      "go\nplugin list\ngo\nplugin reload p\nplugin enable p\ngo")
    if way.contains("reload") || way.contains("limit") { #expect(run.lines.contains("ran"), "\(run.errors)") }
    if way == "plugin disable p" {
      #expect(run.errors.contains("p was unloaded while its init.lua ran"), "\(run.errors)")
    }
  }

  @Test(arguments: ways) func `from an observer of its own`(way: String) throws {
    _ = try session(
      Self.act + #"shell.on("command", function() act("\#(way)") end) shell.command{name="go", run=function() end}"#,
      manifest: #""commands": ["go"], "events": ["command"]"#, "go\nversion\nversion\ngo")
  }

  @Test(arguments: ways) func `from the functions of its mode`(way: String) throws {
    for function in ["setup", "show", "accept", "score", "finished", "hint"] {
      _ = try session(
        Self.act + #"assert(games.mode{name="m", \#(function)=function() act("\#(way)") return true end})"#,
        manifest: #""modes": ["m"]"#,
        """
        g = games.new{mode="m", base="planets"}
        if g then print(pcall(g.guess, g, "plan"), pcall(g.guess, g, "net"), pcall(g.hint, g), g.finished) end
        play m
        plan
        /hint
        /quit
        """)
    }
  }

  @Test(arguments: ["", " --no-isolate"])
  func `a game goes on after its plugin was reloaded, and print works to the end`(place: String) throws {
    try home.plugin(
      "p", permissions: #"["shell", "shell.run", "games", "words"]"#, manifest: #""commands": ["go"], "modes": ["m"]"#,
      """
      assert(games.mode{
        name = "m",
        accept = function(game, word) game.data[#game.data + 1] = word return true end,
        hint = function(game) return table.concat(game.data, "-") end,
      })
      shell.command{name = "go", run = function() shell.run("plugin disable p") print("still", {} ~= nil) end}
      """)
    _ = try home.run(["plugin", "enable", "p", "--grant"] + place.split(separator: " ").map(String.init))
    let run = try home.run(
      [],
      input: """
        g = games.new{mode = "m", base = "planets", language = "english"}
        print(g:guess("plan"), plugins.reload("p"), g:guess("net"), g:hint(), g.count)
        go
        print(pcall(g.guess, g, "pant"))
        """)
    #expect(run.output.contains("no mode is called \"m\""), "\(run)")
    #expect(run.output.contains("4\ttrue\t3\tplan-net\t2") && run.output.contains("still\ttrue"), "\(run)")
  }

  @Test func `the user's observer may disable the plugin whose event it observes`() throws {
    let run = try session(
      """
      shell.command{name="go", run=function()
        local g = assert(games.new{base="planets"})
        local points = {g:guess("plan"), g:guess("net"), g:guess("pant")}
        return #points
      end}
      """,
      """
      shell.on("word_found", function() plugins.disable("p") end)
      go
      plugin info p --json
      go
      """)
    #expect(run.output.contains(#""state": "off""#), "\(run.output)")
  }

  @Test(arguments: ["", #"assert(games.mode{name="m"}) "#]) func `a plugin cannot load itself while it loads`(
    first: String
  ) throws {
    let run = try session(
      #"\#(first)local ok, g, problem = pcall(games.new, {mode="m", base="planets"}) print(ok, g, problem) if not ok then error(g, 0) end"#,
      manifest: #""modes": ["m"]"#, "plugin reload p\nplay mm")
    if first.isEmpty { #expect((run.output + run.errors).contains("p is being loaded"), "\(run.output)\(run.errors)") }
  }

  @Test func `plugins that need each other while they load get an error`() throws {
    try home.plugin(
      "b", permissions: #"["games"]"#, manifest: #""modes": ["bm"]"#,
      #"print(pcall(games.new, {mode="am", base="planets"})) assert(games.mode{name="bm"})"#)
    try home.plugin(
      "a", permissions: #"["games"]"#, manifest: #""modes": ["am"]"#,
      #"print(pcall(games.new, {mode="bm", base="planets"})) assert(games.mode{name="am"})"#)
    try home.enable("b", "a")
    let run = try home.run([], input: "g = games.new{mode=\"am\", base=\"planets\"}\nprint(g and g.mode)\n")
    #expect(run.lines.last == "am" && run.output.contains("a is being loaded"), "\(run.output)\(run.errors)")
  }

  @Test func `from its tests`() throws {
    try home.plugin("p", permissions: #"["shell", "shell.run"]"#, #"shell.command{name="go", run=function() end}"#)
    _ = try home.write(
      #"test("ends", function() shell.run("plugin disable p") run("go") end) test("next", function() expect(1):equals(1) end)"#,
      to: "data/plugins/p/test.lua")
    try home.enable("p")
    let run = try home.run("plugin", "test", "p")
    #expect(run.status == 0 || run.status == 1, "\(run.status) \(run.errors)")
  }

  @Test(arguments: [
    #"pcall(shell.run, "run OUT")"#, #"games.new{base="planets"}:guess("plan")"#,
    #"coroutine.wrap(function() pcall(shell.run, "run OUT") end)() local g = games.new{base="planets"}"#,
  ])
  func `by a sign-out that its own call causes`(act: String) throws {
    let accounts = try Accounts()
    let out = try accounts.home.write("auth.logout()", to: "out.lua")
    try accounts.home.plugin(
      "p", permissions: #"["shell", "shell.run", "games"]"#, manifest: #""commands": ["go"]"#,
      #"shell.command{name="go", run=function() \#(act.replacing("OUT", with: out)) pcall(shell.print, "still here") return "x" end}"#
    )
    _ = try accounts.ana("plugin", "enable", "p", "--grant")
    let run = try accounts.ana(input: "shell.on('word_found', auth.logout)\ngo\nversion\ngo\n")
    #expect(run.status == 77 || run.status <= 2, "\(run.status) \(run.errors)")
    #expect(!run.output.contains("still here"), "\(run.output)")
  }
}
