// One place in the tree of settings: a section, a group, or a leaf that holds a value.
// Invariant: `value` of a leaf follows from its layers (forced, account, system, default), and a group's `onCount` is
// the number of switches beneath it that are on.

import Problems
import Text

/// Internal to the room; outside, settings go by their names.
final class SettingNode {
  let name: String
  /// The last part of the name.
  let part: String
  unowned let parent: SettingNode?
  /// Nil for a section, which comes and goes with what stands in it.
  let declaration: SettingDeclaration?
  let owner: Owner
  let depth: Int
  /// How the environment spells the name.
  let variable: String
  var children: [SettingNode] = []

  // Of a leaf.
  var account: SettingValue?
  var forced: (value: SettingValue, source: SettingSource)?
  var system: (value: SettingValue, source: SettingSource)?
  var value: SettingValue = .flag(false)
  var slots: [SettingSlot] = []

  // Of a group or section.
  var onCount = 0
  var switchCount = 0

  init(
    _ name: String, _ part: String, in parent: SettingNode?, _ declaration: SettingDeclaration?, _ owner: Owner
  ) {
    self.name = name
    self.part = part
    self.parent = parent
    self.declaration = declaration
    self.owner = owner
    depth = (parent?.depth ?? 0) + 1
    variable = LayeredSetting.variable(for: name)
    if let value = declaration?.kind.defaultValue { self.value = value }
  }

  var isGroup: Bool { if case .group = declaration?.kind { true } else { false } }
  var isSwitch: Bool { if case .toggle = declaration?.kind { true } else { false } }
  var isLeaf: Bool { declaration != nil && !isGroup }
  var isOn: Bool { isSwitch ? value == .flag(true) : onCount == switchCount && switchCount > 0 }

  var state: SettingState {
    if isSwitch { return isOn ? .on : .off }
    return onCount == 0 ? .off : onCount == switchCount ? .on : .mixed
  }

  /// What `get` answers: a group is true only when all in it are on.
  var shownValue: SettingValue { isGroup ? .flag(isOn) : value }

  /// Where the present value comes from.
  func source(keptBy owner: Owner?) -> SettingSource {
    if let forced { return forced.source }
    if account != nil { return .account(owner ?? .user) }
    return system?.source ?? .standard
  }

  /// The value that the layers give now.
  var resolvedValue: SettingValue {
    forced?.value ?? account ?? system?.value ?? declaration?.kind.defaultValue ?? value
  }

  /// The group at the top of a nest of groups: the one that was declared.
  var declaredTop: SettingNode {
    var node = self
    while let parent = node.parent, parent.isGroup { node = parent }
    return node
  }
}

/// The leaves beneath these nodes, in the order of their declaration. Groups nest at most 32 deep.
func leaves(of nodes: [SettingNode]) -> [SettingNode] {
  var found: [SettingNode] = []
  func visit(_ node: SettingNode) {
    if node.isLeaf { found.append(node) }
    for child in node.children { visit(child) }
  }
  for node in nodes { visit(node) }
  return found
}
