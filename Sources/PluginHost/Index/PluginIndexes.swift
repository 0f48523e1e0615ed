// The indexes of plugins that the user has added, and what they offer. Invariant: a refused index offers nothing, and
// the reason is reported; what is installed from an index is the version that its signed files name, and an index
// that is older than the one last seen is never accepted.

public import Authentication
import Bindings
import Files
import Glibc
public import Problems
import Text

/// A version that an index offers.
public struct ListedRelease: Sendable {
  public let index: PluginIndex
  public let listing: PluginListing
  public let release: PluginListing.Release
}

/// An index, or why it offers nothing.
public struct IndexState {
  public let folder: String
  /// Nil for the one that comes with the program.
  public let known: KnownIndex?
  public let index: PluginIndex?
  public let problem: (any Problem)?
}

/// The indexes of a host.
///
///     try plugins.indexes.found(for: "verbs", version: nil, in: nil).release.version
public struct PluginIndexes {
  let host: PluginHost
  private var environment: Environment { host.environment }

  // MARK: Known indexes

  /// Returns the index that comes with the program, if there is one, and those that were added.
  public func states() throws -> [IndexState] {
    var states: [IndexState] = []
    if let folder = environment.folders.bundledPlugins, fileExists(folder + "/" + PluginIndex.fileName) {
      states.append(state(of: folder, nil))
    }
    return states + (try host.packages.trustedKeys().indexes.map { state(of: $0.folder, $0) })
  }

  private func state(of folder: String, _ known: KnownIndex?) -> IndexState {
    do {
      let index = try PluginIndex(folder, key: known?.key)
      try index.checkAge(seen: known.map { ($0.number, $0.sha256) }, now: environment.clocks.now())
      return IndexState(folder: folder, known: known, index: index, problem: nil)
    } catch {
      let problem = error as? any Problem ?? FileError(folder, .read, number: EIO)
      return IndexState(folder: folder, known: known, index: nil, problem: problem)
    }
  }

  /// Adds the index in a folder.
  /// - Parameter key: the key of the index; nil for one of the keys that are trusted already.
  public func add(_ folder: String, key: MinisignKey?) throws -> PluginIndex {
    guard let path = realPath(folder) else { throw FileError(folder, .open) }
    let keys = try host.packages.trustedKeys()
    if keys.indexes.contains(where: { $0.folder == path }) { throw PluginIndexError.known(path: path) }
    let signer = try key ?? signer(of: path, among: keys.keys.map(\.key))
    let index = try PluginIndex(path, key: signer)
    try index.checkAge(seen: nil, now: environment.clocks.now())
    try host.packages.changeKeys { keys in
      keys.set(KnownIndex(folder: path, key: signer, number: index.number, sha256: index.sha256))
    }
    return index
  }

  private func signer(of folder: String, among keys: [MinisignKey]) throws -> MinisignKey {
    guard let signature = try PluginIndex.signature(in: folder) else { throw PluginIndexError.unsigned(path: folder) }
    guard let key = keys.first(where: { $0.id == signature.keyID }) else {
      throw PluginIndexError.unknownKey(path: folder, keyID: signature.keyID)
    }
    return key
  }

  /// Removes an index, by its folder or its name; plugins installed from it stay.
  /// - Returns: its folder.
  public func remove(_ text: String) throws -> String {
    let states = try states().filter { $0.known != nil }
    guard let state = try state(named: text, among: states) else {
      throw PluginIndexError.unknown(text, suggestion: suggestion(for: text, among: states.map(\.folder)))
    }
    try host.packages.changeKeys { $0.forgetIndex(state.folder) }
    return state.folder
  }

  private func state(named text: String, among states: [IndexState]) throws -> IndexState? {
    let path = environment.folders.expanded(text)
    let folder = realPath(path)
    return states.first { $0.folder == folder || $0.folder == path } ?? states.first { $0.index?.name == text }
  }

  /// Records that an index was seen; an older one is refused from now on.
  func note(_ index: PluginIndex) throws {
    let keys = try host.packages.trustedKeys()
    guard let known = keys.indexes.first(where: { $0.folder == index.folder }), known.number < index.number else {
      return
    }
    try host.packages.changeKeys { keys in
      keys.set(KnownIndex(folder: index.folder, key: known.key, number: index.number, sha256: index.sha256))
    }
  }

  // MARK: What they offer

  /// Returns the plugins whose name, summary or author contains the word, each with its newest version that is usable
  /// here, and the problems of indexes and listings.
  public func search(_ word: String) throws -> (found: [ListedRelease], problems: [any Problem]) {
    var (found, problems): ([ListedRelease], [any Problem]) = ([], [])
    let word = word.lowercased()
    for state in try states() {
      if let problem = state.problem { problems.append(problem) }
      guard let index = state.index else { continue }
      for name in index.plugins {
        if environment.isInterrupted() { throw FileError(index.folder, .read, .interrupted) }
        do {
          guard let listing = try index.listing(of: name), let release = newest(of: listing) ?? listing.releases.first
          else { continue }
          let texts = [listing.name, listing.summary, listing.author ?? ""]
          guard word.isEmpty || texts.contains(where: { $0.lowercased().contains(text: word) }) else { continue }
          found.append(ListedRelease(index: index, listing: listing, release: release))
        } catch let problem as any Problem {
          problems.append(problem)
        }
      }
    }
    return (found, problems)
  }

