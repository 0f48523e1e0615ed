// Where a value comes from: default, system file, account, environment, command line; the later ones win.
// Invariant: environment and command line force their value for the run, and so does a system file that locks it;
// a forced setting can't be changed from within, so nothing is kept that would have no effect.

public import Problems
import Text

/// What gave a setting the value that it has.
///
///     SettingSource.commandLine("game.length=9").description   // "--set game.length=9 on the command line"
public enum SettingSource: Equatable, Sendable {
  case standard
  case system(path: String, locked: Bool)
  /// A system file that cannot be read: what it locks is not known, so everything is.
  case brokenSystem(path: String)
  case account(Owner)
  case environment(variable: String)
  /// What stood after `--set`.
  case commandLine(String)

  /// As in "set by ...".
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

  /// The same without the value that stood on the command line.
  var withoutValue: SettingSource {
    guard case .commandLine(let text) = self, let end = text.firstIndex(of: "=") else { return self }
    return .commandLine(text[...end] + "••••••")
  }

  /// The layer that it is of; nil for the default and the account.
  var layer: SettingLayer? {
    switch self {
    case .system, .brokenSystem: .system
    case .environment: .environment
    case .commandLine: .commandLine
    case .standard, .account: nil
    }
  }

  /// Whether it is the file of whoever looks after the machine.
  var isSystem: Bool { layer == .system }

  /// What to do about a forced value.
  var remedy: String {
    switch self {
    case .system: "the administrator of this machine can change it"
    case .brokenSystem: "the administrator of this machine can correct the file"
    case .environment: "start without that variable to change it"
    case .commandLine, .standard, .account: "start without that option to change it"
    }
  }
}

/// The layers that come from outside the account. `standard` and `account` are the tree's own.
///
///     tree.setLayer(.environment, LayeredSetting.environment(variables))
public enum SettingLayer: Int, CaseIterable, Sendable {
  case system, environment, commandLine
}

/// A value from outside the account, for a setting that may not be declared yet.
///
///     LayeredSetting.commandLine("game.length=9")?.name   // "game.length"
public struct LayeredSetting: Equatable, Sendable {
  /// The full name; in the environment layer the variable's name without its beginning, `GAME_LANGUAGE`.
  public var name: String
  /// Text is read as if a user had typed it.
  public var value: SettingValue
  public var source: SettingSource

  public init(_ name: String, _ value: SettingValue, from source: SettingSource) {
    self.name = name
    self.value = value
    self.source = source
  }

  /// The beginning of the environment's variables for settings.
  public static let variablePrefix = "DECKHAND_SET_"

  /// What the environment sets, by variable name, so that a longer name (a switch in a group) comes after a shorter
  /// one.
  public static func environment(_ variables: [String: String]) -> [LayeredSetting] {
    variables.filter { $0.key.hasPrefix(variablePrefix) }
      .sorted { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }
      .map {
        LayeredSetting(
          String($0.key.dropFirst(variablePrefix.count)), .text($0.value), from: .environment(variable: $0.key))
      }
  }

  /// One `--set NAME=VALUE`. Nil without an equals sign or a name; the value may hold more of them.
  public static func commandLine(_ text: String) -> LayeredSetting? {
    guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { return nil }
    return LayeredSetting(
      String(text[..<equals]), .text(String(text[text.index(after: equals)...])), from: .commandLine(text))
  }

  /// How the environment spells a setting's name: capitals, and `_` for what stands between words.
  static func variable(for name: String) -> String {
    String(name.uppercased().map { $0 == "." || $0 == "-" ? "_" : $0 })
  }
}

extension SettingsTree {
  /// Replaces a layer from outside the account. In a layer a later entry wins over an earlier one, and one for a group
  /// stands for all its switches. Entries of names that nobody has declared wait for a declaration. It is no event:
  /// layers are laid before anybody observes.
  public func setLayer(_ layer: SettingLayer, _ entries: [LayeredSetting]) -> [SettingsNotice] {
    layers.entries[layer] = entries
    var notices = layer == .environment ? layers.findAmbiguousVariables(of: forest) : []
    for node in leaves(of: forest.roots) {
      notices += resolveLayers(of: node).filter { notice in
        // What does not fit in another layer was told when that one was laid.
        guard case .refused(_, _, let source) = notice else { return true }
        return source.layer == layer
      }
      node.recompute()
    }
    keys.refresh()
    return notices
  }

