// `plugin ...`. Invariant: a plugin is enabled only after its permissions were shown in words, and with consent.

import Bindings
import Commands
import PluginHost
import Problems
import Text
import Values
import Workspace

enum PluginCommands {
  static var all: [BuiltIn] {
    [
      listPlugins, pluginInfo, enablePlugin, disablePlugin, reloadPlugin, PluginWork.newPlugin, PluginWork.testPlugin,
      PluginWork.limitPlugin,
    ] + PluginPackages.all + [PluginWork.checkPlugin]
  }

  static let pluginName = Argument("NAME", .plugin, help: "a plugin's name")

  /// The plugin as `--json` and `plugins.info` return it.
  static func pluginRecord(_ plugin: Plugin, _ session: Session) -> Value {
    let manifest = plugin.manifest
    return .record([
      "name": plugin.name, "version": manifest?.version ?? "", "state": stateWord(plugin), "bundled": plugin.isBundled,
      "isolated": session.plugins.isolation.holds(plugin), "summary": manifest?.summary ?? "",
      "author": manifest?.author, "licence": manifest?.licence,
      "permissions": (manifest?.permissions ?? []).map(\.description), "granted": plugin.granted,
      "commands": plugin.commands, "modes": plugin.modes, "exercises": plugin.exercises, "formats": plugin.formats,
      "seconds": plugin.limits.seconds, "memory": plugin.limits.memory, "load_seconds": plugin.loadTime,
      "folder": plugin.folder,
      "error": plugin.lastError,
    ])
  }

  private static func stateWord(_ plugin: Plugin) -> String {
    switch plugin.state {
    case .ready, .loading, .loaded: "on"
    case .off: "off"
    case .asking: "asking"
    case .newer: "newer"
    case .failed: "failed"
    }
  }

  private static func stateText(_ plugin: Plugin, _ session: Session) -> String {
    switch plugin.state {
    case .ready, .loading, .loaded:
      return plugin.isBundled ? "on (bundled)" : session.plugins.isolation.holds(plugin) ? "on" : "on (not isolated)"
    case .off: return plugin.isBundled ? "off (bundled)" : "off"
    case .asking(let rights): return "asks for more than granted: \(rights.map(\.description).joined(separator: ", "))"
    case .newer(let api): return "for a newer Deckhand (interface \(api))"
    case .failed(let message): return "failed: \(message)"
    }
  }

  private static func adds(_ plugin: Plugin) -> String {
    let modes = plugin.modes.map { "mode \($0)" } + plugin.formats.map { "format \($0)" }
    let commands = plugin.commands.map { "command \($0)" }
    return (commands + modes + plugin.exercises.map { "exercise \($0)" }).joined(separator: ", ")
  }

  private static func loadText(_ plugin: Plugin) -> String {
    plugin.loadTime.map { "\(max(1, Int(($0 * 1000).rounded()))) ms" } ?? "-"
  }

  private static let listPlugins = BuiltIn(
    "plugin", "list", summary: "Lists the plugins that were found.", answer: "{name, version, state, FIELD}..."
  ) { _, session in
    session.plugins.refreshManifests()
    let rows = session.plugins.plugins.map {
      [$0.name, $0.manifest?.version ?? "-", stateText($0, session), adds($0), loadText($0)]
    }
    let table = TableText(
      [.name("Name"), "Version", "State", "Adds", "Loaded in"], rows: rows, whenEmpty: "No plugins were found.")
    return CommandResult(.list(session.plugins.plugins.map { pluginRecord($0, session) }), .table(table))
  }

  private static let pluginInfo = BuiltIn(
    "plugin", "info", summary: "Shows what a plugin adds, what it may do and its state.",
    answer: "{name, version, state, FIELD}", arguments: [Self.pluginName], example: "plugin info palindromes"
  ) { invocation, session in
    let plugin = try session.plugins.plugin(named: invocation.text("NAME"))
    session.plugins.refreshManifest(of: plugin)
    let origin = try origin(of: plugin, session)
    var rows = [
      ("name", "\(plugin.name) \(plugin.manifest?.version ?? "")"), ("author", plugin.manifest?.author ?? ""),
      ("licence", plugin.manifest?.licence ?? ""), ("state", stateText(plugin, session)),
      ("summary", plugin.manifest?.summary ?? ""), ("adds", adds(plugin)),
      ("may", Permission.inWords(plugin.manifest?.permissions ?? []).joined(separator: "; ")),
      ("granted", plugin.granted.isEmpty ? "nothing" : plugin.granted.joined(separator: ", ")),
      ("runs", session.plugins.isolation.holds(plugin) ? "in a process of its own" : "in Deckhand's process"),
      ("limits", "\(plugin.limits.secondsInWords) and \(plugin.limits.memory) MiB per call"),
      ("loaded in", loadText(plugin)), ("folder", plugin.folder),
    ]
    rows += origin.map { ($0.name, $0.text) }
    if let error = plugin.lastError { rows.append(("last error", error)) }
    var record = pluginRecord(plugin, session).record ?? Value.Record()
    for fact in origin { record[fact.name] = .text(fact.text) }
    return CommandResult(.record(record), .fields(rows.filter { !$0.1.isEmpty }.map { .init($0, $1) }))
  }

