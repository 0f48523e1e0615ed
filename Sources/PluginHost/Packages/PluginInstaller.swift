// Installs, updates and removes plugins. Invariant: a package is checked in full, and its rights are shown, before
// any of its code runs; its code is loaded and tested next to the current plugin, which stays until both have
// succeeded.

import Archives
import Bindings
import Commands
import Files
import Problems
import Text
import Values

/// What installing a package would do, for the question that precedes it.
public struct InstallPlan {
  public let package: PluginPackage
  public let installed: Plugin?
  /// The files that it adds, changes and removes, by path.
  public let changes: [PluginFileChange]
  /// The permissions that it asks for and that are not granted yet; empty if it stays off.
  public let added: [Permission]
  /// The permissions that the installed plugin asks for, and this one does not.
  public let dropped: [Permission]
  /// Whether it is on afterwards; it stays off if it was off.
  public let isEnabled: Bool
}

/// A file that an update adds, changes or removes, with its content before and afterwards.
public typealias PluginFileChange = (path: String, old: [UInt8]?, new: [UInt8]?)

/// The plugins that a user installs, updates and removes.
public struct PluginInstaller {
  let host: PluginHost
  private var environment: Environment { host.environment }

  var store: PluginStore {
    let wait = LockWait(isInterrupted: environment.isInterrupted)
    return PluginStore(data: environment.folders.data, folder: environment.folders.plugins, wait: wait)
  }

  // MARK: Planning

  /// Checks a package of a plugin that is not installed yet, without running any of its code.
  /// - Throws: `PluginPackageError`, `PluginError` or `CommandError`: why it is refused.
  public func plan(toInstall package: PluginPackage) throws -> InstallPlan {
    try host.session.requireSignIn()
    let name = package.name
    if let there = host.plugins.first(where: { $0.name == name }) {
      try requireInstalled(there)
      host.refreshManifest(of: there)
      throw PluginPackageError.installed(plugin: name, version: there.manifest?.version ?? "0")
    }
    let path = environment.folders.plugins + "/" + name
    if fileExists(path) { throw PluginError.exists(name: name, what: "the file \(path)") }
    try checkNames(package.manifest)
    // The grants of a removed plugin do not apply to one that is installed now.
    return InstallPlan(
      package: package, installed: nil, changes: [], added: package.manifest.permissions, dropped: [], isEnabled: true)
  }

  /// Checks a package that replaces a plugin, without running any of its code.
  /// - Parameter version: the version that the user named, which may be lower than the installed one.
  /// - Throws: `PluginPackageError`, `PluginError` or `CommandError`: why it is refused.
  public func plan(toUpdate there: Plugin, with package: PluginPackage, version: String?) throws -> InstallPlan {
    try host.session.requireSignIn()
    try requireInstalled(there)
    host.refreshManifest(of: there)
    let given = package.manifest
    let wanted = "\(there.name) \(version ?? "")".trimmed
    guard package.name == there.name, version == nil || version == given.version else {
      throw PluginPackageError.other(path: package.path, given: "\(package.name) \(given.version)", wanted: wanted)
    }
    if let old = there.manifest?.version, let installed = Version(old), let new = Version(given.version),
      version == nil, new < installed
    {
      throw PluginPackageError.lower(plugin: there.name, installed: old, given: given.version, path: package.path)
    }
    let changes = try changes(of: there, to: package)
    if changes.isEmpty {
      throw PluginPackageError.unchanged(plugin: there.name, version: given.version, path: package.path)
    }
    let entry = host.grants?.entry(of: there.name, isBundled: false)
    let isEnabled = entry?.isEnabled == true
    if isEnabled { try checkNames(given) }
    let granted = entry?.granted ?? []
    return InstallPlan(
      package: package, installed: there, changes: changes,
      added: isEnabled ? given.permissions.filter { !granted.contains($0.description) } : [],
      dropped: (there.manifest?.permissions ?? []).filter { !given.permissions.contains($0) }, isEnabled: isEnabled)
  }

