// Packages of plugins through the built program: packed, signed, installed, updated, removed.

import Glibc
import TestSupport
import Testing

@Suite struct PackageCommandTests {
  /// Writes the folder of a plugin with this version below `source/`; returns its path.
  @discardableResult
  private func source(
    _ home: Home, version: String = "1.0.0", permissions: String = #"["shell"]"#, manifest: String = "",
    code: String = "", test: String = "expect(1):equals(1)"
  ) throws -> String {
    for folder in ["/source", "/source/verbs"] { _ = makeFolder(home.path + folder) }
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
    let run = try home.run("plugin", "pack", home.path + "/source/verbs", home.path + "/" + name)
    #expect(run.status == 0, "\(run)")
    return home.path + "/" + name
  }

  /// Creates a minisign key in a home; returns its public half.
  private func key(of home: Home) throws -> String {
    let path = home.path + "/minisign"
    try minisign(["-G", "-W", "-p", path + ".pub", "-s", path + ".key"], home)
    return String(try #require(text(of: path + ".pub").split(separator: "\n").last))
  }

  /// Packs `source/verbs`, signs the package with the home's key; returns its path.
  private func packSigned(_ home: Home, _ name: String) throws -> String {
    let package = try pack(home, name)
    try minisign(["-S", "-s", home.path + "/minisign.key", "-m", package], home)
    return package
  }

  private func minisign(_ arguments: [String], _ home: Home) throws {
    let run = try Child(["/usr/bin/minisign"] + arguments, environment: home.environment).finish(input: "")
    try #require(run.status == 0, "\(run)")
  }

  private func isEmpty(_ home: Home) -> Bool {
    names(in: home.path + "/data/plugins").filter { $0 != ".lock" }.isEmpty
  }

  @Test func `a signed plugin goes from one home to another, and is updated there`() throws {
    let (author, user) = (try Home(), try Home())
    let key = try key(of: author)
    try source(author)
    let first = try packSigned(author, "verbs-1.tar.gz")
    try source(author, version: "1.1.0", permissions: #"["shell", "words"]"#)
    let second = try packSigned(author, "verbs-2.tar.gz")
    // It is not installed before the user trusts the key.
    let refused = try user.run("plugin", "install", first, "--grant", "--unsigned")
    #expect(refused.status == 1 && refused.errors.contains("which you do not trust") && isEmpty(user), "\(refused)")
    #expect(try user.run("plugin", "key", "trust", key, "--name", "Ray").status == 0)
    // Nor is a package that was changed after it was signed.
    let other = author.path + "/other.tar.gz"
    try source(author, code: "-- other")
    _ = try pack(author, "other.tar.gz")
    try author.write(text(of: first + ".minisig"), to: "other.tar.gz.minisig")
    let changed = try user.run("plugin", "install", other, "--grant", "--unsigned")
    #expect(changed.status == 1 && changed.errors.contains("signature is not valid") && isEmpty(user), "\(changed)")
    let asks = try user.run("plugin", "install", first)
    #expect(asks.status == 1 && asks.errors.contains("asks for shell; `plugin install") && isEmpty(user), "\(asks)")
    let rehearsed = try user.run("--dry-run", "plugin", "install", first)
    #expect(rehearsed.status == 0 && isEmpty(user))
    #expect(rehearsed.errors.contains("would install verbs 1.0.0; signed with a key that you trust: Ray, "))
    let installed = try user.run("plugin", "install", first, "--grant")
    #expect(installed.status == 0 && installed.output == "Installed verbs 1.0.0; 1 test passed.\n", "\(installed)")
    #expect(try user.run("verbs").output == "version 1.0.0\n")
    #expect(try user.run("plugin", "install", first).errors.contains("already installed"))
    // The new version asks for more permissions: only the new ones are asked for.
    let more = try user.run("plugin", "update", second)
    #expect(more.status == 1 && more.errors.contains("verbs asks for words; `plugin update"), "\(more)")
    #expect(try user.run("verbs").output == "version 1.0.0\n")
    let updated = try user.run("plugin", "update", second, "--grant")
    #expect(updated.output == "Updated verbs from 1.0.0 to 1.1.0; 1 test passed.\n", "\(updated)")
    #expect(try user.run("verbs").output == "version 1.1.0\n")
    #expect(try user.run("plugin", "info", "verbs").output.contains("(Ray)"))
    let older = try user.run("plugin", "update", first)
    #expect(older.status == 1 && older.errors.contains("1.1.0 is installed, and the package has 1.0.0"), "\(older)")
    #expect(names(in: user.path + "/data/plugins") == [".lock", "verbs"])
  }

  @Test func `a plugin belongs to the key that signed it, until the user says otherwise`() throws {
    let (author, other, user) = (try Home(), try Home(), try Home())
    let (key, otherKey) = (try key(of: author), try key(of: other))
    try source(author)
    let first = try packSigned(author, "verbs.tar.gz")
    try source(other, version: "2.0.0")
    let second = try packSigned(other, "verbs.tar.gz")
    try source(user, version: "3.0.0")
    let unsigned = try pack(user, "verbs.tar.gz")
    for one in [key, other.path + "/minisign.pub"] {
      #expect(try user.run("plugin", "key", "trust", one).status == 0)
    }
    #expect(try user.run("plugin", "install", first, "--grant").status == 0)
    for package in [second, unsigned] {
      let refused = try user.run("plugin", "update", package, "--grant", "--unsigned")
      #expect(refused.status == 1 && refused.errors.contains("was signed with the key"), "\(refused)")
    }
    // Also after it was removed: its owner is remembered.
    #expect(try user.run("plugin", "remove", "verbs").status == 0)
    #expect(try user.run("plugin", "install", second, "--grant").status == 1)
    #expect(try user.run("plugin", "key", "trust", otherKey, "--plugin", "verbs").status == 0)
    #expect(try user.run("plugin", "install", second, "--grant").status == 0)
    let list = try user.run("plugin", "key", "list", "--json").lines
    #expect(list.contains { $0.contains(otherKey) && $0.contains("[\"verbs\"]") }, "\(list)")
    // An unsigned plugin, and one whose key is no longer trusted.
    #expect(try user.run("plugin", "key", "remove", otherKey, "--plugin", "verbs").status == 0)
    #expect(try user.run("plugin", "update", unsigned, "--unsigned").status == 0)
    #expect(try user.run("plugin", "key", "remove", key).status == 0)
    #expect(try user.run("plugin", "key", "remove", key).status == 1)
    for words in [
      ["trust"], ["trust", "abcd"], ["trust", "/etc/passwd"], ["remove"], ["list", "x"], ["make"],
      ["trust", key, "--plugin", "../x"],
    ] {
      #expect(try user.run(["plugin", "key"] + words).status != 0, "\(words)")
    }
  }

  @Test func `a plugin that cannot be loaded or fails its tests leaves everything as it was`() throws {
    let home = try Home()
    try source(home)
    let first = try pack(home, "1.tar.gz")
    for (code, test, words) in [
      ("error('oh no')", "", "oh no"), ("", "expect(1):equals(2)", "1 of 1 test failed, the first \"own\""),
      ("while true do end", "", "stopped after"), ("x = (", "", "init.lua"),
    ] {
      try source(home, version: "1.1.0", code: code, test: test)
      let bad = try pack(home, "bad.tar.gz")
      let refused = try home.run("plugin", "install", bad, "--grant", "--unsigned")
      #expect(refused.status == 1 && refused.errors.contains(words) && isEmpty(home), "\(refused)")
      #expect(try home.run("plugin", "install", first, "--grant", "--unsigned").status == 0)
      let kept = try home.run("plugin", "update", bad, "--grant", "--unsigned")
      #expect(kept.status == 1 && kept.errors.contains("; verbs 1.0.0 stays"), "\(kept)")
      #expect(try home.run("verbs").output == "version 1.0.0\n")
      #expect(names(in: home.path + "/data/plugins") == [".lock", "verbs"])
      #expect(try home.run("plugin", "remove", "verbs").status == 0 && isEmpty(home))
    }
  }

  @Test func `an update repairs a plugin whose manifest cannot be read`() throws {
    let home = try Home()
    try source(home)
    let first = try pack(home, "verbs-1.tar.gz")
    #expect(try home.run("plugin", "install", first, "--unsigned", "--grant").status == 0)
    try home.write("{", to: "data/plugins/verbs/plugin.json")
    try source(home, version: "1.1.0")
    let update = try home.run("plugin", "update", pack(home, "verbs-2.tar.gz"), "--unsigned", "--grant")
    #expect(update.status == 0, "\(update)")
    #expect(try home.run("verbs").output == "version 1.1.0\n")
  }

  @Test func `what was granted to a removed plugin is not granted to a new one of that name`() throws {
    let home = try Home()
    try home.plugin("verbs", permissions: #"["shell"]"#, "")
    try home.enable("verbs")
    removeTree(home.path + "/data/plugins/verbs")
    try source(home)
    let run = try home.run("plugin", "install", home.path + "/source/verbs", "--unsigned")
    #expect(run.status == 1 && run.errors.contains("asks for shell"), "\(run)")
    // A disabled plugin stays disabled.
    #expect(try home.run("plugin", "install", home.path + "/source/verbs", "--unsigned", "--grant").status == 0)
    #expect(try home.run("plugin", "disable", "verbs").status == 0)
    try source(home, version: "2.0.0", permissions: #"["shell", "words"]"#)
    let updated = try home.run("plugin", "update", try pack(home, "2.tar.gz"), "--unsigned")
    #expect(updated.status == 0 && updated.output.hasSuffix(" It is disabled.\n"), "\(updated)")
    #expect(try home.run("verbs").status == 2)
    #expect(try home.run("plugin", "enable", "verbs").errors.contains("asks for shell, words"))
  }

  @Test func `bundled plugins, taken names and needed plugins are refused`() throws {
    let home = try Home()
    let nothing = home.path + "/none"
    for words in [["remove", "hangman"], ["remove", "nobody"], ["update", nothing], ["install", "/etc"]] {
      #expect(try home.run(["plugin"] + words).status == 1, "\(words)")
    }
    try source(home, manifest: #""modes": ["hangman"]"#)
    let taken = try home.run("plugin", "install", home.path + "/source/verbs", "--unsigned", "--grant")
    #expect(taken.status == 1 && taken.errors.contains("hangman") && isEmpty(home), "\(taken)")
    try source(home, manifest: #""needs": {"deckhand": ">=99"}"#)
    let newer = try home.run("plugin", "install", home.path + "/source/verbs", "--unsigned", "--grant")
    #expect(newer.status == 1 && newer.errors.contains("verbs: needs Deckhand >=99, this is 0.1.0"), "\(newer)")
    try source(home, manifest: #""needs": {"plugins": {"base": ">=1"}}"#)
    let missing = try home.run("plugin", "install", home.path + "/source/verbs", "--unsigned", "--grant")
    #expect(missing.errors.contains("needs the plugin base, which is not installed") && isEmpty(home), "\(missing)")
    try home.plugin("base", "")
    try home.enable("base")
    try home.plugin("base", manifest: #""needs": {"plugins": {"deep": "*"}}"#, "")
    let chain = try home.run("plugin", "install", home.path + "/source/verbs", "--unsigned", "--grant")
    #expect(
      chain.errors.contains("base: needs the plugin deep, which is not installed (verbs > base > deep)"), "\(chain)")
    try home.plugin("base", manifest: #""needs": {"plugins": {"verbs": "*"}}"#, "")
    let ring = try home.run("plugin", "install", home.path + "/source/verbs", "--unsigned", "--grant")
    #expect(ring.errors.contains("in a cycle: verbs > base > verbs"), "\(ring)")
    try home.plugin("base", "")
    #expect(try home.run("plugin", "install", home.path + "/source/verbs", "--unsigned", "--grant").status == 0)
    let needed = try home.run("plugin", "remove", "base")
    #expect(needed.status == 1 && needed.errors.contains("base is needed by verbs, which needs base >=1"), "\(needed)")
  }

  @Test func `neither Lua nor a plugin installs, packs or trusts anything`() throws {
    let home = try Home()
    try source(home)
    for line in [
      "install source/verbs --unsigned --grant", "pack source/verbs x.tar.gz", "remove verbs", "key remove x",
      "key list",
    ] {
      let run = try home.run("-e", "print(select(2, shell.run('plugin \(line)')).code)")
      #expect(run.output == "not_here\n", "\(line): \(run)")
    }
  }

  @Test func `at a terminal the signer and the permissions are shown, and confirmed once`() throws {
    let home = try Home()
    try source(home, permissions: #"["shell", "decks.read", "decks.write"]"#)
    let terminal = try home.terminal()
    terminal.wait(for: "> ")
    terminal.type("plugin install \(home.path)/source/verbs\r", showing: "verbs 1.0.0\r\n")
    terminal.wait(for: "not signed: nobody vouches for what is in it")
    terminal.wait(for: "it wants to: add commands, print, and see which commands you use; read and\r\nchange decks")
    terminal.wait(for: "Install it? [y/N] ")
    terminal.type("n\r", showing: "verbs is not installed.")
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
    let home = try Home()
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

  @Test func `a package inside its own folder, a link in it and a missing folder are refused`() throws {
    let home = try Home()
    let path = try source(home)
    let inside = try home.run("plugin", "pack", path, path + "/verbs.tar.gz")
    #expect(inside.status == 1 && inside.errors.contains("write it elsewhere"), "\(inside)")
    symlink("/etc/passwd", path + "/x.lua")
    let link = try home.run("plugin", "pack", path, home.path + "/x.tar.gz")
    #expect(link.status == 1 && link.errors.contains("it is a link"), "\(link)")
    #expect(try home.run("plugin", "pack", home.path + "/nothing", home.path + "/x.tar.gz").status == 1)
    #expect(access(home.path + "/x.tar.gz", F_OK) != 0)
  }
}
