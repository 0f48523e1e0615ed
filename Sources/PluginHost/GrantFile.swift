// What the user granted to which plugin, and the limits they set: a file in the folder of installed plugins.
// Invariant: it is written whole or not at all, what it does not say was not granted, and keys that are not known stay.

import Bindings
import Files
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

    var limits: PluginLimits {
      PluginLimits(
        seconds: seconds ?? PluginLimits.standard.seconds, memory: memory ?? PluginLimits.standard.memory)
    }
  }

  let path: String
  private(set) var entries: [String: Entry] = [:]
  private var whole = Value.Record()

  /// Reads the file; one that is missing grants nothing.
  init(path: String) throws {
    self.path = path
    guard fileExists(path) else { return }
    let bytes = try FileText.bytes(path, limit: 1 << 20)
    let limits = JSONLimits(bytes: 1 << 20, depth: 8, values: 100_000, string: 64 << 10)
    do throws(JSONFailure) {
      whole = try JSONParser.parse(bytes, limits: limits).record ?? Value.Record()
      entries = Self.entries(in: whole)
    } catch {
      throw PluginFileError.damagedGrants(path: path, error)
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
        seconds: seconds,
        memory: memory)
    }
    return found
  }

  /// What is kept of a plugin; of a bundled and an installed one of the same name only the one in use counts.
  func entry(of plugin: String, isBundled: Bool) -> Entry? {
    entries[plugin].flatMap { $0.isBundled == isBundled ? $0 : nil }
  }

  mutating func set(_ name: String, _ entry: Entry) throws {
    var object = whole[name]?.record ?? Value.Record()
    object["enabled"] = .boolean(entry.isEnabled)
    object["granted"] = .list(entry.granted.map { .text($0) })
    object["version"] = .text(entry.version)
    object["bundled"] = entry.isBundled ? .boolean(true) : nil
    object["seconds"] = entry.seconds.map { .measure($0) }
    object["memory"] = entry.memory.map { .integer($0) }
    var changed = whole
    changed[name] = .record(object)
    try AtomicFile.write(path, JSONWriter.bytes(of: .record(changed)))
    whole = changed
    entries[name] = entry
  }
}
