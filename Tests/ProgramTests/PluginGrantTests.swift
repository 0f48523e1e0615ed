// Plugins through the built program. What a plugin was granted, and what is kept from it.

import Glibc
import TestSupport

@Suite struct PluginGrantTests {
  private let home = Home()

  @Test func `a new version that wants more permissions asks again, one that does not is enabled`() throws {
    try home.plugin("grows", permissions: #"["shell"]"#, manifest: #""commands": ["grow"]"#, grow)
    try home.enable("grows")
    #expect(try home.run("grow").status == 0)
    try home.plugin("grows", permissions: #"["shell"]"#, manifest: #""commands": ["grow"]"#, version: "1.1", grow)
    #expect(try home.run("grow").status == 0)
    try home.plugin(
      "grows", permissions: #"["shell", "decks.read"]"#, manifest: #""commands": ["grow"]"#, version: "2.0", grow)
    try home.run("grow").fails("the plugin grows has it, but asks for more than it was granted", status: 2)
    #expect(try home.run("plugin", "list").output.contains("asks for more than granted: decks.read"))
    try home.run("plugin", "enable", "grows").fails("asks for shell, decks.read")
  }

  @Test func `what a plugin may no longer do at a sign-out is not reported as its error`() throws {
    try home.plugin(
      "waves", permissions: #"["shell"]"#, manifest: #""load": "startup""#,
      #"shell.on("authentication_changed", function(needs) print("needs", needs) shell.print("bye") end)"#)
    try home.enable("waves")
    let ana = try home.write("the password of ana\n", to: "ana")
    #expect(try home.run("account", "add", "ana", "--new-password-file", ana).status == 0)
    let run = try home.run(["--user", "ana", "--password-file", ana, "-i", "-e", ""], input: "logout\n")
    #expect(run.output.contains("needs\ttrue") && !run.errors.contains("waves"), "\(run)")
  }

  @Test func `the use of a module that plugin.json does not ask for is reported with its permission`() throws {
    try home.plugin(
      "needy", permissions: #"["shell"]"#, manifest: #""commands": ["need"]"#,
      "shell.command{name='need', run=function() return words.lemma('x') end}")
    _ = try home.write("test('it', function() words.lemma('x') end)", to: "data/plugins/needy/test.lua")
    try home.plugin("early", manifest: #""load": "startup""#, "decks.list()")
    try home.enable("needy")
    let advice = "(global 'words'); plugin.json needs the permission words"
    #expect(try home.run("need").errors.contains(advice))
    #expect(try home.run("plugin", "test", "needy").output.contains(advice))
    #expect(
      try home.run("plugin", "enable", "early", "--grant").errors.contains(
        "(global 'decks'); plugin.json needs the permission decks.read or decks.write"))
  }

  @Test(arguments: [
    ("auth.user", "auth", "; a plugin has no auth; it can listen to the event authentication_changed"),
    ("io.open('x')", "io", "; a plugin has no io; files reads and writes the paths that it was granted"),
    ("dofile('x.lua')", "dofile", "; a plugin has no dofile; require loads the files of its folder"),
  ])
  func `the use of what no plugin has is reported with what it has instead`(
    code: String, name: String, advice: String
  ) throws {
    try home.plugin("eager", manifest: #""load": "startup""#, "local x = " + code)
    let run = try home.run("plugin", "enable", "eager", "--grant")
    #expect(run.errors.contains("a nil value (global '\(name)')" + advice), "\(run)")
  }

  private let grow = #"shell.command{name="grow", run=function() return "grown" end}"#

  @Test func `one account's grants do not count for another, nor before a sign-in`() throws {
    try home.plugin("grows", permissions: #"["shell"]"#, manifest: #""commands": ["grow"]"#, grow)
    try home.enable("grows")
    let ana = try home.write("the password of ana\n", to: "ana")
    let bob = try home.write("the password of bob\n", to: "bob")
    let asAna = ["--user", "ana", "--password-file", ana]
    let asBob = ["--user", "bob", "--password-file", bob]
    #expect(try home.run("account", "add", "ana", "--new-password-file", ana).status == 0)
    #expect(try home.run(asAna + ["account", "add", "bob", "--new-password-file", bob]).status == 0)
    // The first account has taken over the grants from before there was one.
    #expect(try home.run(asAna + ["grow"]).output == "grown\n")
    #expect(try home.run(asBob + ["grow"]).status == 2)
    #expect(try home.run(asBob + ["plugin", "disable", "hangman"]).status == 0)
    let list = try home.run(asBob + ["plugin", "list"]).lines
    #expect(list.contains { $0.hasPrefix("grows") && $0.contains(" off ") }, "\(list)")
    #expect(try home.run(asAna + ["play", "--list"]).output.contains("hangman"))
    #expect(try !home.run(asBob + ["play", "--list"]).output.contains("hangman"))
    // Within one shell too: who signs in next has only their own grants, and sees no failure of the previous user.
    try home.plugin("fails", permissions: #"["shell"]"#, manifest: #""commands": ["fail"]"#, "error('for ana')")
    #expect(try home.run(asAna + ["plugin", "enable", "fails", "--grant"]).status == 0)
    let next = try home.run(
      asAna + ["-i", "-e", ""], input: "fail\nlogout\nlogin bob --password-file \(bob)\nplugin info fails\n")
    #expect(next.errors.contains("for ana") && next.output.contains("off"), "\(next)")
    #expect(!next.output.contains("for ana") && !next.output.contains("failed"), "\(next)")
    let shell = try home.run(asAna + ["-i", "-e", ""], input: "grow\nlogout\nlogin bob --password-file \(bob)\ngrow\n")
    #expect(shell.output.hasPrefix("grown\n") && !shell.output.dropFirst(6).contains("grown"), "\(shell)")
  }

  @Test func `unreadable grants grant nothing, and the doctor reports them`() throws {
    try home.plugin("grows", permissions: #"["shell"]"#, manifest: #""commands": ["grow"]"#, grow)
    try home.enable("grows")
    for (text, words) in [
      ("{", "grants.json:1:2"), ("[]", "an object is expected"), (#"{"grows": 7}"#, "is invalid"),
      (#"{"grows": {"enabled": true, "granted": ["shell", "everything"]}}"#, "is not a permission"),
    ] {
      _ = try home.write(text, to: "data/local/grants.json")
      chmod(home.path + "/data/local/grants.json", 0o600)
      let found = try home.run("doctor")
      #expect(found.status == 1 && found.output.contains(words) && found.output.contains("plugins: "), "\(found)")
      #expect(try home.run("grow").status == (text.contains("everything") ? 0 : 2), "\(text)")
    }
  }

  @Test func `a plugin sets no limits, and what a script of its adds runs with its rights`() throws {
    let script = try home.write(
      """
      shell.command{name = "st", summary = "x", run = function()
        for _, line in ipairs{"plugin enable other --grant --no-isolate", "plugin limit free --memory 4096"} do
          print("st", select(2, shell.run(line)).code)
        end
      end}
      print(pcall(shell.on, "command", print))
      print(pcall(settings.on_change, "", print))
      """, to: "st.lua")
    try home.plugin("other", permissions: #"["words"]"#, "")
    try home.plugin(
      "free", permissions: #"["shell", "shell.run"]"#, manifest: #""commands": ["try"]"#,
      """
      shell.command{name = "try", summary = "x", run = function()
        for _, line in ipairs{"plugin limit free --memory 4096", "plugin limit other --seconds 3600"} do
          print(select(2, shell.run(line)).code)
        end
        print(shell.run("plugin limit free").memory)
        shell.run("run \(script)")
      end}
      """)
    try home.enable("free")
    let run = try home.run([], input: "try\nst\nplugin limit free\nplugin info other\n")
    #expect(
      run.lines.prefix(8) == [
        "not_granted", "not_granted", "64", "false\ta script that a plugin runs may not listen; the plugin itself may",
        "false\ta script that a plugin runs may not listen; the plugin itself may", "st\tnot_granted",
        "st\tnot_granted", "free: each call may use 2 s and 64 MiB.",
      ], "\(run)")
    #expect(run.lines.contains { $0.hasPrefix("state") && $0.hasSuffix("off") }, "\(run)")
    #expect(try home.run("plugin", "limit", "free", "--memory", "80").output.contains("80 MiB"))
  }

  @Test func `a question of a plugin names the plugin, on the line on which the user types`() throws {
    let long = String(repeating: "word ", count: 30)
    try home.plugin(
      "sly", permissions: #"["shell"]"#, manifest: #""commands": ["pose"]"#,
      """
      shell.command{name = "pose", summary = "x", run = function()
        shell.ask("Password for ana: ")
        shell.ask("\(long)Password for ana: ")
        return shell.confirm("Enable it?") and "yes" or "no"
      end}
      """)
    try home.enable("sly")
    let terminal = try home.terminal("--no-init")
    terminal.type("pose\r", after: "> ", showing: "(plugin sly) Password for ana: ")
    terminal.type("a\r", showing: "(plugin sly) ")
    #expect(!terminal.output.contains("\nPassword for ana: ") && !terminal.output.contains("\rPassword for ana: "))
    terminal.type("b\r", showing: "(plugin sly) Enable it? [y/N] ")
    terminal.type("y\r", showing: "yes")
  }

  @Test func `an installed plugin inherits nothing from the bundled one of its name`() throws {
    #expect(try home.run("plugin", "enable", "palindromes").status == 0)
    try home.plugin("palindromes", permissions: #"["games"]"#, manifest: #""modes": ["palindromes"]"#, "print('ran')")
    let run = try home.run("plugin", "list")
    #expect(run.errors.contains("palindromes: your plugin replaces the bundled one"))
    #expect(run.lines.contains { $0.hasPrefix("palindromes") && $0.contains(" off ") })
  }

  @Test func `a plugin that fails at start-up is reported in one line, and the rest goes on`() throws {
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
    let run = try home.lua("print(1)")
    #expect(run.output == "1\n" && run.status == 0)
    #expect(run.errors.split(separator: "\n").count == codes.count)
    #expect(run.errors.contains("plugin breaks: init.lua:1: attempt to call a nil value (global 'deks')\n"))
    #expect(run.errors.contains("plugin loops: stopped after 0.2 s while it was loaded (init.lua:1);"))
  }

  @Test func `a plugin loaded at start-up is not loaded for a command that only shows decks`() throws {
    try home.plugin("early", manifest: #""load": "startup""#, "print('loaded')")
    try home.enable("early")
    for words in [["version"], ["deck", "list"], ["card", "list", "--json"]] {
      #expect(!(try home.run(words).output.contains("loaded")), "\(words)")
    }
    for words in [["deck", "create", "D"], ["-e", ""], ["set"]] {
      #expect(try home.run(words).output.contains("loaded"), "\(words)")
    }
    #expect(try home.run(["-i", "deck", "list"], input: "").output.contains("loaded"))
  }

  @Test func `a granted folder is neither the user's home nor standard input, whatever a path looks like`() throws {
    _ = makeFolder(home.path + "/granted")
    _ = try home.write("prompt,answer\nsecret,x\n", to: "secret.csv")
    try home.plugin(
      "reader", permissions: #"["shell", "decks.write", "texts", "files.read:\#(home.path)/granted"]"#,
      manifest: #""commands": ["peek"]"#,
      """
      shell.command{name = "peek", run = function()
        local deck = decks.create("d")
        local _, diff = deck:diff("~/secret.csv")
        local _, text = texts.open("-")
        return {diff = diff and diff.code or "read", text = text and text.code or "read"}
      end}
      """)
    try home.enable("reader")
    let result = try home.sh("cd \(home.path)/granted && exec \"$@\"", ["--json", "peek"], input: "a secret")
    #expect(result.output == #"{"diff": "not_granted", "text": "not_granted"}"# + "\n", "\(result)")
  }

  @Test func `a plugin reaches a folder in the user's home by the path that it was granted`() throws {
    _ = try home.write("gato,cat\n", to: "lists/a.csv")
    try home.plugin(
      "lister", permissions: #"["shell", "decks.write", "files.read:~/lists", "files.write:~/lists"]"#,
      manifest: #""commands": ["list"]"#,
      """
      shell.command{name = "list", arguments = {{name = "FILE", kind = "file", access = "read"}}, run = function(args)
        assert(files.write("~/lists/b.txt", "b"))
        local added = assert(decks.create("d"):import("~/lists/a.csv", {no_header = true})).added
        local _, problem = files.read("~/data/local/grants.json")
        return {files.read("~/lists/b.txt"), added, problem.code, files.read(args.file)}
      end}
      """)
    try home.enable("lister")
    _ = try home.write("typed", to: "c.txt")
    #expect(try home.run("list", "~/c.txt", "--json").lines == ["\"b\"", "1", "\"not_granted\"", "\"typed\""])
  }

  @Test func `with shell.run neither an alias nor a script grants anything or changes a guarded setting`() throws {
    try home.plugin("other", permissions: #"["words"]"#, "")
    let script = try home.write(
      "print(settings.set('auth.idle_minutes', 3), shell.run('plugin enable other --grant'))", to: "script.lua")
    let commands = try home.write("plugin remove other\n", to: "commands.dh")
    try home.plugin(
      "free", permissions: #"["shell", "shell.run"]"#, manifest: #""load": "startup""#,
      """
      shell.alias("first", "set auth.idle_minutes 3")
      shell.alias("second", "plugin enable other")
      shell.alias("third", "plugin enable free --no-isolate")
      shell.run("alias fourth 'set auth.idle_minutes 3'")
      shell.command{name = "fifth", summary = "x", run = function() shell.run("run \(script)") end}
      shell.command{name = "sixth", summary = "x", run = function() shell.run("run \(commands)") end}
      shell.command{name = "seventh", summary = "x", run = function()
        for _, line in ipairs{"set auth.idle_minutes 3", "set --reset auth.idle_minutes", "plugin enable other --grant"} do
          print(select(2, shell.run(line)).code)
        end
        print(shell.run("set game.length 9") ~= nil)
      end}
      """)
    try home.enable("free")
    let run = try home.run([], input: "first\nsecond --grant\nthird\nfourth\nfifth\nsixth\nseventh\n")
    #expect(run.lines.suffix(4) == ["not_granted", "not_granted", "not_granted", "true"], "\(run)")
    #expect(try home.lua("print(select(2, plugins.enable('other')))").output.contains("other asks for words"))
    let state = "print(settings.get('auth.idle_minutes'), plugins.info('other').state, plugins.info('free').isolated)"
    #expect(try home.lua(state).lines.last == "15\toff\ttrue", "\(run)")
  }
}
