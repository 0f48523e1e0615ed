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
    let limits = JSONLimits(
      bytes: largest, depth: SettingBounds.depth + 1, values: SettingBounds.nodes, string: SettingBounds.textBytes)
    let whole: Value
    do throws(JSONFailure) { whole = try JSONParser.parse(bytes, limits: limits) } catch {
      throw .badFile(path: path, line: error.line, column: error.column, reason: error.words)
    }
    do throws(ShapeFailure) { return try SettingsFile(ValueReader(whole), path: path) } catch {
      throw .badEntry(path: path, pointer: error.pointer.description, expected: error.expected)
    }
  }

  private init(_ file: ValueReader, path: String) throws(ShapeFailure) {
    for (name, value) in try file.fields() where name != "values" && name != "locked" {
      throw value.failure("\"values\" or \"locked\" as the key")
    }
    let locked = try file["locked"].value == nil ? [] : file["locked"].elements("a list of names")
    let names = try locked.map { name throws(ShapeFailure) in try name.text("a name") }
    locks = SettingLocks(names: names, source: .system(path: path, locked: true))
    var values: [(name: String, value: SettingValue)] = []
    if file["values"].value != nil { try Self.collect(file["values"], nil, &values) }
    // A group comes before its switches, so that a switch's own value takes precedence.
    entries = values.sorted { (depth(of: $0.name), $0.name) < (depth(of: $1.name), $1.name) }.map { entry in
      LayeredSetting(entry.name, entry.value, from: .system(path: path, locked: false))
    }
  }

  /// Collects the settings of an object; those of objects within it get dotted names.
  /// - Parameter name: the object's own name; nil for the outermost.
  private static func collect(
    _ reader: ValueReader, _ name: String?, _ found: inout [(name: String, value: SettingValue)]
  ) throws(ShapeFailure) {
    if reader.value?.record != nil {
      for (part, value) in try reader.fields() { try collect(value, name.map { $0 + "." + part } ?? part, &found) }
    } else if let name, let setting = reader.value.flatMap(SettingValue.init) {
      found.append((name, setting))
    } else {
      throw reader.failure(name == nil ? "an object" : "a text, a number, true or false")
    }
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
