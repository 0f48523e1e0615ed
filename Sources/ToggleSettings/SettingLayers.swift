// The source of a value: default, system file, account, environment, command line; later ones take precedence.
// Invariant: environment and command line force their value for the run, and so does a system file that locks it; a
// forced setting cannot be changed from within, so no value is stored that would have no effect.

public import Problems
import Text

/// The source of a setting's current value.
///
///     SettingSource.commandLine("game.length=9").description   // "--set game.length=9 on the command line"
public enum SettingSource: Equatable, Sendable {
  case standard
  case system(path: String, locked: Bool)
  /// A system file that cannot be read: it is not known what it locks, so everything is locked.
  case brokenSystem(path: String)
  case account(Owner)
  case environment(variable: String)
  /// The argument of `--set`.
  case commandLine(String)

  /// The words after "set by ...".
  public var description: String {
    switch self {
    case .standard: "its default"
    case .system(let path, let locked): "the system file \(printable(path))" + (locked ? ", which locks it" : "")
    case .brokenSystem(let path): "the system file \(printable(path)), which is broken and may lock it"
    case .account(let owner): owner.description
    case .environment(let variable): "\(printable(variable)) in the environment"
    case .commandLine(let text): "--set \(printable(text)) on the command line"
    }
  }

  /// The same without the value from the command line.
  var withoutValue: SettingSource {
    guard case .commandLine(let text) = self, let equals = text.firstRange(ofText: "=") else { return self }
    return .commandLine(text[..<equals.upperBound] + "••••••")
  }

  /// The layer of the source; nil for the default and the account.
  var layer: SettingLayer? {
    switch self {
    case .system, .brokenSystem: .system
    case .environment: .environment
    case .commandLine: .commandLine
    case .standard, .account: nil
    }
  }

  /// Whether the source is the file of the machine's administrator.
  var isSystem: Bool { layer == .system }

  /// What the user can do about a forced value.
  var remedy: String {
    switch self {
    case .system: "the administrator of this machine can change it"
    case .brokenSystem: "the administrator of this machine can correct the file"
    case .environment: "start without that variable to change it"
    case .commandLine, .standard, .account: "start without that option to change it"
    }
  }
}

/// The layers from outside the account. The default and the account belong to the tree itself.
///
///     tree.setLayer(.environment, LayeredSetting.environment(variables))
public enum SettingLayer: Int, CaseIterable, Sendable {
  case system, environment, commandLine
}

/// A value from outside the account, for a setting that may not be declared yet.
///
///     LayeredSetting.commandLine("game.length=9")?.name   // "game.length"
public struct LayeredSetting: Equatable, Sendable {
  /// The full name; in the environment layer, the name of the variable without its prefix: `GAME_LANGUAGE`.
  public var name: String
  /// A text is parsed as if a user had typed it.
  public var value: SettingValue
  public var source: SettingSource

  public init(_ name: String, _ value: SettingValue, from source: SettingSource) {
    self.name = name
    self.value = value
    self.source = source
  }

  /// The prefix of environment variables for settings.
  public static let variablePrefix = "DECKHAND_SET_"

  /// The settings in the environment, sorted by the length of the variable name, so that a longer name (a switch in a
  /// group) comes after a shorter one.
  public static func environment(_ variables: [String: String]) -> [LayeredSetting] {
    variables.filter { $0.key.hasPrefix(variablePrefix) }
      .sorted { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }
      .map {
        LayeredSetting(
          String($0.key.dropFirst(variablePrefix.count)), .text($0.value), from: .environment(variable: $0.key))
      }
  }

  /// Parses one `--set NAME=VALUE`. Nil without an equals sign or a name; the value may contain more equals signs, or
  /// begin with a combining mark.
  public static func commandLine(_ text: String) -> LayeredSetting? {
    guard let equals = text.firstRange(ofText: "="), equals.lowerBound > text.startIndex else { return nil }
    return LayeredSetting(
      String(text[..<equals.lowerBound]), .text(String(text[equals.upperBound...])), from: .commandLine(text))
  }

  /// The spelling of a setting's name in the environment: capitals, and `_` for `.` and `-`.
  static func variable(for name: String) -> String {
    String(name.uppercased().map { $0 == "." || $0 == "-" ? "_" : $0 })
  }
}

extension SettingsTree {
  /// Replaces a layer from outside the account. Within a layer, a later entry takes precedence over an earlier one, and
  /// an entry for a group applies to all its switches. Entries for names that are not declared wait for a declaration.
  /// Observers are not notified: layers are set before anybody observes.
  public func setLayer(_ layer: SettingLayer, _ entries: [LayeredSetting]) -> [SettingsNotice] {
    layers.entries[layer] = entries
    var notices = layer == .environment ? layers.findAmbiguousVariables(of: forest) : []
    // A check may unload a plugin, with the settings and groups that it declared.
    for node in leaves(of: forest.roots) where forest[node.name] === node {
      notices += resolveLayers(of: node).filter { notice in
        // A value of another layer that does not fit was reported when that layer was set.
        guard case .refused(_, _, let source) = notice else { return true }
        return source.layer == layer
      }
      node.recompute()
    }
    keys.refresh()
    return notices
  }

  /// Replaces the layer of the system file, and its locks.
  public func setSystem(_ file: SettingsFile) -> [SettingsNotice] {
    layers.locks = file.locks
    return setLayer(.system, file.entries)
  }

