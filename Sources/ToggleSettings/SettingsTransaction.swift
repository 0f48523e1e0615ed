// One change from outside: a journal of the previous state, used for the event, for storing, or for the rollback.
// Invariant: after a failed transaction, every value, count and stored setting is as it was before.

public import Problems
import Text

/// The setting that the account stores under a name; nil deletes it.
///
///     StoredChange(name: "game.length", setting: nil)   // the account forgets it
public struct StoredChange: Equatable, Sendable {
  public let name: String
  public let setting: StoredSetting?

  public init(name: String, setting: StoredSetting?) {
    self.name = name
    self.setting = setting
  }
}

/// One setting that changed. For a group, the values say whether all its switches are on.
///
///     tree.observe("game", by: .user) { changes, _ in print(changes.map(\.name)) }   // ["game.length"]
public struct SettingChange: Equatable, Sendable {
  public let name: String
  public let old: SettingValue
  public let new: SettingValue

  public init(name: String, old: SettingValue, new: SettingValue) {
    self.name = name
    self.old = old
    self.new = new
  }
}

/// One change from outside, with every setting that changed, sorted by name.
///
///     SettingsEvent(changes: changes, by: .user)
public struct SettingsEvent: Equatable, Sendable {
  public let changes: [SettingChange]
  public let by: Owner
}

/// The state of the touched settings before the transaction.
struct SettingsJournal {
  fileprivate var leaves: [(node: SettingNode, account: SettingValue?, value: SettingValue, kept: StoredSetting?)] = []
  fileprivate var groups: [(node: SettingNode, onCount: Int, kept: StoredSetting?)] = []
  private var seen: [ObjectIdentifier: Int] = [:]

  mutating func note(_ leaf: SettingNode, kept: StoredSetting?) {
    guard seen[ObjectIdentifier(leaf)] == nil else { return }
    seen[ObjectIdentifier(leaf)] = leaves.count
    leaves.append((leaf, leaf.layers.account, leaf.value, kept))
  }

  mutating func note(group: SettingNode, kept: StoredSetting?) {
    guard seen[ObjectIdentifier(group)] == nil else { return }
    seen[ObjectIdentifier(group)] = groups.count
    groups.append((group, group.switches.on, kept))
  }

  /// The full names of a group's switches that were on before the transaction, if the group was mixed then; else nil.
  func combinationBefore(_ group: SettingNode, _ switches: [SettingNode]) -> [String]? {
    guard let place = seen[ObjectIdentifier(group)] else { return nil }
    let onCount = groups[place].onCount
    guard onCount > 0, onCount < group.switches.all else { return nil }
    return switches.filter { valueBefore($0) == .flag(true) }.map(\.name)
  }

  private func valueBefore(_ leaf: SettingNode) -> SettingValue {
    seen[ObjectIdentifier(leaf)].map { leaves[$0].value } ?? leaf.value
  }
}

/// One change from outside in progress: what it has written, and the previous state.
///
///     var transaction = SettingsTransaction(of: tree, by: .user)
///     try transaction.assign(.number(9), to: "game.length")
///     try transaction.save()
struct SettingsTransaction {
  private let tree: SettingsTree
  private let owner: Owner
  private var journal = SettingsJournal()

  init(of tree: SettingsTree, by owner: Owner) { (self.tree, self.owner) = (tree, owner) }

  // MARK: Steps

  /// Sets the value of a setting, or of all switches of a group.
  mutating func assign(_ value: SettingValue, to name: String) throws(SettingsError) {
    let node = try tree.forest.declared(name)
    guard let fitting = node.declaration?.kind.admit(value) else { throw node.mismatch(value.text) }
    for leaf in node.isGroup ? leaves(of: [node]) : [node] { try put(fitting, to: leaf) }
  }

  mutating func flip(_ name: String) throws(SettingsError) {
    let node = try tree.forest.declared(name)
    if node.isSwitch { return try put(.flag(!node.isOn), to: node) }
    guard node.isGroup else { throw .notASwitch(name, kind: node.declaration?.kind.word ?? "section") }
    let switches = leaves(of: [node])
    let remembered = node.state == .off ? lastMixed(of: node, switches) : nil
    let turnsAllOn = node.state != .on
    for leaf in switches { try put(.flag(remembered?.contains(leaf.name) ?? turnsAllOn), to: leaf) }
  }

  /// Deletes the account's value of a setting, or of everything in a group or section.
  mutating func reset(_ name: String) throws(SettingsError) {
    let meant = leaves(of: [try tree.forest.node(name)])
    for leaf in meant { try leaf.requireRight(of: owner) }
    for leaf in meant where leaf.layers.account != nil || tree.kept[leaf.name] != nil {
      try leaf.requireChange(to: nil, by: owner)
      write(nil, to: leaf)
    }
  }

