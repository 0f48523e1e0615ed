// The settings of one shell: groups of switches with a master, choices and values, read and changed by name.
// Invariant: a group is on exactly if all its switches are, off if none is, else mixed. A change from outside is one
// transaction: all or nothing, at most one event, stored before any observer is notified.

public import Problems
import Text

/// All settings. The stored values of an account come in with `load` and go out through `save`.
///
///     try tree.declare([SettingDeclaration("sound.on", .toggle(default: true))], by: .program)
///     try tree.set("sound.on", to: .flag(false), by: .user)
///     try tree.get("sound.on")   // .flag(false)
public final class SettingsTree {
  var declared = DeclaredSettings()
  /// What gives each declared setting its value, by full name.
  var values: [String: LayeredValue] = [:]
  var layers = SettingLayers()
  var observers = SettingObservers()
  /// Whether the check of a declaration is running; meanwhile nothing is declared or changed.
  var isChecking = false

  /// The stored values of the account, by full name, including those whose declarations are not here now.
  public internal(set) var kept: [String: StoredSetting] = [:]

  /// Stores changes in the account's data; called once for each transaction, before any observer is notified. If it
  /// throws, the transaction is undone. Nil while there is nowhere to store them.
  public var save: (([StoredChange]) throws -> Void)?

  /// Gets notices that belong to no call: a loop of observers that was stopped.
  public var report: (SettingsNotice) -> Void = { _ in }

  public init() {}

  // MARK: Reading

  /// The value of a setting; for a group, whether all its switches are on. A plugin cannot read a secret of others.
  public func get(_ name: String, for owner: Owner = .user) throws(SettingsError) -> SettingValue {
    let node = try declared.setting(name)
    if node.isHidden(from: owner) { throw .secret(name) }
    return value(of: node)
  }

  /// The value of a setting, without a look at whether it is declared. Nil for a group.
  public subscript(name: String) -> SettingValue? { values[name]?.value }

  /// The state of a switch or a group: on, off, or mixed.
  public func state(_ name: String) throws(SettingsError) -> SettingState {
    let node = try declared.setting(name)
    guard node.hasState else { throw .notASwitch(name, kind: node.declaration?.kind.word ?? "section") }
    return state(of: node)
  }

  func state(of node: SettingNode) -> SettingState {
    let switches = declared.settings(in: node.name)
    let on = switches.count { self[$0.name] == .flag(true) }
    return on == 0 ? .off : on == switches.count ? .on : .mixed
  }

  func value(of node: SettingNode) -> SettingValue { self[node.name] ?? .flag(state(of: node) == .on) }

  /// The full names of the direct children of a group or section; with an empty name, of the top level.
  public func children(of name: String) throws(SettingsError) -> [String] {
    name.isEmpty ? declared.below("").filter { $0.depth == 0 }.map(\.node.name) : try declared.node(name).children
  }

  /// The declaration of a name, or nil.
  public func declaration(of name: String) -> SettingDeclaration? { declared[name]?.declaration }

  /// Whether a text names a secret setting, and so may contain its value.
  public func namesSecret(in text: String) -> Bool {
    let text = text.withoutQuotes.lowercased()
    return declared.all.contains { $0.declaration?.isSecret == true && text.contains(text: $0.name.lowercased()) }
  }

  /// Who declared a name, or nil.
  public func owner(of name: String) -> Owner? { declared[name].flatMap { $0.declaration == nil ? nil : $0.owner } }

  /// The settings that a change of a name may affect, each with its owner: itself, or all in a group or section.
  public func settings(in name: String) throws(SettingsError) -> [(name: String, owner: Owner)] {
    _ = try declared.node(name)
    return declared.settings(in: name).map { ($0.name, $0.owner) }
  }

  /// The full names of all settings and groups, in declaration order; for completion and suggestions.
  public var names: [String] { declared.names }

  // MARK: Declaring

