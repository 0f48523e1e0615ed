// The data that `set` and `set --why` show: the tree as rows, and the reasons for one value. Facts only; Shell lays
// them out.
// Invariant: the rows are in declaration order, each after its parent; secrets are already replaced by dots.

public import Problems
import Text

/// One row of the tree.
///
///     for row in try tree.rows(of: "sound") { print(row.name, row.kind, row.value?.text ?? "") }
public struct SettingRow: Equatable, Sendable {
  public let name: String
  /// The title, or the last part of the name.
  public let title: String
  /// 0 at the top.
  public let depth: Int
  /// `section`, `group`, `switch`, `choice`, `number`, `text`, `path`.
  public let kind: String
  /// For a switch or group.
  public let state: SettingState?
  /// Nil for a section; for a group, whether all its switches are on.
  public let value: SettingValue?
  /// Whether the value, or one below, differs from the default.
  public let isChanged: Bool
  /// The source that forces the value, if any.
  public let forcedBy: SettingSource?
}

/// Everything that `set --why` reports about a setting.
///
///     try tree.why("game.length").sources   // [.commandLine("game.length=9")]
public struct SettingReasons: Equatable, Sendable {
  public let name: String
  public let value: SettingValue
  public let state: SettingState?
  /// Nil for a group.
  public let standard: SettingValue?
  /// The source of the value; for a group, the sources of those of its switches that are not at their default.
  public let sources: [SettingSource]
  /// The account's stored value while another value is forced.
  public let shadowed: StoredSetting?
  public let declaredBy: Owner
  /// The values that are allowed.
  public let expectation: String
}

extension SettingsTree {
  /// The rows of a setting, group or section and everything below it; with an empty name, of the whole tree.
  public func rows(of name: String = "") throws(SettingsError) -> [SettingRow] {
    if !name.isEmpty { _ = try declared.node(name) }
    return declared.below(name).map { node, depth in
      let title = node.declaration?.title ?? ""
      return SettingRow(
        name: node.name, title: title.isEmpty ? String(node.part) : title, depth: depth,
        kind: node.declaration?.kind.word ?? "section", state: node.hasState ? state(of: node) : nil,
        value: node.declaration == nil ? nil : node.shown(value(of: node)),
        isChanged: declared.settings(in: node.name).contains { value(of: $0) != $0.standard },
        forcedBy: values[node.name]?.forced?.source)
    }
  }

  /// Returns why a setting has its current value.
  public func why(_ name: String) throws(SettingsError) -> SettingReasons {
    let node = try declared.setting(name)
    var sources: [SettingSource] = []
    for setting in declared.settings(in: name) where !node.isGroup || value(of: setting) != setting.standard {
      let source =
        values[setting.name]?.source(setBy: kept[setting.name]?.setBy) ?? setting.declaration?.defaultSource
        ?? .standard
      if !sources.contains(source) { sources.append(source) }
    }
    let shadowed = values[name]?.forced == nil ? nil : values[name]?.account
    return SettingReasons(
      name: name, value: node.shown(value(of: node)), state: node.hasState ? state(of: node) : nil,
      standard: node.standard.map(node.shown), sources: sources.isEmpty ? [.standard] : sources,
      shadowed: shadowed.flatMap { value in
        kept[name].map { StoredSetting(.value(node.shown(value)), setBy: $0.setBy) }
      },
      declaredBy: node.owner, expectation: node.declaration?.kind.expectation ?? "")
  }
}
