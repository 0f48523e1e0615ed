// Installs, updates and removes plugins. Invariant: a package is checked in full, and its rights are shown, before
// any of its code runs; its code is loaded and tested next to the current plugin, which stays until both have
// succeeded.

import Archives
public import Authentication
import Bindings
import Commands
import Files
import Problems
import Text
import Values

/// What installing a package would do, for the question that precedes it.
public struct InstallPlan {
  public let package: PluginPackage
  /// The plugin that it replaces.
  public let installed: Plugin?
  /// The key that signed it, and the user's name for that key; nil without a signature.
  public let signer: (key: MinisignKey, name: String)?
  /// The listing that it was found by, if an index vouches for it.
  public let listed: ListedRelease?
  /// The permissions that it asks for and that are not granted yet; empty if it stays off.
  public let added: [Permission]
  /// The permissions that the installed plugin asks for, and this one does not.
  public let dropped: [Permission]
  /// Whether it is on afterwards; it stays off if it was off.
  public let isEnabled: Bool
}

/// How a package may change the plugin of its name.
public enum InstallPurpose: Sendable {
  /// The plugin is not installed yet.
  case install
  /// A lower version is installed.
  case update
  /// This version is installed afterwards, whatever is installed now.
  case replace
}

/// The plugins that a user installs, updates and removes.
///
///     let plan = try plugins.packages.plan(package, .install)
///     try plugins.packages.install(plan) { folder in try test(folder) }
public struct PluginInstaller {
  let host: PluginHost
  private var environment: Environment { host.environment }

  var store: PluginStore {
    let wait = LockWait(elapsed: environment.clocks.elapsed, isInterrupted: environment.isInterrupted)
    return PluginStore(data: environment.folders.data, folder: environment.folders.plugins, wait: wait)
  }

  /// Checks a package against the installed plugins, without running any of its code.
  /// - Parameter listed: the version in an index that the package was found as.
  /// - Throws: `PluginPackageError`, `SignatureError`, `PluginError` or `CommandError`: why it is refused.
  public func plan(
    _ package: PluginPackage, _ purpose: InstallPurpose, listed: ListedRelease? = nil
  ) throws -> InstallPlan {
    try host.session.requireSignIn()
    let name = package.name
    let there = host.plugins.first { $0.name == name }
    if there?.isBundled == true { throw PluginPackageError.bundled(plugin: name) }
    if let there { host.refreshManifest(of: there) }
    let signer = try signer(of: package, vouched: listed?.listing.key.map { ($0, listed?.listing.author ?? "") })
    try checkVersion(of: package, there, purpose)
    let entry = host.grants?.entry(of: name, isBundled: false)
    let asked = package.manifest.permissions
    // The grants of a removed plugin do not apply to one that is installed now.
    let granted = there == nil ? [] : entry?.granted ?? []
    let isEnabled = there == nil || entry?.isEnabled == true
    let trial = Plugin(
      name: name, folder: package.path, isBundled: false, manifest: package.manifest, state: .ready)
    if let problem = host.dependencies.problem(of: trial, among: host.plugins.filter { $0.name != name } + [trial]) {
      throw problem
    }
    let dependents = host.dependencies.dependents(of: name, unlessAt: package.manifest.version)
    if there != nil, !dependents.isEmpty { throw PluginPackageError.needed(plugin: name, by: dependents) }
    if isEnabled { try checkNames(package.manifest) }
    return InstallPlan(
      package: package, installed: there, signer: signer, listed: listed,
      added: isEnabled ? asked.filter { !granted.contains($0.description) } : [],
      dropped: (there?.manifest?.permissions ?? []).filter { !asked.contains($0) }, isEnabled: isEnabled)
  }

  /// - Parameter vouched: the author's key, as a trusted index names it.
  private func signer(
    of package: PluginPackage, vouched: (key: MinisignKey, name: String)?
  ) throws -> (key: MinisignKey, name: String)? {
    let keys = try trustedKeys()
    let (pinned, id) = (keys.pins[package.name], package.signature?.keyID)
    if let pinned, pinned.id != id {
      throw SignatureError.otherKey(plugin: package.name, pinnedID: pinned.id, givenID: id)
    }
    guard let id else { return nil }
    let named = (keys.keys + (vouched.map { [$0] } ?? [])).filter { $0.key.id == id }
    if named.isEmpty { throw SignatureError.untrusted(plugin: package.name, keyID: id) }
    guard let known = named.first(where: { package.isSigned(by: $0.key) }) else {
      throw SignatureError.badSignature(
        path: package.path, reason: "the package is not the one that was signed with the key \(id)")
    }
    if let pinned, pinned != known.key {
      throw SignatureError.otherKey(plugin: package.name, pinnedID: pinned.id, givenID: id)
    }
    return known
  }

  private func checkVersion(of package: PluginPackage, _ there: Plugin?, _ purpose: InstallPurpose) throws {
    let given = package.manifest.version
    guard let there else {
      if purpose == .update { throw PluginPackageError.notInstalled(plugin: package.name) }
      let path = environment.folders.plugins + "/" + package.name
      if fileExists(path) { throw PluginError.exists(name: package.name, what: "the file \(path)") }
      return
    }
    let installed = there.manifest?.version ?? "0"
    if purpose == .replace { return }
    guard purpose == .update else { throw PluginPackageError.installed(plugin: package.name, version: installed) }
    if let new = Version(given), let old = Version(installed), new > old { return }
    throw PluginPackageError.notNewer(plugin: package.name, installed: installed, given: given)
  }

