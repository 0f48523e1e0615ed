// The nodes of a tree of settings, by name and by parent.
// Invariant: every node is among its parent's children, and is counted in every group above it.

import Text

/// The groups, sections and settings that are declared at present.
///
///     try forest.declared("game.length").value
struct SettingForest {
  private(set) var roots: [SettingNode] = []
  private var byName: [String: SettingNode] = [:]

  var count: Int { byName.count }
  var all: Dictionary<String, SettingNode>.Values { byName.values }

  subscript(name: String) -> SettingNode? { byName[name] }

  /// The full names of all settings and groups, in declaration order.
  var names: [String] {
    var found: [String] = []
    func visit(_ node: SettingNode) {
      if node.declaration != nil { found.append(node.name) }
      for child in node.children { visit(child) }
    }
    for root in roots { visit(root) }
    return found
  }

  /// Returns the node of a setting or group; throws for a section.
  func declared(_ name: String) throws(SettingsError) -> SettingNode {
    let node = try node(name)
    if node.declaration == nil { throw .section(name, holds: node.children.map(\.name)) }
    return node
  }

  func node(_ name: String) throws(SettingsError) -> SettingNode {
    if let node = byName[name] { return node }
    throw .unknownSetting(name, suggestion: suggestion(for: name, among: names) ?? nameWithPart(name))
  }

  /// Finds a name that contains the text: `lang` is most likely a part of a name. Most names contain a letter or two.
  private func nameWithPart(_ part: String) -> String? {
    guard part.count > 2, part.utf8.count <= 100 else { return nil }
    let part = part.lowercased()
    return names.first { $0.lowercased().contains(text: part) }
  }

  // MARK: Changing

  /// Adds a node to its parent, and counts it there.
  mutating func place(_ node: SettingNode) {
    byName[node.name] = node
    if let parent = node.parent { parent.children.append(node) } else { roots.append(node) }
    if node.isSwitch { addToCounts(above: node, on: node.isOn ? 1 : 0, switches: 1) }
  }

  /// Puts a removed node back, with its children and the sections that it needs.
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

  /// Puts the children of a parent, or the roots, in an earlier order; those that no longer exist are left out.
  mutating func order(_ children: [SettingNode], of parent: SettingNode?) {
    let present = children.filter { byName[$0.name] === $0 }
    if let parent { parent.children = present } else { roots = present }
  }

  /// Removes a node with its children, and the sections that are empty afterwards.
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
