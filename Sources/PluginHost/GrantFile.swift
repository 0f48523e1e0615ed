// The permissions that a user granted to plugins, and the limits they set: a file in the account's folder, so that
// grants of one account do not apply to another. Invariant: the file is written whole or not at all, under a lock;
// what it does not state is not granted, and unknown keys are preserved.

import Bindings
import Files
import Text
import Values

public struct GrantFile {
  struct Entry: Equatable {
    var version = ""
    var granted: [String] = []
    var isEnabled: Bool
    /// Whether the entry is for the bundled plugin; an installed plugin of the same name does not inherit it.
    var isBundled: Bool
    var seconds: Double?
    var memory: Int?
    /// Whether the plugin runs in its own process, if it can.
    var isIsolated = true

    func limits(or usual: PluginLimits) -> PluginLimits {
      PluginLimits(seconds: seconds ?? usual.seconds, memory: memory ?? usual.memory)
    }
  }

  let folder: String
  private var path: String { Self.path(in: folder) }
  private(set) var entries: [String: Entry] = [:]
  private var whole = Value.Record()
  /// The facts of the file when it was read or written; nil if there was none.
  private var facts: FileFacts?

  /// Whether nobody has changed the file since.
  var isCurrent: Bool {
    // If its facts cannot be read, reading it fails and reports why.
    do { return try FileFacts.at(path) == facts } catch { return false }
  }

  /// The name of the file while it is written; whoever holds the lock may overwrite or remove it.
  private static let temporaryName = "grants.json.tmp"

  static func lockPath(in folder: String) -> String { folder + "/.grants.lock" }

  /// Removes what a killed process left behind, unless another process is writing now.
  static func removeLeftover(in folder: String) throws(FileError) {
    let left = folder + "/" + temporaryName
    guard fileExists(left), let lock = try FileLock(ifFree: lockPath(in: folder)) else { return }
    defer { lock.release() }
    try Folder.removeFile(left)
  }

  static func path(in folder: String) -> String { folder + "/grants.json" }

  /// The limits of the file, and of the journal that contains a part of it.
  static let limits = JSONLimits(bytes: 1 << 20, depth: 8, values: 100_000, string: 64 << 10)

  /// Reads the file in an account's folder; a missing file grants nothing.
  init(folder: String) throws {
    self.folder = folder
    let path = Self.path(in: folder)
    facts = try FileFacts.at(path)
    guard facts != nil else { return }
    let bytes = try FileText.bytes(path, limit: 1 << 20, isInterrupted: isNeverInterrupted)
    do {
      guard let record = try JSONParser.parse(bytes, limits: Self.limits).record else {
        throw PluginFileError.badGrants(path: path)
      }
      whole = record
      entries = Self.entries(in: whole)
    } catch let failure as JSONFailure {
      throw PluginFileError.damagedGrants(path: path, failure)
    }
  }

  /// Messages about entries of the file that are not valid grants.
  var invalidEntries: [String] {
    whole.fields.filter { $0.value.record == nil }
      .map { "the entry of the plugin \(quoted($0.name)) is invalid, so nothing is granted to it" }
      + entries.sorted { $0.key < $1.key }.flatMap { name, entry in
        entry.granted.filter { Permission($0) == nil }
          .map { "\(quoted($0)), granted to the plugin \(quoted(name)), is not a permission" }
      }
  }

  private static func entries(in whole: Value.Record) -> [String: Entry] {
    var found: [String: Entry] = [:]
    for member in whole.fields {
      guard let object = member.value.record else { continue }
      let seconds = object["seconds"]?.double.flatMap { PluginLimits.secondsRange.contains($0) ? $0 : nil }
      let memory = object["memory"]?.integer.flatMap { PluginLimits.memoryRange.contains($0) ? $0 : nil }
      found[member.name] = Entry(
        version: object["version"]?.text ?? "", granted: (object["granted"]?.list ?? []).compactMap(\.text),
        isEnabled: object["enabled"]?.boolean ?? false, isBundled: object["bundled"]?.boolean ?? false,
        seconds: seconds, memory: memory, isIsolated: object["isolated"]?.boolean ?? true)
    }
    return found
  }

  /// Returns the plugins that a file would enable, and what it would grant them.
  public static func grants(in bytes: [UInt8]) -> [(plugin: String, permissions: [String])] {
    do throws(JSONFailure) {
      let entries = Self.entries(in: try JSONParser.parse(bytes, limits: Self.limits).record ?? Value.Record())
      return entries.filter(\.value.isEnabled).sorted { $0.key < $1.key }.map {
        ($0.key, $0.value.granted + ($0.value.isIsolated ? [] : ["to run in Deckhand's process"]))
      }
    } catch {
      // A file that cannot be read grants nothing.
      return []
    }
  }

  /// Returns the entry of a plugin: that of the bundled, or that of the installed one of the name.
  func entry(of plugin: String, isBundled: Bool) -> Entry? {
    entries[plugin].flatMap { $0.isBundled == isBundled ? $0 : nil }
  }

  /// Returns the file's value for a plugin, unchanged; nil if there is none.
  func record(of plugin: String) -> Value? { whole[plugin] }

  mutating func set(_ name: String, _ entry: Entry) throws { try set(name, record: .record(record(of: name, entry))) }

  /// Returns what the file would contain for a plugin, including unknown keys.
  func record(of name: String, _ entry: Entry) -> Value.Record {
    var object = whole[name]?.record ?? Value.Record()
    object["enabled"] = .boolean(entry.isEnabled)
    object["granted"] = .list(entry.granted.map { .text($0) })
    object["version"] = .text(entry.version)
    object["bundled"] = entry.isBundled ? .boolean(true) : nil
    object["seconds"] = entry.seconds.map { .measure($0) }
    object["memory"] = entry.memory.map { .integer($0) }
    object["isolated"] = entry.isIsolated ? nil : .boolean(false)
    return object
  }

  /// Replaces the file's record of a plugin; nil removes it.
  mutating func set(_ name: String, record: Value?) throws {
    var changed = whole
    changed[name] = record
    if changed == whole { return }
    try AtomicFile.write(path, JSONWriter.bytes(of: .record(changed)), .internalFile(temporaryName: Self.temporaryName))
    facts = try FileFacts.at(path)
    whole = changed
    entries = Self.entries(in: whole)
  }
}
