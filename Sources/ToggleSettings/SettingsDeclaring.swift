// Declaring settings and taking them back: the tree's shape, and what happens to kept values when it changes.
// Invariant: a batch of declarations is taken whole or not at all; a kept value is never lost by declaring or removing.

public import Problems
import Text

extension SettingsTree {
  /// Declares settings, all or none. A name that the same owner declared before is declared anew. Kept values and
  /// layers take effect at once; what was carried over or left aside is in the answer. Declaring is no event.
  @discardableResult
  public func declare(_ declarations: [SettingDeclaration], by owner: Owner) throws(SettingsError)
    -> [SettingsNotice]
  {
    var batch = DeclaringBatch()
    do {
      for declaration in declarations { try link(declaration, by: owner, &batch) }
      try checkDependencies(of: batch.added)
    } catch {
      for node in batch.added.reversed() { unlink(node) }
      for node in batch.replaced { relink(node) }
      throw error
    }
    return applyStored(batch.added)
  }

  /// Takes back everything that an owner declared and observes. Kept values stay kept.
  public func remove(_ owner: Owner) {
    for subscription in observers.subscriptions where subscription.owner == owner { subscription.cancel() }
    observers.subscriptions.removeAll { $0.isCancelled }
    observers.waiting.removeAll { $0.owner == owner }
    let declared = byName.values.filter { $0.owner == owner && $0.declaration != nil && $0.declaredTop === $0 }
    for node in declared { unlink(node) }
    _ = findAmbiguousVariables()
    refreshSlots()
  }

  /// Replaces all that is kept, as when an account is opened, closed, or its data went back a step. Nothing is handed
  /// to `keep`. Observers are notified once of what changed by it.
  @discardableResult
  public func load(_ values: [String: KeptSetting], by owner: Owner) -> [SettingsNotice] {
    var notices: [SettingsNotice] = []
    let step: Step = { (tree, journal) in
      notices = tree.replaceKept(with: values, by: owner, &journal)
      return []
    }
    do {
      let (_, event) = try transact(by: owner, keeping: false, step)
      if let event { notifySoon(event) }
    } catch {
      report(.observerFailed(error.message))
    }
    return notices
  }

  private func replaceKept(
    with values: [String: KeptSetting], by owner: Owner, _ journal: inout SettingsJournal
  ) -> [SettingsNotice] {
    var notices: [SettingsNotice] = []
    let all = leaves(of: roots)
    for leaf in all { write(nil, by: owner, to: leaf, &journal) }
    kept = values
    unwritten = []
    for name in names { if let node = byName[name], let notice = distribute(to: node) { notices.append(notice) } }
    for leaf in all {
      let (value, notice) = carriedOver(to: leaf)
      if let notice { notices.append(notice) }
      guard let value else { continue }
      let setting = kept[leaf.name]
      write(value, by: owner, to: leaf, &journal)
      kept[leaf.name] = setting
    }
    return notices
  }

  /// Lets kept values and layers take effect on what was just declared.
  private func applyStored(_ added: [SettingNode]) -> [SettingsNotice] {
    var notices = findAmbiguousVariables()
    notices += added.compactMap { distribute(to: $0) }
    for leaf in leaves(of: added.filter { $0.declaration != nil && $0.declaredTop === $0 }) {
      let (value, notice) = carriedOver(to: leaf)
      leaf.layers.account = value
      if let notice { notices.append(notice) }
      notices += resolveLayers(of: leaf)
      leaf.slots = slotsByName[leaf.name] ?? []
      recompute(leaf)
    }
    refreshSlots()
    return notices
  }

  /// What the account keeps for a leaf, fitted to its kind: under its own name or a former one. What is carried over
  /// moves to the leaf's name, and is written with the next change that is kept.
  private func carriedOver(to leaf: SettingNode) -> (SettingValue?, SettingsNotice?) {
    guard let declaration = leaf.declaration, let standard = declaration.kind.defaultValue else { return (nil, nil) }
    for name in [leaf.name] + declaration.formerNames where name == leaf.name || byName[name] == nil {
      guard let setting = kept[name], case .value(let old) = setting.value else { continue }
      guard let value = declaration.kind.migrate(old) else {
        return (nil, .fellBack(leaf.name, kept: old.text, expected: declaration.kind.expectation, to: standard))
      }
      if name == leaf.name && value == old { return (value, nil) }
      move(KeptSetting(.value(value), setBy: setting.setBy), to: leaf.name, from: name)
      return (value, .migrated(leaf.name, from: old.text, to: value))
    }
    return (nil, nil)
  }

  private func move(_ setting: KeptSetting, to name: String, from former: String) {
    kept[former] = nil
    kept[name] = setting
    unwritten.formUnion([former, name])
  }

  /// A switch that became a group: its kept value goes to all switches in it that have none of their own.
  private func distribute(to group: SettingNode) -> SettingsNotice? {
    guard group.isGroup, let setting = kept[group.name], case .value(.flag(let flag)) = setting.value else {
      return nil
    }
    for leaf in leaves(of: [group]) where kept[leaf.name] == nil {
      kept[leaf.name] = setting
      unwritten.insert(leaf.name)
    }
    kept[group.name] = nil
    unwritten.insert(group.name)
    return .migrated(group.name, from: SettingValue.flag(flag).text, to: .flag(flag))
  }
}

