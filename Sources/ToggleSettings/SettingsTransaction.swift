// One change from outside: a journal of the previous state, used for the event, for storing, or for the rollback; and
// the checks of values. Invariants: after a failed transaction, every value, count and stored setting is as it was
// before; while a check runs nothing is declared or changed, so that transactions never nest.

import Problems
import Text

/// The setting that the account stores under a name; nil deletes it: `("game.length", nil)`.
public typealias StoredChange = (name: String, setting: StoredSetting?)

/// One setting that changed. For a group, the values say whether all its switches are on.
///
///     tree.observe("game", by: .user) { changes in print(changes.map(\.name)) }   // ["game.length"]
public struct SettingChange: Equatable, Sendable {
  public let name: String
  public let old: SettingValue
  public let new: SettingValue
}

/// One change from outside in progress: what it has written, and what was there before.
///
///     var transaction = SettingsTransaction(of: tree, by: .user)
///     try transaction.assign(.number(9), to: "game.length")
///     try transaction.save()
struct SettingsTransaction {
  private let tree: SettingsTree
  private let owner: Owner
  /// What the account stored under the names that were written.
  private var stored: [String: (account: SettingValue?, kept: StoredSetting?)] = [:]
  /// The values before, of the settings that were written and of the groups around them.
  private var before: [String: SettingValue] = [:]

  init(of tree: SettingsTree, by owner: Owner) { (self.tree, self.owner) = (tree, owner) }

  /// Sets the value of a setting, or of all switches of a group.
  mutating func assign(_ value: SettingValue, to name: String) throws(SettingsError) {
    let node = try tree.declared.setting(name)
    guard let fitting = node.declaration?.kind.admit(value) else { throw node.mismatch(value.text) }
    for setting in tree.declared.settings(in: name) { try put(fitting, to: setting) }
  }

  mutating func flip(_ name: String) throws(SettingsError) {
    let node = try tree.declared.setting(name)
    guard node.hasState else { throw .notASwitch(name, kind: node.declaration?.kind.word ?? "section") }
    let switches = tree.declared.settings(in: name)
    let state = tree.state(of: node)
    let remembered = node.isGroup && state == .off ? lastMixed(of: node, switches) : nil
    for one in switches { try put(.flag(remembered?.contains(one.name) ?? (state != .on)), to: one) }
  }

  /// Deletes the account's value of a setting, or of everything in a group or section.
  mutating func reset(_ name: String) throws(SettingsError) {
    _ = try tree.declared.node(name)
    let meant = tree.declared.settings(in: name)
    for setting in meant { try setting.requireRight(of: owner) }
    for setting in meant where tree.kept[setting.name] != nil {
      if let forced = tree.values[setting.name]?.forced { throw .locked(setting, forced) }
      note(setting)
      tree.keep(nil, for: setting.name)
    }
  }

  mutating func replaceStored(with values: [String: StoredSetting]) -> [SettingsNotice] {
    let settings = tree.declared.settings(in: "")
    for setting in settings { note(setting) }
    tree.kept = values
    for setting in settings { tree.values[setting.name]?.account = nil }
    var notices: [SettingsNotice] = []
    // A check may unload a plugin, with the settings and groups that it declared.
    for setting in settings where tree.declared[setting.name] != nil { notices += tree.applyStored(to: setting) }
    return notices
  }

  /// The switches that were on when the group was last mixed; nil if that combination would not be mixed now.
  private func lastMixed(of group: SettingNode, _ switches: [SettingNode]) -> Set<String>? {
    let names: [String]
    if let before = combinationBefore(switches) {
      names = before
    } else if case .lastMixed(let kept)? = tree.kept[group.name]?.value {
      names = kept.map { group.name + "." + $0 }
    } else {
      return nil
    }
    let on = Set(names).intersection(switches.map(\.name))
    return on.isEmpty || on.count == switches.count ? nil : on
  }

  /// The names of a group's switches that were on before the transaction, if the group was mixed then; else nil.
  private func combinationBefore(_ switches: [SettingNode]) -> [String]? {
    let on = switches.filter { (before[$0.name] ?? tree.value(of: $0)) == .flag(true) }.map(\.name)
    return on.isEmpty || on.count == switches.count ? nil : on
  }

  /// Sets the value of a setting, unless another value is forced or the check refuses it.
  private mutating func put(_ value: SettingValue, to setting: SettingNode) throws(SettingsError) {
    try setting.requireRight(of: owner)
    if let forced = tree.values[setting.name]?.forced {
      if forced.value != value { throw .locked(setting, forced) }
      return
    }
    if let reason = try tree.refusal(of: value, for: setting) { throw .refused(setting.name, reason: reason) }
    // The check may have unloaded the plugin that declared the setting.
    guard tree.declared[setting.name] != nil else { throw .unknownSetting(setting.name, suggestion: nil) }
    note(setting)
    tree.keep(StoredSetting(.value(value), setBy: owner), for: setting.name)
  }

