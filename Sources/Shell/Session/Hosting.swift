// What the rooms below are handed: the session as the host of Lua states and plugins. Invariant: a plugin's state
// reaches data only in the session that loaded it; the user's own may sign in again.

import Authentication
package import Bindings
package import Commands
import Files
package import LuaRuntime
import PluginHost
package import Problems
import Text
import ToggleSettings
package import Values
import WordGames
package import Workspace

extension Session: PluginSession {
  func bindingContext(_ owner: Owner, _ grants: Grants, _ terms: PluginTerms) -> BindingContext {
    BindingContext(
      ContextOrigin(owner, session: state.signOuts),
      hosts: BindingHosts(shell: self, plugins: self, auth: owner == .user ? self : nil), grants: grants,
      events: events, terms: terms)
  }

  package func bindingContext(of plugin: PluginName, _ grants: Grants, _ terms: PluginTerms) -> BindingContext {
    bindingContext(.plugin(plugin), grants, terms)
  }

  package func requireSignIn() throws { _ = try gate.requireAccess() }

  package var grantsFolder: String? { data.folder }

  package func reportPlugin(_ line: String) { console.message("plugin " + line) }

  package func didUnload(_ plugin: PluginName) {
    if let opened = data.opened, opened.isOpen { opened.settings.remove(of: .plugin(plugin)) }
  }
}

extension Session: ShellHost {
  package var version: String { options.version }
  package var settingOwner: Owner { scripting.settingOwner }

  package func workspace(for origin: ContextOrigin) throws -> Workspace {
    if origin.owner.plugin != nil, origin.session != state.signOuts { throw WorkspaceError.authenticationRequired }
    return try workspace()
  }

  package func isTyped(_ path: String) -> Bool { scripting.typedWords.contains(path) }

  package func changing<R>(asPlugin plugin: String, _ body: () throws -> R) rethrows -> R {
    // A script's unit is the script's.
    if state.isInScript { return try body() }
    let outer = data.origin
    data.origin = "plugin \(plugin)"
    defer { data.origin = outer }
    return try body()
  }

  package func show(_ value: LuaValue) { console.show(display(of: value)) }

  package func table(_ rows: [[String]], _ columns: [String]) { show(rows: rows, columns: columns) }

  package func chart(_ values: [(label: String, value: Double)], _ title: String?) {
    let chart = BarChart(title: title ?? "", bars: values.map { BarChart.Bar($0.label, $0.value) })
    console.show(chart.lines(on: console.terminal))
  }

  package func progress(_ label: String, _ total: Int) -> any ProgressReporting {
    console.progress(label, total: total == 0 ? nil : total)
  }

  package func run(_ line: String) throws -> CommandAnswer { try Runner(self).answer(of: line) }

  package func synchronize() throws -> Value { try UnattendedSync.fromLua(self) }

  package func addAlias(_ name: String, _ text: String, of owner: Owner, _ grants: Grants) throws {
    let words = try ShellWords.split(text, home: environment.folders.home)
    if owner.plugin == nil { return try registry.setAlias(name, words: words) }
    try registry.addShortForm(name, words, owner: owner) { command in
      grants.allows(.shellRun) ? !command.access.isForCommandLineOnly : command.owner == owner
    }
  }

  /// The user may describe their own command again; a plugin may not.
  package func add(_ command: Command) throws {
    if command.owner == .user { registry.remove(command.path, owner: .user) }
    try registry.add(command)
  }
}

extension Session: PluginDirectory {
  package func pluginList() -> [LuaValue] {
    plugins.plugins.map { LuaValue(PluginCommands.pluginRecord($0, self)) }
  }

  package func pluginInfo(_ name: String) throws -> LuaValue {
    LuaValue(PluginCommands.pluginRecord(try plugins.plugin(named: name), self))
  }

  package func enablePlugin(_ name: String) throws {
    let plugin = try plugins.plugin(named: name)
    if rehearsal.mayActOutside("enable the plugin \(plugin.name)") { try plugins.enable(plugin) }
  }

  package func disablePlugin(_ name: String) throws {
    let plugin = try plugins.plugin(named: name)
    if rehearsal.mayActOutside("disable the plugin \(plugin.name)") { try plugins.disable(plugin) }
  }

  package func reloadPlugin(_ name: String) throws { _ = try plugins.reload(plugins.plugin(named: name)) }

  package func prepareMode(_ name: String?) throws { try plugins.prepareMode(name) }
}

extension Session: Authenticating {
  package var needsAuthentication: Bool { gate.needsAuthentication }
  package var isAuthenticating: Bool { gate.isAuthenticating }
  package var user: String? { gate.user }

  package func login(_ user: String?, passwordFile: String?) throws {
    let signIn = SignIn(self)
    try signIn.answeringLeft { try signIn.signIn(user ?? options.signIn.user, passwordFile: passwordFile) }
  }

  package func logout() throws { try signOut() }
}
