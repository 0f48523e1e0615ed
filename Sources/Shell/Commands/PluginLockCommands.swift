// `plugin lock` and `plugin sync`: a set of plugins pinned by version and content. Invariant: all plugins of a lock
// file are found and compared before the first is installed; others are left alone.

import Commands
import Files
import PluginHost
import Text
import Values
import Workspace

enum PluginLockCommands {
  static var all: [BuiltIn] { [lock, sync] }

  private static var lock: BuiltIn {
    BuiltIn(
      "plugin", "lock", theme: PluginCommands.pluginTheme, access: .atTerminal, effect: .announces,
      summary: "Writes which plugins are installed, by version and content, to a file.",
      answer: "{path, plugins}",
      details: """
        `plugin sync` brings the same plugins back, here or on another machine that has the indexes. Those that come with \
        the program are not in it.
        """,
      arguments: [Argument("FILE", .file, access: .write, help: "the file, as plugins.lock")],
      example: "plugin lock plugins.lock"
    ) { invocation, session in
      let path = session.environment.folders.expanded(invocation.text("FILE"))
      session.plugins.refreshManifests()
      let lock = try session.plugins.indexes.lock()
      guard session.rehearsal.mayActOutside("write \(path)") else { return CommandResult() }
      try AtomicFile.write(path, lock.bytes, .exported())
      return CommandResult(
        .record([("path", .text(path)), ("plugins", .integer(lock.entries.count))]),
        line: "Wrote \(session.counted(lock.entries.count, "plugin")) to \(path).")
    }
  }

  private static var sync: BuiltIn {
    BuiltIn(
      "plugin", "sync", theme: PluginCommands.pluginTheme, access: .atTerminal, effect: .announces,
      summary: "Installs the plugins of a file that `plugin lock` wrote, in the versions that it has.",
      answer: "{name, version, state, FIELD}...",
      details: """
        They come from the indexes. All of them are found and compared before the first is installed: what was taken \
        back, or has another content, is refused. A higher or lower version that is there gives way to that of the file; \
        plugins that it does not name stay.
        """,
      arguments: [Argument("FILE", .file, access: .read, help: "what `plugin lock` wrote")],
      options: [Option("--grant", help: "grant what they ask for without a question")],
      example: "plugin sync plugins.lock"
    ) { invocation, session in
      let path = session.environment.folders.expanded(invocation.text("FILE"))
      session.plugins.refreshManifests()
      let lock = try PluginLock(file: path, isInterrupted: session.environment.isInterrupted)
      let missing = try session.plugins.indexes.missing(of: lock, path: path)
      let names = missing.map { "\($0.package.name) \($0.package.manifest.version)" }
      if !missing.isEmpty, session.rehearsal.isOn {
        _ = session.rehearsal.mayActOutside("install \(names.joined(separator: ", "))")
        return CommandResult()
      }
      var installing = PluginInstalling(session, .replace)
      installing.isGranted = invocation.flag("--grant")
      return try install(missing, lock, path, installing)
    }
  }

  private static func install(
    _ missing: [(listed: ListedRelease, package: PluginPackage)], _ lock: PluginLock, _ path: String,
    _ installing: PluginInstalling
  ) throws -> CommandResult {
    let session = installing.session
    var (plugins, lines): ([Plugin], [String]) = ([], [])
    for (listed, package) in missing {
      let plan = try session.plugins.packages.plan(package, .replace, listed: listed)
      let outcome = try installing.carryOut(plan)
      if let plugin = outcome.plugin { plugins.append(plugin) }
      lines.append(outcome.line)
    }
    let others = session.plugins.plugins.filter { plugin in
      !plugin.isBundled && !lock.entries.contains { $0.name == plugin.name }
    }
    if missing.isEmpty {
      lines.append("\(session.counted(lock.entries.count, "plugin")) of \(path): all there as it has them.")
    }
    if !others.isEmpty { lines.append("Not in it, and left alone: \(others.map(\.name).joined(separator: ", ")).") }
    return CommandResult(.list(plugins.map { PluginCommands.pluginRecord($0, session) }), .lines(lines))
  }
}
