// A model of the tree of switches that is too slow and too simple to be wrong: every query looks at every switch. It
// is written from the description of settings, not from the code of the tree.

@testable import ToggleSettings

struct SlowModel {
  struct Refused: Error, Equatable {}

  var defaults: [String: Bool] = [:]
  var chosen: [String: Bool] = [:]
  var forced: [String: Bool] = [:]
  var groups: Set<String> = []
  var lastMixed: [String: Set<String>] = [:]

  func isOn(_ leaf: String) -> Bool {
    if !forced.isEmpty, let forced = forced[leaf] { return forced }
    return chosen[leaf] ?? defaults[leaf] ?? false
  }
  /// The switches beneath each name; filled once the tree is made.
  var beneath: [String: [String]] = [:]
  func leaves(of name: String) -> [String] { beneath[name] ?? [] }
  mutating func findLeaves() {
    for name in groups.union(defaults.keys) {
      beneath[name] = defaults.keys.filter { $0 == name || $0.hasPrefix(name + ".") }
    }
  }
  func state(_ name: String) -> SettingState {
    let leaves = leaves(of: name)
    var on = 0
    for leaf in leaves where isOn(leaf) { on += 1 }
    return on == 0 ? .off : on == leaves.count ? .on : .mixed
  }

  /// The value of every name, as `get` returns it.
  var all: [String: Bool] {
    var all: [String: Bool] = [:]
    for leaf in defaults.keys { all[leaf] = isOn(leaf) }
    for group in groups { all[group] = state(group) == .on }
    return all
  }

  mutating func put(_ leaf: String, _ value: Bool) throws(Refused) {
    if let forced = forced[leaf], forced != value { throw Refused() }
    if forced[leaf] == nil { chosen[leaf] = value }
  }

  mutating func set(_ name: String, _ value: Bool) throws(Refused) {
    guard defaults[name] != nil || groups.contains(name) else { throw Refused() }
    for leaf in leaves(of: name) { try put(leaf, value) }
  }

  mutating func toggle(_ name: String, from start: SlowModel) throws(Refused) {
    if defaults[name] != nil { return try put(name, !isOn(name)) }
    guard groups.contains(name) else { throw Refused() }
    let all = Set(leaves(of: name))
    var wanted = state(name) == .on ? [] : all
    if state(name) == .off {
      let before = start.state(name) == .mixed ? Set(start.leaves(of: name).filter(start.isOn)) : lastMixed[name] ?? []
      if !before.isEmpty, before != all { wanted = before }
    }
    for leaf in all { try put(leaf, wanted.contains(leaf)) }
  }

  mutating func reset(_ name: String) throws(Refused) {
    for leaf in leaves(of: name) where chosen[leaf] != nil {
      if forced[leaf] != nil { throw Refused() }
      chosen[leaf] = nil
    }
  }

  /// Runs a change: all or nothing, and groups that left their mixed state remember it.
  mutating func change(_ body: (inout SlowModel) throws(Refused) -> Void) throws(Refused) -> [SettingChange] {
    var after = self
    try body(&after)
    for group in groups where state(group) == .mixed && after.state(group) != .mixed {
      after.lastMixed[group] = Set(leaves(of: group).filter(isOn))
    }
    let (old, new) = (all, after.all)
    self = after
    return old.keys.sorted().filter { old[$0] != new[$0] }.map {
      SettingChange(name: $0, old: .flag(old[$0] ?? false), new: .flag(new[$0] ?? false))
    }
  }
}
