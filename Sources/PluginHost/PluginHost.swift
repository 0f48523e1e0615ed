// Finds, checks, grants, loads and unloads plugins. Invariant: a plugin's code runs only after its manifest was read, its rights
// were granted and one of its commands or modes was used (or it asked to load at the start); an error in it never reaches
// beyond one line of report, and unloading takes back everything that it added.

public import Bindings
public import Commands
import Glibc
import LuaRuntime
import Storage
public import WordGames
import Wording

public final class PluginHost {
  /// What the host works with, handed in by the program.
  public struct Surroundings {
    /// The folder of the plugins that come with the program, if it was found.
    public var bundledFolder: String?
    /// Where the person's plugins are installed.
    public var personFolder: String
    public var home: String?
    /// Makes the context of a plugin's bindings.
    public var context: (_ plugin: String, _ grants: Grants) -> BindingContext
    public var elapsed: () -> Double
    /// Told of a failure in one line, when nobody asked for the plugin.
    public var report: (String) -> Void
    /// Throws while nobody is signed in: no plugin's code runs then.
    public var requireSignIn: () throws -> Void
    /// Told when a plugin was unloaded, so that what it declared elsewhere goes too.
    public var unloaded: (_ plugin: String) -> Void

    public init(
      bundledFolder: String?, personFolder: String, home: String?,
      context: @escaping (String, Grants) -> BindingContext, elapsed: @escaping () -> Double,
      report: @escaping (String) -> Void, requireSignIn: @escaping () throws -> Void = {},
      unloaded: @escaping (String) -> Void = { _ in }
    ) {
      self.requireSignIn = requireSignIn
      self.unloaded = unloaded
      self.bundledFolder = bundledFolder
      self.personFolder = personFolder
      self.home = home
      self.context = context
      self.elapsed = elapsed
      self.report = report
    }
  }

  private let surroundings: Surroundings
  private let registry: CommandRegistry
  private let modes: ModeTable
  private let events: EventTable
  /// By name; the person's stand in place of bundled ones of the same name.
  public private(set) var plugins: [Plugin] = []
  private var grants: GrantFile?
  /// States of plugins that were ended while their code may have been running.
  private var retired: [LuaState] = []

  public init(_ surroundings: Surroundings, registry: CommandRegistry, modes: ModeTable, events: EventTable) {
    self.surroundings = surroundings
    self.registry = registry
    self.modes = modes
    self.events = events
  }

  // MARK: Finding

  /// Reads the manifests of all plugins and announces their commands.
  public func discover() {
    do {
      grants = try GrantFile(path: surroundings.personFolder + "/grants.json")
    } catch {
      surroundings.report(oneLine(error))
    }
    var found: [String: Plugin] = [:]
    for (folder, isBundled) in [(surroundings.bundledFolder, true), (surroundings.personFolder, false)] {
      guard let folder else { continue }
      for name in subfolders(of: folder) {
        if found[name] != nil { surroundings.report("\(name): your plugin stands in place of the bundled one") }
        found[name] = read(name, folder + "/" + name, isBundled: isBundled)
      }
    }
    plugins = found.values.sorted { $0.name < $1.name }
    for plugin in plugins { announce(plugin) }
  }

  /// Loads the plugins that ask for the start.
  public func loadAtStart() {
    for plugin in plugins where plugin.state == .ready && plugin.manifest?.loadsAtStart == true { loadOrReport(plugin) }
  }

  private func read(_ name: String, _ folder: String, isBundled: Bool) -> Plugin {
    do {
      let manifest = try Manifest(FileText.bytes(folder + "/plugin.json", limit: 256 << 10), folder: name)
      let state = state(of: manifest, isBundled: isBundled)
      return Plugin(name: name, folder: folder, isBundled: isBundled, manifest: manifest, state: state)
    } catch {
      let message = oneLine(error)
      surroundings.report(message)
      return Plugin(name: name, folder: folder, isBundled: isBundled, manifest: nil, state: .failed(message))
    }
  }

