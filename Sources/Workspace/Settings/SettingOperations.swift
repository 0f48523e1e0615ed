// The settings of one user, or those before a sign-in: the program's own, those that plugins and scripts declare, and
// the layers from outside the account; reloaded when another process has changed them. Invariant: a change is one
// operation of the workspace; a value that is ignored is noted for the user.

import Files
import Glibc
public import Lexicon
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
    let (name, kind) = (declaration.name, declaration.kind)
    // A name that is declared again as another kind gets another handle.
    return workspace.handles.settings[kind.word + " " + name] {
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

  init(_ name: String, in workspace: Workspace) { (self.name, self.workspace) = (name, workspace) }

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

/// The sources of settings other than the account, set by the program and read when settings are first used.
public struct SettingSources {
  /// The settings file of the system administrator; it may be missing. Nil for none.
  public var systemFile: String?
  /// The environment's variables whose names begin with `DECKHAND_SET_`.
  public var variables: () -> [String: String]
  /// The arguments of each `--set`.
  public var commandLine: [LayeredSetting]
  /// Whether NO_COLOR is set.
  public var noColor: Bool

  public init(
    systemFile: String? = nil, variables: @escaping () -> [String: String] = { [:] },
    commandLine: [LayeredSetting] = [], noColor: Bool = false
  ) {
    (self.systemFile, self.variables, self.commandLine, self.noColor) = (systemFile, variables, commandLine, noColor)
  }
}

@dynamicMemberLookup public final class Preferences {
  public let tree = SettingsTree()
  private let program: ProgramSettings
  /// Messages for the user about settings that were carried over, ignored or could not be read, one line each.
  public private(set) var notices: [String] = []
  /// The reason why the system file could not be read; every setting is locked then.
  public private(set) var systemFailure: (any Problem)?
  /// Settings that are invalid, from storage, `--set` or any other source.
  public private(set) var refusals: [SettingsNotice] = []

  /// The program's own settings of one theme.
  public subscript<Theme>(dynamicMember theme: KeyPath<ProgramSettings, Theme>) -> Theme { program[keyPath: theme] }

  /// - Parameter languages: the languages with a word list.
  public init(_ sources: SettingSources, languages: [Language]) throws(SettingsError) {
    program = ProgramSettings(languages: languages.map(\.name), noColor: sources.noColor)
    try program.declare(in: tree)
    tree.report = { [unowned self] notice in notices.append(notice.message) }
    if let path = sources.systemFile { note(tree.setSystem(systemSettings(path))) }
    note(tree.setLayer(.environment, LayeredSetting.environment(sources.variables())))
    note(tree.setLayer(.commandLine, sources.commandLine))
  }

  private func systemSettings(_ path: String) -> SettingsFile {
    do {
      let bytes = try FileText.bytes(path, limit: SettingsFile.largest, isInterrupted: isNeverInterrupted)
      return try SettingsFile.read(bytes, path: path)
    } catch let error as FileError where [ENOENT, ENOTDIR].contains(error.number) {
      return .missing
    } catch {
      systemFailure = error as? any Problem ?? FileError(path, .read, number: EIO)
      return .unreadable(path: path)
    }
  }

  /// A warning that the system file is broken, and its consequences; nil if there is no problem.
  public var systemWarning: String? {
    systemFailure.map {
      "the system settings file is broken, so every setting has its default value and is locked: \($0.message)"
    }
  }

  func note(_ more: [SettingsNotice]) {
    for notice in more {
      switch notice {
      case .refused, .fellBack: refusals.append(notice)
      default: break
      }
      notices.append(notice.message)
    }
  }

  public func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  /// The names after `--set` that nobody has declared, with suggestions.
  public var unmatched: [SettingsError] {
    tree.unmatched(.commandLine).map {
      .unknownSetting($0.name, suggestion: suggestion(for: $0.name, among: tree.names))
    }
  }

  /// Those of the unclaimed names that resemble the name of a setting in the same group.
  public var misspelt: [SettingsError] {
    unmatched.filter { error in
      guard case .unknownSetting(let name, let suggestion?) = error else { return false }
      return name.prefix { $0 != "." } == suggestion.prefix { $0 != "." }
    }
  }
}
