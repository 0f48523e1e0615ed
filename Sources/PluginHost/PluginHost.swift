// Finds, checks, grants, loads and unloads plugins. Invariant: a plugin's code runs only after its manifest was read, its rights
// were granted and one of its commands, modes or events came up (or it asked to load at the start); an error in it never reaches
// beyond one line of report, and unloading takes back everything that it added.

public import Bindings
public import Commands
import Files
public import Problems
import Text
public import WordGames

public final class PluginHost {
  /// What the host works with, handed in by the program.
  public struct Surroundings {
    /// The folder of the plugins that come with the program, if it was found.
    public var bundledFolder: String?
    /// Where the person's plugins are installed.
    public var personFolder: String
    public var home: String?
    /// Makes the context of a plugin's bindings.
    public var context: (_ plugin: PluginName, _ grants: Grants) -> BindingContext
    /// What a plugin's random numbers start from, so that they repeat; nil for other ones each time.
    public var seed: UInt64?
    public var elapsed: () -> Double
    /// Told of a failure in one line, when nobody asked for the plugin.
    public var report: (String) -> Void
    /// Throws while nobody is signed in: no plugin's code runs then.
    public var requireSignIn: () throws -> Void
    /// Told when a plugin was unloaded, so that what it declared elsewhere goes too.
    public var unloaded: (_ plugin: PluginName) -> Void