  /// Declares settings, all or none. A name that the same owner declared before is declared again. Stored values and
  /// layers take effect at once; the result says which values were ignored. Observers are not notified.
  /// - Parameter check: called for each value that fits its kind, first for the default.
  @discardableResult public func declare(
    _ declarations: [SettingDeclaration], by owner: Owner, check: SettingCheck? = nil
  ) throws(SettingsError) -> [SettingsNotice] {
    try requireNoCheck()
    var draft = try adding(declarations, by: owner, check)
    if check != nil {
      for setting in declarations.flatMap({ draft.settings(in: $0.name) }) {
        guard let standard = setting.standard, let reason = try refusal(of: standard, for: setting) else { continue }
        throw .badDeclaration(setting.name, "its default is invalid: \(reason)")
      }
      // The check may have unloaded a plugin.
      draft = try adding(declarations, by: owner, check)
    }
    declared = draft
    let added = declarations.flatMap { declared.below($0.name).map(\.node) }
    var notices = claimVariables(for: added.map(\.name))
    for setting in added {
      guard let standard = setting.standard else { continue }
      values[setting.name] = LayeredValue(standard: standard)
      notices += applyStored(to: setting) + applyLayers(to: setting)
    }
    return notices
  }

  private func adding(
    _ declarations: [SettingDeclaration], by owner: Owner, _ check: SettingCheck?
  ) throws(SettingsError) -> DeclaredSettings {
    var (draft, names) = (declared, Set<String>())
    for declaration in declarations {
      guard names.insert(declaration.name).inserted else { throw .exists(declaration.name, owner: owner) }
      try draft.add(declaration, by: owner, check: check)
    }
    return draft
  }

  /// Removes all declarations and subscriptions of an owner. Stored values stay stored.
  public func remove(_ owner: Owner) {
    for subscription in observers.subscriptions where subscription.owner == owner { subscription.cancel() }
    observers.subscriptions.removeAll { $0.isCancelled }
    for node in declared.all
    where node.owner == owner && node.declaration != nil && declared.groups(above: node).isEmpty {
      for setting in declared.settings(in: node.name) { values[setting.name] = nil }
      declared.remove(node.name)
    }
  }

  /// Replaces all stored values, for example when an account is opened or closed, or after an undo step. Nothing is
  /// passed to `save`. Observers are notified once of the resulting changes.
  @discardableResult public func load(_ values: [String: StoredSetting], by owner: Owner) -> [SettingsNotice] {
    var transaction = SettingsTransaction(of: self, by: owner)
    let notices = transaction.replaceStored(with: values)
    notify(transaction.changes)
    return notices
  }

  // MARK: Changing

  /// Sets one setting; the name of a group stands for all its switches. Returns once the change is stored and its
  /// observers are notified; if called by an observer, the observers are notified after the current event.
  public func set(_ name: String, to value: SettingValue, by owner: Owner) throws(SettingsError) {
    try update([(name, value)], by: owner)
  }

  public func set(_ name: String, text: String, by owner: Owner) throws(SettingsError) {
    try update([(name, try value(of: name, from: text))], by: owner)
  }

  /// Sets several settings, all or none; a switch's own value takes precedence over its group's, whatever the order.
  public func update(_ values: [(name: String, value: SettingValue)], by owner: Owner) throws(SettingsError) {
    let ordered = values.enumerated().sorted {
      (depth(of: $0.element.name), $0.offset) < (depth(of: $1.element.name), $1.offset)
    }
    try perform(by: owner) { (transaction) throws(SettingsError) in
      for (_, change) in ordered { try transaction.assign(change.value, to: change.name) }
    }
  }

  /// Toggles switches one after another, all or none; returns their states. A group that is on goes off; one that is
  /// off goes to the combination that it had when it was last mixed, or else on; a mixed one goes on.
  @discardableResult public func toggle(_ names: [String], by owner: Owner) throws(SettingsError) -> [SettingState] {
    var states: [SettingState] = []
    try perform(by: owner) { (transaction) throws(SettingsError) in
      for name in names { try transaction.flip(name) }
      for name in names { states.append(try state(name)) }
    }
    return states
  }

  /// Deletes the account's value of one setting, or of everything in a group or section.
  public func reset(_ name: String, by owner: Owner) throws(SettingsError) {
    try perform(by: owner) { (transaction) throws(SettingsError) in try transaction.reset(name) }
  }

