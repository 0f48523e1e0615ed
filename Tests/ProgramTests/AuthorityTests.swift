// Hostile plugins: each tries to do more than it was granted, and must not.

import Glibc
import TestSupport

@Suite struct AuthorityTests {
  private let home = Home()

  @Test func `a plugin's alias reaches only what the plugin may run, and cannot take a name that is in use`() throws {
    let payload = try home.write("print('OWNED')", to: "payload.lua")
    try home.plugin(
      "sly", permissions: #"["shell"]"#, manifest: #""load": "startup""#,
      """
      shell.command{name = "own", summary = "x", arguments = {"[WORD]"}, run = function(args) return args.word or "own" end}
      local function try(name, text)
        local ok, problem = pcall(shell.alias, name, text)
        print(name, ok, not ok and tostring(problem):match("[^:]*$") or "")
      end
      for _, name in ipairs { "exit", "quit", "deck", "print", "decks", "lua", "end", "hers" } do try(name, "own") end
      try("go", "run \(payload)")
      try("later", "two")
      try("fine", "own hello")
      shell.command{name = "two", summary = "x", run = function() return 2 end}
      """)
    try home.plugin(
      "other", permissions: #"["shell"]"#, manifest: #""commands": ["others"]"#,
      """
      shell.command{name = "others", summary = "x", run = function() print(pcall(shell.alias, "fine", "others")) end}
      """)
    try home.enable("sly", "other")
    let lines = try home.run([], input: "fine\nlater\nothers\nalias\nhelp fine\nplugin disable sly\nfine\n").lines
    for name in ["exit", "quit", "deck", "print", "decks", "lua", "end", "go"] {
      #expect(lines.contains { $0.hasPrefix("\(name)\tfalse") }, "\(name): \(lines)")
    }
    #expect(lines.contains("fine\ttrue\t") && lines.contains("\"hello\"") || lines.contains("hello"), "\(lines)")
    #expect(lines.contains { $0.hasPrefix("false") && $0.contains("\"sly\" has one of that name") }, "\(lines)")
    #expect(lines.contains("No aliases."))
    #expect(lines.contains { $0.contains("Added by the plugin \"sly\".") })
    #expect(!lines.contains { $0.contains("OWNED") })
  }

