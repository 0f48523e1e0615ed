// Hostile plugins: each tries to do more than it was granted, and must not.

import Testing

@Suite struct AuthorityTests {
  // MARK: Names

  @Test func `a plugin called "you" neither takes the person's command nor their alias away`() throws {
    let home = try Home()
    try home.plugin(
      "you", permissions: #"["shell"]"#, manifest: #""commands": ["take"]"#,
      """
      shell.command{name = "take", summary = "x", run = function()
        print(pcall(shell.command, {name = "mine", summary = "x", run = function() return "theirs" end}))
        print(pcall(shell.alias, "short", "take"))
      end}
      """)
    try home.enable("you")
    let code = """
      shell.command{name = "mine", summary = "x", run = function() return "mine" end}
      shell.alias("short", "mine")
      shell.run("take")
      plugins.reload("you")
      plugins.disable("you")
      print(shell.run("mine"), shell.run("short"))
      """
    let result = try home.run("-e", code)
    #expect(result.lines.last == "mine\tmine", "\(result)")
    #expect(result.lines.count == 3 && result.lines.dropLast().allSatisfy { $0.hasPrefix("false\t") }, "\(result)")
  }

  // MARK: Aliases

  @Test func `an alias of a plugin reaches only what the plugin may run, and takes no name that is used`() throws {
    let home = try Home()
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
    let lines = try home.run([], input: "exit\nfine\nlater\nothers\nalias\nhelp fine\nplugin disable sly\nfine\n").lines
    for name in ["exit", "quit", "deck", "print", "decks", "lua", "end", "go"] {
      #expect(lines.contains { $0.hasPrefix("\(name)\tfalse") }, "\(name): \(lines)")
    }
    #expect(lines.contains("fine\ttrue\t") && lines.contains("\"hello\"") || lines.contains("hello"), "\(lines)")
    #expect(lines.contains { $0.hasPrefix("false") && $0.contains("\"sly\" has one of that name") }, "\(lines)")
    #expect(lines.contains("No aliases."))
    #expect(lines.contains { $0.contains("Added by the plugin \"sly\".") })
    #expect(!lines.contains { $0.contains("OWNED") })
  }

