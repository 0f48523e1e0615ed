// The system file of settings: what the machine's administrator sets for all users.
// Form: {"values": {"game.language": "spanish", "sound": {"right": true}}, "locked": ["game.language"]}
// Invariant: anything other than this form is rejected with its location; size and depth are bounded. A lock applies
// even if its value is wrong, and everything is locked if the file cannot be read.

import Values

/// A system file of settings, parsed.
///
///     let system = try SettingsFile.read(bytes, path: "/etc/deckhand/settings.json")
///     tree.setSystem(system)
public struct SettingsFile: Equatable, Sendable {
  /// The largest file that is read, in bytes.
  public static let largest = 1 << 20

  let entries: [LayeredSetting]
  let locks: SettingLocks

  public static var missing: SettingsFile { SettingsFile(entries: [], locks: .none) }

  private init(entries: [LayeredSetting], locks: SettingLocks) { (self.entries, self.locks) = (entries, locks) }

  /// The settings if the file cannot be read: every one is locked at its default.
  public static func unreadable(path: String) -> SettingsFile {
    SettingsFile(entries: [], locks: SettingLocks(names: nil, source: .brokenSystem(path: path)))
  }

  /// Parses the text of the file. `path` is for the messages and for `why`.
  public static func read(_ bytes: [UInt8], path: String) throws(SettingsError) -> SettingsFile {
    let reader = Reader(path: path)
    let whole = try reader.parse(bytes)
    guard let object = whole.record else { throw reader.failure(.whole, "an object") }
    for key in object.names where key != "values" && key != "locked" {
      throw reader.failure(JSONPointer.whole.appending(key), "\"values\" or \"locked\" as the key")
    }
    let locked = try reader.names(object["locked"] ?? .list([]), JSONPointer.whole.appending("locked"))
    var values: [(name: String, value: SettingValue)] = []
    try reader.settings(object["values"] ?? .record([:]), [], JSONPointer.whole.appending("values"), &values)
    let locks = SettingLocks(names: locked, source: .system(path: path, locked: true))
    // A group comes before its switches, so that a switch's own value takes precedence.
    let entries = values.sorted { (depth(of: $0.name), $0.name) < (depth(of: $1.name), $1.name) }.map { entry in
      LayeredSetting(entry.name, entry.value, from: .system(path: path, locked: false))
    }
    return SettingsFile(entries: entries, locks: locks)
  }
}

/// The locks of the system file, which apply whether or not it gives a value.
struct SettingLocks: Equatable, Sendable {
  /// Settings, groups and sections; nil for all of them.
  var names: [String]?
  var source: SettingSource

  static let none = SettingLocks(names: [], source: .standard)

  func cover(_ name: String) -> Bool { names?.contains { name == $0 || name.hasPrefix($0 + ".") } ?? true }
}

private struct Reader {
  let path: String

  func failure(_ place: JSONPointer, _ expected: String) -> SettingsError {
    .badEntry(path: path, pointer: place.description, expected: expected)
  }

  func parse(_ bytes: [UInt8]) throws(SettingsError) -> Value {
    let limits = JSONLimits(
      bytes: SettingsFile.largest, depth: SettingBounds.depth + 1, values: SettingBounds.nodes,
      string: SettingBounds.textBytes)
    do throws(JSONFailure) { return try JSONParser.parse(bytes, limits: limits) } catch {
      throw .badFile(path: path, line: error.line, column: error.column, reason: error.words)
    }
  }

  func names(_ value: Value, _ place: JSONPointer) throws(SettingsError) -> [String] {
    guard let list = value.list else { throw failure(place, "a list of names") }
    var names: [String] = []
    for (index, entry) in list.enumerated() {
      guard let name = entry.text else { throw failure(place.appending(index), "a name") }
      names.append(name)
    }
    return names
  }

  /// Collects the settings of an object; those of objects within it get dotted names.
  func settings(
    _ value: Value, _ parts: [String], _ place: JSONPointer, _ found: inout [(name: String, value: SettingValue)]
  ) throws(SettingsError) {
    if let object = value.record {
      for member in object.fields {
        try settings(member.value, parts + [member.name], place.appending(member.name), &found)
      }
    } else if let setting = SettingValue(value), !parts.isEmpty {
      found.append((parts.joined(separator: "."), setting))
    } else {
      throw failure(place, parts.isEmpty ? "an object" : "a text, a number, true or false")
    }
  }
}