  /// Where an installed plugin came from, and the hash of its content, by which authors can say what they published.
  private static func origin(of plugin: Plugin, _ session: Session) throws -> [(name: String, text: String)] {
    if plugin.isBundled { return [] }
    let source = try session.plugins.packages.source(of: plugin).map { [("source", printable($0, limit: .max))] } ?? []
    do {
      return source + [("sha256", try session.plugins.packages.contentHash(of: plugin))]
    } catch let problem as any Problem {
      session.console.message("plugin: \(problem.message)")
      return source
    }
  }

  private static let enablePlugin = BuiltIn(
    "plugin", "enable", effect: .announces,
    summary: "Enables a plugin, after showing what it may do.", answer: "{name, version, state, FIELD}",
    details: "If nobody can be asked, --grant gives your consent. A plugin that did not come with Deckhand runs in a "
      + "process of its own that cannot open files or use the network: Deckhand does for it what was granted.",
    arguments: [Self.pluginName],
    options: [
      Option("--grant", help: "grant what it asks for without asking you"),
      Option("--no-isolate", help: "run it in Deckhand's own process until it is enabled again"),
    ], example: "plugin enable palindromes"
  ) { invocation, session in
    let plugin = try session.plugins.plugin(named: invocation.text("NAME"))
    let isolated = !invocation.flag("--no-isolate")
    switch try enable(plugin, isGranted: invocation.flag("--grant"), isolated: isolated, session) {
    case .inDryRun: return CommandResult()
    case .refused: return CommandResult(.boolean(false), line: "\(plugin.name) was not changed.")
    case .enabled:
      if let manifest = plugin.manifest { remark(on: manifest, session) }
      return CommandResult(pluginRecord(plugin, session), line: "Enabled \(plugin.name).")
    }
  }

  /// Reports what is probably a mistake in a plugin.json.
  static func remark(on manifest: Manifest, _ session: Session) {
    for remark in manifest.remarks { session.console.message("\(manifest.name): \(remark)") }
  }

  enum Enabling {
    case enabled
    /// The user did not grant what the manifest asks for.
    case refused(Manifest)
    case inDryRun
  }

  /// Enables a plugin if the user grants the permissions that it asks for.
  /// - Parameter isolated: whether it is to run in a process of its own; nil for where it ran before.
  static func enable(
    _ plugin: Plugin, isGranted: Bool = false, isolated: Bool? = nil, _ session: Session
  ) throws -> Enabling {
    if isolated == false, session.scripting.settingOwner.plugin != nil {
      throw PluginError.mayNotLeaveProcess(plugin: plugin.name)
    }
    let manifest = try session.plugins.currentManifest(of: plugin)
    guard session.rehearsal.mayActOutside("enable the plugin \(plugin.name)") else { return .inDryRun }
    guard try mayEnable(plugin, manifest, isGranted: isGranted, session) else { return .refused(manifest) }
    try session.plugins.enable(plugin, asked: manifest, isolated: isolated)
    return .enabled
  }

  /// Whether the user grants the plugin's permissions; those granted before are not asked for again.
  /// - Parameter isGranted: whether the command has `--grant`; it does not count when a plugin runs the command.
  private static func mayEnable(
    _ plugin: Plugin, _ manifest: Manifest, isGranted: Bool, _ session: Session
  ) throws -> Bool {
    if isGranted && session.scripting.settingOwner.plugin == nil || plugin.isBundled { return true }
    if manifest.permissions.allSatisfy({ plugin.granted.contains($0.description) }) { return true }
    // A question that nobody sees cannot be answered.
    guard session.canAsk else { throw notGranted(plugin, manifest) }
    let by = manifest.author.map { " by \($0)" } ?? ""
    session.console.show(
      .lines(
        ["\(plugin.name) \(manifest.version)\(by) wants to:"]
          + Permission.inWords(manifest.permissions).map { "  - " + $0 }))
    return try session.confirm("Enable it?")
  }

  static func notGranted(_ plugin: Plugin, _ manifest: Manifest) -> ShellError {
    .notGranted(
      plugin: plugin.name, rights: manifest.permissions.map(\.description), command: "plugin enable \(plugin.name)")
  }

  private static let disablePlugin = BuiltIn(
    "plugin", "disable", effect: .announces, summary: "Stops a plugin and removes what it added.",
    answer: "{name, version, state, FIELD}", arguments: [Self.pluginName], example: "plugin disable palindromes"
  ) { invocation, session in
    let plugin = try session.plugins.plugin(named: invocation.text("NAME"))
    guard try disable(plugin, session) else { return CommandResult() }
    return CommandResult(pluginRecord(plugin, session), line: "Disabled \(plugin.name).")
  }

  /// - Returns: false in a dry run.
  @discardableResult static func disable(_ plugin: Plugin, _ session: Session) throws -> Bool {
    guard session.rehearsal.mayActOutside("disable the plugin \(plugin.name)") else { return false }
    try session.plugins.disable(plugin)
    return true
  }

  private static let reloadPlugin = BuiltIn(
    "plugin", "reload", effect: .acts, summary: "Loads a plugin from its folder again.",
    answer: "{name, version, state, FIELD}", arguments: [Self.pluginName], example: "plugin reload palindromes"
  ) { invocation, session in
    let plugin = try session.plugins.reload(session.plugins.plugin(named: invocation.text("NAME")))
    try session.plugins.load(plugin)
    return CommandResult(pluginRecord(plugin, session), line: "Reloaded \(plugin.name).")
  }
}
