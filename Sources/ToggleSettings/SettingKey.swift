// Settings read from native code: a name is looked up once, and reading it after that is a load from an array.
// Invariant: a slot always holds the value of its setting.

/// A setting resolved to a slot. The key belongs to the tree that returned it, and is valid as long as that tree
/// exists, even after the declaration is removed (the slot then keeps the last value).
///
///     let length = try tree.keys.whole("game.length")
///     tree[length]   // 9
public struct SettingKey<Value>: Sendable {
  @usableFromInline let index: Int

  init(index: Int) { self.index = index }
}

/// The slot that a node's value is copied to. One name may be read as two types.
enum SettingSlot: Equatable {
  case flag(Int)
  case integer(Int)
  case number(Int)
  case text(Int)
}

/// The values of all resolved settings, with one array per type.
@usableFromInline struct SettingSlots {
  @usableFromInline var flags: [Bool] = []
  @usableFromInline var integers: [Int] = []
  @usableFromInline var numbers: [Double] = []
  @usableFromInline var texts: [String] = []

  func holds(_ value: SettingValue, at slot: SettingSlot) -> Bool {
    switch (slot, value) {
    case (.flag(let index), .flag(let flag)): flags[index] == flag
    case (.integer(let index), .number(let number)): integers[index] == wholeNumber(number)
    case (.number(let index), .number(let number)): numbers[index] == number
    case (.text(let index), .text(let text)): texts[index].utf8.elementsEqual(text.utf8)
    default: true
    }
  }

  mutating func put(_ value: SettingValue, at slot: SettingSlot) {
    switch (slot, value) {
    case (.flag(let index), .flag(let flag)): flags[index] = flag
    case (.integer(let index), .number(let number)): integers[index] = wholeNumber(number)
    case (.number(let index), .number(let number)): numbers[index] = number
    case (.text(let index), .text(let text)): texts[index] = text
    default: break  // A plugin declared the name with another kind; the program's own names cannot be declared.
    }
  }
}

/// Rounds to the nearest `Int`; a declaration with `whole` admits only exact ones.
private func wholeNumber(_ number: Double) -> Int {
  if let exact = Int(exactly: number.rounded()) { return exact }
  return number < 0 ? .min : .max
}

extension SettingsTree {
  /// Reads a switch. A load from an array.
  @inlinable public subscript(key: SettingKey<Bool>) -> Bool { slots.flags[key.index] }
  /// Reads a whole number.
  @inlinable public subscript(key: SettingKey<Int>) -> Int { slots.integers[key.index] }
  /// Reads a number.
  @inlinable public subscript(key: SettingKey<Double>) -> Double { slots.numbers[key.index] }
  /// Reads a choice, a text or a path.
  @inlinable public subscript(key: SettingKey<String>) -> String { slots.texts[key.index] }
}

/// Resolves names to keys, each for one kind of setting.
///
///     let length = try tree.keys.whole("game.length")
public struct SettingKeys {
  let tree: SettingsTree

  /// Resolves a switch.
  public func flag(_ name: String) throws(SettingsError) -> SettingKey<Bool> {
    let node = try leaf(name, wanted: "a switch") { if case .toggle = $0 { true } else { false } }
    let index = slot(of: node) { if case .flag(let index) = $0 { index } else { nil } } ?? tree.slots.flags.count
    if index == tree.slots.flags.count { add(.flag(index), to: node) { $0.flags.append(false) } }
    return SettingKey(index: index)
  }

  /// Resolves a number declared as whole.
  public func whole(_ name: String) throws(SettingsError) -> SettingKey<Int> {
    let node = try leaf(name, wanted: "a whole number") {
      if case .number(let range, _) = $0 { range.whole } else { false }
    }
    let index = slot(of: node) { if case .integer(let index) = $0 { index } else { nil } } ?? tree.slots.integers.count
    if index == tree.slots.integers.count { add(.integer(index), to: node) { $0.integers.append(0) } }
    return SettingKey(index: index)
  }

  /// Resolves a number.
  public func number(_ name: String) throws(SettingsError) -> SettingKey<Double> {
    let node = try leaf(name, wanted: "a number") { if case .number = $0 { true } else { false } }
    let index = slot(of: node) { if case .number(let index) = $0 { index } else { nil } } ?? tree.slots.numbers.count
    if index == tree.slots.numbers.count { add(.number(index), to: node) { $0.numbers.append(0) } }
    return SettingKey(index: index)
  }

  /// Resolves a choice, a text or a path.
  public func text(_ name: String) throws(SettingsError) -> SettingKey<String> {
    let node = try leaf(name, wanted: "text") { kind in
      switch kind {
      case .choice, .text, .path: true
      case .group, .toggle, .number: false
      }
    }
    let index = slot(of: node) { if case .text(let index) = $0 { index } else { nil } } ?? tree.slots.texts.count
    if index == tree.slots.texts.count { add(.text(index), to: node) { $0.texts.append("") } }
    return SettingKey(index: index)
  }

  private func leaf(_ name: String, wanted: String, _ fits: (SettingKind) -> Bool) throws(SettingsError) -> SettingNode
  {
    let node = try tree.forest.declared(name)
    guard let kind = node.declaration?.kind, fits(kind) else {
      throw .wrongKind(name, kind: node.declaration?.kind.word ?? "section", wanted: wanted)
    }
    return node
  }

  private func slot(of node: SettingNode, _ index: (SettingSlot) -> Int?) -> Int? { node.slots.compactMap(index).first }

  private func add(_ slot: SettingSlot, to node: SettingNode, _ grow: (inout SettingSlots) -> Void) {
    grow(&tree.slots)
    node.slots.append(slot)
    tree.slotsByName[node.name, default: []].append(slot)
    tree.slots.put(node.value, at: slot)
  }

  /// Copies changed values to the slots. Only settings that native code has resolved have slots: some dozens.
  func refresh() {
    for name in tree.slotsByName.keys {
      guard let node = tree.forest[name] else { continue }
      for slot in node.slots where !tree.slots.holds(node.value, at: slot) { tree.slots.put(node.value, at: slot) }
    }
  }
}

extension SettingsTree {
  public var keys: SettingKeys { SettingKeys(tree: self) }
}
