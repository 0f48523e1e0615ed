// One plugin that was found, and what has become of it. Invariant: it has a Lua state exactly while it is loaded.

import LuaRuntime

public final class Plugin {
  public enum State: Equatable {
    /// Enabled, its code not loaded yet.
    case ready
    case loaded
    case off
    /// It wants rights that it was not granted.
    case asking([Permission])
    /// The message of one line.
    case failed(String)
  }

  public let name: String
  public let folder: String
  public let isBundled: Bool
  /// Nil when `plugin.json` cannot be read.
  public let manifest: Manifest?
  public internal(set) var state: State
  /// Seconds that loading took.
  public internal(set) var loadTime: Double?
  public internal(set) var lastError: String?
  var lua: LuaState?

  init(name: String, folder: String, isBundled: Bool, manifest: Manifest?, state: State) {
    self.name = name
    self.folder = folder
    self.isBundled = isBundled
    self.manifest = manifest
    self.state = state
  }

  /// Whether its commands and modes can be used.
  public var isUsable: Bool { state == .ready || state == .loaded }
}
