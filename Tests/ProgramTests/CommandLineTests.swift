// The command line contract: what runs, what is printed where, and the exit status.

import Glibc
import TestSupport

/// Runs a program from which a line of the shell has hidden something by mounts.
private func hiding(_ line: String, _ words: [String], environment: [String]) throws -> Run {
  let hide = ["/usr/bin/unshare", "-rm", "/bin/sh", "-ec", line + "; exec \"$@\"", "sh"]
  return try Child(hide + words, environment: environment).finish(input: "")
}

private let proc = "mount -t tmpfs none /proc"

private let canHide: Bool = {
  do { return try hiding(proc, ["/bin/true"], environment: []).status == 0 } catch { return false }
}()

@Suite struct CommandLineTests {
  private let home = Home()

  @Test func `a file never becomes a standard stream that was closed`() throws {
    let code = #"local f = io.open("\#(home.path)/f", "w") io.stderr:write("no") f:write("yes") f:close() print(1)"#
    try home.sh("exec \"$@\" 2>&-", ["-e", code]).prints("1\n")
    #expect(text(of: home.path + "/f") == "yes")
    #expect(try home.sh("exec \"$@\" <&-", ["run", "-"]).status == 1)
  }

  @Test func `options of the program may follow a command`() throws {
    let games = try ["--seed", "3"].map { _ in
      try home.run("play", "--language", "english", "--seed", "3", "--no-plugins").output
    }
    #expect(games[0] == games[1] && games[0].contains("letter word"), "\(games)")
    try home.run("deck", "create", "D", "--dry-run").succeeds()
    #expect(try home.run("deck", "list", "--json").output.isEmpty)
    #expect(try home.run("deck", "create", "--", "--dry-run").status == 0)
    #expect(try home.run("deck", "list").output.contains("--dry-run"))
    try home.run("deck", "list", "--seed", "x").fails("--seed: a whole number expected", status: 2)
    try home.run("deck", "create", "Vocab")
    #expect(try home.run("card", "list", "vocab").output.contains("`card list deck:Vocab` lists the deck's cards"))
  }

  @Test(arguments: [
    (["text", "known", "--column", "word=A"], "--column needs --import, which was not given"),
    (["text", "known", "--ignore"], "--ignore needs WORD or --import, which was not given"),
    (["text", "known", "--forget", "--language", "dutch"], "--forget needs WORD or --import, which was not given"),
    (["word", "dictionaries", "list", "more"], "\"more\" is one argument too many; usage: word dictionaries list"),
    (["sync", "status", "http://localhost"], "\"http://localhost\" is one argument too many; usage: sync status"),
  ])
  func `what would have no effect is refused`(words: [String], says: String) throws {
    try Home().run(words).fails(says, status: 2)
  }

  @Test func `a data folder that others can write to is reported at each start`() throws {
    try home.run("deck", "create", "Spanish")
    let folder = home.path + "/data"
    for (path, mode) in [(folder, mode_t(0o770)), (folder + "/local", 0o707)] {
      chmod(path, mode)
      let run = try home.run("deck", "list").succeeds("Spanish")
      #expect(run.errors.contains("warning: others may write to \"\(path)\""), "\(run)")
      chmod(path, 0o700)
    }
    #expect(try home.run("deck", "list").errors.isEmpty)
  }

  @Test func `an argument that is not UTF-8 is named, and nothing is done`() throws {
    let words = home.words(["deck", "create"]).map { "'\($0)'" }.joined(separator: " ")
    let run = try Child(["/bin/bash", "-c", "\(words) $'caf\\xe9'"], environment: home.environment).finish(input: "")
    #expect(run.status == 2 && run.errors.contains("is not UTF-8 at byte 4") && run.errors.contains("caf"), "\(run)")
    #expect(try home.run("deck", "list", "--json").output.isEmpty)
  }

