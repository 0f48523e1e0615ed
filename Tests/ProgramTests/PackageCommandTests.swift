// Packages of plugins through the built program: packed, installed, updated, checked, removed.

import Glibc
import TestSupport

@Suite struct PackageCommandTests {
  private let home = Home()

  /// Writes the folder of a plugin with this version below `source/`; returns its path.
  @discardableResult
  private func source(
    _ home: Home, version: String = "1.0.0", permissions: String = #"["shell"]"#, manifest: String = "",
    code: String = "", test: String = "expect(1):equals(1)"
  ) throws -> String {
    let more = manifest.isEmpty ? "" : ", " + manifest
    try home.write(
      #"{"name": "verbs", "version": "\#(version)", "api": 1, "permissions": \#(permissions), "commands": ["verbs"]\#(more)}"#,
      to: "source/verbs/plugin.json")
    try home.write(
      #"shell.command{name="verbs", run=function() return "version \#(version)" end} \#(code)"#,
      to: "source/verbs/init.lua")
    try home.write("test('own', function() \(test) end)", to: "source/verbs/test.lua")
    return home.path + "/source/verbs"
  }

  /// Packs `source/verbs`; returns the package's path.
  private func pack(_ home: Home, _ name: String) throws -> String {
    try home.run("plugin", "pack", home.path + "/source/verbs", home.path + "/" + name).succeeds()
    return home.path + "/" + name
  }

  private func isEmpty(_ home: Home) -> Bool {
    names(in: home.path + "/data/plugins").filter { $0 != ".lock" }.isEmpty
  }

