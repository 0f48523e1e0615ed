// Finding plugins through the built program: indexes made by Scripts/plugin_index and signed by minisign are added,
// searched, installed from, and refused.

import Glibc
import TestSupport
import Testing

@Suite struct PluginIndexCommandTests {
  private let maker: Home
  private let user: Home

  init() throws { (maker, user) = (try Home(), try Home()) }

  // MARK: The maker of an index

  /// Writes the folder of a plugin with this version below the maker's `source`.
  private func source(
    _ name: String = "verbs", version: String = "1.0.0", permissions: String = #"["shell"]"#, manifest: String = "",
    code: String = ""
  ) throws -> String {
    for folder in ["/source", "/source/" + name] { _ = makeFolder(maker.path + folder) }
    let more = manifest.isEmpty ? "" : ", " + manifest
    try maker.write(
      """
      {"name": "\(name)", "version": "\(version)", "api": 1, "summary": "Conjugates \(name).", "author": "M. Ray",
       "licence": "MIT", "permissions": \(permissions), "commands": ["\(name)"]\(more)}
      """, to: "source/\(name)/plugin.json")
    try maker.write(
      "-- one\n-- two\n-- three\nshell.command{name='\(name)', run=function() return '\(version)' end}\n\(code)\n",
      to: "source/\(name)/init.lua")
    try maker.write("test('own', function() expect(1):equals(1) end)\n", to: "source/\(name)/test.lua")
    return maker.path + "/source/" + name
  }

  private var folder: String { maker.path + "/index" }

  @discardableResult
  private func script(_ words: String...) throws -> Run {
    let environment = maker.environment + ["DECKHAND=" + builtProgram("deckhand")]
    return try Child(
      ["/usr/bin/python3", sourceRoot() + "/Scripts/plugin_index", folder] + words, environment: environment
    ).finish(input: "")
  }

  /// Creates a minisign key; returns its public half.
  @discardableResult
  private func key(_ name: String = "maker") throws -> String {
    let path = maker.path + "/" + name
    try minisign(["-G", "-W", "-p", path + ".pub", "-s", path + ".key"])
    return path + ".pub"
  }

  private func sign(_ file: String? = nil, by name: String = "maker") throws {
    try minisign(["-S", "-s", maker.path + "/\(name).key", "-m", file ?? folder + "/index.json"])
  }

  private func minisign(_ arguments: [String]) throws {
    let run = try Child(["/usr/bin/minisign"] + arguments, environment: maker.environment).finish(input: "")
    try #require(run.status == 0, "\(run)")
  }

  /// Makes a signed index that contains `verbs`; the user adds it.
  private func index() throws {
    try key()
    let made = try script("--name", "words", try source())
    try #require(made.status == 0 && made.output.contains("1 plugin, number 1"), "\(made)")
    try sign()
    let added = try user.run("plugin", "index", "add", folder, "--key", maker.path + "/maker.pub")
    try #require(added.status == 0, "\(added)")
  }

  private func refused(_ words: String..., by reason: String) throws {
    let run = try user.run(["plugin"] + words)
    #expect(run.status == 1 && run.errors.contains(reason), "\(words): \(run)")
  }

  private func copy(_ file: String, to other: String) {
    #expect(Child.copy(folder + "/" + file, to: maker.path + "/" + other))
  }

  private func bringBack(_ other: String, as file: String) {
    #expect(Child.copy(maker.path + "/" + other, to: folder + "/" + file))
  }

  // MARK: From index to update

