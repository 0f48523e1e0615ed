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
public enum SettingLayer: Int, CaseIterable, Sendable { case system, environment, commandLine }

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
    (self.name, self.value, self.source) = (name, value, source)
  }

  /// The prefix of environment variables for settings.
  public static let variablePrefix = "DECKHAND_SET_"

  /// The settings in the environment, by length of their names, so that a switch comes after its group.
  public static func environment(_ variables: [String: String]) -> [LayeredSetting] {
    variables.filter { $0.key.hasPrefix(variablePrefix) }
      .sorted { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }
      .map {
        LayeredSetting(
          String($0.key.dropFirst(variablePrefix.count)), .text($0.value), from: .environment(variable: $0.key))
      }
  }

  /// Parses one `--set NAME=VALUE`, whose value may contain equals signs; nil without one, or without a name.
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
  /// Observers are not notified: layers are set before anybody observes. An empty one is not set, except the system's.
  public func setLayer(_ layer: SettingLayer, _ entries: [LayeredSetting]) -> [SettingsNotice] {
    if entries.isEmpty, layers.entries[layer] == nil, layer != .system { return [] }
    layers.entries[layer] = entries
    var notices = layer == .environment ? claimVariables(for: declared.names) : []
    for setting in declared.settings(in: "") {
      notices += applyLayers(to: setting).filter { notice in
        // A value of another layer that does not fit was reported when that layer was set.
        guard case .refused(_, _, let source) = notice else { return true }
        return source.layer == layer
      }
    }
    return notices
  }

  public func setSystem(_ file: SettingsFile) -> [SettingsNotice] {
    layers.locks = file.locks
    return setLayer(.system, file.entries)
  }

  /// The entries that no declaration matches: mistyped names, once all plugins are loaded.
  public func unmatched(_ layer: SettingLayer) -> [LayeredSetting] {
    (layers.entries[layer] ?? []).filter { entry in !declared.all.contains { layers.set($0, by: entry) } }
  }

  /// Gives each variable to the first setting that it can mean, so that no plugin cancels what the user chose.
  func claimVariables(for names: [String]) -> [SettingsNotice] {
    let variables = Set(layers.entries[.environment]?.map(\.name) ?? [])
    if variables.isEmpty { return [] }
    return names.compactMap { name in
      let variable = LayeredSetting.variable(for: name)
      guard variables.contains(variable) else { return nil }
      if let first = layers.claims[variable], first != name, declared[first] != nil {
        return .ambiguous(
          variable: LayeredSetting.variablePrefix + variable, names: [first, name].sorted(), sets: first)
      }
      layers.claims[variable] = name
      return nil
    }
  }

  /// Applies the layers to a setting. A value that does not fit is ignored with a notice; a lock keeps the default.
  func applyLayers(to setting: SettingNode) -> [SettingsNotice] {
    var (forced, system): (OutsideValue?, OutsideValue?) = (nil, nil)
    var notices: [SettingsNotice] = []
    let groups = declared.groups(above: setting)
    // A copy, because a check may unload a plugin, with the settings that it declared.
    let layers = layers
    for layer in SettingLayer.allCases {
      for entry in layers.entries[layer] ?? [] where ([setting] + groups).contains(where: { layers.set($0, by: entry) })
      {
        let source = setting.declaration?.isSecret == true ? entry.source.withoutValue : entry.source
        do throws(Mismatch) {
          let given = (value: try read(entry.value, for: setting) { $0.reading(entry.value) }, source: source)
          if layer == .system { system = given } else if forced?.source.layer != .system { forced = given }
        } catch {
          notices.append(.refused(setting.name, reason: error.reason, source: source))
        }
      }
      if layer == .system, layers.locks.cover(setting.name), let value = system?.value ?? setting.standard {
        forced = (value, layers.locks.source)
      }
    }
    values[setting.name]?.forced = forced
    values[setting.name]?.system = system
    return notices
  }
}

struct SettingLayers {
  var entries: [SettingLayer: [LayeredSetting]] = [:]
  var locks = SettingLocks.none
  /// The setting or group that each variable of the environment sets, by the variable's name without its prefix.
  var claims: [String: String] = [:]

  /// Whether the entry names the node.
  func set(_ node: SettingNode, by entry: LayeredSetting) -> Bool {
    if node.declaration == nil { return false }
    if case .environment = entry.source { return claims[entry.name] == node.name }
    return node.name == entry.name
  }
}

typealias OutsideValue = (value: SettingValue, source: SettingSource)

/// What gives a setting its value.
struct LayeredValue {
  let standard: SettingValue
  var system: OutsideValue?
  var account: SettingValue?
  /// The value that the environment, the command line or a lock of the system file demands; it takes precedence.
  var forced: OutsideValue?

  var value: SettingValue { forced?.value ?? account ?? system?.value ?? standard }

  /// The source of the value; nil for the default.
  /// - Parameter owner: who stored the account's value.
  func source(setBy owner: Owner?) -> SettingSource? {
    forced?.source ?? (account == nil ? system?.source : .account(owner ?? .user))
  }
}

extension SettingKind {
  /// Reads a value from a layer: a text as a user types it, anything else as it is.
  fileprivate func reading(_ value: SettingValue) -> SettingValue? {
    if case .text(let text) = value { return self.value(from: text) }
    return admit(value)
  }
}
