// The session as the host of Lua states and plugins, implementing the protocols of the rooms below. Invariant: a
// plugin's state reaches data only in the session that loaded it; the user's own state may sign in again.

import Authentication
import Bindings
import CardDocuments
import Commands
import LuaRuntime
import PluginHost
import Problems
import Text
import ToggleSettings
import Values
import Workspace

/// The session as Lua states and plugins see it. The session owns it.
///
///     let plugins = PluginHost(SessionHost(session), environment: environment, ...)
final class SessionHost {
  private unowned let session: Session

  init(_ session: Session) { self.session = session }

  /// The most bytes of a text that are shown; a terminal takes seconds for more.
  private static let longestText = 1 << 16

  /// Formats a value as the prompt shows it; a text is shown without quotes, line by line.
  func display(of value: LuaValue) -> Display {
    if case .bytes(let bytes) = value {
      // Limited by bytes, since a letter may have any number of combining marks, which are slow to count.
      var end = min(bytes.count, Self.longestText)
      while end > 0, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
      let lines = bytes[..<end].split(separator: 0x0A, omittingEmptySubsequences: false)
      let more = end < bytes.count ? ["… \(grouped(bytes.count - end)) bytes more; `print` writes all of it"] : []
      return .lines(lines.map { String(decoding: $0, as: UTF8.self) } + more)
    }
    do {
      return try session.lua.withStack { stack in
        _ = try value.push(on: stack)
        return try LuaPreview(-1, on: stack).display(on: session.console.terminal)
      }
    } catch {
      session.report(error)
      return .none
    }
  }
}

extension SessionHost: PluginSession {
  func bindingContext(_ owner: Owner, _ grants: Grants, _ terms: PluginTerms) -> BindingContext {
    BindingContext(
      ContextOrigin(owner, session: session.state.signOuts), shell: self, grants: grants, events: session.events,
      terms: terms)
  }

  func requireSignIn() throws { _ = try session.auth.requireAccess() }
  var grantsFolder: String? { session.data.folder }
  var wantsTrace: Bool { session.options.wantsTrace }
  func reportPlugin(_ line: String) { session.console.message("plugin " + line) }

  func didUnload(_ plugin: PluginName) {
    if let opened = session.data.opened, opened.isOpen { opened.settings.remove(of: .plugin(plugin)) }
  }
}

extension SessionHost: ShellHost {
  var version: String { session.options.version }
  var settingOwner: Owner { session.scripting.settingOwner }

  func workspace(for origin: ContextOrigin) throws -> Workspace {
    if origin.owner.plugin != nil, origin.session != session.state.signOuts {
      throw WorkspaceError.authenticationRequired
    }
    return try session.workspace()
  }

  func isTyped(_ path: String) -> Bool { session.scripting.typedWords.contains(path) }

  func changing<R>(asPlugin plugin: String, _ body: () throws -> R) rethrows -> R {
    // Within a script, changes belong to the script's unit and keep its name.
    try session.state.isInScript ? body() : session.with(\.data.origin, "plugin \(plugin)", body)
  }

  func show(_ index: Int, on stack: borrowing LuaStack) throws {
    // A plugin's value is copied before it is shown, so that no function of the plugin runs.
    if stack.kind(index) != .text, stack.state === session.lua {
      return session.console.show(try LuaPreview(index, on: stack).display(on: session.console.terminal))
    }
    session.console.show(display(of: try stack.value(index)))
  }

  func table(_ rows: [[String]], _ columns: [String]) {
    let width = max(columns.count, rows.map(\.count).max() ?? 0)
    let heads = (0..<width).map { index in
      let isNumeric = !rows.isEmpty && rows.allSatisfy { index < $0.count && Double($0[index]) != nil }
      return TableText.Column(index < columns.count ? columns[index] : "", isNumeric ? .right : .left)
    }
    session.console.show(.table(TableText(heads, rows: rows)))
  }

  func chart(_ values: [(label: String, value: Double)], _ title: String?) {
    let terminal = session.console.terminal
    let rows = values.map { ChartPanel.Row(printable($0.label), $0.value, terminal.number($0.value)) }
    session.console.show(ChartPanel(printable(title ?? ""), .rows(rows)).lines(on: terminal))
  }

  func progress(_ label: String, _ total: Int) -> any ProgressReporting {
    session.console.progress(label, total: total == 0 ? nil : total)
  }

  func ask(_ question: String, of owner: Owner) throws -> String? {
    let name = owner.plugin?.description
    let isBundled = try name.map { try session.plugins.plugin(named: $0).isBundled } ?? true
    return try session.ask(question, mark: isBundled ? "" : "(plugin \(name ?? "")) ")
  }

  func run(_ line: String, of owner: Owner) throws -> CommandAnswer {
    try acting(as: owner.plugin == nil ? nil : owner, in: session) { try Runner(session).answer(of: line) }
  }

  func synchronize() throws -> Value { try UnattendedSync.fromLua(session) }

  func addAlias(_ name: String, _ text: String, of owner: Owner, _ grants: Grants) throws {
    let words = try ShellCommands.aliasWords(text, session)
    if owner.plugin == nil { return try ShellCommands.setAlias(name, words, session) }
    try session.registry.addPluginAlias(name, words, owner: owner) { command in
      grants.allows(.shellRun) ? !command.access.isForCommandLineOnly : command.owner == owner
    }
  }

  func add(_ command: Command) throws { try session.registry.add(command) }

  func pluginList() -> [LuaValue] { session.plugins.plugins.map { LuaValue(PluginCommands.pluginRecord($0, session)) } }

  func pluginInfo(_ name: String) throws -> LuaValue {
    LuaValue(PluginCommands.pluginRecord(try session.plugins.plugin(named: name), session))
  }

  func enablePlugin(_ name: String) throws {
    let plugin = try session.plugins.plugin(named: name)
    if case .refused(let manifest) = try PluginCommands.enable(plugin, session) {
      throw PluginCommands.notGranted(plugin, manifest)
    }
  }

  func disablePlugin(_ name: String) throws { try PluginCommands.disable(session.plugins.plugin(named: name), session) }
  func reloadPlugin(_ name: String) throws { _ = try session.plugins.reload(session.plugins.plugin(named: name)) }

  func startCode(_ lua: LuaState, _ terms: CodeTerms, seconds: Double) throws -> DistantCode? {
    try session.plugins.isolation.start(lua, terms, seconds: seconds)
  }

  var needsAuthentication: Bool { session.auth.needsAuthentication }
  var isAuthenticating: Bool { session.auth.isAuthenticating }
  var user: String? { session.auth.user }

  func login(_ user: String?, passwordFile: String?) throws {
    try SignIn(session).signIn(user ?? session.options.signIn.user, passwordFile: passwordFile)
  }

  func logout() throws {
    if session.auth.user != nil, let opened = session.data.opened {
      // A unit of work cannot end within an operation, nor can the data be closed while a past state is read.
      if opened.isReadingPastStep { throw WorkspaceError.lookingBack("signing out") }
      if opened.isInOperation { throw SignInError.withinChange }
    }
    try session.signOut()
  }
}
