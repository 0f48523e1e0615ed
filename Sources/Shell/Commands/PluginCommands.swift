// `plugin ...`. Invariant: a plugin's rights are shown in words before it is enabled, and enabled only with a yes or `--grant`.

import Bindings
import Commands
import PluginHost
import Problems
import Text
import Values

extension Shell {
  func pluginCommands() -> [Command] {
    [
      listPlugins(), pluginInfo(), enablePlugin(), disablePlugin(), reloadPlugin(), newPlugin(), testPlugin(),
      limitPlugin(),
    ]
  }

  static let pluginTheme = "Plugins"
  static let pluginName = Argument("NAME", .plugin, help: "a plugin's name")

  /// A plugin as `--json` and `plugins.info` give it.
  func pluginRecord(_ plugin: Plugin) -> Value {
    let manifest = plugin.manifest
    return .record([
      ("name", .text(plugin.name)), ("version", .text(manifest?.version ?? "")), ("state", .text(stateWord(plugin))),
      ("bundled", .boolean(plugin.isBundled)), ("summary", .text(manifest?.summary ?? "")),
      ("author", manifest?.author.map { .text($0) } ?? .null),
      ("permissions", .list((manifest?.permissions ?? []).map { .text($0.description) })),
      ("granted", .list(plugin.granted.map { .text($0) })),
      ("commands", .list(plugin.commands.map { .text($0) })), ("modes", .list(plugin.modes.map { .text($0) })),
      ("requires", .record((manifest?.requires ?? []).map { ($0.name, .text($0.range.description)) })),
      ("seconds", .number(plugin.limits.seconds)), ("memory", .integer(plugin.limits.memory)),
      ("load_seconds", plugin.loadTime.map { .number($0) } ?? .null), ("folder", .text(plugin.folder)),
      ("error", plugin.lastError.map { .text($0) } ?? .null),
    ])
  }

  private func stateWord(_ plugin: Plugin) -> String {
    switch plugin.state {
    case .ready, .loading, .loaded: plugins.dependencyProblem(of: plugin) == nil ? "on" : "failed"
    case .off: "off"
    case .asking: "asking"
    case .newer: "newer"
    case .failed: "failed"
    }
  }

  private func stateText(_ plugin: Plugin) -> String {
    if plugin.isUsable, let problem = plugins.dependencyProblem(of: plugin) {
      let text = problem.message
      return "failed: " + (text.hasPrefix(plugin.name + ": ") ? String(text.dropFirst(plugin.name.count + 2)) : text)
    }
    switch plugin.state {
    case .ready, .loading, .loaded: return plugin.isBundled ? "on (bundled)" : "on"
    case .off: return plugin.isBundled ? "off (bundled)" : "off"
    case .asking(let rights): return "asks for more than granted: \(rights.map(\.description).joined(separator: ", "))"
    case .newer(let api): return "for a newer Deckhand (interface \(api))"
    case .failed(let message): return "failed: \(message)"
    }
  }

  private func adds(_ plugin: Plugin) -> String {
    let modes = plugin.modes.map { "mode \($0)" }
    let commands = plugin.commands.map { "command \($0)" }
    return (commands + modes).joined(separator: ", ")
  }

  private func loadText(_ plugin: Plugin) -> String {
    plugin.loadTime.map { "\(max(1, Int(($0 * 1000).rounded()))) ms" } ?? "-"
  }

  private func listPlugins() -> Command {
    Command(
      "plugin", "list", theme: Self.pluginTheme, effect: .reads, summary: "Lists the plugins that were found.",
      example: "plugin list"
    ) {
      [unowned self] _ in
      let rows = plugins.plugins.map { [$0.name, $0.manifest?.version ?? "-", stateText($0), adds($0), loadText($0)] }
      let columns: [TableText.Column] = [
        .init("Name"), .init("Version"), .init("State"), .init("Adds"), .init("Loaded in"),
      ]
      return CommandResult(
        .list(plugins.plugins.map { pluginRecord($0) }),
        .table(TableText(columns, rows: rows, whenEmpty: "No plugins were found.")))
    }
  }

