// Declaring settings and taking them back: the tree's shape, and what happens to kept values when it changes.
// Invariant: a batch of declarations is taken whole or not at all; a kept value is never lost by declaring or removing.

public import Problems
import Text

extension SettingsTree {
  /// Declares settings, all or none. A name that the same owner declared before is declared anew. Kept values and
  /// layers take effect at once; what was left aside is in the answer. Declaring is no event.
  /// - Parameter check: asked about each value that fits its kind, the default first.
  @discardableResult
  public func declare(
    _ declarations: [SettingDeclaration], by owner: Owner, check: SettingCheck? = nil
  ) throws(SettingsError) -> [SettingsNotice] {
    try requireNoCheck()
    var batch = DeclaringBatch(check: check)
    do {
      for declaration in declarations { try link(declaration, by: owner, &batch) }
      for node in batch.added where node.check != nil { try checkDefault(of: node) }
    } catch {
      for node in batch.added.reversed() { unlink(node) }
      for node in batch.replaced { relink(node) }
      throw error
    }
    return applyStored(batch.added)
  }

  private func checkDefault(of node: SettingNode) throws(SettingsError) {
    guard let standard = node.declaration?.kind.defaultValue, let reason = try refusal(of: standard, for: node) else {
      return
    }
    throw .badDeclaration(node.name, "its default is refused: \(reason)")
  }

  /// Takes back everything that an owner declared and observes. Kept values stay kept.
  public func remove(_ owner: Owner) {
    for subscription in observers.subscriptions where subscription.owner == owner { subscription.cancel() }
    observers.subscriptions.removeAll { $0.isCancelled }
    let declared = byName.values.filter { $0.owner == owner && $0.declaration != nil && $0.declaredTop === $0 }
    for node in declared { unlink(node) }
    _ = findAmbiguousVariables()
    refreshSlots()
  }

  /// Replaces all that is kept, as when an account is opened, closed, or its data went back a step. Nothing is handed
  /// to `keep`. Observers are notified once of what changed by it.
  @discardableResult
  public func load(_ values: [String: KeptSetting], by owner: Owner) -> [SettingsNotice] {
    var journal = SettingsJournal()
    let notices = replaceKept(with: values, by: owner, &journal)
    refreshSlots()
    if let event = event(of: journal, by: owner) { notify(event) }
    return notices
  }

  private func replaceKept(
    with values: [String: KeptSetting], by owner: Owner, _ journal: inout SettingsJournal
  ) -> [SettingsNotice] {
    var notices: [SettingsNotice] = []
    let all = leaves(of: roots)
    for leaf in all { write(nil, by: owner, to: leaf, &journal) }
    kept = values
    for leaf in all {
      guard let value = keptValue(of: leaf, &notices) else { continue }
      write(value, by: owner, to: leaf, &journal)
      kept[leaf.name] = values[leaf.name]
    }
    return notices
  }

  /// Lets kept values and layers take effect on what was just declared.
  private func applyStored(_ added: [SettingNode]) -> [SettingsNotice] {
    var notices = findAmbiguousVariables()
    for leaf in leaves(of: added.filter { $0.declaration != nil && $0.declaredTop === $0 }) {
      leaf.layers.account = keptValue(of: leaf, &notices)
      notices += resolveLayers(of: leaf)
      leaf.slots = slotsByName[leaf.name] ?? []
      recompute(leaf)
    }
    refreshSlots()
    return notices
  }

  /// What the account keeps for a leaf; nil with a notice where that does not fit any more.
  private func keptValue(of leaf: SettingNode, _ notices: inout [SettingsNotice]) -> SettingValue? {
    guard case .value(let old)? = kept[leaf.name]?.value, let standard = leaf.declaration?.kind.defaultValue else {
      return nil
    }
    switch reading(old, for: leaf, { $0.admit(old) }) {
    case .success(let value): return value
    case .failure(let misfit):
      notices.append(
        .fellBack(leaf.name, kept: leaf.shown(old).text, reason: misfit.reason, to: leaf.shown(standard)))
      return nil
    }
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
  let check: SettingCheck?

  init(check: SettingCheck?) { self.check = check }

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
    if owner.plugin != nil, let root = byName[String(parts[0])], root.declaration == nil, root.owner == .program {
      throw .reserved(declaration.name, prefix: root.name)
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
    let node = SettingNode(name, in: parent, declaration, owner, check: batch.check)
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
