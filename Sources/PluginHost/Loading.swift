// Loads a plugin's code, and unloads everything that it added. Invariant: a plugin has its own Lua state with the
// safe libraries, its granted modules and its own files. It may be unloaded while its code runs: what it added is
// removed at once, its state when the code has ended.

public import Bindings
import Commands
import Exchange
import Files
import LuaRuntime
import Problems
import Text
import WordGames

extension PluginHost {
  // MARK: At first use

  /// Loads the plugin of the command that the words name, if the command is only announced.
  public func prepareCommand(_ words: [String]) throws {
    guard let first = words.first, registry.isKnown(first) else { return }
    guard case .command(let command, _) = try registry.lookup(words), case .announced = command.action,
      let owner = command.owner.plugin
    else { return }
    try load(try plugin(named: owner.description))
  }

  public func loadListeners(to event: ShellEvent) {
    for plugin in plugins where plugin.state == .ready && plugin.manifest?.events.contains(event) == true {
      loadOrReport(plugin)
    }
  }

  func loadOrReport(_ plugin: Plugin) {
    do { try load(plugin) } catch {
      session.reportPlugin(oneLine(error))
    }
  }

  /// Loads a plugin's code, unless it is loaded.
  /// - Throws: `PluginError`; the plugin is then unloaded again.
  public func load(_ plugin: Plugin) throws {
    refreshManifest(of: plugin)
    switch plugin.state {
    case .loaded: return
    case .loading: throw PluginError.isLoading(plugin: plugin.name)
    case .off: throw PluginError.disabled(plugin: plugin.name)
    case .asking(let missing): throw PluginError.asksForMore(plugin: plugin.name, rights: missing.map(\.description))
    case .newer(let api): throw PluginError.newerAPI(plugin: plugin.name, api: api)
    case .failed(let message): throw PluginError.failed(plugin: plugin.name, message: message)
    case .ready: break
    }
    try session.requireSignIn()
    guard let manifest = plugin.manifest else { return }
    let start = environment.clocks.elapsed()
    let unloadings = plugin.unloadings
    plugin.state = .loading
    // Removes the announced commands, which the real ones replace.
    registry.removeAll(owner: manifest.owner)
    do {
      try run(plugin, manifest, grants(for: manifest.permissions))
      guard plugin.unloadings == unloadings else { throw PluginError.endedWhileLoading(plugin: plugin.name) }
      try checkPromises(manifest)
    } catch let error as LuaError where error.stopReason == .interrupt {
      guard plugin.unloadings == unloadings else { throw error }
      unload(plugin)
      plugin.state = .ready
      announce(plugin)
      throw error
    } catch {
      // If its own code had it unloaded, that state is kept.
      guard plugin.unloadings == unloadings else { throw PluginError.endedWhileLoading(plugin: plugin.name) }
      let message = fail(plugin, with: error, isReported: false)
      throw PluginError.failed(plugin: plugin.name, message: message, trace: (error as? any TracedError)?.trace)
    }
    plugin.code?.loadTime = environment.clocks.elapsed() - start
    plugin.code?.commands = registry.commands.filter { $0.owner == manifest.owner }.map(\.name)
    plugin.code?.modes = modes.entries.filter { $0.owner == manifest.owner }.map(\.name)
    plugin.state = .loaded
  }

