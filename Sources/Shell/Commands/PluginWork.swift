// `plugin new`, `plugin test`, `plugin limit`, `lua-types`: for those who write plugins. Invariant: tests run over data that is
// thrown away, whatever they end with.

import Bindings
import Commands
import Files
import Glibc
import LuaRuntime
import PluginHost
import Problems
import Text
import Values
import Workspace

extension Shell {
  func newPlugin() -> Command {
    Command(
      "plugin", "new", theme: Self.pluginTheme, effect: .acts,
      summary: "Writes a small plugin to begin with, with its test.",
      details: "It stands in your plugins' folder and is not enabled yet.",
      arguments: [Argument("NAME", help: "small letters, digits, _ and -")], example: "plugin new verbs"
    ) { [unowned self] invocation in
      let plugin = try plugins.create(invocation.text("NAME"))
      return CommandResult(
        pluginRecord(plugin),
        .lines([
          "Wrote \(plugin.folder).",
          "Try it: `plugin test \(plugin.name)`, then `plugin enable \(plugin.name)`.",
        ]))
    }
  }

  func testPlugin() -> Command {
    Command(
      "plugin", "test", theme: Self.pluginTheme, effect: .acts,
      summary: "Runs a plugin's test.lua over data that is thrown away.",
      details: "Exits with status 1 when a test fails.", arguments: [Self.pluginName],
      example: "plugin test palindromes"
    ) { [unowned self] invocation in
      let name = try plugins.plugin(named: invocation.text("NAME")).name
      let results = try testResults(of: name)
      let failures = results.count { $0.failure != nil }
      let lines = results.map { result in
        result.failure.map { "FAILED  \(printable(result.name))\n          \(printable($0, limit: 400))" }
          ?? "ok      \(printable(result.name))"
      }
      let sum =
        failures == 0
        ? "\(counted(results.count, "test")) passed." : "\(failures) of \(counted(results.count, "test")) failed."
      let value = Value.list(
        results.map { result in
          .record([
            ("test", .text(result.name)), ("passed", .boolean(result.failure == nil)),
            ("message", result.failure.map { .text($0) } ?? .null),
          ])
        })
      let shown = lines.flatMap { $0.split(separator: "\n").map(String.init) } + [sum]
      guard failures > 0 else { return CommandResult(value, .lines(shown)) }
      show(CommandResult(value, .lines(shown)), asJSON: setup.wantsJSON || invocation.wantsJSON)
      throw ShellError.testsFailed(plugin: name, failed: failures, of: results.count)
    }
  }

  /// Runs the tests in a shell of their own: nothing of the person's is open in it but word lists.
  private func testResults(of name: String) throws -> [PluginTestResult] {
    let folder = try throwawayFolder()
    defer { removeFolder(folder) }
    var inner = setup
    inner.usesPlugins = false
    inner.isUnattended = true
    inner.isDryRun = false
    (inner.user, inner.isUserRequired, inner.passwordFile) = (nil, false, nil)
    var world = environment
    world.folders.data = folder + "/data"
    world.folders.userPlugins = environment.folders.plugins
    let seed = environment.random.seed ?? 1
    world.random.seed = seed
    world.random.choices = RandomChoices(seed: seed)
    let quiet = Console(
      terminal: console.terminal, messages: console.messages, isQuiet: true, elapsed: environment.clocks.elapsed)
    let shell = try Shell(inner, console: quiet, environment: world)
    defer { shell.close() }
    try makePrivateFolder(folder + "/files")
    return try shell.plugins.runTests(of: name, in: folder + "/files")
  }

  private func throwawayFolder() throws -> String {
    var template = Array(((environment.folders.temporary) + "/deckhand-test-XXXXXX").utf8CString)
    guard
      let path = template.withUnsafeMutableBufferPointer({ buffer in
        buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
      })
    else {
      throw ShellError.noTestFolder
    }
    return path
  }

  private func removeFolder(_ path: String) {
    do { try Folder.removeTree(path) } catch { console.message("plugin test: \(error.message)") }
  }

  func limitPlugin() -> Command {
    Command(
      "plugin", "limit", theme: Self.pluginTheme,
      effect: .depends { $0.optionalText("--seconds") ?? $0.optionalText("--memory") == nil ? .reads : .acts },
      summary: "Shows or sets what each call of a plugin may use.",
      details: "A call that passes a limit is ended; the shell goes on. 2 seconds and 64 MiB, where nothing is set.",
      arguments: [Self.pluginName],
      options: [
        Option("--seconds", "N", .number, help: "from 0.1 to 3600"),
        Option("--memory", "MIB", .integer(PluginHost.memoryRange), help: "MiB, from 1 to 4096"),
      ], example: "plugin limit palindromes --seconds 10"
    ) { [unowned self] invocation in
      let plugin = try plugins.plugin(named: invocation.text("NAME"))
      let (seconds, memory) = (invocation.optionalNumber("--seconds"), invocation.optionalInteger("--memory"))
      if let seconds, !PluginHost.secondsRange.contains(seconds) {
        throw ShellError.badSeconds(seconds)
      }
      if seconds != nil || memory != nil { try plugins.setLimits(plugin, seconds: seconds, memory: memory) }
      let limits = plugin.limits
      return CommandResult(
        .record([
          ("name", .text(plugin.name)), ("seconds", .number(limits.seconds)), ("memory", .integer(limits.memory)),
        ]),
        line: "\(plugin.name): each call may use \(limits.secondsInWords) and \(limits.memory) MiB.")
    }
  }

  func luaTypes() -> Command {
    Command(
      "lua-types", theme: "The shell", effect: .acts,
      summary: "Writes files that tell a Lua editor (LuaLS) what Deckhand offers.",
      details: "Name the folder in the editor's setting workspace.library.",
      arguments: [Argument("DIR", .folder, help: "the folder; it is made when it is missing")],
      example: "lua-types ~/deckhand-types"
    ) { [unowned self] invocation in
      let folder = expandedPath(invocation.text("DIR"))
      try makePrivateFolder(folder)
      let files = luaTypeFiles(types: lua.types, modules: lua.modules)
      for file in files { try AtomicFile.write(folder + "/" + file.name, Array(file.text.utf8), mode: 0o644) }
      return CommandResult(
        .list(files.map { .text(folder + "/" + $0.name) }), line: "Wrote \(counted(files.count, "file")) to \(folder).")
    }
  }
}
