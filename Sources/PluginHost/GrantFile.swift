// What a user granted to which plugin, and the limits they set: a file in the account's folder, so that what one
// account granted is nothing to another. Invariant: it is written whole or not at all, under a lock; what it does not
// say was not granted, and keys that are not known stay.

import Bindings
import Files
import Text
import Values

struct GrantFile {
  struct Entry: Equatable {
    var version = ""
    var granted: [String] = []
    var isEnabled: Bool
    /// Whether it is about the plugin that comes with the program: an installed one of the same name inherits nothing.
    var isBundled: Bool
    var seconds: Double?
    var memory: Int?
    /// Whether it runs in a process of its own, where it can.
    var isIsolated = true

    var limits: PluginLimits {
      PluginLimits(
        seconds: seconds ?? PluginLimits.standard.seconds, memory: memory ?? PluginLimits.standard.memory)
    }
  }

  /// The account's.
  let folder: String
  private var path: String { Self.path(in: folder) }
  private(set) var entries: [String: Entry] = [:]
  private var whole = Value.Record()

  /// While it is written; whoever holds the lock may take it over or away.
  private static let temporaryName = "grants.json.tmp"

  static func lockPath(in folder: String) -> String { folder + "/.grants.lock" }

  /// Takes away what a killed process has left, unless another one is writing now.
  static func removeLeftover(in folder: String) throws(FileError) {
    let left = folder + "/" + temporaryName
    guard fileExists(left), let lock = try FileLock(ifFree: lockPath(in: folder)) else { return }
    defer { lock.release() }
    try Folder.removeFile(left)
  }

  static func path(in folder: String) -> String { folder + "/grants.json" }

  /// Reads the file in an account's folder; one that is missing grants nothing.
  init(folder: String) throws {
    self.folder = folder
    let path = Self.path(in: folder)
    guard fileExists(path) else { return }
    let bytes = try FileText.bytes(path, limit: 1 << 20, isInterrupted: isNeverInterrupted)
    let limits = JSONLimits(bytes: 1 << 20, depth: 8, values: 100_000, string: 64 << 10)
    do {
      guard let record = try JSONParser.parse(bytes, limits: limits).record else {
        throw PluginFileError.badGrants(path: path)
      }
      whole = record
      entries = Self.entries(in: whole)
    } catch let failure as JSONFailure {
      throw PluginFileError.damagedGrants(path: path, failure)
    }
  }

  /// What in the file is no grant, in words.
  var strangers: [String] {
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
      let seconds = object["seconds"]?.double.flatMap { PluginHost.secondsRange.contains($0) ? $0 : nil }
      let memory = object["memory"]?.integer.flatMap { PluginHost.memoryRange.contains($0) ? $0 : nil }
      found[member.name] = Entry(
        version: object["version"]?.text ?? "", granted: (object["granted"]?.list ?? []).compactMap(\.text),
        isEnabled: object["enabled"]?.boolean ?? false, isBundled: object["bundled"]?.boolean ?? false,
        seconds: seconds, memory: memory, isIsolated: object["isolated"]?.boolean ?? true)
    }
    return found
  }

  /// The plugins that a file would turn on, and what it would grant them.
  static func grants(in bytes: [UInt8]) -> [(plugin: String, permissions: [String])] {
    let limits = JSONLimits(bytes: 1 << 20, depth: 8, values: 100_000, string: 64 << 10)
    do throws(JSONFailure) {
      let entries = Self.entries(in: try JSONParser.parse(bytes, limits: limits).record ?? Value.Record())
      return entries.filter(\.value.isEnabled).sorted { $0.key < $1.key }.map {
        ($0.key, $0.value.granted + ($0.value.isIsolated ? [] : ["to run in Deckhand's process"]))
      }
    } catch {
      // A file that cannot be read grants nothing.
      return []
    }
  }

  /// What is kept of a plugin; of a bundled and an installed one of the same name only the one in use counts.
  func entry(of plugin: String, isBundled: Bool) -> Entry? {
    entries[plugin].flatMap { $0.isBundled == isBundled ? $0 : nil }
  }

  /// What the file says of a plugin, as it is there; nil for nothing.
  func record(of plugin: String) -> Value? { whole[plugin] }

  mutating func set(_ name: String, _ entry: Entry) throws {
    try set(name, record: .record(record(of: name, entry)))
  }

  /// What the file would say of a plugin, with the keys that are not known.
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

  /// Puts a record in the place of what the file says of a plugin; nil takes it out.
  mutating func set(_ name: String, record: Value?) throws {
    var changed = whole
    changed[name] = record
    if changed == whole { return }
    try AtomicFile.write(path, JSONWriter.bytes(of: .record(changed)), .ofOurs(temporaryName: Self.temporaryName))
    whole = changed
    entries = Self.entries(in: whole)
  }
}
