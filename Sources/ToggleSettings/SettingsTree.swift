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
  var roots: [SettingNode] = []
  var byName: [String: SettingNode] = [:]
  var layers: [SettingLayer: [LayeredSetting]] = [:]
  var locks = SettingLocks.none
  var ambiguousVariables: Set<String> = []
  var slotsByName: [String: [SettingSlot]] = [:]
  /// Read by native code at every turn, so without the check of exclusive access: it is written in `refreshSlots` and
  /// `key` alone, and nothing runs in between that could read it.
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
  public func get(_ name: String) throws(SettingsError) -> SettingValue { try declared(name).shownValue }

  /// The same for who asks: a plugin does not read a secret of others.
  public func get(_ name: String, for owner: Owner) throws(SettingsError) -> SettingValue {
    let node = try declared(name)
    if node.isHidden(from: owner) { throw .secret(name) }
    return node.shownValue
  }

  /// On, off, or mixed: of a switch or a group.
  public func state(_ name: String) throws(SettingsError) -> SettingState {
    let node = try declared(name)
    guard node.isGroup || node.isSwitch else { throw .notASwitch(name, kind: node.declaration?.kind.word ?? "section") }
    return node.state
  }

  /// The full names of what stands directly in a group or section; of everything at the top with an empty name.
  public func children(of name: String) throws(SettingsError) -> [String] {
    name.isEmpty ? roots.map(\.name) : try node(name).children.map(\.name)
  }

  /// What declared a name, or nil.
  public func declaration(of name: String) -> SettingDeclaration? { byName[name]?.declaration }

  /// Whether a text names a setting that is secret, so that it may hold its value.
  public func namesSecret(in text: String) -> Bool {
    let text = text.lowercased()
    return byName.contains { $1.declaration?.isSecret == true && text.contains(text: $0.lowercased()) }
  }

  /// Who declared a name, or nil.
  public func owner(of name: String) -> Owner? {
    byName[name].flatMap { $0.declaration == nil ? nil : $0.owner }
  }

  /// The settings that a change of a name may touch, each with who declared it: itself, or all in a group or section.
  public func settings(in name: String) throws(SettingsError) -> [(name: String, owner: Owner)] {
    leaves(of: [try node(name)]).map { ($0.name, $0.owner) }
  }

  /// The full names of all settings and groups, in the order of their declaration; for completion and suggestions.
  public var names: [String] {
    var found: [String] = []
    func visit(_ node: SettingNode) {
      if node.declaration != nil { found.append(node.name) }
      for child in node.children { visit(child) }
    }
    for root in roots { visit(root) }
    return found
  }

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
    _ = try perform(by: owner) { (tree, journal) throws(SettingsError) in
      for (_, change) in ordered { try tree.assign(change.name, change.value, by: owner, &journal) }
      return []
    }
  }

  /// Turns switches over, one after the other, all or none. A group goes from on to off to what it was when it was last
  /// mixed, and on again; from mixed it goes on. Gives the new states in the order of the names.
  @discardableResult
  public func toggle(_ names: [String], by owner: Owner) throws(SettingsError) -> [SettingState] {
    try perform(by: owner) { (tree, journal) throws(SettingsError) in
      for name in names { try tree.turnOver(name, by: owner, &journal) }
      return try tree.states(names)
    }
  }

  /// Forgets what was set: of one setting, or of everything in a group or section. Layers beneath hold again.
  public func reset(_ name: String, by owner: Owner) throws(SettingsError) {
    _ = try perform(by: owner) { (tree, journal) throws(SettingsError) in
      let meant = leaves(of: [try tree.node(name)])
      for leaf in meant { try leaf.requireRight(of: owner) }
      for leaf in meant where leaf.layers.account != nil || tree.kept[leaf.name] != nil {
        try leaf.requireChange(to: nil, by: owner)
        tree.write(nil, by: owner, to: leaf, &journal)
      }
      return []
    }
  }

  /// Reads what a user typed as the value of a setting.
  public func value(of name: String, from text: String) throws(SettingsError) -> SettingValue {
    let kind = try kind(of: name)
    if let value = kind.value(from: text) { return value }
    throw try misfit(text, for: declared(name))
  }

  /// The words for the value of a setting, and whether a file may stand there.
  public func candidates(for name: String) -> (words: [String], files: Bool) {
    guard let kind = byName[name]?.declaration?.kind else { return ([], false) }
    if case .path = kind { return ([], true) }
    return (kind.candidates, false)
  }

  // MARK: Finding

  /// The node of a setting or group; a section is none.
  func declared(_ name: String) throws(SettingsError) -> SettingNode {
    let node = try node(name)
    if node.declaration == nil { throw .section(name, holds: node.children.map(\.name)) }
    return node
  }

  func node(_ name: String) throws(SettingsError) -> SettingNode {
    if let node = byName[name] { return node }
    throw .unknownSetting(name, suggestion: suggestion(for: name, among: names) ?? nameWithPart(name))
  }

  /// `lang` is most likely a part of a name.
  private func nameWithPart(_ part: String) -> String? {
    guard (1...100).contains(part.utf8.count) else { return nil }
    let part = part.lowercased()
    return names.first { $0.lowercased().contains(text: part) }
  }

  private func kind(of name: String) throws(SettingsError) -> SettingKind {
    guard let kind = try declared(name).declaration?.kind else { throw .section(name, holds: []) }
    return kind
  }

  private func states(_ names: [String]) throws(SettingsError) -> [SettingState] {
    var states: [SettingState] = []
    for name in names { states.append(try declared(name).state) }
    return states
  }
}

