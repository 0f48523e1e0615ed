// Whose packages the user takes: keys that were trusted by hand, and the plugins that each has signed. Invariant: a
// plugin that was installed with a signature is of that key until the user says otherwise, also after it was removed;
// the file is written whole or not at all, under the lock of the plugins' folder.

public import Authentication
import Files
import Text
import Values

/// `plugin-keys.json` in the data folder, beside the plugins that everybody there shares:
///
///     {"keys": {"RWQ...": {"name": "M. Ray"}}, "plugins": {"quizbowl": "RWQ..."}}
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
      throw SignatureError.damagedKeys(
        path: path, reason: "line \(failure.line), column \(failure.column): \(failure.words)")
    }
  }

  /// Each with the name that the user gave it.
  public var keys: [(key: MinisignKey, name: String)] {
    (whole["keys"]?.record ?? Value.Record()).sortedFields.compactMap { field in
      MinisignKey(field.name).map { ($0, field.value.record?["name"]?.text ?? "") }
    }
  }

  /// The plugins that are a key's, by name.
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

  /// Trusts a key, or gives it another name; nil trusts it no more. What it has signed stays its own.
  public mutating func set(_ key: MinisignKey, name: String?) {
    var keys = whole["keys"]?.record ?? Value.Record()
    keys[key.description] = name.map { .record([("name", .text($0))]) }
    whole["keys"] = .record(keys)
  }

  /// Says whose a plugin is; nil for nobody's.
  public mutating func pin(_ plugin: String, to key: MinisignKey?) {
    var plugins = whole["plugins"]?.record ?? Value.Record()
    plugins[plugin] = key.map { .text($0.description) }
    whole["plugins"] = .record(plugins)
  }

  /// Writes what was changed, as one.
  func save() throws {
    try AtomicFile.write(path, JSONWriter.bytes(of: .record(whole)), .ofOurs(temporaryName: Self.temporaryName))
  }
}
