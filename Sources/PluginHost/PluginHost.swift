// Finds, checks, grants, loads and unloads plugins. Invariant: a plugin's code runs only after its manifest was read,
// its rights were granted and one of its commands, modes or events was used (or it asked to load at startup); an
// error in it is reported in one line and affects nothing else, and unloading removes everything that it added.

public import Bindings
public import Commands
public import Exchange
public import Files
public import Problems
public import Text
public import WordGames
public import Workspace

/// What the host needs from the program above it.
public protocol PluginSession: AnyObject {
  func bindingContext(_ owner: Owner, _ grants: Grants, _ terms: PluginTerms) -> BindingContext
  /// - Throws: while nobody is signed in; no plugin's code runs then.
  func requireSignIn() throws
  /// The folder for the file of grants, which belongs to the signed-in user; nil while nobody is signed in.
  var grantsFolder: String? { get }
  var wantsTrace: Bool { get }
  /// Prints a failure in one line, when the user did not ask for the plugin.
  func reportPlugin(_ line: String)
  /// Removes what an unloaded plugin declared in other parts of the program.
  func didUnload(_ plugin: PluginName)
}

public final class PluginHost: ListenerLoading {
  unowned let session: any PluginSession
  let environment: Environment
  let registry: CommandRegistry
  let modes: ModeTable
  let exercises: ExerciseTable
  let formats: FormatTable
  let events: EventTable
  /// Sorted by name; a user's plugin replaces a bundled one of the same name.
  public internal(set) var plugins: [Plugin] = []
  /// The signed-in user's grants; nil if nobody is signed in or the file cannot be read: then nothing is granted.
  private(set) var grants: GrantFile?
  /// The plugins that were announced; the names of their modes are taken.
  var announced: [Plugin] = []

  public init(
    _ session: any PluginSession, environment: Environment, registry: CommandRegistry, modes: ModeTable,
    exercises: ExerciseTable, formats: FormatTable, events: EventTable
  ) {
    (self.session, self.environment, self.registry) = (session, environment, registry)
    (self.modes, self.exercises, self.formats, self.events) = (modes, exercises, formats, events)
    connect(modes, \.modes)
    connect(exercises, \.exercises)
  }

  /// Reads the manifests of all plugins and announces their commands.
  public func discover() {
    do { try packages.store.recover() } catch {
      session.reportPlugin(oneLine(error))
    }
    find()
    for plugin in bundledFirst { announce(plugin) }
    events.loader = self
    registry.reasonForMissing = { [weak self] in self?.reason(forMissing: $0, \.commands) }
    formats.reasonForMissing = { [weak self] in
      self?.reason(forMissing: $0) { $0.formats.flatMap { [$0.name] + $0.endings } }
    }
    formats.offered = { [unowned self] in plugins.filter(\.isUsable).flatMap(\.formats) }
    formats.prepare = { [unowned self] word, isNeeded in
      for plugin in plugins where plugin.state == .ready && plugin.reads(word) {
        if isNeeded { try load(plugin) } else { loadOrReport(plugin) }
      }
    }
  }

  /// Lets a table know what plugins have for it.
  private func connect<Thing>(_ table: NamedTable<Thing>, _ names: @escaping (Manifest) -> [String]) {
    table.reasonForMissing = { [weak self] in self?.reason(forMissing: $0, names) }
    table.offered = { [unowned self] in
      plugins.filter(\.isUsable).compactMap(\.manifest).flatMap { plugin in names(plugin).map { ($0, plugin.summary) } }
    }
    table.load = { [unowned self] name in
      for plugin in plugins where plugin.state == .ready || plugin.state == .loading && name != nil {
        guard plugin.manifest.map(names)?.contains(where: { name == nil || name == $0 }) == true else { continue }
        if name == nil { loadOrReport(plugin) } else { try load(plugin) }
      }
    }
  }

  /// The plugins in the order of their announcement, in which an installed one does not take a bundled one's names.
  private var bundledFirst: [Plugin] { plugins.filter(\.isBundled) + plugins.filter { !$0.isBundled } }