  @Test func `a plugin goes from one home to another as a package, and is updated there`() throws {
    let (author, user) = (Home(), Home())
    try source(author)
    let first = try pack(author, "verbs-1.tar.gz")
    let packed = try author.run("plugin", "pack", author.path + "/source/verbs", first, "--json").output
    let hash = packed.dropLast(3).suffix(64)
    try source(author, version: "1.1.0", permissions: #"["shell", "words"]"#)
    let second = try pack(author, "verbs-2.tar.gz")
    let asks = try user.run("plugin", "install", first)
    #expect(asks.status == 1 && asks.errors.contains("asks for shell; `plugin install") && isEmpty(user), "\(asks)")
    let rehearsed = try user.run("--dry-run", "plugin", "install", first)
    #expect(rehearsed.status == 0 && isEmpty(user))
    #expect(rehearsed.errors.contains("would install verbs 1.0.0; the SHA-256 of its content: \(hash)"), "\(rehearsed)")
    let installed = try user.run("plugin", "install", first, "--grant")
    #expect(installed.status == 0 && installed.output == "Installed verbs 1.0.0; 1 test passed.\n", "\(installed)")
    #expect(try user.run("verbs").output == "version 1.0.0\n")
    #expect(try user.run("plugin", "install", first).errors.contains("already installed"))
    try user.run("plugin", "info", "verbs", "--json").succeeds("\"source\": \"\(first)\", \"sha256\": \"\(hash)\"")
    // The new version asks for more permissions: only the new ones are asked for, and its code is agreed to as well.
    for (options, words) in [
      ([], "verbs asks for words; `plugin update verbs --yes --grant` grants it"),
      (["--yes"], "verbs asks for words; `plugin update verbs --yes --grant` grants it"),
      (["--grant"], "nobody can be asked about the changes in verbs 1.1.0"),
    ] {
      try user.run(["plugin", "update", "verbs", second] + options).fails(words)
      #expect(try user.run("verbs").output == "version 1.0.0\n")
    }
    let updated = try user.run("plugin", "update", "verbs", second, "--yes", "--grant")
    #expect(updated.output == "Updated verbs from 1.0.0 to 1.1.0; 1 test passed.\n", "\(updated)")
    #expect(try user.run("verbs").output == "version 1.1.0\n")
    try user.run("plugin", "update", "verbs", first, "--yes").fails("1.1.0 is installed, and \"\(first)\" has 1.0.0")
    let wrong = try user.run("plugin", "update", "verbs", first, "1.0.1", "--yes")
    #expect(wrong.errors.contains("has verbs 1.0.0, not verbs 1.0.1"), "\(wrong)")
    let back = try user.run("plugin", "update", "verbs", first, "1.0.0", "--yes")
    #expect(back.output == "Updated verbs from 1.1.0 to 1.0.0; 1 test passed.\n", "\(back)")
    #expect(names(in: user.path + "/data/plugins") == [".lock", "verbs"])
  }

  @Test func `an update reads the folder again that a plugin was installed from`() throws {
    let folder = try source(home)
    try home.sh("cd \(home.path) && exec \"$@\"", ["plugin", "install", "source/verbs", "--grant"]).succeeds()
    try home.run("plugin", "update", "verbs", "--yes").fails("verbs 1.0.0 is installed, and \"\(folder)\" has the same")
    // New code counts, whether or not its author gave it a new version.
    try source(home, code: "-- more")
    #expect(try home.run("plugin", "update", "verbs").errors.contains("with --yes it makes them"))
    #expect(try home.run("plugin", "update", "verbs", "--yes").output == "Updated verbs 1.0.0; 1 test passed.\n")
    try source(home, version: "0.9.0")
    #expect(try home.run("plugin", "update", "verbs", "--yes").errors.contains("to go back to that version, name it"))
    #expect(try home.run("plugin", "update", "verbs", "0.9.0", "--yes").status == 0)
    #expect(try home.run("verbs").output == "version 0.9.0\n")
    removeTree(folder)
    #expect(try home.run("plugin", "update", "verbs", "--yes").errors.contains("there is no such file or folder"))
    #expect(try home.run("plugin", "new", "own").status == 0)
    #expect(try home.run("plugin", "update", "own").errors.contains("was not installed from a file or a folder"))
  }

  @Test func `a diff shows every byte of what changes, or the update is not asked about`() throws {
    try source(home, code: "\n-- two\n-- three")
    #expect(try home.run("plugin", "install", home.path + "/source/verbs", "--grant").status == 0)
    let blanks = String(repeating: " ", count: 5_000)
    let long = String(repeating: "x", count: 300)
    try source(
      home, version: "1.1.0", permissions: #"["shell", "words"]"#,
      code:
        "\n-- two\n-- three\n-- \0 hidden()\n--\(blanks)far()\n-- \(long) last()\n-- four\r\n-- \u{1B}[2Jgone\u{202E}")
    let shown = try home.run("plugin", "update", "verbs", "--dry-run")
    let lines = shown.output.split(separator: "\n").map(String.init)
    #expect(lines.prefix(4) == ["permissions", "+words  (look up words)", "--- init.lua", "+++ init.lua"], "\(shown)")
    // A diff must not show files with CR LF as one line, which is truncated.
    for line in ["+-- \\x00 hidden()", "+--\(blanks)far()", "+-- four\\r", "@@ -1,3 +1,8 @@"] {
      #expect(lines.contains(line), "\(line): \(shown)")
    }
    #expect(lines.contains { $0.hasPrefix("-shell.command{") } && shown.output.contains("\(long) last()\n"), "\(shown)")
    let terminal = try home.terminal()
    terminal.type("plugin update verbs\r", after: "> ", showing: "verbs 1.1.0, replacing 1.0.0")
    terminal.wait(for: "it also wants to: look up words", "+-- \\x00 hidden()", "|far()", "x last()")
    terminal.wait(for: "-- \\x1B[2Jgone\\u{202E}", "Update it? [y/N] ")
    terminal.type("n\r", showing: "verbs is not updated.")
    try source(home, version: "1.2.0", code: (0..<4_000).map { "\n-- \($0)" }.joined() + "\nlocal late = 1")
    terminal.type("plugin update verbs\r", showing: "3,000:", "--dry-run")
    #expect(try home.run("verbs").output == "version 1.0.0\n")
    #expect(try home.run("plugin", "update", "verbs", "--dry-run").output.contains("\n+local late = 1\n"))
  }

  @Test func `a plugin that cannot be loaded or fails its tests leaves everything as it was`() throws {
    try source(home)
    let first = try pack(home, "1.tar.gz")
    for (code, test, words) in [
      ("error('oh no')", "", "oh no"), ("", "expect(1):equals(2)", "1 of 1 test failed, the first \"own\""),
      ("while true do end", "", "stopped after"), ("x = (", "", "init.lua"),
    ] {
      try source(home, version: "1.1.0", code: code, test: test)
      let bad = try pack(home, "bad.tar.gz")
      let refused = try home.run("plugin", "install", bad, "--grant")
      #expect(refused.status == 1 && refused.errors.contains(words) && isEmpty(home), "\(refused)")
      #expect(try home.run("plugin", "install", first, "--grant").status == 0)
      try home.run("plugin", "update", "verbs", bad, "--yes").fails("; verbs 1.0.0 stays")
      #expect(try home.run("verbs").output == "version 1.0.0\n")
      #expect(names(in: home.path + "/data/plugins") == [".lock", "verbs"])
      #expect(try home.run("plugin", "remove", "verbs").status == 0 && isEmpty(home))
    }
  }

  @Test func `an update repairs a plugin whose manifest cannot be read`() throws {
    try source(home)
    let first = try pack(home, "verbs-1.tar.gz")
    #expect(try home.run("plugin", "install", first, "--grant").status == 0)
    try home.write("{", to: "data/plugins/verbs/plugin.json")
    try source(home, version: "1.1.0")
    try home.run("plugin", "update", "verbs", pack(home, "verbs-2.tar.gz"), "--yes").succeeds()
    #expect(try home.run("verbs").output == "version 1.1.0\n")
  }

  @Test func `what was granted to a removed plugin is not granted to a new one of that name`() throws {
    try home.plugin("verbs", permissions: #"["shell"]"#, "")
    try home.enable("verbs")
    removeTree(home.path + "/data/plugins/verbs")
    try source(home)
    try home.run("plugin", "install", home.path + "/source/verbs").fails("asks for shell")
    // A disabled plugin stays disabled.
    #expect(try home.run("plugin", "install", home.path + "/source/verbs", "--grant").status == 0)
    #expect(try home.run("plugin", "disable", "verbs").status == 0)
    try source(home, version: "2.0.0", permissions: #"["shell", "words"]"#)
    let updated = try home.run("plugin", "update", "verbs", try pack(home, "2.tar.gz"), "--yes")
    #expect(updated.status == 0 && updated.output.hasSuffix(" It is disabled.\n"), "\(updated)")
    #expect(try home.run("verbs").status == 2)
    #expect(try home.run("plugin", "enable", "verbs").errors.contains("asks for shell, words"))
  }

  @Test func `bundled plugins and taken names are refused`() throws {
    let nothing = home.path + "/none"
    for words in [["remove", "hangman"], ["remove", "nobody"], ["update", "hangman", nothing], ["install", "/etc"]] {
      #expect(try home.run(["plugin"] + words).status == 1, "\(words)")
    }
    try source(home, manifest: #""modes": ["hangman"]"#)
    let taken = try home.run("plugin", "install", home.path + "/source/verbs", "--grant")
    #expect(taken.status == 1 && taken.errors.contains("hangman") && isEmpty(home), "\(taken)")
  }

  @Test func `neither Lua nor a plugin installs or packs anything`() throws {
    try source(home)
    for line in [
      "install source/verbs --grant", "update verbs", "pack source/verbs x.tar.gz", "check source/verbs",
      "remove verbs",
    ] {
      try home.lua("print(select(2, shell.run('plugin \(line)')).code)").prints("not_here\n")
    }
  }

  @Test func `at a terminal the permissions are shown, and confirmed once`() throws {
    try source(home, permissions: #"["shell", "decks.read", "decks.write"]"#)
    let terminal = try home.terminal()
    terminal.type("plugin install \(home.path)/source/verbs\r", after: "> ", showing: "verbs 1.0.0\r\n")
    terminal.wait(for: "the SHA-256 of its content:")
    terminal.wait(for: "it wants to: add commands, print, and see which commands you use; read and\r\nchange decks")
    terminal.type("n\r", after: "Install it? [y/N] ", showing: "verbs is not installed.")
    #expect(isEmpty(home))
    terminal.type("plugin install \(home.path)/source/verbs\r", showing: "Install it? [y/N] ")
    // Meanwhile somebody changes the folder: what was read and shown is what gets installed.
    try source(home, version: "6.6.6")
    terminal.type("y\r", showing: "Installed verbs 1.0.0; 1 test passed.")
    terminal.type("verbs\r", showing: "version 1.0.0")
    terminal.type("plugin remove verbs\r", showing: "[y/N] ")
    terminal.type("y\r", showing: "Removed verbs.")
    terminal.type("verbs\r", showing: "nor a Lua name")
    #expect(isEmpty(home))
  }

  @Test func `a manifest edited while the shell runs is read before anything is asked, shown or loaded`() throws {
    try home.plugin(
      "grows", permissions: #"["shell"]"#, manifest: #""commands": ["grow"]"#,
      "shell.command{name='grow', run=function() return 1 end}")
    try home.enable("grows")
    let terminal = try home.terminal()
    terminal.wait(for: "> ")
    try home.plugin(
      "grows", permissions: #"["shell", "words"]"#, manifest: #""commands": ["grow"]"#, version: "2.0",
      "shell.command{name='grow', run=function() return words and 'more' end}")
    terminal.type("grow\r", showing: "grows: asks for words")
    terminal.type("plugin list\r", showing: "asks for more")
    terminal.type("plugin enable grows\r", showing: "look up words")
    terminal.type("y\r", showing: "Enabled grows.")
    terminal.type("grow\r", showing: "more")
  }

  @Test func `all faults of a plugin are reported at once to its author`() throws {
    let path = try source(home, manifest: #""summary": "S.", "author": "A", "licence": "MIT""#)
    try home.run("plugin", "check", path).succeeds("1 test; no faults.")
    try home.write(#"{"name": "verbs", "api": 1, "commands": ["deck"]}"#, to: "source/verbs/plugin.json")
    #expect(unlink(path + "/test.lua") == 0)
    let bad = try home.run("plugin", "check", path)
    #expect(bad.status == 1)
    for fault in [
      "\"version\"", "\"summary\"", "\"author\"", "\"licence\"", "test.lua is missing", "\"deck\" is a command",
    ] {
      #expect(bad.output.contains(fault), "\(fault): \(bad)")
    }
    #expect(try home.run("--json", "plugin", "check", path).output.contains("\"faults\": [\""))
    #expect(symlink("/etc/passwd", path + "/x.lua") == 0)
    #expect(try home.run("plugin", "check", path).output.contains("it is a link"))
  }

  @Test func `a package inside its own folder, a link in it and a missing folder are refused`() throws {
    let path = try source(home)
    try home.run("plugin", "pack", path, path + "/verbs.tar.gz").fails("write it elsewhere")
    symlink("/etc/passwd", path + "/x.lua")
    try home.run("plugin", "pack", path, home.path + "/x.tar.gz").fails("it is a link")
    #expect(try home.run("plugin", "pack", home.path + "/nothing", home.path + "/x.tar.gz").status == 1)
    #expect(access(home.path + "/x.tar.gz", F_OK) != 0)
  }
}
