// `plugin.json`: what a plugin declares before any of its code runs. Invariant: it is only data; an error names the
// key and what was expected there; unknown keys are ignored, and remarked on to whoever works on the plugin.

public import Bindings
public import Problems
import Text
import Values
import Workspace

public struct Manifest: Sendable {
  public let name: PluginName
  /// 0 if the manifest states none.
  public let version: String
  public let api: Int
  public let summary: String
  public let author: String?
  /// The licence, such as `MIT`; nil if it is not stated.
  public let licence: String?
  public let permissions: [Permission]
  public let loadsAtStart: Bool
  public let commands: [String]
  public let modes: [String]
  public let exercises: [String]
  /// The formats of files, with the endings that each reads.
  public let formats: [(name: String, endings: [String])]
  /// The events that the plugin listens to; the first of them that occurs loads its code.
  public let events: [ShellEvent]
  /// What is probably a mistake, but refuses nothing: keys that are not known, but for the author's own (`x-...`).
  public let remarks: [String]
  /// The bytes that the manifest was read from; comparing them shows whether the user agreed to this very manifest.
  let source: [UInt8]
  public var owner: Owner { .plugin(name) }
  /// Whether it is written for a newer program; then only what describes the plugin is read.
  public var isNewer: Bool { api > apiVersion }

  static func isName(_ name: String) -> Bool { PluginName(name) != nil }

  /// Reads the text of a `plugin.json` from a folder of that name.
  init(_ bytes: [UInt8], folder: String) throws(PluginError) {
    let limits = JSONLimits(bytes: 256 << 10, depth: 16, values: 10_000, string: 64 << 10)
    let value: Value
    do { value = try JSONParser.parse(bytes, limits: limits) } catch {
      throw .badManifest(plugin: folder, reason: error.placedWords)
    }
    guard let object = value.record else { throw .badManifest(plugin: folder, reason: "an object expected") }
    let reader = ManifestReader(object: object, folder: folder)
    source = bytes
    name = try reader.name()
    api = try reader.api()
    let isNewer = api > apiVersion
    version = try reader.version()
    summary = printable(try reader.text("summary") ?? "", limit: 300)
    author = try reader.text("author").map { printable($0, limit: 80) }
    licence = try reader.text("licence").map { printable($0, limit: 80) }
    permissions = isNewer ? [] : try reader.permissions()
    loadsAtStart = isNewer ? false : try reader.loadsAtStart()
    commands = isNewer ? [] : try reader.names("commands")
    modes = isNewer ? [] : try reader.names("modes")
    exercises = isNewer ? [] : try reader.names("exercises")
    formats = isNewer ? [] : try reader.formats()
    events = isNewer ? [] : try reader.events()
    remarks = isNewer ? [] : reader.remarks
  }
}

/// Reads the keys of a manifest; each has its own error.
struct ManifestReader {
  let object: Value.Record
  let folder: String

  private static let keys = [
    "name", "version", "api", "summary", "author", "licence", "permissions", "load", "commands", "modes", "exercises",
    "formats", "events",
  ]

  var remarks: [String] {
    object.fields.map(\.name).filter { !Self.keys.contains($0) && !$0.hasPrefix("x-") }.map { name in
      "plugin.json: \(quoted(name)) is not a known key\(didYouMean(name, among: Self.keys)); it is ignored"
    }
  }

  private func wrong(_ key: String, _ expected: String) -> PluginError {
    .badManifest(
      plugin: folder, reason: "\"\(key)\": \(expected) expected\(object[key] == nil ? ", it is missing" : "")")
  }

  func text(_ key: String) throws(PluginError) -> String? {
    guard let value = object[key] else { return nil }
    guard let text = value.text else { throw wrong(key, "text") }
    return text
  }

  func name() throws(PluginError) -> PluginName {
    guard let name = try text("name").flatMap(PluginName.init) else {
      throw wrong("name", "a name of lowercase letters, digits, _ and -")
    }
    guard name.description == folder else { throw wrong("name", "\"\(folder)\", the name of its folder,") }
    return name
  }