extension SettingsTree {
  // MARK: The steps of a transaction

  private func assign(
    _ name: String, _ value: SettingValue, by owner: Owner, _ journal: inout SettingsJournal
  ) throws(SettingsError) {
    let node = try declared(name)
    guard let fitting = node.declaration?.kind.admit(value) else { throw misfit(value.text, for: node) }
    for leaf in node.isGroup ? leaves(of: [node]) : [node] { try put(fitting, by: owner, to: leaf, &journal) }
  }

  /// That a value is none for a setting.
  private func misfit(_ text: String, for node: SettingNode) -> SettingsError {
    let kind = node.declaration?.kind
    return .badValue(
      node.name, given: node.shown(.text(text)).text, expected: kind?.expectation ?? "",
      suggestion: kind?.suggestion(for: text))
  }

  private func turnOver(_ name: String, by owner: Owner, _ journal: inout SettingsJournal) throws(SettingsError) {
    let node = try declared(name)
    if node.isSwitch { return try put(.flag(!node.isOn), by: owner, to: node, &journal) }
    guard node.isGroup else { throw .notASwitch(name, kind: node.declaration?.kind.word ?? "section") }
    let switches = leaves(of: [node])
    let remembered = node.state == .off ? lastMixed(of: node, switches, journal) : nil
    let turnsAllOn = node.state != .on
    for leaf in switches {
      try put(.flag(remembered?.contains(leaf.name) ?? turnsAllOn), by: owner, to: leaf, &journal)
    }
  }

  /// The switches that were on when the group was last mixed; nil when that would not be mixed now.
  private func lastMixed(of group: SettingNode, _ switches: [SettingNode], _ journal: SettingsJournal) -> Set<String>? {
    let names: [String]
    if let before = journal.combinationBefore(group, switches) {
      names = before
    } else if case .lastMixed(let kept)? = kept[group.name]?.value {
      names = kept.map { group.name + "." + $0 }
    } else {
      return nil
    }
    let on = Set(names).intersection(switches.map(\.name))
    return on.isEmpty || on.count == switches.count ? nil : on
  }

  /// Gives a leaf a value, unless it is forced to another one or refuses it.
  private func put(
    _ value: SettingValue, by owner: Owner, to leaf: SettingNode, _ journal: inout SettingsJournal
  ) throws(SettingsError) {
    try leaf.requireChange(to: value, by: owner)
    if leaf.layers.forced != nil { return }
    if let reason = try refusal(of: value, for: leaf) { throw .refused(leaf.name, reason: reason) }
    // The check may have unloaded the plugin that declared it.
    guard byName[leaf.name] === leaf else { throw .unknownSetting(leaf.name, suggestion: nil) }
    write(value, by: owner, to: leaf, &journal)
  }

  /// Sets or clears the account's value of a leaf, noting in the journal how it was.
  func write(_ value: SettingValue?, by owner: Owner, to leaf: SettingNode, _ journal: inout SettingsJournal) {
    journal.note(leaf, kept: kept[leaf.name])
    leaf.layers.account = value
    kept[leaf.name] = value.map { KeptSetting(.value($0), setBy: owner) }
    let isOn = leaf.isOn
    leaf.value = leaf.resolvedValue
    if leaf.isOn != isOn { count(leaf, &journal) }
  }

  /// Counts a switch that turned over in all groups above it.
  private func count(_ leaf: SettingNode, _ journal: inout SettingsJournal) {
    var group = leaf.parent
    while let node = group, node.isGroup {
      journal.note(group: node, kept: kept[node.name])
      node.switches.on += leaf.isOn ? 1 : -1
      group = node.parent
    }
  }

  /// Settles a leaf again after its layers or its kept value changed outside a transaction.
  func recompute(_ leaf: SettingNode) {
    let isOn = leaf.isOn
    leaf.value = leaf.resolvedValue
    guard leaf.isSwitch, leaf.isOn != isOn else { return }
    var group = leaf.parent
    while let node = group, node.isGroup {
      node.switches.on += leaf.isOn ? 1 : -1
      group = node.parent
    }
  }
}
