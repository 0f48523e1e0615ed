// A user's settings by name, as Lua and the commands see them, while the user is signed in. Invariant: a change is
// one operation of the workspace, so that a script that fails leaves settings unchanged; after a sign-out a handle
// fails with an error.

public import Problems
import Text
public import ToggleSettings

/// A group of switches, a choice or a value that Lua may hold. It contains only the name.
///
///     try workspace.settings.declare(declaration, by: .user).value()   // .number(9)
public class SettingHandle: WorkspaceHandle {
  public let workspace: Workspace
  public let name: String

  init(_ name: String, in workspace: Workspace) {
    self.name = name
    self.workspace = workspace
  }

  public func tree() throws -> SettingsTree { try workspace.preferences().tree }

  public func declaration() throws -> SettingDeclaration {
    let tree = try tree()
    _ = try tree.get(name)
    guard let declaration = tree.declaration(of: name) else {
      throw SettingsError.unknownSetting(name, suggestion: nil)
    }
    return declaration
  }

  public func value() throws -> SettingValue { try tree().get(name) }

  public func set(_ value: SettingValue, by owner: Owner) throws { try tree().set(name, to: value, by: owner) }
}

/// A group of switches with a master switch.
///
///     try group.toggle("basil", by: .user)   // .flag(true): it is on now
public final class SettingGroupHandle: SettingHandle {
  public func state() throws -> SettingState { try tree().state(name) }

  /// Returns the last parts of the names of the group's members.
  public func children() throws -> [String] {
    try tree().children(of: name).map { String($0.dropFirst(name.count + 1)) }
  }

  /// Toggles one child, or the whole group if nil; returns whether it is on now.
  public func toggle(_ child: String?, by owner: Owner) throws -> SettingValue {
    let full = child.map { name + "." + $0 } ?? name
    let tree = try tree()
    try tree.toggle([full], by: owner)
    return try tree.get(full)
  }
}

/// One of several options.
///
///     try choice.set(.text("spanish"), by: .user)
public final class SettingChoiceHandle: SettingHandle {}

/// A number, a text or a path.
///
///     try value.set(.number(8), by: .user)
public final class SettingValueHandle: SettingHandle {}