/// What a batch has done so far, for the way back.
struct DeclaringBatch {
  /// Every node made, parents before children.
  var added: [SettingNode] = []
  /// What the same owner had declared under the same names.
  var replaced: [SettingNode] = []
  /// The sections of what was replaced, held so that they can come back.
  var sections: [SettingNode] = []

  mutating func replace(_ node: SettingNode) {
    replaced.append(node)
    var section = node.parent
    while let held = section {
      sections.append(held)
      section = held.parent
    }
  }
}

extension SettingsTree {
  private func link(_ declaration: SettingDeclaration, by owner: Owner, _ batch: inout DeclaringBatch)
    throws(SettingsError)
  {
    let parts = declaration.name.split(separator: ".", omittingEmptySubsequences: false)
    guard let last = parts.last, parts.allSatisfy(isNamePart) else { throw .badName(declaration.name) }
    if parts.count > SettingBounds.depth { throw .tooDeep(declaration.name, limit: SettingBounds.depth) }
    if let there = byName[declaration.name] {
      guard there.declaration != nil, there.declaredTop === there else {
        throw .exists(declaration.name, owner: there.declaredTop.owner)
      }
      guard there.owner == owner, !batch.added.contains(where: { $0 === there }) else {
        throw .exists(declaration.name, owner: there.owner)
      }
      batch.replace(there)
      unlink(there)
    }
    let section = try sections(for: parts.dropLast(), by: owner, &batch)
    try add(declaration, named: declaration.name, String(last), in: section, by: owner, &batch)
  }

  /// Finds or makes the sections that a dotted name stands in.
  private func sections(
    for parts: ArraySlice<Substring>, by owner: Owner, _ batch: inout DeclaringBatch
  ) throws(SettingsError) -> SettingNode? {
    var section: SettingNode?
    for part in parts {
      let name = section.map { $0.name + "." + part } ?? String(part)
      if let there = byName[name] {
        if there.declaration != nil { throw .exists(name, owner: there.owner) }
        section = there
      } else {
        let made = SettingNode(name, in: section, nil, owner)
        try attach(made, &batch)
        section = made
      }
    }
    return section
  }

  private func add(
    _ declaration: SettingDeclaration, named name: String, _ part: String, in parent: SettingNode?,
    by owner: Owner, _ batch: inout DeclaringBatch
  ) throws(SettingsError) {
    if let problem = declaration.problem(as: name) { throw problem }
    let node = SettingNode(name, in: parent, declaration, owner)
    if node.depth > SettingBounds.depth { throw .tooDeep(name, limit: SettingBounds.depth) }
    try attach(node, &batch)
    guard case .group(let children) = declaration.kind else { return }
    for child in children {
      let childName = name + "." + child.name
      guard isNamePart(child.name[...]) else { throw .badName(childName) }
      switch child.kind {
      case .group, .toggle: break
      case .choice, .number, .text, .path:
        throw .badDeclaration(
          name, "only switches and groups stand in a group, and \(quoted(child.name)) is a \(child.kind.word)")
      }
      if byName[childName] != nil { throw .exists(childName, owner: owner) }
      try add(child, named: childName, child.name, in: node, by: owner, &batch)
    }
  }

  private func attach(_ node: SettingNode, _ batch: inout DeclaringBatch) throws(SettingsError) {
    if byName.count >= SettingBounds.nodes { throw .tooMany(limit: SettingBounds.nodes) }
    place(node)
    batch.added.append(node)
  }

  /// Puts a node into its parent and counts it there.
  private func place(_ node: SettingNode) {
    byName[node.name] = node
    if let parent = node.parent { parent.children.append(node) } else { roots.append(node) }
    if node.isSwitch { addToCounts(above: node, on: node.isOn ? 1 : 0, switches: 1) }
  }

  /// Puts a node that was taken out back in, with all that stands in it and the sections it needs.
  private func relink(_ node: SettingNode) {
    if let parent = node.parent, byName[parent.name] !== parent {
      parent.children = []
      relink(parent)
    }
    let children = node.children
    node.children = []
    node.switches = SettingNode.SwitchCount()
    place(node)
    for child in children { relink(child) }
  }

  /// Takes a node out with all that stands in it, and the sections that are empty after that.
  private func unlink(_ node: SettingNode) {
    guard byName[node.name] === node else { return }
    let on = node.isSwitch ? (node.isOn ? 1 : 0) : node.switches.on
    addToCounts(above: node, on: -on, switches: node.isSwitch ? -1 : -node.switches.all)
    forget(node)
    if let parent = node.parent {
      parent.children.removeAll { $0 === node }
      if parent.declaration == nil, parent.children.isEmpty { unlink(parent) }
    } else {
      roots.removeAll { $0 === node }
    }
  }

  private func forget(_ node: SettingNode) {
    byName[node.name] = nil
    for child in node.children { forget(child) }
  }

  private func addToCounts(above node: SettingNode, on: Int, switches: Int) {
    var group = node.parent
    while let parent = group, parent.isGroup {
      parent.switches.on += on
      parent.switches.all += switches
      group = parent.parent
    }
  }
}
