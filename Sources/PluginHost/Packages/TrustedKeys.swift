// Whose packages the user accepts: keys that the user trusts, the plugins that are pinned to each, and the indexes
// that were added with each. Invariant: a plugin that was installed with a signature stays pinned to that key until
// the user changes it, even after it was removed; the file is written whole or not at all, under the lock of the
// plugins' folder.

public import Authentication
import Files
import Text
import Values

/// `plugin-keys.json` in the data folder, next to the plugins that all users of that folder share:
///
///     {"keys": {"RWQ...": {"name": "M. Ray"}}, "plugins": {"quizbowl": "RWQ..."},
///      "indexes": {"/home/ana/words": {"key": "RWQ...", "number": 7, "sha256": "..."}}}
public struct TrustedKeys {
  private let path: String
  private var whole = Value.Record()

  static let temporaryName = "plugin-keys.json.tmp"

  init(data: String) throws {
    path = data + "/plugin-keys.json"
    guard fileExists(path) else { return }
    let bytes = try FileText.bytes(path, limit: 1 << 20, isInterrupted: isNeverInterrupted)
    let limits = JSONLimits(bytes: 1 << 20, depth: 8, values: 100_000, string: 4096)
    do {
      guard let record = try JSONParser.parse(bytes, limits: limits).record else {
        throw SignatureError.damagedKeys(path: path, reason: "an object is expected")
      }
      whole = record
    } catch let failure as JSONFailure {
      throw SignatureError.damagedKeys(path: path, reason: failure.placedWords)
    }
  }

  /// The trusted keys, each with the name that the user gave it.
  public var keys: [(key: MinisignKey, name: String)] {
    (whole["keys"]?.record ?? Value.Record()).sortedFields.compactMap { field in
      MinisignKey(field.name).map { ($0, field.value.record?["name"]?.text ?? "") }
    }
  }

  /// Returns the names of the plugins that are pinned to a key, sorted.
  public func plugins(of key: MinisignKey) -> [String] { pins.filter { $0.value == key }.map(\.key).sorted() }

  /// The keys that plugins are pinned to.
  public var pins: [String: MinisignKey] {
    var pins: [String: MinisignKey] = [:]
    for field in whole["plugins"]?.record?.fields ?? [] {
      pins[field.name] = field.value.text.flatMap(MinisignKey.init)
    }
    return pins
  }

  public func trusts(_ key: MinisignKey) -> Bool { keys.contains { $0.key == key } }

  /// Trusts a key, or renames it; nil stops trusting it. Plugins pinned to it stay pinned.
  public mutating func set(_ key: MinisignKey, name: String?) {
    var keys = whole["keys"]?.record ?? Value.Record()
    keys[key.description] = name.map { .record([("name", .text($0))]) }
    whole["keys"] = .record(keys)
  }

  /// Pins a plugin to a key; nil unpins it.
  public mutating func pin(_ plugin: String, to key: MinisignKey?) {
    var plugins = whole["plugins"]?.record ?? Value.Record()
    plugins[plugin] = key.map { .text($0.description) }
    whole["plugins"] = .record(plugins)
  }

  // MARK: Indexes

  /// The indexes that were added, sorted by folder.
  public var indexes: [KnownIndex] {
    (whole["indexes"]?.record ?? Value.Record()).sortedFields.compactMap { field in
      guard let key = field.value.record?["key"]?.text.flatMap(MinisignKey.init) else { return nil }
      let number = field.value.record?["number"]?.integer
      let sha256 = field.value.record?["sha256"]?.text
      return KnownIndex(folder: field.name, key: key, number: number ?? 0, sha256: sha256 ?? "")
    }
  }

  /// Stores an index as it was seen, replacing what was stored for its folder.
  mutating func set(_ index: KnownIndex) {
    var indexes = whole["indexes"]?.record ?? Value.Record()
    indexes[index.folder] = .record([
      ("key", .text(index.key.description)), ("number", .integer(index.number)), ("sha256", .text(index.sha256)),
    ])
    whole["indexes"] = .record(indexes)
  }

  mutating func forgetIndex(_ folder: String) {
    var indexes = whole["indexes"]?.record ?? Value.Record()
    indexes[folder] = nil
    whole["indexes"] = .record(indexes)
  }

  /// Writes all changes at once.
  func save() throws {
    try AtomicFile.write(path, JSONWriter.bytes(of: .record(whole)), .internalFile(temporaryName: Self.temporaryName))
  }
}

/// An index that the user has added.
public struct KnownIndex: Equatable, Sendable {
  /// The folder's path without symbolic links.
  public let folder: String
  /// The key that must have signed it.
  public let key: MinisignKey
  /// The number of the newest version that was seen, and the hash of its `index.json`.
  public let number: Int
  let sha256: String
}