  /// The entries that no declaration matches. With `--set`, they are a sign of a mistyped name once all plugins are
  /// loaded.
  public func unmatched(_ layer: SettingLayer) -> [LayeredSetting] {
    (layers.entries[layer] ?? []).filter { entry in !forest.all.contains { layers.claims($0, entry) } }
  }

  /// Applies the layers to a leaf. A value that does not fit is ignored with a notice.
  func resolveLayers(of node: SettingNode) -> [SettingsNotice] {
    // A copy, because a check may unload its plugin, which changes the layers.
    let layers = layers
    return layers.apply(on: node) { value in reading(value, for: node) { $0.reading(value) } }
  }
}

/// The layers of one tree.
///
///     layers.entries[.commandLine] = given
///     layers.apply(on: node) { tree.reading($0, for: node) { ... } }
struct SettingLayers {
  var entries: [SettingLayer: [LayeredSetting]] = [:]
  var locks = SettingLocks.none
  /// The environment variables that match several settings, with the one that each sets; nil for none.
  private var ambiguousVariables: [String: String?] = [:]

  /// Applies the layers to a leaf.
  /// - Parameter reading: reads a value for the leaf, or returns why it does not fit.
  func apply(
    on node: SettingNode, _ reading: (SettingValue) -> Result<SettingValue, Mismatch>
  ) -> [SettingsNotice] {
    node.layers.forced = nil
    node.layers.system = nil
    var notices: [SettingsNotice] = []
    for layer in SettingLayer.allCases {
      for entry in entries[layer] ?? [] where isSet(node, by: entry) {
        let source = node.declaration?.isSecret == true ? entry.source.withoutValue : entry.source
        switch reading(entry.value) {
        case .success(let value): assign(value, source, to: node)
        case .failure(let mismatch): notices.append(.refused(node.name, reason: mismatch.reason, source: source))
        }
      }
      if layer == .system { lock(node) }
    }
    return notices
  }

  /// Applies the lock of the system file. Without a fitting value, the default is locked; a value that the file gives
  /// to the setting's group counts as its value.
  private func lock(_ node: SettingNode) {
    guard node.layers.forced == nil, locks.cover(node.name),
      let value = node.layers.system?.value ?? node.declaration?.kind.defaultValue
    else { return }
    node.layers.forced = (value, locks.source)
  }

  private func assign(_ value: SettingValue, _ source: SettingSource, to node: SettingNode) {
    if case .system(_, locked: false) = source {
      node.layers.system = (value, source)
    } else if let forced = node.layers.forced?.source, forced.isSystem, !source.isSystem {
      // A lock of the machine takes precedence over the options of this run.
      return
    } else {
      node.layers.forced = (value, source)
    }
  }

  /// Whether the entry sets this leaf: by its own name, or as a switch of the group that the entry names.
  private func isSet(_ node: SettingNode, by entry: LayeredSetting) -> Bool {
    if claims(node, entry) { return true }
    var group = node.isSwitch ? node.parent : nil
    while let candidate = group {
      if candidate.isGroup, claims(candidate, entry) { return true }
      group = candidate.parent
    }
    return false
  }

  /// Whether the entry has the name of the node.
  func claims(_ node: SettingNode, _ entry: LayeredSetting) -> Bool {
    guard node.declaration != nil else { return false }
    if case .environment = entry.source {
      guard node.variable == entry.name else { return false }
      guard let setting = ambiguousVariables[entry.name] else { return true }
      return node.name == setting
    }
    return node.name == entry.name
  }

  /// Finds the environment variables that match two settings, and returns notices about new ones; called when
  /// declarations or the environment change. A variable that sets one of them already continues to set it, so that a
  /// plugin cannot cancel what the user chose.
  mutating func findAmbiguousVariables(of forest: SettingForest) -> [SettingsNotice] {
    let wanted = Set((entries[.environment] ?? []).map(\.name))
    guard !wanted.isEmpty else {
      ambiguousVariables = [:]
      return []
    }
    var claimed: [String: [SettingNode]] = [:]
    for node in forest.all where node.declaration != nil && wanted.contains(node.variable) {
      claimed[node.variable, default: []].append(node)
    }
    let before = ambiguousVariables
    ambiguousVariables = [:]
    var notices: [SettingsNotice] = []
    for (name, nodes) in claimed.sorted(by: { $0.key < $1.key }) where nodes.count > 1 {
      let variable = LayeredSetting.variablePrefix + name
      let names = nodes.map(\.name).sorted()
      let known: String? = before[name] ?? nil
      let current = nodes.first { $0.name == known } ?? nodes.first { $0.takesValue(from: variable) }
      let setting = current?.name
      ambiguousVariables.updateValue(setting, forKey: name)
      if !before.keys.contains(name) { notices.append(.ambiguous(variable: variable, names: names, sets: setting)) }
    }
    return notices
  }
}

extension SettingNode {
  /// Whether its value, or that of a switch in this group, comes from the environment variable.
  fileprivate func takesValue(from variable: String) -> Bool {
    leaves(of: [self]).contains { $0.layers.forced?.source == .environment(variable: variable) }
  }
}

extension SettingKind {
  /// Reads a value from a layer: a text as a user types it, anything else as it is.
  func reading(_ value: SettingValue) -> SettingValue? {
    if case .text(let text) = value { return self.value(from: text) }
    return admit(value)
  }
}
