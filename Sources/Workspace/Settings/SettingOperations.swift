// The settings of an account, reloaded when another process has changed them, and declared by plugins and scripts.
// Invariant: a change is one operation of the workspace, so that a script that fails leaves settings unchanged.

import Files
public import Problems
import Storage
public import ToggleSettings

/// The settings of a workspace; `preferences()` has the values of the program's own settings.
///
///     try workspace.settings.declare(declaration, by: .user).value()   // .number(9)
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

  /// Removes the declarations and observers of an owner.
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

extension Workspace {
  public var settings: SettingOperations { SettingOperations(workspace: self) }
}
