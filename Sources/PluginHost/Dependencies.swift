// What plugins require: a version of Deckhand, and other plugins. Invariant: a plugin is loaded after everything it
// needs; a missing requirement, or a cycle of plugins, is reported with the chain that leads to it.

import Text

/// The dependencies between the plugins of a host.
///
///     plugins.dependencies.problem(of: plugin)?.message
public struct PluginDependencies {
  let host: PluginHost

  /// Loads everything that a plugin needs.
  func load(of plugin: Plugin) throws {
    guard let needs = plugin.manifest?.needs, !needs.isEmpty else { return }
    if let problem = problem(of: plugin) {
      plugin.lastError = plugin.reason(of: problem)
      throw problem
    }
    for need in needs.plugins {
      do {
        try host.load(try host.plugin(named: need.name))
      } catch let error as PluginError {
        throw PluginError.missingDependency(
          plugin: plugin.name, needs: need.name, reason: "which failed: \(oneLine(error))")
      }
    }
  }

  /// Returns the unmet requirement that keeps a plugin from loading: a plugin that it needs, or a version of
  /// Deckhand.
  /// - Parameter others: the plugins to assume as installed; nil for the actual ones.
  public func problem(of plugin: Plugin, among others: [Plugin]? = nil) -> PluginError? {
    var check = DependencyCheck(plugins: others ?? host.plugins, deckhand: host.session.version)
    return check.problem(of: plugin)
  }

  /// Returns the usable plugins that need the named one and do not accept this version; nil means that it is removed.
  func dependents(of name: String, unlessAt version: String?) -> [String] {
    host.plugins.filter(\.isUsable).compactMap { other in
      guard let need = other.manifest?.needs.plugins.first(where: { $0.name == name }) else { return nil }
      if let version, Version(version).map(need.range.contains) == true { return nil }
      return "\(other.name), which needs \(name) \(need.range)"
    }
  }
}

extension PluginHost {
  public var dependencies: PluginDependencies { PluginDependencies(host: self) }
}

/// One traversal of the dependencies.
private struct DependencyCheck {
  let plugins: [Plugin]
  /// The program's version.
  let deckhand: String
  private var path: [String] = []
  /// The plugins without unmet requirements; each is checked once.
  private var sound: Set<String> = []

  init(plugins: [Plugin], deckhand: String) { (self.plugins, self.deckhand) = (plugins, deckhand) }

  mutating func problem(of plugin: Plugin) -> PluginError? {
    if let start = path.firstIndex(of: plugin.name) { return .cycle(path[start...] + [plugin.name]) }
    if sound.contains(plugin.name) { return nil }
    path.append(plugin.name)
    defer { path.removeLast() }
    let needs = plugin.manifest?.needs ?? Needs()
    if let range = needs.deckhand, Version(deckhand).map(range.contains) != true {
      return .needsDeckhand(
        plugin: plugin.name, range: range.description, version: deckhand, chain: path + ["Deckhand"])
    }
    for need in needs.plugins {
      if let problem = problem(of: need, of: plugin) { return problem }
    }
    sound.insert(plugin.name)
    return nil
  }

  private mutating func problem(of need: Needs.Plugin, of plugin: Plugin) -> PluginError? {
    func missing(_ reason: String) -> PluginError {
      .missingDependency(plugin: plugin.name, needs: need.name, reason: reason, chain: path + [need.name])
    }
    guard let other = plugins.first(where: { $0.name == need.name }) else { return missing("which is not installed") }
    let version = other.manifest?.version ?? "0"
    guard Version(version).map(need.range.contains) == true else {
      return missing("version \(need.range); version \(version) is installed")
    }
    if let problem = problem(of: other) { return problem }
    if let obstacle = other.obstacle { return missing("which " + obstacle) }
    return nil
  }
}