  /// Returns which plugin has a command or a mode that nobody can use now, and why; nil if none has it.
  func reason(forMissing name: String, _ names: (Manifest) -> [String]) -> String? {
    // Without grants, every plugin of the user counts as off.
    guard grants != nil else { return nil }
    for plugin in plugins where plugin.manifest.map(names)?.contains(name) == true {
      if let obstacle = plugin.obstacle { return "the plugin \(plugin.name) has it, but \(obstacle)" }
    }
    return nil
  }

  func find() {
    readGrants()
    var found: [String: Plugin] = [:]
    for (folder, isBundled) in [(environment.folders.bundledPlugins, true), (environment.folders.plugins, false)] {
      guard let folder else { continue }
      let names: [String]
      do { names = try Folder.subfolders(of: folder) } catch {
        session.reportPlugin(oneLine(error))
        continue
      }
      for name in names {
        if found[name] != nil { session.reportPlugin("\(name): your plugin replaces the bundled one") }
        found[name] = read(name, folder + "/" + name, isBundled: isBundled, isFound: true)
      }
    }
    plugins = found.values.sorted { $0.name < $1.name }
  }

  func readGrants() {
    grants = nil
    do {
      grants = try session.grantsFolder.map { folder in
        try GrantFile.removeLeftover(in: folder)
        return try GrantFile(folder: folder)
      }
    } catch {
      session.reportPlugin(oneLine(error))
    }
  }

  /// Copies the grants and limits of the signed-in user into a folder: tests run under them, with their own data.
  public func copyGrants(to folder: String) throws {
    guard let own = session.grantsFolder, fileExists(GrantFile.path(in: own)) else { return }
    try makePrivateFolder(folder)
    let bytes = try FileText.bytes(GrantFile.path(in: own), limit: 1 << 20, isInterrupted: isNeverInterrupted)
    try AtomicFile.write(GrantFile.path(in: folder), bytes)
  }

  /// Applies the grants and choices of the current user, after a sign-in or a sign-out.
  public func refreshGrants() {
    if grants?.folder == session.grantsFolder, grants != nil { return }
    readGrants()
    for plugin in plugins where plugin.lua == nil {
      guard plugin.manifest != nil else { continue }
      unload(plugin)
      plugin.lastError = nil
      plugin.apply(entry(of: plugin))
    }
    for plugin in bundledFirst where plugin.lua == nil { announce(plugin) }
  }

  /// The user's decisions about a plugin.
  func entry(of plugin: Plugin) -> GrantFile.Entry? { grants?.entry(of: plugin.name, isBundled: plugin.isBundled) }

  /// Changes a plugin's entry with the file locked, as another shell may be changing the entry of another plugin.
  func remember(_ plugin: Plugin, version: String? = nil, _ change: (inout GrantFile.Entry) -> Void) throws {
    try session.requireSignIn()
    guard let folder = session.grantsFolder else { return }
    try makePrivateFolder(folder)
    let wait = LockWait(isInterrupted: environment.isInterrupted)
    let lock = try FileLock(GrantFile.lockPath(in: folder), wait)
    defer { lock.release() }
    var file = try GrantFile(folder: folder)
    var entry =
      file.entry(of: plugin.name, isBundled: plugin.isBundled)
      ?? GrantFile.Entry(isEnabled: plugin.isBundled, isBundled: plugin.isBundled)
    entry.version = version ?? plugin.manifest?.version ?? entry.version
    change(&entry)
    try file.set(plugin.name, entry)
    grants = file
  }

  /// Messages about what is wrong with the file of grants.
  public func grantProblems() throws -> [String] {
    guard let folder = session.grantsFolder else { return [] }
    do {
      return try GrantFile(folder: folder).invalidEntries
    } catch let error as any Problem { return [error.message] }
  }

  public var grantsPath: String? { session.grantsFolder.map(GrantFile.path) }

  public func loadAtStart() {
    for plugin in plugins where plugin.state == .ready && plugin.manifest?.loadsAtStart == true { loadOrReport(plugin) }
  }