  private func requireInstalled(_ plugin: Plugin) throws {
    if plugin.isBundled { throw PluginPackageError.bundled(plugin: plugin.name) }
  }

  /// Finds a taken name now, before anything is written.
  private func checkNames(_ manifest: Manifest) throws {
    try host.checkNames(manifest)
    for name in manifest.commands {
      if let owner = host.registry.commands.first(where: { $0.path.first == name })?.owner, owner != manifest.owner {
        throw CommandError.duplicate(name, owner: manifest.owner, other: owner)
      }
    }
  }

  private func changes(of installed: Plugin, to package: PluginPackage) throws -> [PluginFileChange] {
    let old = Dictionary(firstOf: try files(of: installed).map { ($0.path, $0.bytes) })
    let new = Dictionary(firstOf: package.files.map { ($0.path, $0.bytes) })
    return Set(old.keys).union(new.keys).sorted().compactMap { path in
      old[path] == new[path] ? nil : (path, old[path], new[path])
    }
  }

  private func files(of plugin: Plugin) throws -> [PackedFile] {
    guard let path = realPath(plugin.folder) else { throw FileError(plugin.folder, .open) }
    return try PluginPackage.files(inFolder: path, environment.isInterrupted).files
  }

  /// The file or folder that a plugin was installed from; nil for one that was made here.
  public func source(of plugin: Plugin) throws -> String? {
    let path = plugin.folder + "/" + PluginStore.sourceName
    guard !plugin.isBundled, fileExists(path) else { return nil }
    return try FileText.read(path, limit: 8192, isInterrupted: environment.isInterrupted)
  }

  /// The SHA-256 of a plugin's content, as `plugin pack` states it.
  public func contentHash(of plugin: Plugin) throws -> String { PluginPackage.contentHash(of: try files(of: plugin)) }

  // MARK: Installing and removing

  /// Installs what the user agreed to.
  /// - Parameter test: runs the tests in the given folder; if it throws, the current plugin stays.
  public func install(_ plan: InstallPlan, test: (_ folder: String) throws -> Void) throws -> Plugin {
    let name = plan.package.name
    let account = try accountFolder()
    let lock = try store.lock()
    defer { lock.release() }
    // Another shell may have changed the plugin during the question.
    try checkUnchanged(plan)
    let source = PackedFile(PluginStore.sourceName, Array(plan.package.source.utf8))
    let staged = try store.stage(name, plan.package.files + [source])
    do {
      try test(staged)
      try store.commit(
        PluginStore.Change(plugin: name, isInstalled: true, account: account, grant: try grant(of: plan)))
    } catch {
      try store.discard(name)
      throw error
    }
    let wasLoaded = plan.installed?.lua != nil
    if let old = host.plugins.first(where: { $0.name == name }) {
      host.unload(old)
      old.state = .off
    }
    let fresh = addToHost(name, environment.folders.plugins + "/" + name, isBundled: false)
    if fresh.state == .ready, wasLoaded || fresh.manifest?.loadsAtStart == true { try host.load(fresh) }
    return fresh
  }

  private func checkUnchanged(_ plan: InstallPlan) throws {
    // Of a plugin whose manifest cannot be read, the user saw nothing that could have changed.
    if let installed = plan.installed, installed.manifest == nil { return }
    let name = plan.package.name
    let path = environment.folders.plugins + "/" + name
    let source = fileExists(path) ? try PluginFolder(path: path).manifest() : nil
    guard source == plan.installed?.manifest?.source else { throw PluginError.changed(plugin: name) }
  }

  private func grant(of plan: InstallPlan) throws -> Value {
    let file = try GrantFile(folder: environment.folders.data + "/" + accountFolder())
    let name = plan.package.name
    let before = plan.installed == nil ? nil : file.entry(of: name, isBundled: false)
    var entry = before ?? GrantFile.Entry(isEnabled: plan.isEnabled, isBundled: false)
    entry.version = plan.package.manifest.version
    if plan.isEnabled { entry.granted = plan.package.manifest.permissions.map(\.description) }
    return .record(file.record(of: name, entry))
  }