  /// Finds a taken name now, before anything is written.
  private func checkNames(_ manifest: Manifest) throws {
    try host.checkModes(manifest)
    for name in manifest.commands {
      if let owner = host.registry.commands.first(where: { $0.path.first == name })?.owner, owner != manifest.owner {
        throw CommandError.duplicate(name, owner: manifest.owner, other: owner)
      }
    }
  }

  // MARK: Installing and removing

  /// Installs what the user agreed to.
  /// - Parameter test: runs the tests in the given folder; if it throws, the current plugin stays.
  public func install(_ plan: InstallPlan, test: (_ folder: String) throws -> Void) throws -> Plugin {
    let name = plan.package.name
    if let index = plan.listed?.index { try host.indexes.note(index) }
    let account = try accountFolder()
    let lock = try store.lock()
    defer { lock.release() }
    // Another shell may have changed the plugin during the question.
    try checkUnchanged(plan)
    let staged = try store.stage(name, plan.package.files)
    do {
      try test(staged)
      try store.commit(
        PluginStore.Change(
          plugin: name, isInstalled: true, account: account, grant: try grant(of: plan), key: plan.signer?.key))
    } catch {
      try store.discard(name)
      throw error
    }
    return try replaceInHost(name, wasLoaded: plan.installed?.lua != nil)
  }

  private func checkUnchanged(_ plan: InstallPlan) throws {
    // Of a plugin whose manifest cannot be read, the user saw nothing that could have changed.
    if let installed = plan.installed, installed.manifest == nil { return }
    let name = plan.package.name
    let path = environment.folders.plugins + "/" + name
    let source =
      fileExists(path) ? try PluginFolder(plugin: name, path: path).file("plugin.json", limit: 256 << 10) : nil
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

  /// Replaces the plugin in the host after its folder has changed: unloads the old one and reads the new one.
  private func replaceInHost(_ name: String, wasLoaded: Bool) throws -> Plugin {
    if let old = host.plugins.first(where: { $0.name == name }) {
      host.unload(old)
      old.state = .off
    }
    host.readGrants()
    let fresh = host.read(name, environment.folders.plugins + "/" + name, isBundled: false)
    host.add(fresh)
    host.announce(fresh)
    if fresh.state == .ready, wasLoaded || fresh.manifest?.loadsAtStart == true { try host.load(fresh) }
    return fresh
  }

  /// Removes an installed plugin, with its grants. The key that it is pinned to is remembered.
  public func remove(_ plugin: Plugin) throws {
    try checkRemoval(of: plugin)
    let account = try accountFolder()
    let lock = try store.lock()
    defer { lock.release() }
    try store.commit(
      PluginStore.Change(plugin: plugin.name, isInstalled: false, account: account, grant: nil, key: nil))
    host.unload(plugin)
    plugin.state = .off
    host.plugins.removeAll { $0 === plugin }
    host.readGrants()
    // The bundled plugin of that name is used again.
    guard let bundled = environment.folders.bundledPlugins, fileExists(bundled + "/" + plugin.name) else { return }
    let fresh = host.read(plugin.name, bundled + "/" + plugin.name, isBundled: true)
    host.add(fresh)
    host.announce(fresh)
  }

  /// - Throws: `PluginPackageError` if it comes with the program, or another plugin needs it; `PluginError` while it
  ///   is loading.
  public func checkRemoval(of plugin: Plugin) throws {
    if plugin.isBundled { throw PluginPackageError.bundled(plugin: plugin.name) }
    if plugin.state == .loading { throw PluginError.isLoading(plugin: plugin.name) }
    let dependents = host.dependencies.dependents(of: plugin.name, unlessAt: nil)
    if !dependents.isEmpty { throw PluginPackageError.needed(plugin: plugin.name, by: dependents) }
  }

  // MARK: Keys

  /// Reads the trusted keys, and the plugins that are pinned to keys.
  public func trustedKeys() throws -> TrustedKeys { try TrustedKeys(data: environment.folders.data) }

  /// Changes the trusted keys and the pinned plugins in one step.
  public func changeKeys(_ change: (inout TrustedKeys) throws -> Void) throws {
    try host.session.requireSignIn()
    let lock = try store.lock()
    defer { lock.release() }
    var keys = try trustedKeys()
    try change(&keys)
    try keys.save()
  }
}

extension PluginHost {
  public var packages: PluginInstaller { PluginInstaller(host: self) }
}

/// A file that an update adds, changes or removes.
public struct PluginFileChange: Equatable, Sendable {
  public let path: String
  /// Nil for a new file.
  public let old: [UInt8]?
  /// Nil for a removed file.
  public let new: [UInt8]?
}

extension InstallPlan {
  /// Returns the changes to the installed plugin's files, by path; none if the plugin is not installed, or its
  /// manifest cannot be read.
  public func changes(isInterrupted: @escaping () -> Bool) throws -> [PluginFileChange] {
    guard let installed, installed.manifest != nil else { return [] }
    let there = try PluginPackage(folder: installed.folder, isInterrupted: isInterrupted)
    let old = Dictionary(firstOf: there.files.map { ($0.path, $0.bytes) })
    let new = Dictionary(firstOf: package.files.map { ($0.path, $0.bytes) })
    return Set(old.keys).union(new.keys).sorted().compactMap { path in
      old[path] == new[path] ? nil : PluginFileChange(path: path, old: old[path], new: new[path])
    }
  }
}