  private func state(of manifest: Manifest, isBundled: Bool) -> Plugin.State {
    let entry = grants?.entries[manifest.name]
    if isBundled { return entry?.isEnabled == false ? .off : .ready }
    guard let entry, entry.isEnabled else { return .off }
    let missing = manifest.permissions.filter { !entry.granted.contains($0.description) }
    return missing.isEmpty ? .ready : .asking(missing)
  }

  /// Commands that are known from the manifest: used for the first time, they load the plugin.
  private func announce(_ plugin: Plugin) {
    guard plugin.isUsable, let manifest = plugin.manifest else { return }
    for name in manifest.commands {
      let command = Command(
        name, theme: "Plugins", summary: manifest.summary, arguments: [Argument("ARG", .verbatim, isOptional: true)],
        owner: plugin.name
      ) { [unowned self] invocation in
        try load(plugin)
        let (command, loaded) = try registry.parse(words: [name] + invocation.words)
        return try command.run(loaded)
      }
      do {
        try registry.add(command)
      } catch {
        fail(plugin, with: error)
      }
    }
  }

  /// - Throws: `PluginError.unknown`.
  public func plugin(named name: String) throws -> Plugin {
    if let plugin = plugins.first(where: { $0.name == name }) { return plugin }
    throw PluginError.unknown(name: name, suggestion: didYouMean(name, among: plugins.map(\.name)))
  }

  // MARK: Loading

  /// Sees to it that a mode is there when a plugin's manifest names it; nil asks for all modes.
  public func prepareMode(_ name: String?) throws {
    for plugin in plugins where plugin.state == .ready {
      guard let offered = plugin.manifest?.modes, !offered.isEmpty else { continue }
      if name == nil {
        loadOrReport(plugin)
      } else if let name, offered.contains(name) {
        try load(plugin)
      }
    }
  }

  /// The modes that plugins offer, loaded or not, with what the manifests say of them.
  public var offeredModes: [(name: String, summary: String)] {
    plugins.filter(\.isUsable).flatMap { plugin in
      (plugin.manifest?.modes ?? []).map { ($0, plugin.manifest?.summary ?? "") }
    }
  }

  private func loadOrReport(_ plugin: Plugin) {
    do {
      try load(plugin)
    } catch {
      surroundings.report(oneLine(error))
    }
  }

  /// Loads a plugin's code, unless it is loaded.
  /// - Throws: `PluginError`; the plugin is unloaded again then.
  public func load(_ plugin: Plugin) throws {
    switch plugin.state {
    case .loaded: return
    case .off: throw PluginError.disabled(plugin: plugin.name)
    case .asking(let missing):
      throw PluginError.asksForMore(plugin: plugin.name, rights: missing.map(\.description))
    case .failed(let message): throw PluginError.failed(plugin: plugin.name, message: message)
    case .ready: break
    }
    try surroundings.requireSignIn()
    guard let manifest = plugin.manifest else { return }
    let start = surroundings.elapsed()
    registry.removeAll(owner: plugin.name)
    do {
      try run(plugin, manifest)
      try checkPromises(manifest)
    } catch {
      takeBack(plugin)
      plugin.state = .failed(reason(error, of: plugin))
      plugin.lastError = reason(error, of: plugin)
      throw PluginError.failed(plugin: plugin.name, message: reason(error, of: plugin))
    }
    plugin.loadTime = surroundings.elapsed() - start
    plugin.state = .loaded
  }

  private func run(_ plugin: Plugin, _ manifest: Manifest) throws {
    let lua = try LuaState(memoryLimit: Self.memoryLimit)
    plugin.lua = lua
    try restrict(lua)
    let context = surroundings.context(plugin.name, grants(for: manifest))
    try install(context, in: lua)
    let code = try FileText.bytes(plugin.folder + "/init.lua", limit: 4 << 20)
    try lua.load(code, name: "init.lua").call([], results: 0) { _ in }
  }

  /// 64 MiB.
  static let memoryLimit = 64 << 20

  private func grants(for manifest: Manifest) -> Grants {
    var grants = Grants(modules: [])
    for permission in manifest.permissions {
      switch permission {
      case .module(let name): if let module = Grants.Module(rawValue: name) { grants.modules.insert(module) }
      case .read(let path): grants.readable?.append(expanded(path))
      case .write(let path): grants.writable?.append(expanded(path))
      }
    }
    return grants
  }

