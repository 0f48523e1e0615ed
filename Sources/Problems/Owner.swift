// Who added a command, an alias, a mode, a listener or a setting, or changed a setting: one type for the whole program.
// Invariant: owners are compared as values, never by name: a plugin called "you" is not the user.

/// The name of a plugin: lowercase letters, digits, `_` and `-`, beginning with a letter, at most 40 characters.
///
///     let name = PluginName("word_ladder")   // not nil
///     PluginName("../evil")                  // nil
public struct PluginName: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let description: String

  /// Nil if the text is not a valid plugin name.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard let first = bytes.first, (0x61...0x7A).contains(first), bytes.count <= 40, bytes.allSatisfy(Self.isNameByte)
    else { return nil }
    description = text
  }

  /// Lowercase letters, digits, `_` and `-`: the bytes of the names of plugins, their modes and their settings.
  public static func isNameByte(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F || byte == 0x2D
  }

  public static func < (first: PluginName, second: PluginName) -> Bool { first.description < second.description }
}

/// The origin of something.
///
///     switch command.owner {
///     case .plugin(let name): print("of the plugin \(name)")
///     default: break
///     }
public enum Owner: Hashable, Sendable {
  case program
  /// The user at the prompt, and whatever the user's own Lua state added.
  case user
  /// One of the user's scripts, by its name; `startScript` is the user's init.lua.
  case script(String)
  case plugin(PluginName)

  public static let startScript = Owner.script("init.lua")

  public var plugin: PluginName? {
    guard case .plugin(let name) = self else { return nil }
    return name
  }
}

extension Owner {
  /// The stored form in the account's data; `init(stored:)` parses it.
  public var stored: String {
    switch self {
    case .program: "program"
    case .user: "person"
    case .startScript: "init"
    case .script(let name): "script:\(name)"
    case .plugin(let name): "plugin:\(name)"
    }
  }

  /// Parses what `stored` returned. Nil if it is not a stored owner.
  public init?(stored: String) {
    let parts = stored.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count == 2 ? parts[1] : nil) {
    case ("program", nil): self = .program
    case ("person", nil): self = .user
    case ("init", nil): self = .startScript
    case ("script", let name?): self = .script(name)
    case ("plugin", let name?):
      guard let name = PluginName(name) else { return nil }
      self = .plugin(name)
    default: return nil
    }
  }
}