  /// Parses text that a user typed as the value of a setting.
  public func value(of name: String, from text: String) throws(SettingsError) -> SettingValue {
    let node = try declared.setting(name)
    if let value = node.declaration?.kind.value(from: text) { return value }
    throw node.mismatch(text)
  }

  /// The words that completion offers for the value of a setting, and whether a file name may be given.
  public func candidates(for name: String) -> (words: [String], files: Bool) {
    guard let kind = declared[name]?.declaration?.kind else { return ([], false) }
    if case .path = kind { return ([], true) }
    return (kind.candidates, false)
  }
}

/// How deep a name is nested: groups are set before their switches, so that a switch's own value takes precedence.
func depth(of name: String) -> Int { name.utf8.count { $0 == UInt8(ascii: ".") } }

extension String {
  /// The line without what may stand within a name and is not part of it: quotes and backslashes.
  public var withoutQuotes: String {
    String(UnicodeScalarView(unicodeScalars.filter { !["\"", "'", "\\"].contains($0) }))
  }
}

/// One row of the tree.
///
///     for row in try tree.rows(of: "sound") { print(row.name, row.kind, row.value?.text ?? "") }
public struct SettingRow: Equatable, Sendable {
  public let name: String
  /// The title, or the last part of the name.
  public let title: String
  /// 0 at the top.
  public let depth: Int
  /// `section`, `group`, `switch`, `choice`, `number`, `text`, `path`.
  public let kind: String
  /// For a switch or group.
  public let state: SettingState?
  /// Nil for a section; for a group, whether all its switches are on.
  public let value: SettingValue?
  /// Whether the value, or one below, differs from the default.
  public let isChanged: Bool
  public let forcedBy: SettingSource?
}

/// Everything that `set --why` reports about a setting.
///
///     try tree.why("game.length").sources   // [.commandLine("game.length=9")]
public struct SettingReasons: Equatable, Sendable {
  public let name: String
  public let value: SettingValue
  public let state: SettingState?
  /// Nil for a group.
  public let standard: SettingValue?
  /// The source of the value; for a group, the sources of those of its switches that are not at their default.
  public let sources: [SettingSource]
  /// The account's stored value while another value is forced.
  public let shadowed: StoredSetting?
  public let declaredBy: Owner
  public let expectation: String
}

extension SettingsTree {
  /// The rows of a setting, group or section and everything below it; with an empty name, of the whole tree.
  public func rows(of name: String = "") throws(SettingsError) -> [SettingRow] {
    if !name.isEmpty { _ = try declared.node(name) }
    return declared.below(name).map { node, depth in
      let title = node.declaration?.title ?? ""
      return SettingRow(
        name: node.name, title: title.isEmpty ? String(node.part) : title, depth: depth,
        kind: node.declaration?.kind.word ?? "section", state: node.hasState ? state(of: node) : nil,
        value: node.declaration == nil ? nil : node.shown(value(of: node)),
        isChanged: declared.settings(in: node.name).contains { value(of: $0) != $0.standard },
        forcedBy: values[node.name]?.forced?.source)
    }
  }

  public func why(_ name: String) throws(SettingsError) -> SettingReasons {
    let node = try declared.setting(name)
    var sources: [SettingSource] = []
    for setting in declared.settings(in: name) where !node.isGroup || value(of: setting) != setting.standard {
      let source =
        values[setting.name]?.source(setBy: kept[setting.name]?.setBy) ?? setting.declaration?.defaultSource
        ?? .standard
      if !sources.contains(source) { sources.append(source) }
    }
    let shadowed = values[name]?.forced == nil ? nil : values[name]?.account
    return SettingReasons(
      name: name, value: node.shown(value(of: node)), state: node.hasState ? state(of: node) : nil,
      standard: node.standard.map(node.shown), sources: sources.isEmpty ? [.standard] : sources,
      shadowed: shadowed.flatMap { value in
        kept[name].map { StoredSetting(.value(node.shown(value)), setBy: $0.setBy) }
      },
      declaredBy: node.owner, expectation: node.declaration?.kind.expectation ?? "")
  }
}