  /// Returns the newest version that was not yanked and that this program can load.
  private func newest(of listing: PluginListing) -> PluginListing.Release? {
    listing.releases.first { $0.yanked == nil && problem(of: $0, listing.name) == nil }
  }

  /// Returns why this program cannot use a version; nil if it can.
  private func problem(of release: PluginListing.Release, _ plugin: String) -> PluginError? {
    if release.api > apiVersion { return .newerAPI(plugin: plugin, api: release.api) }
    guard let range = release.needs.deckhand else { return nil }
    let version = host.session.version
    if Version(version).map(range.contains) == true { return nil }
    return .needsDeckhand(plugin: plugin, range: range.description, version: version)
  }

  /// Returns the installed plugins for which an index has a higher version, or has yanked the installed one.
  public func outdated() throws -> (found: [OutdatedPlugin], problems: [any Problem]) {
    let (all, problems) = try search("")
    var found: [OutdatedPlugin] = []
    for plugin in host.plugins where !plugin.isBundled {
      guard let text = plugin.manifest?.version, let installed = Version(text) else { continue }
      for listed in all where listed.listing.name == plugin.name {
        let own = listed.listing.releases.first { $0.version == installed }
        let isNewer = listed.release.version > installed && listed.release.yanked == nil
        guard isNewer || own?.yanked != nil else { continue }
        found.append(
          OutdatedPlugin(plugin: plugin, newer: isNewer ? listed : nil, index: listed.index, yanked: own?.yanked))
      }
    }
    return (found, problems)
  }

  /// Finds the version of a plugin to install.
  /// - Parameters:
  ///   - version: nil for the newest that is usable here.
  ///   - index: the folder or the name of an index; nil for all of them.
  public func found(for plugin: String, version: String?, in index: String?) throws -> ListedRelease {
    var states = try states()
    if let index {
      guard let one = try state(named: index, among: states) else {
        throw PluginIndexError.unknown(index, suggestion: suggestion(for: index, among: states.map(\.folder)))
      }
      states = [one]
    }
    // If no index lists the plugin, the problem of a broken index is reported, as the plugin may be in that index.
    let problems = states.compactMap(\.problem)
    let usable = states.compactMap(\.index)
    let listed = try usable.compactMap { index in try index.listing(of: plugin).map { (index: index, listing: $0) } }
    guard let first = listed.first else {
      if let problem = problems.first { throw problem }
      let names = usable.flatMap(\.plugins)
      throw PluginReleaseError.notListed(
        plugin: plugin, suggestion: suggestion(for: plugin, among: names), indexes: states.count)
    }
    if listed.count > 1 {
      throw PluginReleaseError.inSeveral(plugin: plugin, indexes: listed.map(\.index.folder))
    }
    let release = try release(of: first.listing, version)
    return ListedRelease(index: first.index, listing: first.listing, release: release)
  }

  private func release(of listing: PluginListing, _ version: String?) throws -> PluginListing.Release {
    guard let version else {
      if let newest = newest(of: listing) { return newest }
      // The highest version gives the reason; a listing has at least one version.
      let highest = listing.releases[0]
      if let reason = highest.yanked { throw yanked(listing, highest, reason) }
      throw problem(of: highest, listing.name) ?? .newerAPI(plugin: listing.name, api: highest.api)
    }
    guard let wanted = Version(version), let found = listing.releases.first(where: { $0.version == wanted }) else {
      throw PluginReleaseError.noVersion(
        plugin: listing.name, version: version, there: listing.releases.map(\.version.description))
    }
    if let reason = found.yanked { throw yanked(listing, found, reason) }
    if let problem = problem(of: found, listing.name) { throw problem }
    return found
  }

  private func yanked(_ listing: PluginListing, _ release: PluginListing.Release, _ reason: String)
    -> PluginReleaseError
  {
    .yanked(plugin: listing.name, version: release.version.description, reason: reason)
  }

  /// Returns the package of a version, checked against the index.
  public func package(of listed: ListedRelease) throws -> PluginPackage {
    try listed.index.package(of: listed.listing, listed.release, isInterrupted: environment.isInterrupted)
  }
}

/// An installed plugin for which an index has a newer version, or has yanked the installed one.
public struct OutdatedPlugin {
  public let plugin: Plugin
  /// The version to update to; nil if there is none.
  public let newer: ListedRelease?
  public let index: PluginIndex
  /// Why the installed version was yanked; nil if it was not.
  public let yanked: String?
}

extension PluginHost {
  public var indexes: PluginIndexes { PluginIndexes(host: self) }
}
