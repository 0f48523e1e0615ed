// Plugins through the built program. What happens to a plugin's additions when it is unloaded, and to everything else
// when it fails.

import TestSupport

@Suite struct PluginUnloadingTests {
  private let home = Home()

  @Test func `disable and reload remove everything that was added`() throws {
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
    // A name that is no longer a command is Lua, and nil.
    #expect(run.lines.count { $0 == "nil" } == 2)
    let off = "is called \"added\": the plugin adds has it, but is off; `plugin enable adds` turns it on"
    #expect(run.errors.contains("no mode " + off), "\(run.errors)")
  }

  @Test func `repeated loading leaves nothing behind`() throws {
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
    let growth = try #require(Int(home.lua(code).lines.last ?? ""))
    #expect(growth < 1_500, "\(growth) KiB")
  }

  @Test func `an error in an observer is reported once with its plugin and line, and breaks nothing`() throws {
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
    let run = try home.lua(code)
    #expect(run.lines == ["found cab 1", "3", "found race 2", "late", "4", "5"])
    #expect(run.errors == "listens: init.lua:6: no (in the event word_found)\n")

  }
}