  @Test func `a plugin is found, installed, reported as outdated, shown as a diff and updated`() throws {
    try index()
    #expect(try user.run("plugin", "index", "list").output.contains("words"))
    let found = try user.run("plugin", "search", "conjugat", "--json").output
    #expect(found.contains("\"name\": \"verbs\"") && found.contains("\"licence\": \"MIT\""), "\(found)")
    #expect(try user.run("plugin", "search", "nosuch").output == "No index has such a plugin.\n")
    try refused("install", "verb", by: "did you mean \"verbs\"?")
    try refused("install", "verbs", by: "verbs asks for shell; `plugin install verbs --grant`")
    // The index vouches for the plugin, so --unsigned is not needed.
    let installed = try user.run("plugin", "install", "verbs", "--grant")
    #expect(installed.output == "Installed verbs 1.0.0; 1 test passed.\n", "\(installed)")
    #expect(try user.run("verbs").output == "1.0.0\n")
    #expect(try user.run("plugin", "outdated").output.hasPrefix("The indexes contain nothing newer"))
    try refused("update", "verbs", by: "no index has a higher version")
    try script(try source(version: "1.1.0", permissions: #"["shell", "words"]"#, code: "-- four\r\n-- five"))
    try sign()
    let outdated = try user.run("plugin", "outdated", "--json").output
    #expect(outdated.contains("\"installed\": \"1.0.0\", \"newest\": \"1.1.0\""), "\(outdated)")
    let shown = try user.run("plugin", "update", "verbs", "--diff")
    let lines = shown.output.split(separator: "\n").map(String.init)
    #expect(lines.prefix(4) == ["permissions", "+words  (look up words)", "--- init.lua", "+++ init.lua"], "\(shown)")
    #expect(lines.contains("-shell.command{name='verbs', run=function() return '1.0.0' end}"))
    // A diff must not show files with CR LF as one line, which is truncated.
    #expect(lines.contains("+-- four\\r") && lines.contains("+-- five"), "\(shown)")
    #expect(lines.contains("@@ -1,5 +1,6 @@"), "\(shown)")
    #expect(try user.run("verbs").output == "1.0.0\n")
    try refused("update", "verbs", by: "verbs asks for words; `plugin update verbs --grant`")
    let updated = try user.run("plugin", "update", "verbs", "--grant")
    #expect(updated.output == "Updated verbs from 1.0.0 to 1.1.0; 1 test passed.\n", "\(updated)")
    #expect(try user.run("plugin", "index", "remove", "words").status == 0)
    try refused("update", "verbs", by: "no index has a plugin called \"verbs\"")
    #expect(try user.run("verbs").output == "1.1.0\n")
  }

  @Test func `at a terminal the diff is shown before the question, with control characters as text`() throws {
    try index()
    #expect(try user.run("plugin", "install", "verbs", "--grant").status == 0)
    try script(try source(version: "1.1.0", code: "-- \u{1B}[2Jgone\u{202E}"))
    try sign()
    let terminal = try user.terminal()
    terminal.wait(for: "> ")
    terminal.type("plugin update verbs\r", showing: "verbs 1.1.0 by M. Ray, replacing 1.0.0", "the index words of ")
    terminal.wait(for: "it wants no new permissions", "-- \\x1B[2Jgone\\u{202E}", "Update it? [y/N] ")
    terminal.type("n\r", showing: "verbs is not updated.")
    #expect(try user.run("verbs").output == "1.0.0\n")
  }

  @Test func `a diff shows every byte of a changed line, or the update is not asked about`() throws {
    try index()
    #expect(try user.run("plugin", "install", "verbs", "--grant").status == 0)
    let blanks = String(repeating: " ", count: 5_000)
    let long = String(repeating: "x", count: 300)
    try script(try source(version: "1.1.0", code: "-- \0 hidden()\n--\(blanks)far()\n-- \(long) last()"))
    try sign()
    let shown = try user.run("plugin", "update", "verbs", "--diff")
    #expect(shown.output.contains("+-- \\x00 hidden()\n"), "\(shown)")
    #expect(shown.output.contains("+--\(blanks)far()\n") && shown.output.contains("\(long) last()\n"), "\(shown)")
    let terminal = try user.terminal()
    terminal.wait(for: "> ")
    terminal.type("plugin update verbs\r", showing: "+-- \\x00 hidden()", "|far()", "x last()", "Update it? [y/N] ")
    terminal.type("n\r", showing: "verbs is not updated.")
    let lines = (0..<4_000).map { "-- \($0)" }.joined(separator: "\n")
    try script(try source(version: "1.2.0", code: lines + "\nlocal late = 1"))
    try sign()
    terminal.type("plugin update verbs\r", showing: "3,000:", "--diff")
    #expect(try user.run("verbs").output == "1.0.0\n")
    #expect(try user.run("plugin", "update", "verbs", "--diff").output.contains("\n+local late = 1\n"))
  }

  // MARK: Refusals

  @Test func `an index without a signature, of an unknown key or of another key is refused`() throws {
    try key()
    try key("other")
    try script(try source())
    try refused("index", "add", folder, by: "has no index.json.minisig")
    try refused("index", "add", maker.path, by: "has no index.json")
    try sign()
    try refused("index", "add", folder, by: "which you do not trust")
    try refused("index", "add", folder, "--key", maker.path + "/other.pub", by: "was added with the key")
    // If the user has trusted the key, --key is not needed.
    #expect(try user.run("plugin", "key", "trust", maker.path + "/maker.pub").status == 0)
    #expect(try user.run("plugin", "index", "add", folder).status == 0)
    try refused("index", "add", folder, by: "was already added")
    try sign(by: "other")
    try refused("install", "verbs", "--grant", by: "signed with")
    let list = try user.run("plugin", "index", "list")
    #expect(list.output.contains("refused: other_key") && list.errors.contains("it is refused"), "\(list)")
    try refused("index", "remove", "nosuch", by: "no index is called")
    for words in [["add"], ["list", "x"], ["make", "x"]] {
      #expect(try user.run(["plugin", "index"] + words).status == 2, "\(words)")
    }
  }

  @Test func `an older index, one changed after signing and an expired one are refused`() throws {
    user.clock = try ManualClock()
    try index()
    for file in ["index.json", "index.json.minisig", "verbs.json"] { copy(file, to: file + ".old") }
    try script(try source(version: "1.1.0"), "--days", "30")
    try sign()
    // Installing remembers the version of the index that was seen.
    #expect(try user.run("plugin", "install", "verbs", "--grant").output.hasPrefix("Installed verbs 1.1.0"))
    for file in ["index.json", "index.json.minisig", "verbs.json"] {
      copy(file, to: file + ".new")
      bringBack(file + ".old", as: file)
    }
    try refused("install", "verbs", by: "has number 1, and number 2 was seen")
    for file in ["index.json", "index.json.minisig", "verbs.json"] { bringBack(file + ".new", as: file) }
    // Signed by the right key, but with other content under a version number that was seen.
    let sound = text(of: folder + "/index.json")
    try maker.write(sound + "\n", to: "index/index.json")
    try refused("update", "verbs", by: "its signature is not valid")
    try sign()
    try refused("update", "verbs", by: "but different content")
    bringBack("index.json.new", as: "index.json")
    try sign()
    try refused("update", "verbs", by: "no index has a higher version")
    user.clock?.pass(seconds: 32 * 86_400)
    try refused("update", "verbs", by: "get a newer one (`git pull` in it)")
  }

  @Test func `a changed listing, a changed package and a withdrawn version are refused`() throws {
    try index()
    let listing = text(of: folder + "/verbs.json")
    try maker.write(listing + " ", to: "index/verbs.json")
    try refused("install", "verbs", by: "signed with a different verbs.json")
    try maker.write(listing, to: "index/verbs.json")
    copy("verbs-1.0.0.tar.gz", to: "sound")
    try maker.write("", to: "index/verbs-1.0.0.tar.gz")
    try refused("install", "verbs", by: "verbs-1.0.0.tar.gz")
    // A sound package, but not the listed one.
    let other = try source(version: "1.0.0", code: "-- other")
    #expect(try maker.run("plugin", "pack", other, folder + "/verbs-1.0.0.tar.gz").status == 0)
    try refused("install", "verbs", "--grant", by: "is refused: it is not the verbs 1.0.0 of the index")
    unlink(folder + "/verbs-1.0.0.tar.gz")
    try refused("install", "verbs", by: "put its package")
    bringBack("sound", as: "verbs-1.0.0.tar.gz")
    #expect(try user.run("plugin", "install", "verbs", "--grant").status == 0)
    #expect(try script("--yank", "verbs@1.0.0=it eats cards").status == 0)
    try sign()
    let outdated = try user.run("plugin", "outdated").output
    #expect(outdated.contains("the installed version was withdrawn: it eats cards"), "\(outdated)")
    #expect(try user.run("plugin", "remove", "verbs").status == 0)
    try refused("install", "verbs", "--grant", by: "its author withdrew it: it eats cards")
    try refused("install", "verbs@2.0.0", by: "there are 1.0.0")
    // A newer version that was not withdrawn is used instead.
    try script(try source(version: "1.0.1"))
    try sign()
    #expect(try user.run("plugin", "install", "verbs", "--grant").output.hasPrefix("Installed verbs 1.0.1"))
    try refused("install", "verbs@1.0.1", by: "already installed")
  }

  @Test func `an author's key named in the index belongs to the plugin from then on`() throws {
    try key()
    try key("author")
    let package = maker.path + "/verbs-1.0.0.tar.gz"
    #expect(try maker.run("plugin", "pack", try source(), package).status == 0)
    try sign(package, by: "author")
    let listed = try script("--key", maker.path + "/author.pub", package)
    #expect(listed.status == 0, "\(listed)")
    try sign()
    #expect(try user.run("plugin", "index", "add", folder, "--key", maker.path + "/maker.pub").status == 0)
    let rehearsed = try user.run("--dry-run", "plugin", "install", "verbs")
    #expect(rehearsed.errors.contains("signed with the key that the index index of "), "\(rehearsed)")
    #expect(try user.run("plugin", "install", "verbs", "--grant").status == 0)
    // The next version without the author's signature is refused.
    try script(try source(version: "2.0.0"))
    try sign()
    try refused("update", "verbs", "--grant", by: "was signed with the key")
  }

  @Test func `a name in two indexes has to be qualified`() throws {
    try index()
    let second = maker.path + "/second"
    _ = makeFolder(second)
    for file in ["index.json", "index.json.minisig", "verbs.json", "verbs-1.0.0.tar.gz"] {
      #expect(Child.copy(folder + "/" + file, to: second + "/" + file))
    }
    #expect(try user.run("plugin", "index", "add", second, "--key", maker.path + "/maker.pub").status == 0)
    try refused("install", "verbs", "--grant", by: "choose one with --index")
    try refused("install", "verbs", "--index", "nosuch", by: "no index is called")
    #expect(try user.run("plugin", "install", "verbs", "--grant", "--index", second).status == 0)
  }

  // MARK: Sets of versions, and the check

  @Test func `a lock file installs the same versions elsewhere, in the order of their dependencies`() throws {
    try key()
    let base = try source("base")
    try script(base, "--name", "words")
    // A dependent plugin is checked where its dependency is installed.
    #expect(try maker.run("plugin", "install", base, "--grant", "--unsigned").status == 0)
    let needing = try source("able", manifest: #""needs": {"plugins": {"base": ">=1"}}"#)
    let listed = try Child(
      ["/usr/bin/python3", sourceRoot() + "/Scripts/plugin_index", folder, needing],
      environment: maker.environment + [
        "DECKHAND=" + builtProgram("deckhand"), "DECKHAND_DATA=" + maker.path + "/data",
      ]
    ).finish(input: "")
    #expect(listed.status == 0, "\(listed)")
    try sign()
    let lock = maker.path + "/plugins.lock"
    let other = try Home()
    for home in [user, other] {
      #expect(try home.run("plugin", "index", "add", folder, "--key", maker.path + "/maker.pub").status == 0)
    }
    for name in ["base", "able"] { #expect(try user.run("plugin", "install", name, "--grant").status == 0) }
    #expect(try user.run("plugin", "lock", lock).output.hasPrefix("Wrote 2 plugins"))
    let synced = try other.run("plugin", "sync", lock, "--grant")
    #expect(
      synced.output == "Installed base 1.0.0; 1 test passed.\nInstalled able 1.0.0; 1 test passed.\n", "\(synced)")
    #expect(try other.run("plugin", "sync", lock, "--json").output == "")
    #expect(try other.run("plugin", "sync", lock).output.contains("all installed in these versions"))
    // An edited copy is not the locked version, and is replaced.
    try other.write("-- edited", to: "data/plugins/base/init.lua")
    #expect(try other.run("plugin", "sync", lock, "--grant").output.hasPrefix("Updated base from 1.0.0 to 1.0.0"))
    // Nothing is installed if one of the plugins is not available.
    let sound = text(of: lock)
    try maker.write(sound.replacing("\"able\": {", with: "\"nosuch\": {"), to: "plugins.lock")
    let refused = try Home()
    #expect(try refused.run("plugin", "index", "add", folder, "--key", maker.path + "/maker.pub").status == 0)
    let run = try refused.run("plugin", "sync", lock, "--grant")
    #expect(run.status == 1 && run.errors.contains("\"nosuch\""), "\(run)")
    #expect(names(in: refused.path + "/data/plugins").filter { $0 != ".lock" }.isEmpty)
  }

  @Test func `all faults are reported at once, to an author and to the maker of an index`() throws {
    let path = try source()
    #expect(try maker.run("plugin", "check", path).output.contains("an index would accept it"))
    try maker.write(#"{"name": "verbs", "api": 1, "commands": ["deck"]}"#, to: "source/verbs/plugin.json")
    unlink(path + "/test.lua")
    let bad = try maker.run("plugin", "check", path)
    #expect(bad.status == 1)
    for fault in [
      "\"version\"", "\"summary\"", "\"author\"", "\"licence\"", "test.lua is missing", "\"deck\" is a command",
    ] {
      #expect(bad.output.contains(fault), "\(fault): \(bad)")
    }
    symlink("/etc/passwd", path + "/x.lua")
    #expect(try maker.run("plugin", "check", path).output.contains("it is a link"))
    unlink(path + "/x.lua")
    #expect(try script(path).status != 0)
    try script(try source())
    #expect(try maker.run("plugin", "check", folder).output.contains("1 plugin in 1 version."))
    try maker.write("x", to: "index/verbs-1.0.0.tar.gz")
    let changed = try maker.run("--json", "plugin", "check", folder)
    #expect(changed.status == 1 && changed.output.contains("\"faults\": [\""), "\(changed)")
    // The same version with other content is not accepted a second time.
    let again = try script(try source(code: "-- other"))
    #expect(again.status != 0 && again.errors.contains("raise its version"), "\(again)")
  }

  @Test func `the plugins that come with the program are the first index, and it is up to date`() throws {
    let plugins = sourceRoot() + "/Plugins"
    let sources = names(in: plugins).filter { !$0.hasSuffix(".json") }.map { plugins + "/" + $0 }
    let check = try Child(
      ["/usr/bin/python3", sourceRoot() + "/Scripts/plugin_index", plugins, "--check"] + sources,
      environment: maker.environment + ["DECKHAND=" + builtProgram("deckhand")]
    ).finish(input: "")
    #expect(check.status == 0, "run Scripts/plugin_index Plugins Plugins/*/: \(check)")
    #expect(try user.run("plugin", "search", "ladder", "--json").output.contains("\"name\": \"word_ladder\""))
    try refused("install", "hangman", by: "hangman comes with Deckhand")
    for line in ["index list", "index add x", "install verbs", "lock x", "sync x", "check x"] {
      let run = try user.run("-e", "print(select(2, shell.run('plugin \(line)')).code)")
      #expect(run.output == "not_here\n", "\(line): \(run)")
    }
  }
}