  /// - Parameter isFound: whether nobody named it: what is wrong with it is then printed unless the user disabled it.
  func read(_ name: String, _ folder: String, isBundled: Bool, isFound: Bool = false) -> Plugin {
    let isReported = !isFound || grants?.entry(of: name, isBundled: isBundled)?.isEnabled != false
    do {
      let bytes = try PluginFolder(path: folder).manifest()
      let manifest = try Manifest(bytes, folder: name)
      if manifest.isNewer, isReported {
        session.reportPlugin(oneLine(PluginError.newerAPI(plugin: name, api: manifest.api)))
      }
      return Plugin(
        name: name, folder: folder, isBundled: isBundled, manifest: manifest,
        grants?.entry(of: name, isBundled: isBundled))
    } catch {
      let plugin = Plugin(name: name, folder: folder, isBundled: isBundled, manifest: nil)
      let message = plugin.reason(of: error)
      plugin.state = .failed(message)
      plugin.lastError = message
      if isReported { session.reportPlugin("\(name): \(message)") }
      return plugin
    }
  }

  /// Registers the commands that the manifest names; the first use of one loads the plugin.
  /// - Parameter isReported: whether a failure is printed; a caller that throws it passes false.
  func announce(_ plugin: Plugin, isReported: Bool = true) {
    guard plugin.isUsable, let manifest = plugin.manifest else { return }
    do {
      try checkNames(manifest)
      announced.append(plugin)
      events.awaited.formUnion(manifest.events)
      let commands = manifest.commands.map { name in
        Command(
          path: [name], CommandText(theme: "Plugins", summary: manifest.summary), access: .signedIn, effect: .changes,
          arguments: [Argument("ARG", .verbatim, isOptional: true, isRepeating: true)], owner: manifest.owner,
          action: .announced)
      }
      try registry.announce(commands) { [weak self, weak plugin] error in
        if let self, let plugin { fail(plugin, with: error) }
      }
    } catch {
      fail(plugin, with: error, isReported: isReported)
    }
  }

  /// Checks that each name has only one owner, known before any code runs.
  func checkNames(_ manifest: Manifest) throws(NameProblem) {
    let others = announced.filter(\.isUsable).compactMap(\.manifest)
    for (kind, names, owner) in [("mode", \Manifest.modes, modes.owner), ("exercise", \.exercises, exercises.owner)] {
      for name in manifest[keyPath: names] {
        let other = others.first { $0.name != manifest.name && $0[keyPath: names].contains(name) }
        guard let owner = owner(name) ?? other?.owner, owner != manifest.owner else { continue }
        throw .taken(kind: kind, name: name, owner: owner)
      }
    }
  }

  /// - Throws: `PluginError.unknown`.
  public func plugin(named name: String) throws -> Plugin {
    let isIt = { (plugin: Plugin) in plugin.name == name }
    if let plugin = plugins.first(where: isIt) { return plugin }
    refreshManifests()
    if let plugin = plugins.first(where: isIt) { return plugin }
    throw PluginError.unknown(name: name, suggestion: suggestion(for: name, among: plugins.map(\.name)))
  }

  /// Adds a plugin, in place of one of the same name.
  func add(_ plugin: Plugin) {
    plugins = (plugins.filter { $0.name != plugin.name } + [plugin]).sorted { $0.name < $1.name }
  }

  @discardableResult func fail(_ plugin: Plugin, with error: any Error, isReported: Bool = true) -> String {
    let message = plugin.reason(of: error)
    unload(plugin)
    plugin.state = .failed(message)
    plugin.lastError = message
    if isReported { session.reportPlugin("\(plugin.name): \(message)") }
    return message
  }
}

/// Returns the first line of an error's text.
func oneLine(_ error: any Error) -> String {
  printable(String(describing: error).split(separator: "\n").first.map(String.init) ?? "failed", limit: 400)
}

extension Plugin {
  /// Returns why it failed, without its own name as a prefix.
  public func reason(of error: any Error) -> String { oneLine(error).withoutPrefix(name + ": ") }
}

extension String {
  func withoutPrefix(_ prefix: String) -> String { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self }
}
