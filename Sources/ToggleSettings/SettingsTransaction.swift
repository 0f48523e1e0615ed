// One change from outside: a journal of how things were, and from it the event, what is to be kept, or the way back.
// Invariant: after a transaction that failed, every value, count and kept setting is as it was before it.

public import Problems
import Text

/// What the account is to keep under a name; nil forgets it.
///
///     KeptChange(name: "game.length", setting: nil)   // the account forgets it
public struct KeptChange: Equatable, Sendable {
  public let name: String
  public let setting: KeptSetting?

  public init(name: String, setting: KeptSetting?) {
    self.name = name
    self.setting = setting
  }
}

/// One setting that changed. Of a group, whether all in it are on.
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

/// One change from outside, with every key that changed, by name.
///
///     SettingsEvent(changes: changes, by: .user)
public struct SettingsEvent: Equatable, Sendable {
  public let changes: [SettingChange]
  public let by: Owner
}

/// How the touched settings were before the transaction.
struct SettingsJournal {
  fileprivate var leaves: [(node: SettingNode, account: SettingValue?, value: SettingValue, kept: KeptSetting?)] = []
  fileprivate var groups: [(node: SettingNode, onCount: Int, kept: KeptSetting?)] = []
  private var seen: [ObjectIdentifier: Int] = [:]

  mutating func note(_ leaf: SettingNode, kept: KeptSetting?) {
    guard seen[ObjectIdentifier(leaf)] == nil else { return }
    seen[ObjectIdentifier(leaf)] = leaves.count
    leaves.append((leaf, leaf.layers.account, leaf.value, kept))
  }

  mutating func note(group: SettingNode, kept: KeptSetting?) {
    guard seen[ObjectIdentifier(group)] == nil else { return }
    seen[ObjectIdentifier(group)] = groups.count
    groups.append((group, group.switches.on, kept))
  }

  /// The full names of a group's switches that were on before the transaction, when the group was mixed then; else nil.
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

extension SettingsTree {
  typealias Step = (SettingsTree, inout SettingsJournal) throws(SettingsError) -> [SettingState]

  /// Runs a change as one transaction and keeps it; then observers are notified, of one that they made themselves after
  /// the present event.
  func perform(by owner: Owner, _ step: Step) throws(SettingsError) -> [SettingState] {
    try requireNoCheck()
    var journal = SettingsJournal()
    let states: [SettingState]
    do {
      states = try step(self, &journal)
      rememberMixed(journal, by: owner)
      try keepChanges(of: journal)
    } catch {
      rollBack(journal)
      throw error
    }
    refreshSlots()
    if let event = event(of: journal, by: owner) { notify(event) }
    return states
  }

  /// Notes how a group was that left its mixed state, so that `toggle` can bring it back.
  private func rememberMixed(_ journal: SettingsJournal, by owner: Owner) {
    for (group, _, _) in journal.groups {
      guard group.state != .mixed, let on = journal.combinationBefore(group, ToggleSettings.leaves(of: [group])) else {
        continue
      }
      let names = on.map { String($0.dropFirst(group.name.count + 1)) }
      kept[group.name] = KeptSetting(.lastMixed(names), setBy: owner)
    }
  }

  private func keepChanges(of journal: SettingsJournal) throws(SettingsError) {
    guard let keep else { return }
    var changed = Set(journal.leaves.filter { kept[$0.node.name] != $0.kept }.map(\.node.name))
    changed.formUnion(journal.groups.filter { kept[$0.node.name] != $0.kept }.map(\.node.name))
    if changed.isEmpty { return }
    let changes = changed.sorted().map { KeptChange(name: $0, setting: kept[$0]) }
    do { try keep(changes) } catch { throw .notKept(error) }
  }

  func event(of journal: SettingsJournal, by owner: Owner) -> SettingsEvent? {
    var changes: [SettingChange] = []
    for leaf in journal.leaves where leaf.value != leaf.node.value {
      changes.append(SettingChange(name: leaf.node.name, old: leaf.value, new: leaf.node.value))
    }
    for group in journal.groups {
      let wasOn = group.onCount == group.node.switches.all
      guard wasOn != group.node.isOn else { continue }
      changes.append(SettingChange(name: group.node.name, old: .flag(wasOn), new: .flag(group.node.isOn)))
    }
    return changes.isEmpty ? nil : SettingsEvent(changes: changes.sorted { $0.name < $1.name }, by: owner)
  }

  private func rollBack(_ journal: SettingsJournal) {
    for leaf in journal.leaves {
      leaf.node.layers.account = leaf.account
      leaf.node.value = leaf.value
      kept[leaf.node.name] = leaf.kept
    }
    for group in journal.groups {
      group.node.switches.on = group.onCount
      kept[group.node.name] = group.kept
    }
  }
}
