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
      "plugin", "lock", access: .atTerminal, effect: .announces,
      summary: "Writes the installed plugins to a file, each with its version and a hash of its content.",
      answer: "{path, plugins}",
      details: """
        `plugin sync` installs the same plugins again, here or on another machine that has the indexes. Plugins that come \
        with the program are not included.
        """, arguments: [Argument("FILE", .file, access: .write, help: "the file, such as plugins.lock")],
      example: "plugin lock plugins.lock"
    ) { invocation, session in
      let path = session.environment.folders.expanded(invocation.text("FILE"))
      session.plugins.refreshManifests()
      let lock = try session.plugins.indexes.lock()
      guard session.rehearsal.mayActOutside("write \(path)") else { return CommandResult() }
      try AtomicFile.write(path, lock.bytes, .exported())
      return CommandResult(
        .record(["path": path, "plugins": lock.entries.count]),
        line: "Wrote \(session.counted(lock.entries.count, "plugin")) to \(path).")
    }
  }

  private static var sync: BuiltIn {
    BuiltIn(
      "plugin", "sync", access: .atTerminal, effect: .announces,
      summary: "Installs the plugins that `plugin lock` wrote to a file, in the same versions.",
      answer: "{name, version, state, FIELD}...",
      details: """
        They come from the indexes. All of them are found and compared before the first is installed: a version that was \
        withdrawn, or has different content, is refused. A higher or lower version that is installed is replaced by that \
        of the file; plugins that are not in the file stay.
        """, arguments: [Argument("FILE", .file, access: .read, help: "the file that `plugin lock` wrote")],
      options: [Option("--grant", help: "grant what they ask for without asking you")],
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
      lines.append("\(session.counted(lock.entries.count, "plugin")) of \(path): all installed in these versions.")
    }
    if !others.isEmpty { lines.append("Not in it, and left unchanged: \(others.map(\.name).joined(separator: ", ")).") }
    return CommandResult(.list(plugins.map { PluginCommands.pluginRecord($0, session) }), .lines(lines))
  }
}