  @Test func `input that cannot be read ends the prompt, and a line that is not UTF-8 is a failed line`() throws {
    let unreadable = try home.sh(#"{ "$@" < / 2>&1; echo "status $?"; } | head -c 1000"#)
    #expect(unreadable.output == "error: the input cannot be read: is a directory\nstatus 1\n", "\(unreadable)")
    let bad = try home.sh(#"printf 'deck create One\n\377\n' | "$@""#)
    #expect(bad.status == 1 && bad.output.contains("One") && bad.errors.contains("not UTF-8 at byte 1"), "\(bad)")
  }

  @Test(.enabled(if: canHide, "no mount namespace can be made here"))
  func `without /proc the arguments arrive all the same`() throws {
    func run(_ words: String...) throws -> Run {
      try hiding(proc, home.words(words), environment: home.environment)
    }
    #expect(try run("deck", "create", "Spanish").status == 0)
    #expect(try run("deck", "list").output.contains("Spanish"))
    #expect(try run("nonsense").status == 2)
    #expect(try run("play", "--list").output.contains("hangman"))
  }

  @Test(.enabled(if: canHide, "no mount namespace can be made here"))
  func `without libzip what needs it is refused, and what does not need it runs`() throws {
    let picture = try home.write(
      contents(of: sourceRoot() + "/Tests/CardDocumentsTests/Fixtures/pictures/quarter.png") ?? [], to: "a.png")
    try home.run("deck", "create", "D")
    try home.run("media", "add", picture)
    try home.run("card", "add", "D", "<img src=\"a.png\">", "a")
    let other = try home.write("prompt,answer\nb,c\n", to: "other.csv")
    let package = home.path + "/d.apkg"
    try home.run("deck", "export", "D", package)
    let hide = "for file in /usr/lib/*/libzip.so.*; do mount --bind /dev/null $file; done"
    func run(_ words: String...) throws -> Run { try hiding(hide, home.words(words), environment: home.environment) }
    for words in [["deck", "export", "D", home.path + "/e.apkg"], ["deck", "import", "E", package]] {
      try hiding(hide, home.words(words), environment: home.environment).fails("install Debian's libzip4 or libzip5")
    }
    let compared = try run("deck", "diff", "D", other)
    #expect(compared.status <= 1 && compared.errors.isEmpty, "\(compared)")
  }

  @Test func `removing an alias requires that it exists, and callable values are called like functions`() throws {
    #expect(try home.run([], input: "alias sp \"deck list\"\nalias sp\nalias\n").lines.contains("No aliases."))
    #expect(try home.lua("print(assert(shell.run('alias dl \"deck list\"')).text)").output == "deck list\n")
    try home.run("alias", "nosuch").fails("nosuch")
    // A line with only that word shows the variable of that name; this is reported when the alias is set or listed.
    let hidden = "a Lua variable too: a line with only sp shows the variable"
    for lines in ["sp = 5\nalias sp \"deck list\"\n", "alias sp \"deck list\"\nsp = 5\nalias\n"] {
      #expect(try home.run([], input: lines).errors.contains(hidden))
    }
    #expect(try home.lua("sp = 5 shell.alias('sp', 'deck list')").errors.contains(hidden))
    #expect(try !home.run("alias", "sp", "deck list").errors.contains("variable"))
    #expect(try home.run("alias", "lua", "deck list").status == 1)
    let empty = "alias: TEXT must be a command and its words, not \" \""
    #expect(try home.lua("shell.alias('sp', ' ')").errors.contains(empty))
    let code = """
      local function takes(f) return (pcall(shell.on, 'command', f)) end
      print(takes(setmetatable({}, {__call = function() end})), takes({}), takes(print))
      local many = {} for i = 1, 10001 do many[i] = i end
      print(select(2, pcall(shell.chart, many)))
      local d = decks.create('D') local tags = {} for i = 1, 1000 do tags[i] = 't' .. i end
      print(d:add{prompt = 'a', answer = 'b', tags = tags} ~= nil) tags[1001] = 'x'
      print(select(2, d:add{prompt = 'b', answer = 'b', tags = tags}))
      """
    let lines = try home.lua(code).lines
    #expect(lines.first == "true\tfalse\ttrue" && lines.count == 4, "\(lines)")
    #expect(lines[1].contains("10,000") && lines[2] == "true" && lines[3].contains("at most 1,000"), "\(lines)")
  }

  @Test func `a table wider than a line is printed as a block between braces`() throws {
    let code = "local t = {list = {1, 2, 3, 4, 5}} for i = 1, 14 do t[i] = ('x'):rep(20) end return {t, b = {t}}"
    let lines = try Home().run("-e", code).output.split(separator: "\n").map { $0.drop { $0 == " " } }
    #expect(lines.first?.hasSuffix("{") == true && lines.last == "}")
    #expect(lines.count { $0.hasSuffix("{") } == lines.count { $0 == "}" || $0 == "}," })
  }

  @Test func `version and help answer on standard output`() throws {
    #expect(try home.run("--version").lines.first == "Deckhand 0.1.0")
    try home.run("--help").succeeds("deckhand run FILE.lua")
  }

  @Test(arguments: [
    (["nosuch"], "no command is called \"nosuch\""), (["--nosuch"], "unknown option \"--nosuch\""),
    (["--jsn"], "(did you mean \"--json\"?)"), (["deck", "create"], "DECK"),
    (["deck", "lst"], "(did you mean \"list\"?)"), (["--seed", "x"], "--seed: a whole number expected"),
    (["--data"], "--data needs a value"), (["version", "--data"], "--data needs a value"),
    (["deck", "list", "--user"], "--user needs a value"), (["--color=pink"], "--color: auto, always or never expected"),
    (["run"], "FILE"), (["deck", "list", "extra"], "extra"),
  ])
  func `wrong usage exits with 2 and says what was wrong`(arguments: [String], message: String) throws {
    let run = try Home().run(arguments).fails(message, status: 2)
    #expect(run.output.isEmpty)
  }

  @Test func `scripts come from a file, standard input, -e and a shebang line`() throws {
    let path = try home.write("#!/usr/bin/env deckhand\nprint(arg[0], arg[1], arg[2], ...)", to: "script.lua")
    #expect(try home.run("run", path, "a b", "--json").output == "\(path)\ta b\t--json\ta b\t--json\n")
    #expect(try home.run(path, "x").output == "\(path)\tx\tnil\tx\n")
    let plain = try home.write("#!/usr/bin/env deckhand\nprint(#arg)", to: "script")
    #expect(try home.run(plain, "1", "2", "3").output == "3\n")
    #expect(try home.run("-", "y", input: "print(arg[0], arg[1])").output == "-\ty\n")
    #expect(try home.run("run", "-", input: "print(1)").output == "1\n")
    #expect(try home.run("-e", "x = 2", "-e", "print(x * 3)").output == "6\n")
    #expect(try home.run("-e", "x = 2", "-i", input: "x + 1\n").output == "3\n")
    let run = try home.sh("cd '\(home.path)' && \"$1\" script; \"$1\" ./script")
    #expect(run.output == "0\n" && run.errors.contains("no command is called \"script\""), "\(run)")
  }

  @Test(arguments: [
    ("error('boom')", 1, "-e:1: boom"), ("error('boom', 0)", 1, "boom"), ("error()", 1, "nil"), ("x = = 1", 1, "-e:1:"),
    ("assert(decks.open('x'))", 1, "no deck is called \"x\""), ("decks.open()", 1, "bad argument #1 to 'open'"),
    ("os.exit(3)", 3, ""), ("os.exit(true)", 0, ""), ("os.exit(false)", 1, ""), ("os.exit()", 0, ""),
    ("pcall(os.exit, 7)", 7, ""),
    ("error(setmetatable({}, {__tostring = function() error('no') end}))", 1, "error object"),
  ])
  func `a script ends with its status and names where it failed`(code: String, status: Int32, message: String) throws {
    try Home().run("-e", code).fails(message, status: status)
  }

  @Test func `os.exit in a listener is no error of the listener`() throws {
    let change = try home.lua(
      "settings.on_change('game', function() os.exit(4) end) settings.set('game.length', 7) print('on')")
    #expect(change.status == 4 && change.output.isEmpty && change.errors.isEmpty, "\(change)")
    let end = try home.lua("shell.on('exiting', function() os.exit(4) end)")
    #expect(end.status == 0 && end.errors.isEmpty, "\(end)")
  }

  @Test func `errors are JSON on standard error if requested`() throws {
    let run = try home.run("deck", "show", "nowhere", "--json")
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.errors.hasPrefix("{\"code\": \"not_found\", \"title\": "))
    #expect(try home.run("--json", "nosuch").errors.hasPrefix("{\"code\": \"unknown_command\""))
    #expect(try home.run("--json", "--nosuch").errors.hasPrefix("{\"code\": \"unknown_option\""))
    #expect(try home.run("deck", "list", "--seed", "x", "--json").errors.hasPrefix("{\"code\": \"bad_value\""))
    let file = try home.write("", to: "file")
    let unusable = try home.run("--json", "--data", file, "deck", "list")
    #expect(unusable.status == 1 && unusable.errors.hasPrefix("{\"code\": "), "\(unusable)")
    #expect(try home.run("deck", "show", "nowhere").errors == "deck show: no deck is called \"nowhere\"\n")
  }

  @Test func `a closed pipe ends the program quietly`() throws {
    let run = try home.sh("\"$@\" | head -1", ["-e", "for i = 1, 1e6 do print(i) end"])
    #expect(run.output == "1\n" && run.errors.isEmpty, "\(run)")
  }

  @Test func `a full output device is reported`() throws {
    for arguments in [["-e", "print(1)"], ["--version"], ["--help"]] {
      try home.sh("\"$@\" > /dev/full", arguments).fails("standard output could not be written")
    }
    try home.sh("\"$@\" > /dev/full", ["deck", "create", "D"]).fails("what it changed is saved")
    #expect(try home.run("deck", "list").output.contains("D"))
  }

  @Test func `a file beyond the limit of ulimit is reported`() throws {
    let code = "print(select(2, files.write('\(home.path)/a', ('x'):rep(100000))))"
    try home.sh("ulimit -f 100; exec \"$@\"", ["-e", code]).succeeds("could not be written: file too large")
  }

  @Test func `at the prompt a file that cannot be written is reported, and the line fails`() throws {
    try Home().run(input: "version > /dev/full\n").fails("/dev/full cannot be written: no space left on device")
  }

  @Test func `a script that cannot be read from standard input is reported`() throws {
    try home.sh("\"$@\" < /", ["run", "-"]).fails("could not be read: it is a folder")
  }

  @Test func `a failing script does not end a prompt, and a script with -i starts one`() throws {
    let bad = try home.write("error('x')", to: "bad.lua")
    try home.run(input: "run \(bad)\n1 + 1\n").prints("2\n")
    #expect(try home.run(input: "run \(bad)\n").status == 1)
    #expect(try home.run("-i", bad, input: "1 + 1\n").output == "2\n")
    #expect(try home.run("run", bad).status == 1)
    let inner = try home.run(input: "select(2, shell.run('run \(bad)')).code\n")
    #expect(inner.output == "\"script_failed\"\n", "\(inner)")
  }

  @Test(arguments: [
    ("error('x')\n", 1), ("x = = 1\n", 1), ("deck shw\n1 + 1\n", 0), ("error('x')\nversion\n", 0), ("for\n", 1),
  ])
  func `a prompt that reads a pipe ends with the status of its last line`(lines: String, status: Int32) throws {
    #expect(try Home().run(input: lines).status == status)
  }

  @Test func `seeds repeat, ids do not`() throws {
    let code = "print(words.lexicon('english'):random{length = 7}, games.new{}.base_word)"
    let first = try home.run("--seed", "7", "-e", code).output
    #expect(first == (try home.run("--seed", "7", "-e", code).output))
    #expect(first != (try home.run("--seed", "8", "-e", code).output))
    let guid = "local d = decks.create('D' .. os.clock()) print(d:add{prompt = 'a', answer = 'b'}.guid)"
    #expect(try home.run("--seed", "7", "-e", guid).output != home.run("--seed", "7", "-e", guid).output)
  }

  @Test func `the program finds its plugins from any folder and through a link`() throws {
    symlink(builtProgram("deckhand"), home.path + "/dh")
    let run = try home.sh("cd / && \(home.path)/dh --data \(home.path)/data plugin list --json")
    #expect(run.output.contains("\"name\": \"palindromes\""))
  }

  @Test func `plugins in a folder where everybody may create files are not the program's own`() throws {
    let shared = home.path + "/shared"
    for name in ["", "/bin"] { #expect(makeFolder(shared + name)) }
    try home.write(#"{"name": "planted", "version": "1.0.0", "api": 1}"#, to: "shared/Plugins/planted/plugin.json")
    #expect(Child.copy(builtProgram("deckhand"), to: shared + "/bin/deckhand"))
    for (mode, isFound) in [(0o700, true), (0o1777, false)] as [(mode_t, Bool)] {
      chmod(shared, mode)
      let child = try Child([shared + "/bin/deckhand", "plugin", "list"], environment: home.environment)
      #expect(try child.finish(input: "").output.contains("planted") == isFound)
    }
  }

  @Test func `an empty DECKHAND_DATA is ignored`() throws {
    try home.run("--data", home.path + "/deckhand", "deck", "create", "A")
    let empty = ["DECKHAND_DATA=", "XDG_DATA_HOME=" + home.path]
    let child = try Child([builtProgram("deckhand"), "deck", "list"], environment: home.environment + empty)
    #expect(try child.finish(input: "").output.contains("A "))
  }

  @Test func `without HOME, the home is that of the user's account`() throws {
    let account = String(cString: try #require(getpwuid(getuid())).pointee.pw_dir)
    let child = try Child(
      home.words(["--no-init", "-e", "print(select(2, files.read('~/no such file')))"]),
      environment: home.environment.filter { !$0.hasPrefix("HOME=") })
    #expect(try child.finish(input: "").output.contains("\"\(account)/no such file\""))
  }

  @Test func `a temporary folder that does not exist is named`() throws {
    let child = try Child(
      home.words(["plugin", "test", "palindromes"]), environment: home.environment + ["TMPDIR=/nonexistent"])
    try child.finish(input: "").fails("\"/nonexistent/deckhand-test\" could not be created")
  }

  @Test func `folders are private to the user`() throws {
    try home.run("deck", "create", "A")
    #expect(mode(of: home.path + "/data") == 0o700)
    #expect(mode(of: home.path + "/data/local") == 0o700)
    #expect(mode(of: home.path + "/data/local/collection.sqlite") == 0o600)
  }
}
