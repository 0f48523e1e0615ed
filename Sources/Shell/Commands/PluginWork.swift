// `plugin new`, `plugin test`, `plugin limit`, `plugin check`, `lua-types`: commands for plugin authors. Invariant:
// tests run over temporary data, which is deleted whatever their result.

import Bindings
import Commands
import Files
import LuaRuntime
import PluginHost
import Problems
import Text
import Values
import Workspace

enum PluginWork {
  static let newPlugin = BuiltIn(
    "plugin", "new", effect: .announces, summary: "Creates a small plugin to start from, with a test.",
    answer: "{name, version, state, FIELD}", details: "It is in your plugins' folder and not enabled yet.",
    arguments: [Argument("NAME", help: "lowercase letters, digits, _ and -")],
    options: [
      Option("--kind", choice: PluginKind.allCases.map(\.rawValue), help: "what it adds; a command when left out")
    ], example: "plugin new verbs"
  ) { invocation, session in
    guard session.rehearsal.mayActOutside("write a plugin called \(invocation.text("NAME"))") else {
      return CommandResult()
    }
    let kind = invocation.optionalText("--kind").flatMap(PluginKind.init) ?? .command
    let plugin = try session.plugins.create(invocation.text("NAME"), kind)
    return CommandResult(
      PluginCommands.pluginRecord(plugin, session),
      .lines(["Wrote \(plugin.folder).", "Try it: `plugin test \(plugin.name)`, then `plugin enable \(plugin.name)`."]))
  }

  static let testPlugin = BuiltIn(
    "plugin", "test", effect: .acts, summary: "Runs a plugin's test.lua on temporary data.",
    answer: "{test, passed, message?}...", details: "Exits with status 1 when a test fails.",
    arguments: [PluginCommands.pluginName], example: "plugin test palindromes"
  ) { invocation, session in
    let plugin = try session.plugins.plugin(named: invocation.text("NAME"))
    let name = plugin.name
    let results = try testResults(of: name, session)
    PluginCommands.remark(on: try session.plugins.currentManifest(of: plugin), session)
    let failures = results.count { $0.failure != nil }
    let lines = results.flatMap { result in
      result.failure.map { ["FAILED  \(result.name)", "          \(printable($0, limit: 400))"] }
        ?? ["ok      \(result.name)"]
    }
    let sum =
      failures == 0
      ? "\(session.counted(results.count, "test")) passed."
      : "\(failures) of \(session.counted(results.count, "test")) failed."
    let value = Value.list(
      results.map { result in
        .record(["test": result.name, "passed": result.failure == nil, "message": result.failure])
      })
    let shown = lines + [sum]
    guard failures > 0 else { return CommandResult(value, .lines(shown)) }
    session.show(CommandResult(value, .lines(shown)), asJSON: invocation.wantsJSON(in: session))
    throw ShellError.testsFailed(plugin: name, failed: failures, of: results.count)
  }

  /// Runs the tests in a separate shell session that opens none of the user's data except word lists.
  /// - Parameter staged: the plugin's folder when it is not installed yet.
  static func testResults(of name: String, staged: String? = nil, _ session: Session) throws -> [PluginTestResult] {
    let folder = try throwawayFolder(session)
    defer { removeFolder(folder, session) }
    var inner = session.options
    (inner.usesPlugins, inner.isUnattended, inner.isDryRun, inner.signIn) = (false, true, false, SignInOptions())
    var world = session.environment
    (world.folders.data, world.folders.userPlugins) = (folder + "/data", session.environment.folders.plugins)
    let seed = session.environment.random.seed ?? 1
    (world.random.seed, world.random.choices) = (seed, RandomChoices(seed: seed))
    try session.plugins.copyGrants(to: folder + "/data/local")
    let quiet = Console(
      terminal: session.console.terminal, messages: session.console.messages, isQuiet: true,
      elapsed: session.environment.clocks.elapsed)
    let inside = try Session(inner, console: quiet, environment: world)
    defer { inside.close() }
    try makePrivateFolder(folder + "/files")
    inside.plugins.refreshGrants()
    return try inside.plugins.tests.run(of: name, in: folder + "/files", staged: staged)
  }

  static func throwawayFolder(_ session: Session) throws -> String {
    try Folder.makeTemporary(in: session.environment.folders.temporary, prefix: "deckhand-test")
  }

  static func removeFolder(_ path: String, _ session: Session) {
    do { try Folder.removeTree(path) } catch { session.console.message("plugin test: \(error.message)") }
  }

