// The user's decisions about plugins: enabling, disabling, limits, reloading. Invariant: a decision is written before
// it takes effect.

import Bindings
import Files
import LuaRuntime

extension PluginHost {
  /// Reads the manifest of a plugin from disk; the question before enabling shows this one.
  public func currentManifest(of plugin: Plugin) throws -> Manifest {
    let manifest = try Manifest(PluginFolder(path: plugin.folder).manifest(), folder: plugin.name)
    if manifest.isNewer { throw PluginError.newerAPI(plugin: plugin.name, api: manifest.api) }
    return manifest
  }

  /// Reads `plugin.json` again if it was edited, unless the plugin's code is loaded: what is asked is what is on disk.
  public func refreshManifest(of plugin: Plugin) {
    guard plugin.code == nil else { return }
    let manifest: Manifest
    do {
      let bytes = try PluginFolder(path: plugin.folder).manifest()
      if bytes == plugin.manifest?.source { return }
      manifest = try Manifest(bytes, folder: plugin.name)
    } catch {
      // An error in the first manifest was reported when it was first read.
      if plugin.manifest != nil { fail(plugin, with: error) }
      plugin.manifest = nil
      return
    }
    unload(plugin)
    plugin.manifest = manifest
    plugin.lastError = nil
    plugin.apply(entry(of: plugin))
    announce(plugin)
  }

  /// Reads edited manifests, and those of plugins that another shell wrote meanwhile.
  public func refreshManifests() {
    for plugin in plugins { refreshManifest(of: plugin) }
    guard events.loader != nil else { return }
    let folder = environment.folders.plugins
    do {
      for name in try Folder.subfolders(of: folder) where !plugins.contains(where: { $0.name == name }) {
        let plugin = read(name, folder + "/" + name, isBundled: false, isFound: true)
        add(plugin)
        announce(plugin)
      }
    } catch {
      session.reportPlugin(oneLine(error))
    }
  }

  /// Enables a plugin with all the rights that its manifest asks for.
  /// - Parameters:
  ///   - asked: the manifest that the user agreed to; nil for the current one.
  ///   - isolated: whether its code is to run in its own process from now on, unless it came with Deckhand; nil to
  ///     leave this unchanged.
  /// - Throws: `PluginError.changed` if the manifest has changed since, `.cannotIsolate` if the plugin cannot run in
  ///   its own process, `.mayNotLeaveProcess` if plugin code is running.
  ///   Nothing is granted then.
  public func enable(_ plugin: Plugin, asked: Manifest? = nil, isolated: Bool? = nil) throws {
    let manifest = try currentManifest(of: plugin)
    if let asked, asked.source != manifest.source { throw PluginError.changed(plugin: plugin.name) }
    if isolated == false, plugins.contains(where: { $0.lua?.isInUse == true }) {
      throw PluginError.mayNotLeaveProcess(plugin: plugin.name)
    }
    let wantedProcess = plugin.wantsProcess
    if let isolated, !plugin.isBundled { plugin.wantsProcess = isolated }
    do { try isolation.check(plugin) } catch {
      plugin.wantsProcess = wantedProcess
      throw error
    }
    let rights = manifest.permissions.map(\.description)
    try remember(plugin, version: manifest.version) {
      $0.isEnabled = true
      $0.granted = plugin.isBundled ? [] : rights
      $0.isIsolated = plugin.isBundled || plugin.wantsProcess
    }
    plugin.granted = rights
    let isRunning = (plugin.state == .loaded || plugin.state == .loading) && plugin.wantsProcess == wantedProcess
    if isRunning, plugin.manifest?.source == manifest.source { return }
    unload(plugin)
    plugin.manifest = manifest
    plugin.state = .ready
    announce(plugin, isReported: false)
    if case .failed(let message) = plugin.state { throw PluginError.failed(plugin: plugin.name, message: message) }
    if manifest.loadsAtStart { try load(plugin) }
  }

  public func disable(_ plugin: Plugin) throws {
    try remember(plugin) { $0.isEnabled = false }
    unload(plugin)
    plugin.state = .off
  }

  /// Turns off the plugins that another shell has disabled, or from which it took a right. Called between two lines.
  public func applyRevocations() {
    guard let grants, grants.folder == session.grantsFolder, !grants.isCurrent else { return }
    readGrants()
    for plugin in plugins where plugin.isUsable {
      let entry = entry(of: plugin)
      if plugin.manifest == nil || plugin.state(for: entry) == .ready { continue }
      unload(plugin)
      plugin.apply(entry)
      // An update may ask for something else.
      if plugin.state != .off { refreshManifest(of: plugin) }
    }
  }

  /// Sets the limits of each call of a plugin; nil leaves one unchanged. A loaded plugin is loaded again.
  public func setLimits(_ plugin: Plugin, seconds: Double?, memory: Int?) throws {
    var limits = plugin.limits
    try remember(plugin) {
      $0.seconds = seconds ?? $0.seconds
      $0.memory = memory ?? $0.memory
      limits = $0.limits(or: plugin.usualLimits)
    }
    plugin.limits = limits
    guard plugin.manifest != nil else { return }
    let isUsed = plugin.lua != nil || plugin.lastError != nil
    if isUsed, plugin.state != .off, plugin.state != .loading { _ = try reload(plugin) }
  }

  /// Reads the manifest again, and loads the code if it was loaded before.
  public func reload(_ plugin: Plugin) throws -> Plugin {
    if plugin.state == .loading { throw PluginError.isLoading(plugin: plugin.name) }
    let wasLoaded = plugin.lua != nil
    unload(plugin)
    plugin.state = .off
    let fresh = read(plugin.name, plugin.folder, isBundled: plugin.isBundled)
    plugins = plugins.map { $0 === plugin ? fresh : $0 }
    announce(fresh)
    if wasLoaded { try load(fresh) }
    return fresh
  }
}