  private func pluginInfo() -> Command {
    Command(
      "plugin", "info", theme: Self.pluginTheme, effect: .reads,
      summary: "Shows what a plugin adds, what it may do and how it fares.",
      arguments: [Self.pluginName], example: "plugin info palindromes"
    ) { [unowned self] invocation in
      let plugin = try plugins.plugin(named: invocation.text("NAME"))
      var rows = [
        ["name", "\(plugin.name) \(plugin.manifest?.version ?? "")"], ["state", stateText(plugin)],
        ["what", plugin.manifest?.summary ?? ""], ["adds", adds(plugin)],
        ["may", Permission.inWords(plugin.manifest?.permissions ?? []).joined(separator: "; ")],
        ["granted", plugin.granted.isEmpty ? "nothing" : plugin.granted.joined(separator: ", ")],
        ["needs", (plugin.manifest?.requires ?? []).map { "\($0.name) \($0.range)" }.joined(separator: ", ")],
        ["limits", "\(plugin.limits.secondsInWords) and \(plugin.limits.memory) MiB a call"],
        ["loaded in", loadText(plugin)], ["folder", plugin.folder],
      ]
      if let author = plugin.manifest?.author { rows.insert(["by", author], at: 1) }
      if let error = plugin.lastError { rows.append(["last error", error]) }
      return CommandResult(
        pluginRecord(plugin), .fields(rows.filter { !$0[1].isEmpty }.map { .init($0[0], $0[1]) }))
    }
  }

  private func enablePlugin() -> Command {
    Command(
      "plugin", "enable", theme: Self.pluginTheme, effect: .acts,
      summary: "Enables a plugin, after showing what it may do.",
      details: "Where nobody can be asked, --grant is the yes.", arguments: [Self.pluginName],
      options: [Option("--grant", help: "grant what it asks for without a question")],
      example: "plugin enable palindromes"
    ) { [unowned self] invocation in
      let plugin = try plugins.plugin(named: invocation.text("NAME"))
      let manifest = try plugins.currentManifest(of: plugin)
      guard try mayEnable(plugin, manifest, isGranted: invocation.flag("--grant")) else {
        return CommandResult(.boolean(false), line: "\(plugin.name) stays as it is.")
      }
      try plugins.enable(plugin, asked: manifest)
      return CommandResult(pluginRecord(plugin), line: "Enabled \(plugin.name).")
    }
  }

  private func mayEnable(_ plugin: Plugin, _ manifest: Manifest, isGranted: Bool) throws -> Bool {
    if isGranted || plugin.isBundled || manifest.permissions.isEmpty { return true }
    // A question that nobody sees is no question.
    guard console.terminal.hasKeyboard, console.terminal.hasScreen, !setup.isUnattended else {
      throw ShellError.notGranted(plugin: plugin.name, rights: manifest.permissions.map(\.description))
    }
    let by = manifest.author.map { " by \($0)" } ?? ""
    console.show(
      [printable("\(plugin.name) \(manifest.version)\(by) wants to:")]
        + Permission.inWords(manifest.permissions).map { "  - " + printable($0, limit: 500) })
    return try confirm("Enable it?")
  }

  private func disablePlugin() -> Command {
    Command(
      "plugin", "disable", theme: Self.pluginTheme, effect: .acts,
      summary: "Ends a plugin and takes back what it added.",
      arguments: [Self.pluginName], example: "plugin disable palindromes"
    ) { [unowned self] invocation in
      let plugin = try plugins.plugin(named: invocation.text("NAME"))
      try plugins.disable(plugin)
      return CommandResult(pluginRecord(plugin), line: "Disabled \(plugin.name).")
    }
  }

  private func reloadPlugin() -> Command {
    Command(
      "plugin", "reload", theme: Self.pluginTheme, effect: .acts, summary: "Loads a plugin anew from its folder.",
      arguments: [Self.pluginName],
      example: "plugin reload palindromes"
    ) { [unowned self] invocation in
      let plugin = try plugins.reload(plugins.plugin(named: invocation.text("NAME")))
      try plugins.load(plugin)
      return CommandResult(pluginRecord(plugin), line: "Reloaded \(plugin.name).")
    }
  }
}
