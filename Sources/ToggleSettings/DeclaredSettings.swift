// What is declared: sections, groups and settings by their full names, in the order of declaration.
// Invariant: every node is among its parent's children; a section exists only while it has children.

import Problems
import Text

/// A section, a group of switches, or a setting that holds a value.
struct SettingNode {
  let name: String
  /// The name of the section or group around it; empty at the top level.
  let parent: String
  /// Nil for a section.
  let declaration: SettingDeclaration?
  let owner: Owner
  /// The check of the declaration: returns why a value that the kind admits is refused, or nil.
  var check: SettingCheck?
  /// The full names of what is directly below, in the order of declaration.
  var children: [String] = []

  var part: Substring { name[(name.lastIndex(of: ".").map(name.index(after:)) ?? name.startIndex)...] }
  var isGroup: Bool { if case .group = declaration?.kind { true } else { false } }
  var hasState: Bool { if case .toggle = declaration?.kind { true } else { isGroup } }
  /// The default of a setting; nil for a group or a section.
  var standard: SettingValue? { declaration?.kind.defaultValue }

  func shown(_ value: SettingValue) -> SettingValue { declaration?.shown(value) ?? value }

  /// Throws if the owner is a plugin and the setting is guarded.
  func requireRight(of owner: Owner) throws(SettingsError) {
    if owner.plugin != nil, declaration?.isGuarded == true { throw .guarded(name) }
  }

  /// Whether the setting is a secret that the owner cannot see: only the user and the declaring owner can.
  func isHidden(from owner: Owner) -> Bool {
    owner.plugin != nil && declaration?.isSecret == true && self.owner != owner
  }

  /// The error for a value that does not fit.
  func mismatch(_ text: String) -> SettingsError {
    let kind = declaration?.kind
    return .badValue(
      name, given: shown(.text(text)).text, expected: kind?.expectation ?? "", suggestion: kind?.suggestion(for: text))
  }
}

/// The groups, sections and settings that are declared at present. A copy is a state to go back to.
///
///     try declared.add(SettingDeclaration("game.length", kind), by: .program)
///     try declared.setting("game.length").owner   // .program
struct DeclaredSettings {
  /// The top level is the section with the empty name.
  private var nodes = ["": SettingNode(name: "", parent: "", declaration: nil, owner: .program)]

  subscript(name: String) -> SettingNode? { name.isEmpty ? nil : nodes[name] }

  var all: Dictionary<String, SettingNode>.Values { nodes.values }

  /// A node and all below it, each after its parent, with their depths; with an empty name, all except the top level.
  func below(_ name: String, depth: Int = 0) -> [(node: SettingNode, depth: Int)] {
    guard let node = nodes[name] else { return [] }
    let depthOfChildren = name.isEmpty ? depth : depth + 1
    return (name.isEmpty ? [] : [(node, depth)]) + node.children.flatMap { below($0, depth: depthOfChildren) }
  }

  /// The settings below a name, or that setting itself, in declaration order.
  func settings(in name: String) -> [SettingNode] {
    nodes[name].map { $0.standard == nil ? $0.children.flatMap(settings) : [$0] } ?? []
  }

  /// The groups around a node, the innermost first.
  func groups(above node: SettingNode) -> [SettingNode] {
    nodes[node.parent].map { $0.isGroup ? [$0] + groups(above: $0) : [] } ?? []
  }

  /// The full names of all settings and groups, in declaration order.
  var names: [String] { below("").filter { $0.node.declaration != nil }.map(\.node.name) }

  /// Returns the node of a setting or group; throws for a section.
  func setting(_ name: String) throws(SettingsError) -> SettingNode {
    let node = try node(name)
    if node.declaration == nil { throw .section(name, holds: node.children) }
    return node
  }

  func node(_ name: String) throws(SettingsError) -> SettingNode {
    if let node = self[name] { return node }
    throw .unknownSetting(name, suggestion: suggestion(for: name, among: names) ?? nameWithPart(name))
  }

  /// Finds a name that contains the text: `lang` is most likely a part of a name. Most names contain a letter or two.
  private func nameWithPart(_ part: String) -> String? {
    guard part.count > 2, part.utf8.count <= 100 else { return nil }
    let part = part.lowercased()
    return names.first { $0.lowercased().contains(text: part) }
  }

  /// Adds a declaration with its children. The same owner's earlier declaration of the name is replaced.
  mutating func add(
    _ declaration: SettingDeclaration, by owner: Owner, check: SettingCheck? = nil
  ) throws(SettingsError) {
    let name = declaration.name
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.allSatisfy(isNamePart) else { throw .badName(name) }
    if let there = self[name] {
      let top = groups(above: there).last ?? there
      guard there.declaration != nil, top.name == name, there.owner == owner else {
        throw .exists(name, owner: top.owner)
      }
      remove(name)
    }
    if owner.plugin != nil, let root = self[String(parts[0])], root.declaration == nil, root.owner == .program {
      throw .reserved(name, prefix: root.name)
    }
    var section = ""
    for part in parts.dropLast() {
      let inner = section.isEmpty ? String(part) : section + "." + part
      if let there = nodes[inner] {
        if there.declaration != nil { throw .exists(inner, owner: there.owner) }
      } else {
        try place(SettingNode(name: inner, parent: section, declaration: nil, owner: owner))
      }
      section = inner
    }
    try place(
      SettingNode(name: name, parent: section, declaration: declaration, owner: owner, check: check), parts.count)
  }

  /// Adds a node to its parent, then its children.
  private mutating func place(_ node: SettingNode, _ depth: Int = 0) throws(SettingsError) {
    if depth > SettingBounds.depth { throw .tooDeep(node.name, limit: SettingBounds.depth) }
    if nodes.count > SettingBounds.nodes { throw .tooMany(limit: SettingBounds.nodes) }
    if let problem = node.declaration?.problem(as: node.name) { throw problem }
    nodes[node.name] = node
    nodes[node.parent]?.children.append(node.name)
    guard case .group(let children)? = node.declaration?.kind else { return }
    for child in children {
      let name = node.name + "." + child.name
      guard isNamePart(child.name[...]) else { throw .badName(name) }
      switch child.kind {
      case .group, .toggle: break
      case .choice, .number, .text, .path:
        throw .badDeclaration(
          node.name, "a group contains only switches and groups, and \(quoted(child.name)) is a \(child.kind.word)")
      }
      if nodes[name] != nil { throw .exists(name, owner: node.owner) }
      try place(
        SettingNode(name: name, parent: node.name, declaration: child, owner: node.owner, check: node.check), depth + 1)
    }
  }

  /// Removes a node with its children, and the sections that are empty afterwards.
  mutating func remove(_ name: String) {
    guard let node = self[name] else { return }
    for (below, _) in below(name) { nodes[below.name] = nil }
    nodes[node.parent]?.children.removeAll { $0 == name }
    if let parent = self[node.parent], parent.declaration == nil, parent.children.isEmpty { remove(parent.name) }
  }
}