  func api() throws(PluginError) -> Int {
    guard let api = object["api"]?.integer, api >= 1 else { throw wrong("api", "a whole number from 1") }
    return api
  }

  func version() throws(PluginError) -> String {
    guard let text = try text("version") else { return "0" }
    guard Version(text) != nil else { throw wrong("version", "a version such as \"1.0.0\"") }
    return text
  }

  func events() throws(PluginError) -> [ShellEvent] {
    try texts("events").map { (text) throws(PluginError) in
      guard let event = ShellEvent(rawValue: text) else {
        throw unknown("events", text, "an event", among: ShellEvent.allCases.map(\.rawValue))
      }
      return event
    }
  }

  private func unknown(_ key: String, _ text: String, _ what: String, among known: [String]) -> PluginError {
    .badManifest(
      plugin: folder,
      reason: "\"\(key)\": \(quoted(text)) is not \(what)\(didYouMean(text, among: known)); there are "
        + known.joined(separator: ", "))
  }

  func loadsAtStart() throws(PluginError) -> Bool {
    switch try text("load") {
    case nil, "use": return false
    case "startup": return true
    default: throw wrong("load", "\"startup\" or \"use\"")
    }
  }

  private func texts(_ key: String) throws(PluginError) -> [String] {
    guard let value = object[key] else { return [] }
    guard let items = value.list, items.allSatisfy({ $0.text != nil }) else { throw wrong(key, "a list of texts") }
    return items.compactMap(\.text)
  }

  func names(_ key: String) throws(PluginError) -> [String] {
    let names = try texts(key)
    if let bad = names.first(where: { !Manifest.isName($0) }) {
      throw wrong(key, "names of lowercase letters, digits, _ and - (not \(quoted(bad)))")
    }
    return names
  }

  func formats() throws(PluginError) -> [(name: String, endings: [String])] {
    guard let value = object["formats"] else { return [] }
    let formats = value.record?.fields.map { field in
      (name: field.name, endings: field.value.list?.compactMap(\.text) ?? [])
    }
    guard let formats, !formats.isEmpty, !formats.contains(where: { $0.endings.isEmpty }) else {
      throw wrong("formats", "names of formats, each with a list of endings, such as {\"org\": [\"org\"]},")
    }
    return formats
  }

  func permissions() throws(PluginError) -> [Permission] {
    let texts = try texts("permissions")
    // More than anyone would read before agreeing.
    if texts.count > 64 { throw wrong("permissions", "at most 64") }
    return try texts.map { (text) throws(PluginError) in
      guard let permission = Permission(text) else {
        let name = text.withoutPrefix("settings.write:")
        if name != text, ProgramSettings.isGuarded(name) {
          throw .badManifest(
            plugin: folder,
            reason: "\"permissions\": \(quoted(text)) is not a permission: no plugin may change \(name)")
        }
        let known =
          Grants.Module.allCases.map(\.rawValue) + ["settings.write:NAME", "files.read:/PATH", "files.write:~/PATH"]
        throw unknown("permissions", text, "a permission", among: known)
      }
      return permission
    }
  }
}

/// `1.2.3`, `1.2`, `2.0.0-beta`.
public struct Version: Comparable, Sendable {
  private let numbers: [Int]
  private let suffix: String

  public init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false).map { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
    }
    guard (1...4).contains(numbers.count), !numbers.contains(nil), text.utf8.count <= 64 else { return nil }
    guard parts.count == 1 || !parts[1].isEmpty else { return nil }
    self.numbers = numbers.compactMap { $0 }
    suffix = parts.count == 2 ? parts[1] : ""
  }

  private func number(_ index: Int) -> Int { index < numbers.count ? numbers[index] : 0 }

  public static func < (a: Version, b: Version) -> Bool {
    for index in 0..<max(a.numbers.count, b.numbers.count) where a.number(index) != b.number(index) {
      return a.number(index) < b.number(index)
    }
    if a.suffix.isEmpty || b.suffix.isEmpty { return !a.suffix.isEmpty && b.suffix.isEmpty }
    return a.suffix < b.suffix
  }

  public static func == (a: Version, b: Version) -> Bool { !(a < b) && !(b < a) }
}
