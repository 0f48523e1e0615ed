// The settings of one shell: groups of switches with a master, choices and values, read and changed by name.
// Invariant: a group is on exactly if all its switches are, off if none is, else mixed. A change from outside is one
// transaction: all or nothing, at most one event, stored before any observer is notified.

public import Problems
import Text

/// All settings. The stored values of an account come in with `load` and go out through `save`; the tree accesses no
/// file.
///
///     try tree.declare([SettingDeclaration("sound.on", .toggle(default: true))], by: .program)
///     try tree.set("sound.on", to: .flag(false), by: .user)
///     try tree.get("sound.on")   // .flag(false)
public final class SettingsTree {
  var forest = SettingForest()
  var layers = SettingLayers()
  var slotsByName: [String: [SettingSlot]] = [:]
  /// Read very often by native code, so exclusive access is not checked: only `SettingKeys` writes it, and nothing that
  /// could read it runs meanwhile.
  @exclusivity(unchecked) @usableFromInline var slots = SettingSlots()
  var observers = SettingObservers()
  /// Whether the check of a declaration is running; meanwhile nothing is declared or changed.
  var isChecking = false

  /// The stored values of the account, by full name, including those whose declarations are not here now.
  public internal(set) var kept: [String: StoredSetting] = [:]

  /// Stores changes in the account's data; called once for each transaction, before any observer is notified. If it
  /// throws, the transaction is undone. Nil while there is nowhere to store changes: they then last as long as the
  /// tree.
  public var save: (([StoredChange]) throws -> Void)?

  /// Gets notices that belong to no call: a loop of observers that was stopped.
  public var report: (SettingsNotice) -> Void = { _ in }

  public init() {}

  // MARK: Reading

  /// The value of a setting; for a group, whether all its switches are on.
  public func get(_ name: String) throws(SettingsError) -> SettingValue { try forest.declared(name).shownValue }

  /// The same on behalf of an owner: a plugin cannot read a secret of others.
  public func get(_ name: String, for owner: Owner) throws(SettingsError) -> SettingValue {
    let node = try forest.declared(name)
    if node.isHidden(from: owner) { throw .secret(name) }
    return node.shownValue
  }

  /// The state of a switch or a group: on, off, or mixed.
  public func state(_ name: String) throws(SettingsError) -> SettingState {
    let node = try forest.declared(name)
    guard node.isGroup || node.isSwitch else { throw .notASwitch(name, kind: node.declaration?.kind.word ?? "section") }
    return node.state
  }

  /// The full names of the direct children of a group or section; with an empty name, of the top level.
  public func children(of name: String) throws(SettingsError) -> [String] {
    name.isEmpty ? forest.roots.map(\.name) : try forest.node(name).children.map(\.name)
  }

  /// The declaration of a name, or nil.
  public func declaration(of name: String) -> SettingDeclaration? { forest[name]?.declaration }

  /// Whether a text names a secret setting, and so may contain its value.
  public func namesSecret(in text: String) -> Bool {
    let text = text.withoutQuotes.lowercased()
    return forest.all.contains { $0.declaration?.isSecret == true && text.contains(text: $0.name.lowercased()) }
  }

  /// Who declared a name, or nil.
  public func owner(of name: String) -> Owner? {
    forest[name].flatMap { $0.declaration == nil ? nil : $0.owner }
  }

  /// The settings that a change of a name may affect, each with its owner: itself, or all in a group or section.
  public func settings(in name: String) throws(SettingsError) -> [(name: String, owner: Owner)] {
    leaves(of: [try forest.node(name)]).map { ($0.name, $0.owner) }
  }

  /// The full names of all settings and groups, in declaration order; for completion and suggestions.
  public var names: [String] { forest.names }

  // MARK: Changing

  /// Sets one setting; the name of a group stands for all its switches. Returns once the change is stored and its
  /// observers are notified; if called by an observer, the observers are notified after the current event.
  public func set(_ name: String, to value: SettingValue, by owner: Owner) throws(SettingsError) {
    try update([(name, value)], by: owner)
  }

  /// Sets one setting from text that a user typed.
  public func set(_ name: String, text: String, by owner: Owner) throws(SettingsError) {
    try update([(name, try value(of: name, from: text))], by: owner)
  }

  /// Sets several settings, all or none. If a group and one of its switches are given, the switch's own value takes
  /// precedence, whatever the order.
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

  /// Toggles switches one after another, all or none. A group that is on goes off; one that is off goes to the
  /// combination that it had when it was last mixed, or else on; a mixed one goes on. Returns the new states in the
  /// order of the names.
  @discardableResult
  public func toggle(_ names: [String], by owner: Owner) throws(SettingsError) -> [SettingState] {
    try perform(by: owner) { (transaction) throws(SettingsError) in
      for name in names { try transaction.flip(name) }
      var states: [SettingState] = []
      for name in names { states.append(try forest.declared(name).state) }
      return states
    }
  }

  /// Deletes the account's value of one setting, or of everything in a group or section. The values of the layers below
  /// apply again.
  public func reset(_ name: String, by owner: Owner) throws(SettingsError) {
    _ = try perform(by: owner) { (transaction) throws(SettingsError) in
      try transaction.reset(name)
      return []
    }
  }

  /// Parses text that a user typed as the value of a setting.
  public func value(of name: String, from text: String) throws(SettingsError) -> SettingValue {
    let node = try forest.declared(name)
    if let value = node.declaration?.kind.value(from: text) { return value }
    throw node.mismatch(text)
  }

  /// The words that completion offers for the value of a setting, and whether a file name may be given.
  public func candidates(for name: String) -> (words: [String], files: Bool) {
    guard let kind = forest[name]?.declaration?.kind else { return ([], false) }
    if case .path = kind { return ([], true) }
    return (kind.candidates, false)
  }
}

extension String {
  /// The line without what may stand within a name and is not part of it: quotes and backslashes.
  public var withoutQuotes: String {
    String(UnicodeScalarView(unicodeScalars.filter { !["\"", "'", "\\"].contains($0) }))
  }
}
