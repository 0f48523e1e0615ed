// One plugin that was found, and what has become of it. Invariant: it has a Lua state exactly while it is loading or
// loaded.

public import Bindings
import LuaRuntime

public final class Plugin {
  /// The Lua state of a plugin and what loading it gave; it ends when the plugin is unloaded.
  struct LoadedCode {
    /// Where its code runs, or the twin of the state in the process that runs it.
    let lua: LuaState
    /// That process; nil where the code runs in this one.
    let distant: DistantCode?
    /// Seconds that loading took; nil while it lasts.
    var loadTime: Double?
    var commands: [String] = []
    var modes: [String] = []
  }

  public enum State: Equatable {
    /// Enabled, its code not loaded yet.
    case ready
    /// Its `init.lua` runs.
    case loading
    case loaded
    case off
    /// It wants rights that it was not granted.
    case asking([Permission])
    /// Written for a newer interface than this program has.
    case newer(api: Int)
    /// The message of one line.
    case failed(String)
  }

  public let name: String
  public let folder: String
  public let isBundled: Bool
  /// Nil when `plugin.json` cannot be read.
  public internal(set) var manifest: Manifest?
  public internal(set) var state: State
  public internal(set) var lastError: String?
  public internal(set) var limits: PluginLimits
  /// What the user granted, in the words of the manifest.
  public internal(set) var granted: [String]
  /// Whether the user wants its code in a process of its own; one that was bundled never is.
  var wantsProcess: Bool
  /// Its code, while it is loading or loaded.
  var code: LoadedCode?
  /// Grows with each unloading, so that a loading that was ended from within notices.
  var unloadings = 0

  init(
    name: String, folder: String, isBundled: Bool, manifest: Manifest?, state: State, granted: [String] = []
  ) {
    (limits, wantsProcess) = (.standard, !isBundled)
    self.name = name
    self.folder = folder
    self.isBundled = isBundled
    self.manifest = manifest
    self.state = state
    self.granted = granted
  }

  /// Takes over how the user wants it to run.
  func take(_ entry: GrantFile.Entry?) {
    limits = entry?.limits ?? .standard
    wantsProcess = !isBundled && entry?.isIsolated != false
  }

  /// Whether its commands and modes can be used.
  public var isUsable: Bool { [.ready, .loading, .loaded].contains(state) }

  /// Its commands, as far as they are known.
  public var commands: [String] { state == .loaded ? code?.commands ?? [] : manifest?.commands ?? [] }
  public var modes: [String] { state == .loaded ? code?.modes ?? [] : manifest?.modes ?? [] }
  /// Seconds that loading took; nil unless it is loaded.
  public var loadTime: Double? { code?.loadTime }
  var lua: LuaState? { code?.lua }
}

extension Plugin.LoadedCode {
  /// Compiles a text of the plugin's.
  func load(_ source: [UInt8], name: String) throws -> LuaReference {
    try distant?.load(source, name: name) ?? lua.load(source, name: name)
  }

  func setGlobal(_ name: String, _ value: some LuaRepresentable) throws {
    if let distant { try distant.setGlobal(name, value) } else { try lua.setGlobal(name, value) }
  }

  func setRequire(_ find: @escaping (String) throws -> (source: [UInt8], chunkName: String)) throws {
    if let distant { try distant.setRequire(find) } else { try lua.setRequire(find) }
  }

  /// Ends it, or lets it end when what of it runs has ended.
  func close() {
    lua.close()
    distant?.close()
  }
}