  /// Returns the folder of the signed-in user's grants, relative to the data folder.
  private func accountFolder() throws -> String {
    try host.session.requireSignIn()
    guard let folder = host.session.grantsFolder, folder.hasPrefix(environment.folders.data + "/") else {
      throw PluginFileError.outside(file: host.session.grantsFolder ?? "")
    }
    return String(folder.dropFirst(environment.folders.data.count + 1))
  }

  private func addToHost(_ name: String, _ folder: String, isBundled: Bool) -> Plugin {
    host.readGrants()
    let fresh = host.read(name, folder, isBundled: isBundled)
    host.add(fresh)
    host.announce(fresh)
    return fresh
  }

  /// Removes an installed plugin, with its grants.
  public func remove(_ plugin: Plugin) throws {
    try checkRemoval(of: plugin)
    let account = try accountFolder()
    let lock = try store.lock()
    defer { lock.release() }
    try store.commit(PluginStore.Change(plugin: plugin.name, isInstalled: false, account: account, grant: nil))
    host.unload(plugin)
    plugin.state = .off
    host.plugins.removeAll { $0 === plugin }
    host.readGrants()
    // The bundled plugin of that name is used again.
    guard let bundled = environment.folders.bundledPlugins, fileExists(bundled + "/" + plugin.name) else { return }
    _ = addToHost(plugin.name, bundled + "/" + plugin.name, isBundled: true)
  }

  /// - Throws: `PluginPackageError` if it comes with the program; `PluginError` while it is loading.
  public func checkRemoval(of plugin: Plugin) throws {
    try requireInstalled(plugin)
    if plugin.state == .loading { throw PluginError.isLoading(plugin: plugin.name) }
  }
}

extension PluginHost {
  public var packages: PluginInstaller { PluginInstaller(host: self) }

  /// Writes a folder of that name into the user's plugins folder and adds the plugin, not enabled yet.
  /// - Throws: `PluginError.badName`, `.exists`.
  @discardableResult public func create(_ name: String, _ kind: PluginKind = .command) throws -> Plugin {
    guard Manifest.isName(name), Command.isUsable(name: name) else { throw PluginError.badName(name) }
    if plugins.contains(where: { $0.name == name }) { throw PluginError.exists(name: name, what: "a plugin") }
    if registry.isKnown(name) { throw PluginError.exists(name: name, what: "a command") }
    try packages.store.add(name, kind.files(of: name))
    let plugin = read(name, packages.store.installed(name), isBundled: false)
    add(plugin)
    return plugin
  }
}

/// What a new plugin adds.
public enum PluginKind: String, CaseIterable, Sendable {
  case mode, command, exercise, format

  private var parts: (code: [UInt8], tests: [UInt8], permissions: String, summary: String) {
    typealias Resource = PackageResources
    return switch self {
    case .mode: (Resource.mode_lua, Resource.mode_test_lua, #""games", "words""#, "Words with a double letter.")
    case .command: (Resource.init_lua, Resource.test_lua, #""shell""#, "Counts the letters of words.")
    case .exercise: (Resource.exercise_lua, Resource.exercise_test_lua, #""study""#, "Writes prompts from answers.")
    case .format: (Resource.format_lua, Resource.format_test_lua, #""formats""#, "Reads lines with an equals sign.")
    }
  }

  /// The files of a new plugin, with tests that it passes. NAME is the plugin's name in them.
  fileprivate func files(of name: String) -> [PackedFile] {
    let files = [("plugin.json", PackageResources.plugin_json), ("init.lua", parts.code), ("test.lua", parts.tests)]
    let words = [
      ("NAMES", self == .format ? "{\"NAME\": [\"NAME\"]}" : "[\"NAME\"]"), ("NAME", name), ("KIND", rawValue),
      ("PERMISSIONS", parts.permissions), ("SUMMARY", parts.summary),
    ]
    return files.map { file, text in
      let text = words.reduce(String(decoding: text, as: UTF8.self)) { $0.replacing(text: $1.0, with: $1.1) }
      return PackedFile(file, Array(text.utf8))
    }
  }
}