  /// Makes the plugin's state and runs its `init.lua`.
  /// - Parameter grantsTypedPaths: whether the files that the arguments of a command name are granted for its call.
  func run(_ plugin: Plugin, _ manifest: Manifest, _ grants: Grants, grantsTypedPaths: Bool = true) throws {
    let seed = environment.random.seed.map { seed in
      plugin.name.utf8.reduce(seed) { $0 &* 0x100_0000_01B3 ^ UInt64($1) }
    }
    let lua = try LuaState(memoryLimit: plugin.limits.memory << 20, libraries: .sandboxed, seed: seed)
    lua.isTracing = session.wantsTrace
    var terms = PluginTerms()
    terms.limits = plugin.limits
    terms.grantsTypedPaths = grantsTypedPaths
    terms.recordFailure = { [weak plugin] message in
      if let plugin { plugin.lastError = message.withoutPrefix(plugin.name + ": ") }
    }
    let context = session.bindingContext(.plugin(manifest.name), grants, terms)
    let code = Plugin.LoadedCode(lua: lua, distant: try isolation.start(plugin, lua, seed: seed), context: context)
    plugin.code = code
    lua.timeLimit = plugin.limits.seconds
    try install(context, in: lua)
    let folder = PluginFolder(path: plugin.folder)
    try code.distant?.sendModules()
    try lua.setRequire { try folder.module($0) }
    try runFile("init.lua", of: plugin, in: code)
  }

  func runFile(_ name: String, of plugin: Plugin, in code: Plugin.LoadedCode) throws {
    let source = try PluginFolder(path: plugin.folder).file(name)
    do {
      try code.lua.load(luaCode(ofFile: source), name: name).call([], results: 0) { _ in }
    } catch let error as LuaError where error.stopReason == .deadline || error.stopReason == .memory {
      throw PluginCallError(plugin: plugin.name, .loading, error, limits: plugin.limits)
    } catch let error as LuaError {
      guard let advice = code.context.advice(on: error.description) else { throw error }
      throw PluginError.failed(plugin: plugin.name, message: oneLine(error) + advice, trace: error.trace)
    }
  }

  func grants(for permissions: [Permission]) -> Grants {
    var grants = Grants(modules: [])
    for permission in permissions {
      switch permission {
      case .module(let name): if let module = Grants.Module(rawValue: name) { grants.modules.insert(module) }
      case .read(let path): grants.readable?.append(environment.folders.expanded(path))
      case .write(let path): grants.writable?.append(environment.folders.expanded(path))
      case .setting(let name): grants.settings?.append(name)
      }
    }
    return grants
  }

  private func checkPromises(_ manifest: Manifest) throws {
    let (owner, commands) = (manifest.owner, registry.commands.filter { $0.owner == manifest.owner }.map { $0.path[0] })
    let missing =
      manifest.modes.filter { modes.owner(of: $0) != owner }.map { "the mode \"\($0)\"" }
      + manifest.exercises.filter { exercises.owner(of: $0) != owner }.map { "the exercise \"\($0)\"" }
      + manifest.commands.filter { !commands.contains($0) }.map { "the command \"\($0)\"" }
    if let what = missing.first { throw PluginError.missing(plugin: manifest.name.description, what: what) }
    let added = formats.added(by: manifest.owner)
    for format in manifest.formats {
      let endings = Set(added.filter { $0.name == format.name }.flatMap(\.endings))
      if endings != Set(format.endings) {
        let words = format.endings.joined(separator: ", ")
        throw PluginError.missing(
          plugin: manifest.name.description, what: "the format \"\(format.name)\" with exactly the endings \(words)")
      }
    }
  }

  /// Removes all that a plugin added, and closes its state when its code has ended. The caller sets its next state.
  func unload(_ plugin: Plugin) {
    plugin.unloadings += 1
    if let manifest = plugin.manifest {
      registry.removeAll(owner: manifest.owner)
      modes.remove(owner: manifest.owner)
      exercises.remove(owner: manifest.owner)
      formats.remove(owner: manifest.owner)
      events.removeAll(owner: manifest.owner)
      session.didUnload(manifest.name)
    }
    announced.removeAll { $0 === plugin }
    plugin.code?.close()
    plugin.code = nil
  }

  /// Unloads all plugins, even if their own code asked for that; what their manifests name remains known.
  public func unloadAll() {
    for plugin in plugins where plugin.lua != nil {
      unload(plugin)
      plugin.state = .ready
      announce(plugin)
    }
  }
}
