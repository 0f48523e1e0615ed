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
    var rows: [SettingRow] = []
    func visit(_ node: SettingNode, _ depth: Int) {
      rows.append(node.row(depth))
      for child in node.children { visit(child, depth + 1) }
    }
    for node in name.isEmpty ? forest.roots : [try forest.node(name)] { visit(node, 0) }
    return rows
  }

  /// Returns why a setting has its current value.
  public func why(_ name: String) throws(SettingsError) -> SettingReasons {
    let node = try forest.declared(name)
    var sources: [SettingSource] = []
    for leaf in leaves(of: [node]) where node.isLeaf || leaf.value != leaf.declaration?.kind.defaultValue {
      let source = leaf.source(keptBy: kept[leaf.name]?.setBy)
      if !sources.contains(source) { sources.append(source) }
    }
    return SettingReasons(
      name: name, value: node.shown(node.shownValue), state: node.isGroup || node.isSwitch ? node.state : nil,
      standard: node.declaration?.kind.defaultValue.map(node.shown), sources: sources.isEmpty ? [.standard] : sources,
      shadowed: node.layers.forced == nil ? nil : node.account(kept[name]),
      declaredBy: node.owner, expectation: node.declaration?.kind.expectation ?? "")
  }
}

extension SettingNode {
  /// The account's stored value, as it is shown to a user.
  fileprivate func account(_ kept: StoredSetting?) -> StoredSetting? {
    layers.account.flatMap { value in kept.map { StoredSetting(.value(shown(value)), setBy: $0.setBy) } }
  }

  fileprivate func row(_ depth: Int) -> SettingRow {
    let title = declaration?.title ?? ""
    return SettingRow(
      name: name, title: title.isEmpty ? String(part) : title, depth: depth, kind: declaration?.kind.word ?? "section",
      state: isGroup || isSwitch ? state : nil, value: declaration == nil ? nil : shown(shownValue),
      isChanged: isChanged, forcedBy: layers.forced?.source)
  }

  private var isChanged: Bool {
    isLeaf ? value != declaration?.kind.defaultValue : children.contains(where: \.isChanged)
  }
}