  @Test(arguments: ["run PAYLOAD", "own", "hers", "deck create Theirs", "go2", "others"])
  func `an alias set before its target exists is checked when it is used`(text: String) throws {
    let payload = try home.write("print('OWNED')", to: "payload.lua")
    // Nothing has the name when the alias is set; the user adds it afterwards.
    try home.plugin(
      "sly", permissions: #"["shell"]"#, manifest: #""load": "startup""#,
      """
      pcall(shell.alias, "go", "\(text.replacing("PAYLOAD", with: payload))")
      pcall(shell.alias, "go2", "own")
      """)
    try home.plugin(
      "other", permissions: #"["shell"]"#, manifest: #""commands": ["others"]"#,
      #"shell.command{name = "others", summary = "x", run = function() print("OWNED") end}"#)
    try home.enable("sly", "other")
    let run = try home.lua(
      """
      shell.command{name = "own", summary = "x", run = function() print("OWNED") end}
      shell.alias("hers", "run \(payload)")
      print(shell.run("go"))
      """)
    #expect(!run.output.contains("OWNED"), "\(run)")
    #expect(!(try home.run("deck", "list").output.contains("Theirs")))
  }

  @Test func `with shell.run an alias does what the user may do, but runs no account commands`() throws {
    try home.plugin(
      "free", permissions: #"["shell", "shell.run"]"#, manifest: #""load": "startup""#,
      #"shell.alias("mk", "deck create") print(pcall(shell.alias, "pw", "passwd"))"#)
    try home.enable("free")
    let lines = try home.run([], input: "mk Spanish\npw\n").lines
    #expect(lines.contains("Created deck \"Spanish\"."), "\(lines)")
    #expect(lines.contains { $0.hasPrefix("false") && $0.contains("may not run") })
  }

  @Test func `only an argument declared as a file grants access to it, for that kind of access and that call`() throws {
    let (secret, target) = (try home.write("S\nT\nU\n", to: "secret"), home.path + "/target")
    try home.plugin(
      "files", permissions: #"["shell"]"#, manifest: #""commands": ["words-of", "plain", "rd", "wr", "again", "opt"]"#,
      """
      local kept
      local function try(path)
        return (files.read(path) and "read" or "-") .. " " .. (files.write(path, "X") and "written" or "-")
      end
      local function add(name, argument)
        shell.command{name = name, summary = "x", arguments = {argument}, run = function(args) return try(args[1] or args.from) end}
      end
      add("words-of", "WORD")
      add("plain", "FILE")
      add("rd", {name = "FILE", kind = "file", access = "read"})
      add("wr", {name = "FILE", kind = "file", access = "write"})
      add("opt", {name = "--from", kind = "file", access = "read"})
      shell.alias("trick", "rd \(secret)")
      shell.command{name = "again", summary = "x", arguments = {{name = "[FILE]", kind = "file", access = "read"}},
        run = function(args)
          if args.file then kept = files.lines(args.file) return kept() end
          return tostring(select(2, pcall(kept)))
        end}
      """)
    try home.enable("files")
    let lines = try home.run(
      [],
      input: """
        words-of \(secret)
        plain \(secret)
        rd \(secret)
        wr \(target)
        opt --from \(secret)
        opt --from=\(secret)
        rd \(home.path)
        trick
        again \(secret)
        again

        """
    ).lines.map { $0.filter { $0 != "\"" } }
    #expect(
      lines.prefix(9) == ["- -", "- -", "read -", "- written", "read -", "read -", "- -", "- -", "S"], "\(lines)")
    #expect(lines.last?.contains("not granted") == true, "\(lines)")
    #expect(text(of: secret) == "S\nT\nU\n")
  }

  @Test(arguments: [("", "deck create"), (#", "commands.read""#, "deck create Secret")])
  func `a plugin that observes commands sees names only, and whole lines where that was granted`(
    more: String, heard: String
  ) throws {
    try home.plugin(
      "spy", permissions: "[\"shell\"\(more)]", manifest: #""load": "startup""#,
      #"shell.on("command", function(...) print("heard", ...) end)"#)
    try home.enable("spy")
    let lines = try home.run([], input: "alias mk \"deck create\"\nmk Secret\n").lines
    let last = more.isEmpty ? heard : "mk Secret"
    #expect(lines.last == "heard\t\(last)", "\(lines)")
    #expect(try home.run("set", "serve.key", "hunter2").lines.last == "heard\tset")
    #expect(
      try home.run("-e", "shell.on('command', print)", "deck", "show", "Secret").lines.contains("deck show Secret"))
  }

  @Test func `enabling a plugin asks from the manifest on disk, escaped, and grants exactly that`() throws {
    try home.plugin("fresh", permissions: #"["words"]"#, manifest: #""author": "A""#, "")
    let terminal = try home.terminal()
    terminal.wait(for: "> ")
    // The shell has read the manifest; another one replaces it.
    try home.plugin(
      "fresh", permissions: #"["decks.write", "files.read:/tmp/a"]"#,
      manifest: #""author": "GNU\n  - read nothing\u202e\u001b[1A""#, "")
    terminal.type("plugin enable fresh\r")
    let asked = terminal.wait(for: "[y/N] ")
    #expect(asked.contains("fresh 1.0.0 by GNU\\n  - read nothing\\u{202E}\\x1B[1A wants to:"), "\(asked)")
    #expect(asked.contains("  - change decks") && asked.contains("read files in /tmp/a"), "\(asked)")
    #expect(!asked.contains("\u{1B}[1A wants"))
    // And it is replaced once more while the question is open.
    try home.plugin("fresh", permissions: #"["shell.run"]"#, manifest: #""load": "startup""#, "print('OWNED')")
    terminal.type("y\r")
    let answer = terminal.wait(for: "asks again")
    #expect(answer.contains("its plugin.json changed after the question"), "\(answer)")
    terminal.type("plugin info fresh --json\r")
    #expect(terminal.wait(for: "\"granted\": []").contains("\"state\": \"off\""))
    terminal.type("plugin enable fresh\r", showing: "run any command")
    terminal.type("y\r", showing: "OWNED", "> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
  }

  @Test func `nothing from a plugin reaches the terminal as an escape sequence`() throws {
    let bad = #"E\27[2J\194\155\226\128\174E"#
    try home.plugin(
      "esc", permissions: #"["shell", "games", "settings"]"#,
      manifest: #""commands": ["esc"], "modes": ["escmode"], "summary": "S\u001b[2J""#,
      """
      local bad = "\(bad)"
      assert(games.mode{name = "escmode", title = bad, summary = bad, rules = {}, show = function() return bad end,
        hint = function() return bad end,
        accept = function(_, word) return word ~= "ate" or nil, {code = "no", title = bad, message = bad} end})
      settings.value("esc.own", {title = bad, help = bad, default = bad})
      shell.command{name = "esc", summary = bad, details = bad, usage = bad, example = bad,
        arguments = {{name = "[WORD]", help = bad}, {name = "--x", value = bad, help = bad}},
        complete = function() return {bad} end,
        run = function(args)
          shell.print(bad) shell.print{bad = bad} print(bad)
          shell.table({{bad, 1}, {bad, 2}}, {bad, "\\27]0;x\\7"})
          shell.chart({1, 2}, {title = bad}) shell.chart{[bad] = 1}
          shell.progress(bad, 10):step(1)
          pcall(shell.ask, bad) pcall(shell.confirm, bad)
          print(pcall(shell.command, {name = bad, run = print}))
          print(pcall(error, bad))
          error(bad)
        end}
      """)
    try home.enable("esc")
    #expect(makeFolder(home.path + "/data/plugins/x\u{1B}[2Jy"))
    let lines = [
      "esc", "help esc", "esc --help", "help", "plugin list", "plugin info esc", "play --list", "set", "set esc.own",
      "set --why esc.own", "esc --json", "plugin list --json", "esc \t", "esc a b c",
    ]
    for input in lines {
      let run = try home.run([], input: input + "\n\n\n")
      let all = run.output + run.errors
      #expect(!all.contains("\u{1B}") && !all.contains("\u{9B}") && !all.contains("\u{202E}"), "\(input): \(all)")
    }
    for json in [["--json"], []] {
      let run = try home.run(["play", "escmode", "--base", "teacher"] + json, input: "tea\nate\n/hint\n/list\n/quit\n")
      let all = run.output + run.errors
      #expect(!all.contains("\u{1B}") && !all.contains("\u{9B}"), "\(all)")
    }
    let terminal = try home.terminal("play", "escmode", "--base", "teacher")
    var seen = terminal.wait(for: "> ")
    terminal.type("tea\r")
    seen += terminal.wait(for: "> ")
    #expect(terminal.ended(after: "/quit\r") == 0)
    #expect(!seen.contains("\u{1B}[2J") && !seen.contains("\u{9B}"), "\(seen)")
  }

  @Test(arguments: ["exiting", "finalizer", "kept"])
  func `what a failed script runs at its end is rolled back too`(way: String) throws {
    let late =
      switch way {
      case "exiting": #"shell.on("exiting", function() decks.create("Late") end)"#
      case "finalizer": #"setmetatable({}, {__gc = function() decks.create("Late") end})"#
      default: #"kept = setmetatable({}, {__gc = function() decks.create("Late") end})"#
      }
    let script = try home.write(late + " decks.create('Early') if arg[1] then error('x') end", to: "late.lua")
    #expect(try home.run("run", script, "fail").status == 1)
    #expect(try home.lua(late + " error('x')").status == 1)
    #expect(try home.run("-e", late + " error('x')", "deck", "list").status == 1)
    #expect(try home.run("--dry-run", "run", script).status == 0)
    #expect(try home.run("--dry-run", "-e", late).status == 0)
    #expect(try home.run("deck", "list").output.contains("Late") == false)
    #expect(try home.run("run", script).status == 0)
    let list = try home.run("deck", "list").output
    // Code that runs when the Lua state itself closes has no data any more.
    #expect(list.contains("Early") && list.contains("Late") == (way != "kept"), "\(list)")
  }

  @Test func `a plugin that observes the end of a failed script changes nothing either`() throws {
    try home.plugin(
      "late", permissions: #"["shell", "decks.write"]"#, manifest: #""events": ["exiting"]"#,
      #"shell.on("exiting", function() decks.create("Late") end)"#)
    try home.enable("late")
    // The plugin already observed the end of the command that enabled it.
    try home.run("--no-plugins", "deck", "remove", "Late")
    #expect(try home.lua("error('x')").status == 1)
    #expect(try home.run("--dry-run", "-e", "x = 1").status == 0)
    #expect(!(try home.run("--no-plugins", "deck", "list").output.contains("Late")))
  }
}