  @Test(arguments: ["run PAYLOAD", "mine", "hers", "deck create Theirs", "go2", "others"])
  func `an alias set before what it stands for is checked when it is used`(text: String) throws {
    let home = try Home()
    let payload = try home.write("print('OWNED')", to: "payload.lua")
    // Nothing of the name is there when the alias is set: the person adds it afterwards.
    try home.plugin(
      "sly", permissions: #"["shell"]"#, manifest: #""load": "startup""#,
      """
      pcall(shell.alias, "go", "\(text.replacing("PAYLOAD", with: payload))")
      pcall(shell.alias, "go2", "mine")
      """)
    try home.plugin(
      "other", permissions: #"["shell"]"#, manifest: #""commands": ["others"]"#,
      #"shell.command{name = "others", summary = "x", run = function() print("OWNED") end}"#)
    try home.enable("sly", "other")
    let run = try home.run(
      "-e",
      """
      shell.command{name = "mine", summary = "x", run = function() print("OWNED") end}
      shell.alias("hers", "run \(payload)")
      print(shell.run("go"))
      """)
    #expect(!run.output.contains("OWNED"), "\(run)")
    #expect(!(try home.run("deck", "list").output.contains("Theirs")))
  }

  @Test func `with shell.run an alias does what the person may do, but no account's command`() throws {
    let home = try Home()
    try home.plugin(
      "free", permissions: #"["shell", "shell.run"]"#, manifest: #""load": "startup""#,
      #"shell.alias("mk", "deck create") print(pcall(shell.alias, "pw", "passwd"))"#)
    try home.enable("free")
    let lines = try home.run([], input: "mk Spanish\npw\n").lines
    #expect(lines.contains("Created deck \"Spanish\"."), "\(lines)")
    #expect(lines.contains { $0.hasPrefix("false") && $0.contains("may not run") })
  }

  // MARK: Files

  @Test func `only an argument declared as a file grants it, for that access and that call`() throws {
    let home = try Home()
    let (secret, target) = (try home.write("S\nT\nU\n", to: "secret"), home.path + "/target")
    try home.plugin(
      "files", permissions: #"["shell"]"#, manifest: #""commands": ["text", "plain", "rd", "wr", "again", "opt"]"#,
      """
      local kept
      local function try(path)
        return (files.read(path) and "read" or "-") .. " " .. (files.write(path, "X") and "written" or "-")
      end
      local function add(name, argument)
        shell.command{name = name, summary = "x", arguments = {argument}, run = function(args) return try(args[1] or args.from) end}
      end
      add("text", "WORD")
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
        text \(secret)
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
    #expect(ProgramTestFiles.text(secret) == "S\nT\nU\n")
  }

  // MARK: Settings

  @Test func `a plugin changes its own settings and those granted by name, never those of auth`() throws {
    let home = try Home()
    try home.plugin(
      "sets", permissions: #"["shell", "settings", "settings.write:game"]"#, manifest: #""commands": ["try"]"#,
      """
      local function tell(name, ok, problem)
        print(name, ok, type(problem) == "table" and problem.code or tostring(problem):match("code[^ ]*") or problem)
      end
      shell.command{name = "try", summary = "x", run = function()
        local own = settings.switches("sets.all", {children = {"a", "b"}})
        tell("own set", settings.set("sets.all.a", true))
        tell("own update", settings.update{["sets.all.b"] = true})
        own.value = false
        own:toggle("a")
        tell("own reset", settings.reset("sets"))
        tell("granted", settings.set("game.length", 7))
        tell("granted group", settings.reset("game"))
        tell("sound", settings.set("sound", true))
        tell("sound.right", settings.set("sound.right", true))
        tell("reset sound", settings.reset("sound"))
        tell("reset display", settings.reset("display"))
        tell("mixed", settings.update{["sets.all.a"] = true, ["sound.right"] = true})
        tell("auth", settings.set("auth.idle_minutes", 0))
        tell("auth update", settings.update{["auth.idle_minutes"] = 0})
        tell("auth reset", settings.reset("auth"))
        tell("auth own", pcall(settings.value, "auth.mine", {default = 1}))
        print(settings.get("sets.all.a"), settings.get("auth.idle_minutes"), settings.get("sound.right"))
      end}
      """)
    try home.enable("sets")
    let lines = try home.run("try").lines
    let allowed = ["own set", "own update", "own reset", "granted", "granted group"]
    for name in allowed { #expect(lines.contains("\(name)\ttrue\tnil"), "\(name): \(lines)") }
    let refused = [
      "sound", "sound.right", "reset sound", "reset display", "mixed", "auth", "auth update", "auth reset",
    ]
    for name in refused { #expect(lines.contains("\(name)\tnil\tnot_granted"), "\(name): \(lines)") }
    #expect(lines.contains { $0.hasPrefix("auth own\tfalse") })
    #expect(lines.last == "false\t15\tfalse", "\(lines)")
  }

  @Test(arguments: ["settings.write:", "settings.write:auth", "settings.write:auth.idle_minutes", "settings.write:A b"])
  func `a permission for settings names settings, and none that guard the account`(permission: String) throws {
    let home = try Home()
    try home.plugin("sets", permissions: "[\"\(permission)\"]", "")
    let run = try home.run("plugin", "enable", "sets", "--grant")
    #expect(run.status == 1 && run.errors.contains("is none"), "\(run)")
  }

  // MARK: Events

  @Test(arguments: [("", "deck create"), (#", "commands.read""#, "deck create Secret")])
  func `the event command tells a plugin names only, whole lines where that was granted`(
    more: String, heard: String
  ) throws {
    let home = try Home()
    try home.plugin(
      "spy", permissions: "[\"shell\"\(more)]", manifest: #""load": "startup""#,
      #"shell.on("command", function(...) print("heard", ...) end)"#)
    try home.enable("spy")
    let lines = try home.run([], input: "alias mk \"deck create\"\nmk Secret\n").lines
    let last = more.isEmpty ? heard : "mk Secret"
    #expect(lines.last == "heard\t\(last)", "\(lines)")
    #expect(
      try home.run("-e", "shell.on('command', print)", "deck", "show", "Secret").lines.contains("deck show Secret"))
  }
}