  static let limitPlugin = BuiltIn(
    "plugin", "limit",
    effect: .depends { $0.optionalText("--seconds") ?? $0.optionalText("--memory") == nil ? .reads : .announces },
    summary: "Shows or sets what each call of a plugin may use.", answer: "{name, seconds, memory}",
    details: "A call that exceeds a limit is stopped; the shell goes on. The defaults are 2 seconds and 64 MiB.",
    arguments: [PluginCommands.pluginName],
    options: [
      Option("--seconds", "N", .number(PluginLimits.secondsRange), help: "from 0.1 to 3600"),
      Option("--memory", "MIB", .integer(PluginLimits.memoryRange), help: "MiB, from 1 to 4096"),
    ], example: "plugin limit palindromes --seconds 10"
  ) { invocation, session in
    let plugin = try session.plugins.plugin(named: invocation.text("NAME"))
    let (seconds, memory) = (invocation.optionalNumber("--seconds"), invocation.optionalInteger("--memory"))
    let changes = seconds != nil || memory != nil
    if changes, session.scripting.settingOwner.plugin != nil { throw PluginError.mayNotSetLimits(plugin: plugin.name) }
    if changes, session.rehearsal.mayActOutside("change the limits of the plugin \(plugin.name)") {
      try session.plugins.setLimits(plugin, seconds: seconds, memory: memory)
    }
    let limits = plugin.limits
    return CommandResult(
      .record(["name": plugin.name, "seconds": limits.seconds, "memory": limits.memory]),
      line: "\(plugin.name): each call may use \(limits.secondsInWords) and \(limits.memory) MiB.")
  }

  static let luaTypes = BuiltIn(
    "lua-types", effect: .announces, summary: "Writes files that describe Deckhand to a Lua editor (LuaLS).",
    answer: "text...", details: "Add the folder to the editor's setting workspace.library.",
    arguments: [Argument("DIR", .folder, help: "the folder; it is created if it is missing")],
    example: "lua-types ~/deckhand-types"
  ) { invocation, session in
    let files = luaTypeFiles(types: session.lua.types, modules: session.lua.modules)
    return try PaperCommands.write(files, to: invocation, session)
  }

  static let checkPlugin = BuiltIn(
    "plugin", "check", access: .atTerminal, effect: .acts,
    summary: "Shows what to repair in a plugin before others install it.", answer: "{name, version, tests, faults}",
    details: """
      The folder is packed as by `plugin pack`, and the plugin's tests are run. The exit status is 1 if there is a \
      fault.
      """, arguments: [Argument("FOLDER", .folder, help: "a plugin's folder, or the name of one of your plugins")],
    example: "plugin check verbs", complete: PluginPackages.offerFolders
  ) { invocation, session in
    let folder = try PluginPackages.folder(invocation.text("FOLDER"), session)
    let check = try PluginCheck(folder: folder, session.plugins)
    let (tests, failures) = try check.package.map { try testing($0, session) } ?? (0, [])
    let faults = check.faults + failures
    let name = check.package?.name ?? lastPart(of: folder)
    let version = check.package?.manifest.version ?? ""
    let value = Value.record(["name": name, "version": version, "tests": tests, "faults": faults])
    var line = "\(name): cannot be packed."
    if let package = check.package {
      PluginCommands.remark(on: package.manifest, session)
      line =
        "\(name) \(version): \(session.counted(package.fileCount, "file")), "
        + "\(session.counted(check.packedSize, "byte")) packed, \(session.counted(tests, "test")); "
        + (faults.isEmpty ? "no faults." : "to repair:")
    }
    let result = CommandResult(value, .lines([line] + faults.map { "  " + $0 }))
    if faults.isEmpty { return result }
    session.show(result, asJSON: invocation.wantsJSON(in: session))
    throw PluginPackageError.hasFaults(path: folder, count: faults.count)
  }

  /// Runs the plugin's tests; returns their number, and what failed.
  private static func testing(_ package: PluginPackage, _ session: Session) throws -> (tests: Int, failures: [String]) {
    do {
      let results = try PluginWork.testResults(of: package.name, staged: package.path, session)
      let failures = results.compactMap { result in
        result.failure.map { "test.lua: \(quoted(result.name)): \(printable($0, limit: 300))" }
      }
      return (results.count, failures)
    } catch let problem as any Problem where problem.report.code != .interrupted {
      return (0, [problem.message])
    }
  }
}
