// Settings that have no effect while another one is off: what takes effect now, and why not.
// Invariant: no setting depends on itself by any way, through groups either, so looking it up ends.

import Text

/// Why a setting has no effect now.
///
///     try tree.why("sound.right").obstacle?.message   // "it has no effect while sound.on is off"
public enum SettingObstacle: Equatable, Sendable {
  /// The switch or group it depends on is off.
  case off(String)
  /// It depends on a name that nobody has declared, or that is no switch.
  case missing(String)
  /// What it depends on is on, and has no effect itself.
  case idle(String)

  public var message: String {
    switch self {
    case .off(let name): "it has no effect while \(name) is off"
    case .missing(let name): "it has no effect: it depends on \(quoted(name)), which is no switch here"
    case .idle(let name): "it has no effect while \(name) has none"
    }
  }
}

extension SettingsTree {
  /// The value that native code sees: the default while the setting has no effect (off, for a switch).
  func effectiveValue(of node: SettingNode) -> SettingValue {
    var seen: [ObjectIdentifier: Bool] = [:]
    if takesEffect(node, &seen, depth: 0) { return node.value }
    return node.isSwitch ? .flag(false) : node.declaration?.kind.defaultValue ?? node.value
  }

  /// The first reason why a setting has no effect, its own before those of the groups it stands in. Nil when it has
  /// one.
  func obstacle(to node: SettingNode) -> SettingObstacle? {
    var seen: [ObjectIdentifier: Bool] = [:]
    var place: SettingNode? = node
    while let current = place {
      if let name = current.declaration?.depends {
        guard let target = byName[name], target.isSwitch || target.isGroup else { return .missing(name) }
        if target.state == .off { return .off(name) }
        if !counts(target, &seen, depth: 0) { return .idle(name) }
      }
      place = current.parent
    }
    return nil
  }

  /// Whether what it depends on, and what its groups depend on, counts.
  private func takesEffect(_ node: SettingNode, _ seen: inout [ObjectIdentifier: Bool], depth: Int) -> Bool {
    if depth > SettingBounds.dependencyChain { return false }
    var place: SettingNode? = node
    while let current = place {
      if let name = current.declaration?.depends {
        guard let target = byName[name], counts(target, &seen, depth: depth + 1) else { return false }
      }
      place = current.parent
    }
    return true
  }

  /// Whether a switch is on and takes effect; whether any in a group does.
  private func counts(_ target: SettingNode, _ seen: inout [ObjectIdentifier: Bool], depth: Int) -> Bool {
    if let known = seen[ObjectIdentifier(target)] { return known }
    let answer: Bool
    if target.isSwitch {
      answer = target.isOn && takesEffect(target, &seen, depth: depth)
    } else if target.isGroup, target.switches.on > 0 {
      answer = target.children.contains { counts($0, &seen, depth: depth) }
    } else {
      answer = false
    }
    seen[ObjectIdentifier(target)] = answer
    return answer
  }

  /// Refuses a batch by which a setting would depend on itself. Every new way round leads through something new.
  func checkDependencies(of added: [SettingNode]) throws(SettingsError) {
    var search = DependencySearch(tree: self)
    for node in added where node.declaration != nil { try search.visit(node) }
  }
}

/// A depth-first search along what settings depend on.
private struct DependencySearch {
  let tree: SettingsTree
  private var done: Set<ObjectIdentifier> = []
  /// The settings on the way, those that are on it because of their `depends`.
  private var path: [SettingNode] = []

  init(tree: SettingsTree) { self.tree = tree }

  /// Follows the dependencies of a setting and of the groups it stands in.
  mutating func visit(_ node: SettingNode) throws(SettingsError) {
    if let start = path.firstIndex(where: { $0 === node }) {
      throw .dependencyCycle((path[start...] + [node]).map(\.name))
    }
    if done.contains(ObjectIdentifier(node)) { return }
    if path.count > SettingBounds.dependencyChain { throw .tooDeep(node.name, limit: SettingBounds.dependencyChain) }
    path.append(node)
    var place: SettingNode? = node
    while let current = place {
      if let name = current.declaration?.depends, let target = tree.byName[name] {
        for leaf in target.isGroup ? leaves(of: [target]) : [target] { try visit(leaf) }
      }
      place = current.parent
    }
    path.removeLast()
    done.insert(ObjectIdentifier(node))
  }
}
