// What `set` and `set --why` show: the tree as rows, and the reasons of one value. Facts only; Shell lays them out.
// Invariant: the rows stand in the order of declaration, each after what it stands in; a secret is dots here already.

public import Problems
import Text

/// One line of the tree.
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
  /// Of a switch or group.
  public let state: SettingState?
  /// Nil for a section; a group's is whether all in it are on.
  public let value: SettingValue?
  /// Whether the value, or one beneath, is not the default.
  public let isChanged: Bool
  /// What forces the value, if anything does.
  public let forcedBy: SettingSource?
}

/// All that `set --why` tells of a setting.
///
///     try tree.why("game.length").sources   // [.commandLine("game.length=9")]
public struct SettingReasons: Equatable, Sendable {
  public let name: String
  public let value: SettingValue
  public let state: SettingState?
  /// Nil for a group.
  public let standard: SettingValue?
  /// What gives the value; for a group, what gives those of its switches that are not at their default.
  public let sources: [SettingSource]
  /// What the account keeps while something else forces another value.
  public let shadowed: KeptSetting?
  public let declaredBy: Owner
  /// What may stand there.
  public let expectation: String
}

extension SettingsTree {
  /// The rows of a setting, group or section and all beneath it; of the whole tree with an empty name.
  public func rows(of name: String = "") throws(SettingsError) -> [SettingRow] {
    var rows: [SettingRow] = []
    func visit(_ node: SettingNode, _ depth: Int) {
      rows.append(node.row(depth))
      for child in node.children { visit(child, depth + 1) }
    }
    for node in name.isEmpty ? forest.roots : [try forest.node(name)] { visit(node, 0) }
    return rows
  }

  /// Why a setting has the value it has.
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
  /// What the account keeps, as it is shown.
  fileprivate func account(_ kept: KeptSetting?) -> KeptSetting? {
    layers.account.flatMap { value in kept.map { KeptSetting(.value(shown(value)), setBy: $0.setBy) } }
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
