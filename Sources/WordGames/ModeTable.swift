// The modes that can be played, by name: the built-in ones and those that scripts and plugins add.
// Invariant: a name has one mode; only its owner removes it.

public import Problems
import Text

/// The modes that can be played, by name.
///
///     let modes = ModeTable()
///     try modes.mode(named: "blitz").seconds   // 120
///     modes.remove(owner: .plugin(name))
public final class ModeTable {
  private var entries: [(mode: Mode, owner: Owner)]
  /// Returns which plugin has a mode that is not in the table, and why the plugin cannot be used.
  public var reasonForMissing: (String) -> String? = { _ in nil }

  public init() { entries = Mode.builtIn.map { ($0, .program) } }

  /// All modes in the order they were added, the built-in ones first.
  public var modes: [Mode] { entries.map(\.mode) }

  /// Adds a mode; throws if its name is invalid, or taken by another owner. The user's own modes replace each other, so
  /// that a script that adds one can be run again.
  public func add(_ mode: Mode, owner: Owner) throws(GameError) {
    let name = mode.name
    guard !name.isEmpty, name.utf8.count <= 64, name.utf8.allSatisfy(PluginName.isNameByte) else {
      throw .badMode(name: name, reason: "a name of lowercase letters, digits, _ and - expected")
    }
    guard let index = entries.firstIndex(where: { $0.mode.name == name }) else { return entries.append((mode, owner)) }
    let taken = entries[index]
    guard owner == .user, taken.owner == .user else { throw .modeTaken(name: name, owner: taken.owner) }
    taken.mode.hooks.willRemove?()
    entries[index] = (mode, owner)
  }

  /// Removes all modes of an owner; the built-in ones stay.
  public func remove(owner: Owner) {
    guard owner != .program else { return }
    for entry in entries where entry.owner == owner { entry.mode.hooks.willRemove?() }
    entries.removeAll { $0.owner == owner }
  }

  /// Returns the mode with the given name; the error suggests a similar one.
  public func mode(named name: String) throws(GameError) -> Mode {
    if let entry = entries.first(where: { $0.mode.name == name }) { return entry.mode }
    throw .unknownMode(
      name: name, suggestion: suggestion(for: name, among: entries.map(\.mode.name)), reason: reasonForMissing(name))
  }

  public func owner(of name: String) -> Owner? { entries.first { $0.mode.name == name }?.owner }
}
