// The permissions that a plugin may ask for. Invariant: a permission and its text in `plugin.json` correspond one to
// one; a path is absolute or begins with the user's home folder; printing shows the whole text.

import Bindings
import Problems
import Text
import Workspace

public enum Permission: Hashable, Sendable, CustomStringConvertible {
  case module(String)
  case read(path: String)
  case write(path: String)
  /// Changes a setting, or the settings of a group, that another plugin or the program declared.
  case setting(name: String)

  public var description: String {
    switch self {
    case .module(let name): name
    case .read(let path): "files.read:\(path)"
    case .write(let path): "files.write:\(path)"
    case .setting(let name): "settings.write:\(name)"
    }
  }

  /// What the permission means, for the question that the user is asked once.
  public var inWords: String {
    switch self {
    case .module("decks.read"): "read decks"
    case .module("decks.write"): "change decks"
    case .module("documents.read"): "read card documents"
    case .module("documents.write"): "change card documents"
    case .module("formats"): "read files that you import, and write those that you export, in its formats"
    case .module("words"): "look up words"
    case .module("texts"): "see what you know of the texts that it may read"
    case .module("games"): "add and play word games"
    case .module("study"): "see the cards that it asks, and others of their decks"
    case .module("settings"): "read settings and add its own"
    case .module("shell"): "add commands, print, and see which commands you use"
    case .module("shell.run"): "run any command, with all that you may do"
    case .module("commands.read"): "see every command that you type, with its arguments"
    case .module(let name): name
    case .read(let path): "read files in \(path)"
    case .write(let path): "write files in \(path)"
    case .setting(let name): "change the setting \(name) and those in it"
    }
  }

  /// Describes permissions for the question, one line each; reading and changing the same thing share a line.
  public static func inWords(_ permissions: [Permission]) -> [String] {
    permissions.compactMap { permission in
      let noun = String(permission.description.prefix { $0 != "." })
      let both = ["\(noun).read", "\(noun).write"].map { Permission.module($0) }
      guard both.contains(permission), both.allSatisfy(permissions.contains) else { return permission.inWords }
      return permission == both[0] ? "read and change " + (noun == "documents" ? "card documents" : noun) : nil
    }
  }

  init?(_ text: String) {
    if text.hasPrefix("files.read:") {
      guard let path = Self.place(text.dropFirst(11)) else { return nil }
      self = .read(path: path)
    } else if text.hasPrefix("files.write:") {
      guard let path = Self.place(text.dropFirst(12)) else { return nil }
      self = .write(path: path)
    } else if text.hasPrefix("settings.write:") {
      guard let name = Self.setting(text.dropFirst(15)) else { return nil }
      self = .setting(name: name)
    } else if Grants.Module(rawValue: text) != nil {
      self = .module(text)
    } else {
      return nil
    }
  }

  /// The longest path in characters, as the question shows it whole.
  static let longestPath = 400

  /// Reads a setting's name: parts of names, separated by dots; nil for settings that no plugin may change.
  private static func setting(_ name: Substring) -> String? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let isName = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(PluginName.isNameByte) }
    return isName && name.utf8.count <= 200 && !ProgramSettings.isGuarded(String(name)) ? String(name) : nil
  }

  /// Reads a path that means the same wherever the shell was started: absolute, or within the user's home folder.
  private static func place(_ path: Substring) -> String? {
    guard path.unicodeScalars.count <= longestPath, printable(String(path), limit: .max) == path else { return nil }
    return path.hasPrefix("/") || path == "~" || path.hasPrefix("~/") ? String(path) : nil
  }

  /// Whether the permission reaches beyond the data that a test of the plugin discards.
  var reachesOut: Bool {
    switch self {
    case .read, .write: true
    case .setting: false
    case .module(let name): name == Grants.Module.shellRun.rawValue
    }
  }
}
