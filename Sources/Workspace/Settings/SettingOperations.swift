// The settings of an account, reloaded when another process has changed them, and declared by plugins and scripts.
// Invariant: a change is one operation of the workspace, so that a script that fails leaves settings unchanged.

import Files
public import Problems
import Storage
import Text
public import ToggleSettings

/// The settings of a workspace; `preferences()` has the values of the program's own settings.
public struct SettingOperations {
  let workspace: Workspace

  /// Loads the settings from the database again after it went back a step; notifies observers once of the changes.
  public func reload() throws {
    guard let tree = workspace.opened.preferences?.tree else { return }
    workspace.opened.preferences?.note(tree.load(try workspace.read { try SettingsTable.load($0) }, by: .user))
  }

  /// Loads the settings that another process has changed. Called between two lines of the prompt.
  public func refresh() throws {
    guard workspace.isOpen, workspace.opened.preferences != nil, !workspace.database.hasOpenTransaction,
      fileExists(workspace.collectionPath)
    else { return }
    try workspace.read { _ in }
    if workspace.database.otherChanges == workspace.hooks.settingsSeen { return }
    workspace.hooks.settingsSeen = workspace.database.otherChanges
    try reload()
  }

  public func remove(of owner: Owner) { workspace.opened.preferences?.tree.remove(owner) }

  /// Declares a setting and returns its handle for Lua.
  /// - Throws: `SettingsError`.
  public func declare(
    _ declaration: SettingDeclaration, by owner: Owner, check: SettingCheck? = nil
  ) throws -> SettingHandle {
    let preferences = try workspace.preferences()
    preferences.note(try preferences.tree.declare([declaration], by: owner, check: check))
    return handle(ofSetting: declaration.name, declaration.kind)
  }

  private func handle(ofSetting name: String, _ kind: SettingKind) -> SettingHandle {
    // A name that is declared again as another kind gets another handle.
    workspace.handles.settings[kind.word + " " + name] {
      switch kind {
      case .group, .toggle: SettingGroupHandle(name, in: workspace)
      case .choice: SettingChoiceHandle(name, in: workspace)
      case .number, .text, .path: SettingValueHandle(name, in: workspace)
      }
    }
  }
}

/// A group of switches, a choice or a value that Lua may hold. It contains only the name.
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

public final class SettingChoiceHandle: SettingHandle {}

public final class SettingValueHandle: SettingHandle {}
