// A node in the tree of settings: a section, a group, or a leaf that holds a value.
// Invariant: the `value` of a leaf follows from its layers (forced, account, system, default), and a group's
// `switches.on` is the number of switches below it that are on.

import Problems
import Text

/// Internal to this module; outside, settings are identified by their names.
final class SettingNode {
  let name: String
  unowned let parent: SettingNode?
  /// Nil for a section, which exists only while it has children.
  let declaration: SettingDeclaration?
  let owner: Owner
  /// The check of the declaration: returns why a value that the kind admits is refused, or nil.
  let check: SettingCheck?
  /// The name as the environment spells it.
  let variable: String
  var children: [SettingNode] = []

  // Only used in a leaf.
  var layers = Layers()
  var value: SettingValue = .flag(false)
  var slots: [SettingSlot] = []

  // Only used in a group.
  var switches = SwitchCount()

  /// The values of a leaf in addition to its default, one from each source.
  struct Layers {
    var account: SettingValue?
    /// The value that the environment, the command line or a lock of the system file demands; it takes precedence.
    var forced: (value: SettingValue, source: SettingSource)?
    var system: (value: SettingValue, source: SettingSource)?
  }

  /// The number of switches below a group, and how many of them are on.
  struct SwitchCount {
    var on = 0
    var all = 0
  }

  init(
    _ name: String, in parent: SettingNode?, _ declaration: SettingDeclaration?, _ owner: Owner,
    check: SettingCheck? = nil
  ) {
    self.check = check
    self.name = name
    self.parent = parent
    self.declaration = declaration
    self.owner = owner
    variable = LayeredSetting.variable(for: name)
    if let value = declaration?.kind.defaultValue { self.value = value }
  }

  /// A value as it is shown to a user.
  func shown(_ value: SettingValue) -> SettingValue { declaration?.shown(value) ?? value }

  /// Throws if the owner is a plugin and the setting is guarded.
  func requireRight(of owner: Owner) throws(SettingsError) {
    if owner.plugin != nil, declaration?.isGuarded == true { throw .guarded(name) }
  }

  /// Throws if the owner may not change the setting, or if another value is forced.
  func requireChange(to value: SettingValue?, by owner: Owner) throws(SettingsError) {
    try requireRight(of: owner)
    if let forced = layers.forced, forced.value != value {
      throw .locked(name, value: shown(forced.value), by: forced.source)
    }
  }

  /// Whether the setting is a secret that the owner cannot see: only the user and the declaring owner can.
  func isHidden(from owner: Owner) -> Bool {
    owner.plugin != nil && declaration?.isSecret == true && self.owner != owner
  }

  var part: Substring { name[(name.lastIndex(of: ".").map(name.index(after:)) ?? name.startIndex)...] }
  /// 1 at the root.
  var depth: Int { (parent?.depth ?? 0) + 1 }
  var isGroup: Bool { if case .group = declaration?.kind { true } else { false } }
  var isSwitch: Bool { if case .toggle = declaration?.kind { true } else { false } }
  var isLeaf: Bool { declaration != nil && !isGroup }
  var isOn: Bool { isSwitch ? value == .flag(true) : switches.on == switches.all && switches.all > 0 }

  var state: SettingState {
    if isSwitch { return isOn ? .on : .off }
    return switches.on == 0 ? .off : switches.on == switches.all ? .on : .mixed
  }

  /// What `get` returns: a group is true only if all its switches are on.
  var shownValue: SettingValue { isGroup ? .flag(isOn) : value }

  /// The error for a value that does not fit.
  func mismatch(_ text: String) -> SettingsError {
    let kind = declaration?.kind
    return .badValue(
      name, given: shown(.text(text)).text, expected: kind?.expectation ?? "", suggestion: kind?.suggestion(for: text))
  }

  /// Computes the value again after the layers or the stored value changed outside a transaction.
  func recompute() {
    let wasOn = isOn
    value = resolvedValue
    guard isSwitch, isOn != wasOn else { return }
    var group = parent
    while let node = group, node.isGroup {
      node.switches.on += isOn ? 1 : -1
      group = node.parent
    }
  }

  /// The source of the current value.
  func source(keptBy owner: Owner?) -> SettingSource {
    if let forced = layers.forced { return forced.source }
    if layers.account != nil { return .account(owner ?? .user) }
    return layers.system?.source ?? declaration?.defaultSource ?? .standard
  }

  /// The value that the layers give now.
  var resolvedValue: SettingValue {
    layers.forced?.value ?? layers.account ?? layers.system?.value ?? declaration?.kind.defaultValue ?? value
  }

  /// The outermost of the nested groups around this node: the one that was declared.
  var declaredTop: SettingNode {
    var node = self
    while let parent = node.parent, parent.isGroup { node = parent }
    return node
  }
}

/// The leaves below these nodes, in declaration order. Groups nest at most 32 deep.
func leaves(of nodes: [SettingNode]) -> [SettingNode] {
  var found: [SettingNode] = []
  func visit(_ node: SettingNode) {
    if node.isLeaf { found.append(node) }
    for child in node.children { visit(child) }
  }
  for node in nodes { visit(node) }
  return found
}