    public init(
      bundledFolder: String?, personFolder: String, home: String?,
      context: @escaping (PluginName, Grants) -> BindingContext, elapsed: @escaping () -> Double,
      report: @escaping (String) -> Void, requireSignIn: @escaping () throws -> Void = {},
      unloaded: @escaping (PluginName) -> Void = { _ in }
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

  let surroundings: Surroundings
  let registry: CommandRegistry
  let modes: ModeTable
  let events: EventTable
  /// By name; the person's stand in place of bundled ones of the same name.
  public internal(set) var plugins: [Plugin] = []
  var grants: GrantFile?
  /// Those whose names are taken: they were announced before.
  var announced: [Plugin] = []

  public init(_ surroundings: Surroundings, registry: CommandRegistry, modes: ModeTable, events: EventTable) {
    self.surroundings = surroundings
    self.registry = registry
    self.modes = modes
    self.events = events
  }

  // MARK: Finding

  /// Reads the manifests of all plugins and announces their commands.
  public func discover() {
    find()
    // What comes with the program is first, so that an installed plugin does not take its names.
    for plugin in plugins.filter(\.isBundled) + plugins.filter({ !$0.isBundled }) { announce(plugin) }
    events.willEmit = { [unowned self] event in loadListeners(to: event) }
  }

  /// Reads the manifests of all plugins.
  func find() {
    do {
      grants = try GrantFile(path: surroundings.personFolder + "/grants.json")
    } catch {
      surroundings.report(oneLine(error))
    }
    var found: [String: Plugin] = [:]
    for (folder, isBundled) in [(surroundings.bundledFolder, true), (surroundings.personFolder, false)] {
      guard let folder else { continue }
      for name in Folder.subfolders(of: folder) {
        if found[name] != nil { surroundings.report("\(name): your plugin stands in place of the bundled one") }
        found[name] = read(name, folder + "/" + name, isBundled: isBundled)
      }
    }
    plugins = found.values.sorted { $0.name < $1.name }
  }

  /// Loads the plugins that ask for the start.
  public func loadAtStart() {
    for plugin in plugins where plugin.state == .ready && plugin.manifest?.loadsAtStart == true { loadOrReport(plugin) }
  }

  func read(_ name: String, _ folder: String, isBundled: Bool) -> Plugin {
    do {
      let bytes = try PluginFolder(plugin: name, path: folder).file("plugin.json", limit: 256 << 10)
      let manifest = try Manifest(bytes, folder: name)
      if manifest.isNewer { surroundings.report(oneLine(PluginError.newerAPI(plugin: name, api: manifest.api))) }
      let entry = grants?.entry(of: name, isBundled: isBundled)
      return Plugin(
        name: name, folder: folder, isBundled: isBundled, manifest: manifest,
        state: state(of: manifest, entry, isBundled: isBundled), limits: entry?.limits ?? .standard,
        granted: isBundled ? manifest.permissions.map(\.description) : entry?.granted ?? [])
    } catch {
      let plugin = Plugin(name: name, folder: folder, isBundled: isBundled, manifest: nil, state: .off)
      let message = reason(error, of: plugin)
      plugin.state = .failed(message)
      plugin.lastError = message
      surroundings.report("\(name): \(message)")
      return plugin
    }
  }

  private func state(of manifest: Manifest, _ entry: GrantFile.Entry?, isBundled: Bool) -> Plugin.State {
    if manifest.isNewer { return .newer(api: manifest.api) }
    if isBundled { return entry?.isEnabled == false ? .off : .ready }
    guard let entry, entry.isEnabled else { return .off }
    let missing = manifest.permissions.filter { !entry.granted.contains($0.description) }
    return missing.isEmpty ? .ready : .asking(missing)
  }

  /// Commands that are known from the manifest: used for the first time, they load the plugin.
  func announce(_ plugin: Plugin) {
    guard plugin.isUsable, let manifest = plugin.manifest else { return }
    do {
      try checkModes(manifest)
      announced.append(plugin)
      events.awaited.formUnion(manifest.events)
      for name in manifest.commands {
        try registry.add(
          Command(
            path: [name], theme: "Plugins", effect: .acts, summary: manifest.summary,
            arguments: [Argument("ARG", .verbatim, isOptional: true)], owner: manifest.owner, isAnnounced: true
          ) { [unowned self] invocation in
            try load(plugin)
            let (command, loaded) = try registry.parse(words: [name] + invocation.words)
            return try command.run(loaded)
          })
      }
    } catch {
      fail(plugin, with: error)
    }
  }

  /// A mode has one owner, known before any code runs.
  private func checkModes(_ manifest: Manifest) throws {
    for mode in manifest.modes {
      if let owner = modes.owner(of: mode), owner != manifest.owner {
        throw GameError.modeTaken(name: mode, owner: owner)
      }
      let other = announced.first {
        $0.manifest?.name != manifest.name && $0.isUsable && $0.manifest?.modes.contains(mode) == true
      }
      if let owner = other?.manifest?.owner { throw GameError.modeTaken(name: mode, owner: owner) }
    }
  }

  /// - Throws: `PluginError.unknown`.
  public func plugin(named name: String) throws -> Plugin {
    if let plugin = plugins.first(where: { $0.name == name }) { return plugin }
    throw PluginError.unknown(name: name, suggestion: suggestion(for: name, among: plugins.map(\.name)))
  }

  /// The modes that plugins offer, loaded or not, with what the manifests say of them.
  public var offeredModes: [(name: String, summary: String)] {
    plugins.filter(\.isUsable).flatMap { plugin in
      (plugin.manifest?.modes ?? []).map { ($0, plugin.manifest?.summary ?? "") }
    }
  }

  // MARK: Failures

  func fail(_ plugin: Plugin, with error: any Error) {
    let message = reason(error, of: plugin)
    takeBack(plugin)
    plugin.state = .failed(message)
    plugin.lastError = message
    surroundings.report("\(plugin.name): \(message)")
  }

  /// Why it failed, without the plugin's own name before it.
  func reason(_ error: any Error, of plugin: Plugin) -> String {
    oneLine(error).withoutPrefix(plugin.name + ": ")
  }

  func oneLine(_ error: any Error) -> String {
    printable(String(describing: error).split(separator: "\n").first.map(String.init) ?? "failed", limit: 400)
  }
}

extension String {
  func withoutPrefix(_ prefix: String) -> String { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self }
}