  private func expanded(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home = surroundings.home else { return path }
    return home + path.dropFirst()
  }

  private func checkPromises(_ manifest: Manifest) throws {
    for mode in manifest.modes where modes.owner(of: mode) != manifest.name {
      throw PluginError.missing(plugin: manifest.name, what: "the mode \(quoted(mode))")
    }
    for command in manifest.commands
    where !registry.commands.contains(where: { $0.name == command && $0.owner == manifest.name }) {
      throw PluginError.missing(plugin: manifest.name, what: "the command \(quoted(command))")
    }
  }

  // MARK: Unloading

  /// Takes back everything that a plugin added, and closes its state.
  private func takeBack(_ plugin: Plugin) {
    registry.removeAll(owner: plugin.name)
    modes.remove(owner: plugin.name)
    events.removeAll(owner: plugin.name)
    surroundings.unloaded(plugin.name)
    plugin.lua?.close()
    plugin.lua = nil
    plugin.loadTime = nil
  }

  /// Ends all plugins, as when the program ends or the person signs out. What their manifests name stays known.
  public func unloadAll() {
    for plugin in plugins where plugin.lua != nil {
      takeBack(plugin)
      plugin.state = .ready
      announce(plugin)
    }
  }

  /// Ends all plugins while code of theirs may be running, as when a script signs out: what they added goes at once, their
  /// states with `closeRetired`.
  public func retireAll() {
    for plugin in plugins {
      guard let lua = plugin.lua else { continue }
      retired.append(lua)
      plugin.lua = nil
      takeBack(plugin)
      plugin.state = .ready
      announce(plugin)
    }
  }

  /// Closes the states of plugins that were ended. None of their code may be running.
  public func closeRetired() {
    for lua in retired { lua.close() }
    retired = []
  }

  // MARK: What the person does

  /// Enables a plugin with all that its manifest asks for; the caller has asked the person.
  public func enable(_ plugin: Plugin) throws {
    guard let manifest = plugin.manifest else {
      throw PluginError.failed(plugin: plugin.name, message: "plugin.json cannot be read")
    }
    try remember(manifest, isEnabled: true)
    if plugin.state == .loaded { return }
    plugin.state = .ready
    announce(plugin)
    if manifest.loadsAtStart { try load(plugin) }
  }

  public func disable(_ plugin: Plugin) throws {
    if let manifest = plugin.manifest { try remember(manifest, isEnabled: false) }
    takeBack(plugin)
    plugin.state = .off
  }

  private func remember(_ manifest: Manifest, isEnabled: Bool) throws {
    if grants == nil { grants = try GrantFile(path: surroundings.personFolder + "/grants.json") }
    let granted = isEnabled ? manifest.permissions.map(\.description) : grants?.entries[manifest.name]?.granted ?? []
    try grants?.set(manifest.name, .init(version: manifest.version, granted: granted, isEnabled: isEnabled))
  }

  /// Reads the manifest anew, and loads the code when it was loaded before.
  public func reload(_ plugin: Plugin) throws -> Plugin {
    let wasLoaded = plugin.lua != nil
    takeBack(plugin)
    let fresh = read(plugin.name, plugin.folder, isBundled: plugin.isBundled)
    plugins = plugins.map { $0 === plugin ? fresh : $0 }
    announce(fresh)
    if wasLoaded { try load(fresh) }
    return fresh
  }

  // MARK: Failures

  private func fail(_ plugin: Plugin, with error: any Error) {
    let message = reason(error, of: plugin)
    takeBack(plugin)
    plugin.state = .failed(message)
    plugin.lastError = message
    surroundings.report("\(plugin.name): \(message)")
  }

  /// Why it failed, without the plugin's own name before it.
  private func reason(_ error: any Error, of plugin: Plugin) -> String {
    let text = oneLine(error)
    return text.hasPrefix(plugin.name + ": ") ? String(text.dropFirst(plugin.name.count + 2)) : text
  }

  private func oneLine(_ error: any Error) -> String {
    printable(String(describing: error).split(separator: "\n").first.map(String.init) ?? "failed", limit: 400)
  }
}
