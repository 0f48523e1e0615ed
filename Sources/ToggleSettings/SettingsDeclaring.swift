// Declaring and removing settings: the shape of the tree, and what happens to stored values when it changes.
// Invariant: a batch of declarations is accepted completely or not at all; declaring or removing never loses a stored
// value.

public import Problems
import Text

extension SettingsTree {
  /// Declares settings, all or none. A name that the same owner declared before is declared again. Stored values and
  /// layers take effect at once; the result says which values were ignored. Observers are not notified.
  /// - Parameter check: called for each value that fits its kind, first for the default.
  @discardableResult
  public func declare(
    _ declarations: [SettingDeclaration], by owner: Owner, check: SettingCheck? = nil
  ) throws(SettingsError) -> [SettingsNotice] {
    try requireNoCheck()
    var batch = DeclaringBatch(of: self, by: owner, check: check)
    do {
      for declaration in declarations { try batch.link(declaration) }
      try batch.checkDefaults()
    } catch {
      batch.rollBack()
      throw error
    }
    return applyStored(batch.added)
  }

  /// Removes all declarations and subscriptions of an owner. Stored values stay stored.
  public func remove(_ owner: Owner) {
    for subscription in observers.subscriptions where subscription.owner == owner { subscription.cancel() }
    observers.subscriptions.removeAll { $0.isCancelled }
    let declared = forest.all.filter { $0.owner == owner && $0.declaration != nil && $0.declaredTop === $0 }
    for node in declared { forest.unlink(node) }
    _ = layers.findAmbiguousVariables(of: forest)
    keys.refresh()
  }

  /// Replaces all stored values, for example when an account is opened or closed, or after an undo step. Nothing is
  /// passed to `save`. Observers are notified once of the resulting changes.
  @discardableResult
  public func load(_ values: [String: StoredSetting], by owner: Owner) -> [SettingsNotice] {
    var transaction = SettingsTransaction(of: self, by: owner)
    var notices: [SettingsNotice] = []
    transaction.replaceStored(with: values) { storedValue(of: $0, &notices) }
    keys.refresh()
    if let event = transaction.event() { notify(event) }
    return notices
  }

  /// Applies stored values and layers to the settings that were just declared.
  private func applyStored(_ added: [SettingNode]) -> [SettingsNotice] {
    var notices = layers.findAmbiguousVariables(of: forest)
    for leaf in leaves(of: added.filter { $0.declaration != nil && $0.declaredTop === $0 }) {
      leaf.layers.account = storedValue(of: leaf, &notices)
      notices += resolveLayers(of: leaf)
      leaf.slots = slotsByName[leaf.name] ?? []
      leaf.recompute()
    }
    keys.refresh()
    return notices
  }

  /// The account's stored value for a leaf; nil with a notice if it no longer fits.
  private func storedValue(of leaf: SettingNode, _ notices: inout [SettingsNotice]) -> SettingValue? {
    guard case .value(let old)? = kept[leaf.name]?.value, let standard = leaf.declaration?.kind.defaultValue else {
      return nil
    }
    switch reading(old, for: leaf, { $0.admit(old) }) {
    case .success(let value): return value
    case .failure(let mismatch):
      notices.append(
        .fellBack(leaf.name, kept: leaf.shown(old).text, reason: mismatch.reason, to: leaf.shown(standard)))
      return nil
    }
  }
}

/// Declarations that are accepted together: the changes made so far, and how to undo them.
///
///     var batch = DeclaringBatch(of: tree, by: .user, check: nil)
///     do { try batch.link(declaration) } catch { batch.rollBack() }
struct DeclaringBatch {
  private let tree: SettingsTree
  private let owner: Owner
  private let check: SettingCheck?
  /// All nodes that were made, parents before children.
  private(set) var added: [SettingNode] = []
  /// The previous declarations of the same owner under the same names.
  private var replaced: [SettingNode] = []
  /// The parents of what was replaced, retained so that they can be restored, with their children before; nil is the
  /// root.
  private var siblings: [ObjectIdentifier?: (parent: SettingNode?, children: [SettingNode])] = [:]