  /// Replaces the layer of the system file, and what it locks.
  public func setSystem(_ file: SettingsFile) -> [SettingsNotice] {
    layers.locks = file.locks
    return setLayer(.system, file.entries)
  }

  /// What waits for a declaration: with `--set` a sign of a mistyped name once every plugin had its chance.
  public func unclaimed(_ layer: SettingLayer) -> [LayeredSetting] {
    (layers.entries[layer] ?? []).filter { entry in !forest.all.contains { layers.claims($0, entry) } }
  }

  /// Finds what the layers say about a leaf. A value that does not fit is left aside with a notice.
  func resolveLayers(of node: SettingNode) -> [SettingsNotice] {
    // A copy: a check may unload its plugin, which changes them.
    let layers = layers
    return layers.lay(on: node) { value in reading(value, for: node) { $0.reading(value) } }
  }
}

/// The layers of one tree.
///
///     layers.entries[.commandLine] = given
///     layers.lay(on: node) { tree.reading($0, for: node) { ... } }
struct SettingLayers {
  var entries: [SettingLayer: [LayeredSetting]] = [:]
  var locks = SettingLocks.none
  private var ambiguousVariables: Set<String> = []

  /// Gives a leaf what the layers say of it.
  /// - Parameter reading: reads a value for the leaf, or says why it does not fit.
  func lay(
    on node: SettingNode, _ reading: (SettingValue) -> Result<SettingValue, Misfit>
  ) -> [SettingsNotice] {
    node.layers.forced = nil
    node.layers.system = nil
    var notices: [SettingsNotice] = []
    for layer in SettingLayer.allCases {
      for entry in entries[layer] ?? [] where isMeant(node, by: entry) {
        let source = node.declaration?.isSecret == true ? entry.source.withoutValue : entry.source
        switch reading(entry.value) {
        case .success(let value): assign(value, source, to: node)
        case .failure(let misfit): notices.append(.refused(node.name, reason: misfit.reason, source: source))
        }
      }
      if layer == .system { lock(node) }
    }
    return notices
  }

  /// A lock without a value that fits locks the default; what the file gives the setting's group is its value too.
  private func lock(_ node: SettingNode) {
    guard node.layers.forced == nil, locks.hold(node.name),
      let value = node.layers.system?.value ?? node.declaration?.kind.defaultValue
    else { return }
    node.layers.forced = (value, locks.source)
  }

  private func assign(_ value: SettingValue, _ source: SettingSource, to node: SettingNode) {
    if case .system(_, locked: false) = source {
      node.layers.system = (value, source)
    } else if let forced = node.layers.forced?.source, forced.isSystem, !source.isSystem {
      // A lock of the machine is stronger than the options of this run.
      return
    } else {
      node.layers.forced = (value, source)
    }
  }

  /// Whether the entry sets this leaf: by its own name, or as a switch of the group it names.
  private func isMeant(_ node: SettingNode, by entry: LayeredSetting) -> Bool {
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
      return node.variable == entry.name && !ambiguousVariables.contains(entry.name)
    }
    return node.name == entry.name
  }

  /// Looks again which variables of the environment are those of two settings; called when declarations or the
  /// environment change.
  mutating func findAmbiguousVariables(of forest: SettingForest) -> [SettingsNotice] {
    let wanted = Set((entries[.environment] ?? []).map(\.name))
    guard !wanted.isEmpty else {
      ambiguousVariables = []
      return []
    }
    var claimed: [String: [String]] = [:]
    for node in forest.all where node.declaration != nil && wanted.contains(node.variable) {
      claimed[node.variable, default: []].append(node.name)
    }
    let before = ambiguousVariables
    let twice = claimed.filter { $0.value.count > 1 }
    ambiguousVariables = Set(twice.keys)
    return twice.filter { !before.contains($0.key) }.sorted { $0.key < $1.key }
      .map { .ambiguous(variable: LayeredSetting.variablePrefix + $0.key, names: $0.value.sorted()) }
  }
}

extension SettingKind {
  /// A value from a layer: text as a user types it, anything else as it is.
  func reading(_ value: SettingValue) -> SettingValue? {
    if case .text(let text) = value { return self.value(from: text) }
    return admit(value)
  }
}
