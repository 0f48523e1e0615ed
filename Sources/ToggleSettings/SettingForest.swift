// The nodes of a tree of settings, by name and by what they are in.
// Invariant: a node that is in it is in its parent's children, and counted in every group above it.

import Text

/// Groups, sections and settings as they are declared now.
///
///     try forest.declared("game.length").value
struct SettingForest {
  private(set) var roots: [SettingNode] = []
  private var byName: [String: SettingNode] = [:]

  var count: Int { byName.count }
  var all: Dictionary<String, SettingNode>.Values { byName.values }

  subscript(name: String) -> SettingNode? { byName[name] }

  /// The full names of all settings and groups, in the order of their declaration.
  var names: [String] {
    var found: [String] = []
    func visit(_ node: SettingNode) {
      if node.declaration != nil { found.append(node.name) }
      for child in node.children { visit(child) }
    }
    for root in roots { visit(root) }
    return found
  }

  /// The node of a setting or group; a section is none.
  func declared(_ name: String) throws(SettingsError) -> SettingNode {
    let node = try node(name)
    if node.declaration == nil { throw .section(name, holds: node.children.map(\.name)) }
    return node
  }

  func node(_ name: String) throws(SettingsError) -> SettingNode {
    if let node = byName[name] { return node }
    throw .unknownSetting(name, suggestion: suggestion(for: name, among: names) ?? nameWithPart(name))
  }

  /// `lang` is most likely a part of a name.
  private func nameWithPart(_ part: String) -> String? {
    guard (1...100).contains(part.utf8.count) else { return nil }
    let part = part.lowercased()
    return names.first { $0.lowercased().contains(text: part) }
  }

  // MARK: Changing

  /// Puts a node into its parent and counts it there.
  mutating func place(_ node: SettingNode) {
    byName[node.name] = node
    if let parent = node.parent { parent.children.append(node) } else { roots.append(node) }
    if node.isSwitch { addToCounts(above: node, on: node.isOn ? 1 : 0, switches: 1) }
  }

  /// Puts a node that was taken out back in, with all that is in it and the sections it needs.
  mutating func relink(_ node: SettingNode) {
    if let parent = node.parent, byName[parent.name] !== parent {
      parent.children = []
      relink(parent)
    }
    let children = node.children
    node.children = []
    node.switches = SettingNode.SwitchCount()
    place(node)
    for child in children { relink(child) }
  }

  /// Takes a node out with all that is in it, and the sections that are empty after that.
  mutating func unlink(_ node: SettingNode) {
    guard byName[node.name] === node else { return }
    let on = node.isSwitch ? (node.isOn ? 1 : 0) : node.switches.on
    addToCounts(above: node, on: -on, switches: node.isSwitch ? -1 : -node.switches.all)
    forget(node)
    if let parent = node.parent {
      parent.children.removeAll { $0 === node }
      if parent.declaration == nil, parent.children.isEmpty { unlink(parent) }
    } else {
      roots.removeAll { $0 === node }
    }
  }

  private mutating func forget(_ node: SettingNode) {
    byName[node.name] = nil
    for child in node.children { forget(child) }
  }

  private func addToCounts(above node: SettingNode, on: Int, switches: Int) {
    var group = node.parent
    while let parent = group, parent.isGroup {
      parent.switches.on += on
      parent.switches.all += switches
      group = parent.parent
    }
  }
}