  init(of tree: SettingsTree, by owner: Owner, check: SettingCheck?) {
    (self.tree, self.owner, self.check) = (tree, owner, check)
  }

  /// Makes the nodes of a declaration.
  mutating func link(_ declaration: SettingDeclaration) throws(SettingsError) {
    let parts = declaration.name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.allSatisfy(isNamePart) else { throw .badName(declaration.name) }
    if parts.count > SettingBounds.depth { throw .tooDeep(declaration.name, limit: SettingBounds.depth) }
    if let there = tree.forest[declaration.name] {
      guard there.declaration != nil, there.declaredTop === there else {
        throw .exists(declaration.name, owner: there.declaredTop.owner)
      }
      guard there.owner == owner, !added.contains(where: { $0 === there }) else {
        throw .exists(declaration.name, owner: there.owner)
      }
      replace(there)
    }
    if owner.plugin != nil, let root = tree.forest[String(parts[0])], root.declaration == nil, root.owner == .program {
      throw .reserved(declaration.name, prefix: root.name)
    }
    let section = try section(for: parts.dropLast())
    try add(declaration, named: declaration.name, in: section)
  }

  private mutating func replace(_ node: SettingNode) {
    replaced.append(node)
    var next: SettingNode? = node
    while let node = next {
      let parent = node.parent
      let key = parent.map { ObjectIdentifier($0) }
      if siblings[key] == nil { siblings[key] = (parent, parent?.children ?? tree.forest.roots) }
      next = parent
    }
    tree.forest.unlink(node)
  }

  /// Finds or makes the sections of a dotted name; returns the innermost one.
  private mutating func section(for parts: ArraySlice<Substring>) throws(SettingsError) -> SettingNode? {
    var section: SettingNode?
    for part in parts {
      let name = section.map { $0.name + "." + part } ?? String(part)
      if let there = tree.forest[name] {
        if there.declaration != nil { throw .exists(name, owner: there.owner) }
        section = there
      } else {
        let made = SettingNode(name, in: section, nil, owner)
        try attach(made)
        section = made
      }
    }
    return section
  }

  private mutating func add(
    _ declaration: SettingDeclaration, named name: String, in parent: SettingNode?
  ) throws(SettingsError) {
    if let problem = declaration.problem(as: name) { throw problem }
    let node = SettingNode(name, in: parent, declaration, owner, check: check)
    if node.depth > SettingBounds.depth { throw .tooDeep(name, limit: SettingBounds.depth) }
    try attach(node)
    guard case .group(let children) = declaration.kind else { return }
    for child in children {
      let childName = name + "." + child.name
      guard isNamePart(child.name[...]) else { throw .badName(childName) }
      switch child.kind {
      case .group, .toggle: break
      case .choice, .number, .text, .path:
        throw .badDeclaration(
          name, "a group contains only switches and groups, and \(quoted(child.name)) is a \(child.kind.word)")
      }
      if tree.forest[childName] != nil { throw .exists(childName, owner: owner) }
      try add(child, named: childName, in: node)
    }
  }

  private mutating func attach(_ node: SettingNode) throws(SettingsError) {
    if tree.forest.count >= SettingBounds.nodes { throw .tooMany(limit: SettingBounds.nodes) }
    tree.forest.place(node)
    added.append(node)
  }

  /// Calls the check for each default.
  func checkDefaults() throws(SettingsError) {
    for node in added where node.check != nil {
      guard let standard = node.declaration?.kind.defaultValue,
        let reason = try tree.refusal(of: standard, for: node)
      else { continue }
      throw .badDeclaration(node.name, "its default is invalid: \(reason)")
    }
  }

  /// Restores the tree as it was.
  func rollBack() {
    for node in added.reversed() { tree.forest.unlink(node) }
    for node in replaced { tree.forest.relink(node) }
    for (parent, children) in siblings.values { tree.forest.order(children, of: parent) }
  }
}
