// One plugin that was found, its state and its files. Invariants: it has a Lua state exactly while it is loading or
// loaded; only files within its own folder are read as its code, and no link that leads out of it.

public import Bindings
import Files
import Glibc
import LuaRuntime
import Problems

public final class Plugin {
  /// The Lua state of a plugin and what loading it added; dropped when the plugin is unloaded.
  struct LoadedCode {
    /// The state that runs the code, or the twin of the state in the process that runs it.
    let lua: LuaState
    /// The process that runs the code; nil if the code runs in this one.
    let distant: DistantCode?
    let context: BindingContext
    /// Seconds that loading took; nil while it is loading.
    var loadTime: Double?
    var commands: [String] = []
    var modes: [String] = []

    /// Closes the state and the process, at once or when their running code has ended.
    func close() {
      lua.close()
      distant?.close()
    }
  }

  public enum State: Equatable {
    /// Enabled; its code is not loaded yet.
    case ready
    case loading
    case loaded
    case off
    /// It asks for rights that it was not granted.
    case asking([Permission])
    /// It is written for a newer interface than this program has.
    case newer(api: Int)
    /// It failed; the message has one line.
    case failed(String)
  }

  public let name: String
  public let folder: String
  public let isBundled: Bool
  /// Nil when `plugin.json` cannot be read.
  public internal(set) var manifest: Manifest?
  public internal(set) var state = State.off
  public internal(set) var lastError: String?
  public internal(set) var limits: PluginLimits
  /// The rights that the user granted, as the manifest writes them.
  public internal(set) var granted: [String] = []
  /// Whether its code is to run in its own process: a bundled plugin's only if it has formats, others if the user does
  /// not object.
  var wantsProcess: Bool
  var code: LoadedCode?
  /// Incremented by each unloading, so that loading notices if the plugin was unloaded from within.
  var unloadings = 0

  init(name: String, folder: String, isBundled: Bool, manifest: Manifest?, _ entry: GrantFile.Entry? = nil) {
    (limits, wantsProcess) = (.standard, !isBundled)
    self.name = name
    self.folder = folder
    self.isBundled = isBundled
    self.manifest = manifest
    apply(entry)
  }

  /// Applies what the user decided: whether it is on, its rights, its limits, and where it runs.
  func apply(_ entry: GrantFile.Entry?) {
    limits = entry?.limits(or: usualLimits) ?? usualLimits
    // Formats read files from anywhere.
    wantsProcess = isBundled ? !formats.isEmpty : entry?.isIsolated != false
    guard let manifest else { return }
    granted = isBundled ? manifest.permissions.map(\.description) : entry?.granted ?? []
    state = state(for: entry)
  }

  var usualLimits: PluginLimits { formats.isEmpty ? .standard : .ofFormats }

  /// The state that its manifest and the user's decisions give it.
  func state(for entry: GrantFile.Entry?) -> State {
    guard let manifest else { return state }
    if manifest.isNewer { return .newer(api: manifest.api) }
    if isBundled { return entry?.isEnabled == false ? .off : .ready }
    guard let entry, entry.isEnabled else { return .off }
    let missing = manifest.permissions.filter { !entry.granted.contains($0.description) }
    return missing.isEmpty ? .ready : .asking(missing)
  }

  /// Whether its commands and modes can be used.
  public var isUsable: Bool { [.ready, .loading, .loaded].contains(state) }

  /// What keeps its commands and modes from being used, and a remedy; nil if they can be used.
  var obstacle: String? {
    switch state {
    case .ready, .loading, .loaded: nil
    case .off: "is off; `plugin enable \(name)` turns it on"
    case .asking: "asks for more than it was granted; `plugin enable \(name)` grants it"
    case .newer: "is written for a newer Deckhand"
    case .failed: "failed; `plugin info \(name)` shows why"
    }
  }

  /// Its commands; until it is loaded, those that the manifest names.
  public var commands: [String] { state == .loaded ? code?.commands ?? [] : manifest?.commands ?? [] }
  public var modes: [String] { state == .loaded ? code?.modes ?? [] : manifest?.modes ?? [] }
  public var exercises: [String] { manifest?.exercises ?? [] }
  public var formats: [String] { manifest?.formats.map(\.name) ?? [] }
  /// Whether its manifest has a format with this name or ending.
  func reads(_ word: String) -> Bool {
    manifest?.formats.contains { $0.name == word || $0.endings.contains(word) } == true
  }
  public var loadTime: Double? { code?.loadTime }
  var lua: LuaState? { code?.lua }
}

struct PluginFolder {
  let path: String

  func manifest() throws -> [UInt8] { try file("plugin.json", limit: 256 << 10) }

  func file(_ name: String, limit: Int = 4 << 20) throws -> [UInt8] {
    let wanted = path + "/" + name
    guard let facts = try FileFacts.at(wanted, followingLinks: false) else { throw PluginFileError.missing(file: name) }
    // The common case: a plain file directly in the folder, with no link on the way.
    if facts.kind == .file, !name.contains("/") { return try Self.bytes(wanted, limit: limit) }
    guard let real = try resolvedPath(of: name) else { throw PluginFileError.outside(file: name) }
    return try Self.bytes(real, limit: limit)
  }

  /// Resolves a name in the folder, following links; nil if it leads out of the folder, or nowhere.
  func resolvedPath(of name: String) throws(FileError) -> String? {
    guard let real = realPath(path + "/" + name), let own = realPath(path) else {
      if isMissing(errno) || errno == ELOOP { return nil }
      throw FileError(path + "/" + name, .inspect)
    }
    return real.hasPrefix(own + "/") ? real : nil
  }

  private static func bytes(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try FileText.bytes(path, limit: limit) { Interrupts.areRequested }
  }

  /// Finds the module that `require` asks for: `parts.verbs` is `parts/verbs.lua`, or `parts/verbs/init.lua`.
  func module(_ name: String) throws -> (source: [UInt8], chunkName: String) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let isNameByte = { (byte: UInt8) in PluginName.isNameByte(byte) || (0x41...0x5A).contains(byte) }
    let isName = !parts.isEmpty && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isNameByte) }
    guard isName, name.utf8.count <= 200 else { throw PluginFileError.badModule(name) }
    let stem = parts.joined(separator: "/")
    for file in [stem + ".lua", stem + "/init.lua"] where fileExists(path + "/" + file) {
      return (Array(luaCode(ofFile: try self.file(file))), file)
    }
    throw PluginFileError.noModule(stem: stem)
  }
}