  /// Records what is there before a setting is first written.
  private mutating func note(_ setting: SettingNode) {
    guard before[setting.name] == nil else { return }
    for node in [setting] + tree.declared.groups(above: setting) where before[node.name] == nil {
      before[node.name] = tree.value(of: node)
      stored[node.name] = (tree.values[node.name]?.account, tree.kept[node.name])
    }
  }

  /// Passes the changed stored values to `SettingsTree.save`.
  func save() throws(SettingsError) {
    // The combination of a group that is no longer mixed is remembered, so that `toggle` can restore it.
    for group in before.keys.compactMap({ tree.declared[$0] }) where group.isGroup && tree.state(of: group) != .mixed {
      guard let on = combinationBefore(tree.declared.settings(in: group.name)) else { continue }
      let names = on.map { String($0.dropFirst(group.name.count + 1)) }
      tree.kept[group.name] = StoredSetting(.lastMixed(names), setBy: owner)
    }
    guard let save = tree.save else { return }
    let changes = stored.filter { tree.kept[$0.key] != $0.value.kept }.keys.sorted().map {
      (name: $0, setting: tree.kept[$0])
    }
    if changes.isEmpty { return }
    do { try save(changes) } catch { throw .notKept(error) }
  }

  var changes: [SettingChange] {
    before.compactMap { name, old in
      tree.declared[name].map(tree.value).flatMap { $0 == old ? nil : SettingChange(name: name, old: old, new: $0) }
    }.sorted { $0.name < $1.name }
  }

  /// Restores the state before the transaction.
  func rollBack() {
    for (name, old) in stored {
      tree.values[name]?.account = old.account
      tree.kept[name] = old.kept
    }
  }
}

extension SettingsError {
  fileprivate static func locked(_ setting: SettingNode, _ forced: OutsideValue) -> SettingsError {
    .locked(setting.name, value: setting.shown(forced.value), by: forced.source)
  }
}

extension SettingsTree {
  /// Runs a change as one transaction and stores it; then observers are notified, after the current event.
  func perform(
    by owner: Owner, _ step: (inout SettingsTransaction) throws(SettingsError) -> Void
  ) throws(SettingsError) {
    try requireNoCheck()
    var transaction = SettingsTransaction(of: self, by: owner)
    do {
      try step(&transaction)
      try transaction.save()
    } catch {
      transaction.rollBack()
      throw error
    }
    notify(transaction.changes)
  }

  /// Stores the account's value of a setting; nil deletes it.
  func keep(_ setting: StoredSetting?, for name: String) {
    kept[name] = setting
    if case .value(let value)? = setting?.value { values[name]?.account = value } else { values[name]?.account = nil }
  }
}

/// Returns why a value that fits the kind of a setting is refused; nil accepts it.
public typealias SettingCheck = (SettingValue) throws -> String?

/// The reason why a value does not fit.
struct Mismatch: Error { let reason: String }

extension SettingsTree {
  /// Returns why the check refuses a value that fits the kind; nil if it accepts the value.
  func refusal(of value: SettingValue, for setting: SettingNode) throws(SettingsError) -> String? {
    guard let check = setting.check else { return nil }
    // A check may load the stored values, which runs other checks.
    let wasChecking = isChecking
    isChecking = true
    defer { isChecking = wasChecking }
    do { return try check(value) } catch { throw .checkFailed(setting.name, error) }
  }

  /// Reads a value that was stored or comes from outside. A check that fails refuses it.
  func read(
    _ given: SettingValue, for setting: SettingNode, _ fit: (SettingKind) -> SettingValue?
  ) throws(Mismatch) -> SettingValue {
    guard let kind = setting.declaration?.kind, let value = fit(kind) else {
      let expectation = setting.declaration?.kind.expectation ?? ""
      throw Mismatch(reason: "\(expectation) is expected, not \(quoted(setting.shown(given).text))")
    }
    let reason: String?
    do { reason = try refusal(of: value, for: setting) } catch { reason = error.message }
    if let reason { throw Mismatch(reason: reason) }
    return value
  }

  /// Gives a setting the account's stored value, unless that no longer fits.
  func applyStored(to setting: SettingNode) -> [SettingsNotice] {
    guard case .value(let old)? = kept[setting.name]?.value, let standard = setting.standard else { return [] }
    do throws(Mismatch) {
      let value = try read(old, for: setting) { $0.admit(old) }
      values[setting.name]?.account = value
      return []
    } catch {
      return [.fellBack(setting.name, kept: setting.shown(old).text, reason: error.reason, to: setting.shown(standard))]
    }
  }

  /// - Throws: while a check is running.
  func requireNoCheck() throws(SettingsError) { if isChecking { throw .changedWhileChecked } }
}