  /// Replaces all stored values.
  /// - Parameter value: returns the stored value that fits a leaf now.
  mutating func replaceStored(with values: [String: StoredSetting], _ value: (SettingNode) -> SettingValue?) {
    let all = leaves(of: tree.forest.roots)
    for leaf in all { write(nil, to: leaf) }
    tree.kept = values
    for leaf in all {
      // A check may have unloaded a plugin, with the settings and groups that it declared.
      guard let value = value(leaf), tree.forest[leaf.name] === leaf else { continue }
      write(value, to: leaf)
      tree.kept[leaf.name] = values[leaf.name]
    }
  }

  /// The switches that were on when the group was last mixed; nil if that combination would not be mixed now.
  private func lastMixed(of group: SettingNode, _ switches: [SettingNode]) -> Set<String>? {
    let names: [String]
    if let before = journal.combinationBefore(group, switches) {
      names = before
    } else if case .lastMixed(let kept)? = tree.kept[group.name]?.value {
      names = kept.map { group.name + "." + $0 }
    } else {
      return nil
    }
    let on = Set(names).intersection(switches.map(\.name))
    return on.isEmpty || on.count == switches.count ? nil : on
  }

  /// Sets the value of a leaf, unless another value is forced or the check refuses it.
  private mutating func put(_ value: SettingValue, to leaf: SettingNode) throws(SettingsError) {
    try leaf.requireChange(to: value, by: owner)
    if leaf.layers.forced != nil { return }
    if let reason = try tree.refusal(of: value, for: leaf) { throw .refused(leaf.name, reason: reason) }
    // The check may have unloaded the plugin that declared the setting.
    guard tree.forest[leaf.name] === leaf else { throw .unknownSetting(leaf.name, suggestion: nil) }
    write(value, to: leaf)
  }

  /// Sets or clears the account's value of a leaf, and records the previous state in the journal.
  private mutating func write(_ value: SettingValue?, to leaf: SettingNode) {
    journal.note(leaf, kept: tree.kept[leaf.name])
    leaf.layers.account = value
    tree.kept[leaf.name] = value.map { StoredSetting(.value($0), setBy: owner) }
    let wasOn = leaf.isOn
    leaf.value = leaf.resolvedValue
    if leaf.isOn != wasOn { count(leaf) }
  }

  /// Updates the counts of all groups above a switch that changed.
  private mutating func count(_ leaf: SettingNode) {
    var group = leaf.parent
    while let node = group, node.isGroup {
      journal.note(group: node, kept: tree.kept[node.name])
      node.switches.on += leaf.isOn ? 1 : -1
      group = node.parent
    }
  }

  // MARK: Ending

  /// Passes the changed stored values to `SettingsTree.save`.
  func save() throws(SettingsError) {
    rememberMixed()
    guard let save = tree.save else { return }
    var changed = Set(journal.leaves.filter { tree.kept[$0.node.name] != $0.kept }.map(\.node.name))
    changed.formUnion(journal.groups.filter { tree.kept[$0.node.name] != $0.kept }.map(\.node.name))
    if changed.isEmpty { return }
    let changes = changed.sorted().map { StoredChange(name: $0, setting: tree.kept[$0]) }
    do { try save(changes) } catch { throw .notKept(error) }
  }

  /// Remembers the combination of a group that is no longer mixed, so that `toggle` can restore it.
  private func rememberMixed() {
    for (group, _, _) in journal.groups {
      guard group.state != .mixed, let on = journal.combinationBefore(group, leaves(of: [group])) else { continue }
      let names = on.map { String($0.dropFirst(group.name.count + 1)) }
      tree.kept[group.name] = StoredSetting(.lastMixed(names), setBy: owner)
    }
  }

  /// The changes of the transaction as an event; nil if there are none.
  func event() -> SettingsEvent? {
    var changes = journal.leaves.filter { $0.value != $0.node.value }.map {
      SettingChange(name: $0.node.name, old: $0.value, new: $0.node.value)
    }
    for group in journal.groups {
      let wasOn = group.onCount == group.node.switches.all
      guard wasOn != group.node.isOn else { continue }
      changes.append(SettingChange(name: group.node.name, old: .flag(wasOn), new: .flag(group.node.isOn)))
    }
    return changes.isEmpty ? nil : SettingsEvent(changes: changes.sorted { $0.name < $1.name }, by: owner)
  }

  /// Restores the state before the transaction.
  func rollBack() {
    for leaf in journal.leaves {
      leaf.node.layers.account = leaf.account
      leaf.node.value = leaf.value
      tree.kept[leaf.node.name] = leaf.kept
    }
    for group in journal.groups {
      group.node.switches.on = group.onCount
      tree.kept[group.node.name] = group.kept
    }
  }
}

extension SettingsTree {
  typealias Step = (inout SettingsTransaction) throws(SettingsError) -> [SettingState]

  /// Runs a change as one transaction and stores it; then observers are notified. A change that an observer makes
  /// itself is notified after the current event.
  func perform(by owner: Owner, _ step: Step) throws(SettingsError) -> [SettingState] {
    try requireNoCheck()
    var transaction = SettingsTransaction(of: self, by: owner)
    let states: [SettingState]
    do {
      states = try step(&transaction)
      try transaction.save()
    } catch {
      transaction.rollBack()
      throw error
    }
    keys.refresh()
    if let event = transaction.event() { notify(event) }
    return states
  }
}
