// The settings of one shell: groups of switches with a master, choices and values, read and changed by name.
// Invariant: a group is on exactly when all its switches are, off when none is, else mixed. A change from outside is
// one transaction: all of it or nothing, at most one event, stored before any observer is notified.

public import Problems
import Text

/// All settings. What an account keeps is handed in with `load` and handed out through `keep`; the tree touches no
/// file.
///
///     try tree.declare([SettingDeclaration("sound.on", .toggle(default: true))], by: .program)
///     try tree.set("sound.on", to: .flag(false), by: .user)
///     try tree.get("sound.on")   // .flag(false)
public final class SettingsTree {
  var forest = SettingForest()
  var layers = SettingLayers()
  var slotsByName: [String: [SettingSlot]] = [:]
  /// Read by native code at every turn, so without the check of exclusive access: `SettingKeys` alone writes it, and
  /// nothing runs meanwhile that could read it.
  @exclusivity(unchecked) @usableFromInline var slots = SettingSlots()
  var observers = SettingObservers()
  /// Whether the check of a declaration runs: meanwhile nothing is declared or changed.
  var isChecking = false

  /// What the account keeps, by full name, with what belongs to declarations that are not here now.
  public internal(set) var kept: [String: KeptSetting] = [:]

  /// Keeps changes in the account's data, called once a transaction before any observer is notified of it. When it
  /// throws, the transaction is undone. Nil while there is nothing to keep them in: then they last as long as the tree.
  public var keep: (([KeptChange]) throws -> Void)?

  /// Notified of what happens outside any call: a loop of observers that was cut.
  public var report: (SettingsNotice) -> Void = { _ in }

  public init() {}

  // MARK: Reading

  /// The value of a setting; of a group, whether all in it are on.
  public func get(_ name: String) throws(SettingsError) -> SettingValue { try forest.declared(name).shownValue }

  /// The same for who asks: a plugin does not read a secret of others.
  public func get(_ name: String, for owner: Owner) throws(SettingsError) -> SettingValue {
    let node = try forest.declared(name)
    if node.isHidden(from: owner) { throw .secret(name) }
    return node.shownValue
  }

  /// On, off, or mixed: of a switch or a group.
  public func state(_ name: String) throws(SettingsError) -> SettingState {
    let node = try forest.declared(name)
    guard node.isGroup || node.isSwitch else { throw .notASwitch(name, kind: node.declaration?.kind.word ?? "section") }
    return node.state
  }

  /// The full names of what stands directly in a group or section; of everything at the top with an empty name.
  public func children(of name: String) throws(SettingsError) -> [String] {
    name.isEmpty ? forest.roots.map(\.name) : try forest.node(name).children.map(\.name)
  }

  /// What declared a name, or nil.
  public func declaration(of name: String) -> SettingDeclaration? { forest[name]?.declaration }

  /// Whether a text names a setting that is secret, so that it may hold its value.
  public func namesSecret(in text: String) -> Bool {
    let text = text.lowercased()
    return forest.all.contains { $0.declaration?.isSecret == true && text.contains(text: $0.name.lowercased()) }
  }

  /// Who declared a name, or nil.
  public func owner(of name: String) -> Owner? {
    forest[name].flatMap { $0.declaration == nil ? nil : $0.owner }
  }

  /// The settings that a change of a name may touch, each with who declared it: itself, or all in a group or section.
  public func settings(in name: String) throws(SettingsError) -> [(name: String, owner: Owner)] {
    leaves(of: [try forest.node(name)]).map { ($0.name, $0.owner) }
  }

  /// The full names of all settings and groups, in the order of their declaration; for completion and suggestions.
  public var names: [String] { forest.names }

  // MARK: Changing

  /// Sets one setting; a group's name stands for all its switches. Returns once the change is stored and its observers
  /// are notified; inside an observer they are notified of it after the present event.
  public func set(_ name: String, to value: SettingValue, by owner: Owner) throws(SettingsError) {
    try update([(name, value)], by: owner)
  }

  /// Sets one setting from what a user typed.
  public func set(_ name: String, text: String, by owner: Owner) throws(SettingsError) {
    try update([(name, try value(of: name, from: text))], by: owner)
  }

  /// Sets several, all or none. Of a group and a switch in it, the switch's own value holds whatever the order.
  public func update(_ values: [(name: String, value: SettingValue)], by owner: Owner) throws(SettingsError) {
    let ordered = values.enumerated().sorted {
      ($0.element.name.utf8.count { $0 == UInt8(ascii: ".") }, $0.offset)
        < ($1.element.name.utf8.count { $0 == UInt8(ascii: ".") }, $1.offset)
    }
    _ = try perform(by: owner) { (transaction) throws(SettingsError) in
      for (_, change) in ordered { try transaction.assign(change.value, to: change.name) }
      return []
    }
  }

  /// Turns switches over, one after the other, all or none. A group goes from on to off to what it was when it was last
  /// mixed, and on again; from mixed it goes on. Gives the new states in the order of the names.
  @discardableResult
  public func toggle(_ names: [String], by owner: Owner) throws(SettingsError) -> [SettingState] {
    try perform(by: owner) { (transaction) throws(SettingsError) in
      for name in names { try transaction.turnOver(name) }
      var states: [SettingState] = []
      for name in names { states.append(try forest.declared(name).state) }
      return states
    }
  }

  /// Forgets what was set: of one setting, or of everything in a group or section. Layers beneath hold again.
  public func reset(_ name: String, by owner: Owner) throws(SettingsError) {
    _ = try perform(by: owner) { (transaction) throws(SettingsError) in
      try transaction.reset(name)
      return []
    }
  }

  /// Reads what a user typed as the value of a setting.
  public func value(of name: String, from text: String) throws(SettingsError) -> SettingValue {
    let node = try forest.declared(name)
    if let value = node.declaration?.kind.value(from: text) { return value }
    throw node.misfit(text)
  }

  /// The words for the value of a setting, and whether a file may stand there.
  public func candidates(for name: String) -> (words: [String], files: Bool) {
    guard let kind = forest[name]?.declaration?.kind else { return ([], false) }
    if case .path = kind { return ([], true) }
    return (kind.candidates, false)
  }
}
