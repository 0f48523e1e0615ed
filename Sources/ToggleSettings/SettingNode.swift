// One place in the tree of settings: a section, a group, or a leaf that holds a value.
// Invariant: `value` of a leaf follows from its layers (forced, account, system, default), and a group's
// `switches.on` is the number of switches beneath it that are on.

import Problems
import Text

/// Internal to the room; outside, settings go by their names.
final class SettingNode {
  let name: String
  unowned let parent: SettingNode?
  /// Nil for a section, which comes and goes with what stands in it.
  let declaration: SettingDeclaration?
  let owner: Owner
  /// What the declaration says of a value that its kind admits: why it is refused, or nil.
  let check: SettingCheck?
  /// How the environment spells the name.
  let variable: String
  var children: [SettingNode] = []

  // Of a leaf.
  var layers = Layers()
  var value: SettingValue = .flag(false)
  var slots: [SettingSlot] = []

  // Of a group.
  var switches = SwitchCount()

  /// The values that a leaf has besides its default, each of one source.
  struct Layers {
    var account: SettingValue?
    /// What the environment, the command line or a lock of the system file demands; it wins.
    var forced: (value: SettingValue, source: SettingSource)?
    var system: (value: SettingValue, source: SettingSource)?
  }

  /// How many switches are beneath a group, and how many of them are on.
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

  /// A value as it is shown.
  func shown(_ value: SettingValue) -> SettingValue { declaration?.shown(value) ?? value }

  /// A plugin changes nothing that is guarded.
  func requireRight(of owner: Owner) throws(SettingsError) {
    if owner.plugin != nil, declaration?.isGuarded == true { throw .guarded(name) }
  }

  /// Whether it may be changed at all: by whom, and where nothing forces another value.
  func requireChange(to value: SettingValue?, by owner: Owner) throws(SettingsError) {
    try requireRight(of: owner)
    if let forced = layers.forced, forced.value != value {
      throw .locked(name, value: shown(forced.value), by: forced.source)
    }
  }

  /// Whether it is nobody's business but the user's and that of who declared it.
  func isHidden(from owner: Owner) -> Bool {
    owner.plugin != nil && declaration?.isSecret == true && self.owner != owner
  }

  /// The last part of the name.
  var part: Substring { name[(name.lastIndex(of: ".").map(name.index(after:)) ?? name.startIndex)...] }
  /// From 1 at the root.
  var depth: Int { (parent?.depth ?? 0) + 1 }
  var isGroup: Bool { if case .group = declaration?.kind { true } else { false } }
  var isSwitch: Bool { if case .toggle = declaration?.kind { true } else { false } }
  var isLeaf: Bool { declaration != nil && !isGroup }
  var isOn: Bool { isSwitch ? value == .flag(true) : switches.on == switches.all && switches.all > 0 }

  var state: SettingState {
    if isSwitch { return isOn ? .on : .off }
    return switches.on == 0 ? .off : switches.on == switches.all ? .on : .mixed
  }

  /// What `get` answers: a group is true only when all in it are on.
  var shownValue: SettingValue { isGroup ? .flag(isOn) : value }

  /// That a value is none for it.
  func misfit(_ text: String) -> SettingsError {
    let kind = declaration?.kind
    return .badValue(
      name, given: shown(.text(text)).text, expected: kind?.expectation ?? "", suggestion: kind?.suggestion(for: text))
  }

  /// Takes its value again after its layers or its kept value changed outside a transaction.
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

  /// Where the present value comes from.
  func source(keptBy owner: Owner?) -> SettingSource {
    if let forced = layers.forced { return forced.source }
    if layers.account != nil { return .account(owner ?? .user) }
    return layers.system?.source ?? declaration?.defaultSource ?? .standard
  }

  /// The value that the layers give now.
  var resolvedValue: SettingValue {
    layers.forced?.value ?? layers.account ?? layers.system?.value ?? declaration?.kind.defaultValue ?? value
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
