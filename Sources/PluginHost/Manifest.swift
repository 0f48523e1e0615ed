// `plugin.json`: what a plugin says of itself before any of its code runs. Invariant: it is data only; an error names the key
// and what was expected there; keys that are not known are kept.

import Bindings
import JSON
public import Wording

/// A right that a plugin asks for.
public enum Permission: Hashable, Sendable, CustomStringConvertible {
  case module(String)
  case read(path: String)
  case write(path: String)

  public var description: String {
    switch self {
    case .module(let name): name
    case .read(let path): "files.read:\(path)"
    case .write(let path): "files.write:\(path)"
    }
  }

  /// What it means, for the question that is asked once.
  public var inWords: String {
    switch self {
    case .module("decks.read"): "read decks"
    case .module("decks.write"): "change decks"
    case .module("documents.read"): "read card documents"
    case .module("documents.write"): "change card documents"
    case .module("words"): "look up words"
    case .module("games"): "add and play word games"
    case .module("settings"): "read settings and add its own"
    case .module("shell"): "add commands and print"
    case .module("shell.run"): "run any command, with all that you may do"
    case .module(let name): name
    case .read(let path): "read files in \(path)"
    case .write(let path): "write files in \(path)"
    }
  }

  init?(_ text: String) {
    if text.hasPrefix("files.read:"), text.utf8.count > 11 {
      self = .read(path: String(text.dropFirst(11)))
    } else if text.hasPrefix("files.write:"), text.utf8.count > 12 {
      self = .write(path: String(text.dropFirst(12)))
    } else if Grants.Module(rawValue: text) != nil {
      self = .module(text)
    } else {
      return nil
    }
  }
}

/// Why a plugin cannot be used.
public enum PluginError: Problem, Equatable {
  case unknown(name: String, suggestion: String)
  /// `reason` completes "plugin.json: ...".
  case badManifest(plugin: String, reason: String)
  /// The plugin is written for a newer program.
  case newerAPI(plugin: String, api: Int)
  /// Its code failed.
  case failed(plugin: String, message: String)
  /// Its manifest names something that its code did not add.
  case missing(plugin: String, what: String)
  case asksForMore(plugin: String, rights: [String])
  case disabled(plugin: String)

  public var code: String {
    switch self {
    case .unknown: "not_found"
    case .badManifest: "bad_manifest"
    case .newerAPI: "newer_api"
    case .failed, .missing: "plugin_failed"
    case .asksForMore: "not_granted"
    case .disabled: "plugin_disabled"
    }
  }

  public var title: String {
    switch self {
    case .unknown: "No such plugin"
    case .badManifest: "A plugin's manifest is wrong"
    case .newerAPI: "A plugin for a newer Deckhand"
    case .failed, .missing: "A plugin failed"
    case .asksForMore: "A plugin asks for more"
    case .disabled: "The plugin is off"
    }
  }

  public var message: String {
    switch self {
    case .unknown(let name, let suggestion):
      "no plugin is called \(quoted(name))\(suggestion); `plugin list` shows them"
    case .badManifest(let plugin, let reason): "\(printable(plugin)): plugin.json: \(reason)"
    case .newerAPI(let plugin, let api):
      "\(plugin): written for interface \(api), this program has \(apiVersion); update Deckhand"
    case .failed(let plugin, let message): "\(plugin): \(message)"
    case .missing(let plugin, let what): "\(plugin): its plugin.json names \(what), which its code did not add"
    case .asksForMore(let plugin, let rights):
      "\(plugin): asks for \(rights.joined(separator: ", ")); `plugin enable \(plugin)` grants it"
    case .disabled(let plugin): "\(plugin) is off; `plugin enable \(plugin)` turns it on"
    }
  }

  public var details: [(name: String, value: ProblemDetail)] {
    switch self {
    case .unknown: []
    case .badManifest(let plugin, _), .newerAPI(let plugin, _), .failed(let plugin, _), .missing(let plugin, _),
      .asksForMore(let plugin, _), .disabled(let plugin):
      [("plugin", .text(plugin))]
    }
  }
}

/// What `plugin.json` says.
public struct Manifest: Sendable {
  public let name: String
  public let version: String
  public let api: Int
  public let summary: String
  public let author: String?
  public let permissions: [Permission]
  public let loadsAtStart: Bool
  public let commands: [String]
  public let modes: [String]

  /// Reads the text of a `plugin.json` that lies in a folder of that name.
  init(_ bytes: [UInt8], folder: String) throws(PluginError) {
    let limits = JSONLimits(bytes: 256 << 10, depth: 16, values: 10_000, string: 64 << 10)
    let value: JSONValue
    do {
      value = try JSONParser.parse(bytes, limits: limits)
    } catch {
      throw .badManifest(plugin: folder, reason: "line \(error.line), column \(error.column): \(error.words)")
    }
    guard let object = value.object else { throw .badManifest(plugin: folder, reason: "an object expected") }
    let reader = ManifestReader(object: object, folder: folder)
    name = try reader.name()
    version = try reader.text("version") ?? "0"
    api = try reader.api()
    summary = try reader.text("summary") ?? ""
    author = try reader.text("author")
    permissions = try reader.permissions()
    loadsAtStart = try reader.loadsAtStart()
    commands = try reader.names("commands")
    modes = try reader.names("modes")
  }
}

/// Reads the keys of a manifest, each with its own error.
private struct ManifestReader {
  let object: JSONObject
  let folder: String

  private func wrong(_ key: String, _ expected: String) -> PluginError {
    .badManifest(
      plugin: folder, reason: "\"\(key)\": \(expected) expected\(object[key] == nil ? ", it is missing" : "")")
  }

  func text(_ key: String) throws(PluginError) -> String? {
    guard let value = object[key] else { return nil }
    guard let text = value.string else { throw wrong(key, "text") }
    return text
  }

  func name() throws(PluginError) -> String {
    guard let name = try text("name"), Self.isName(name) else {
      throw wrong("name", "a name of small letters, digits, _ and -")
    }
    guard name == folder else { throw wrong("name", "\"\(folder)\", the name of its folder,") }
    return name
  }

  func api() throws(PluginError) -> Int {
    guard let api = object["api"]?.integer, api >= 1 else { throw wrong("api", "a whole number from 1") }
    if api > apiVersion { throw .newerAPI(plugin: folder, api: api) }
    return api
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
    guard let items = value.array else { throw wrong(key, "a list of texts") }
    var texts: [String] = []
    for item in items {
      guard let text = item.string else { throw wrong(key, "a list of texts") }
      texts.append(text)
    }
    return texts
  }

  func names(_ key: String) throws(PluginError) -> [String] {
    let names = try texts(key)
    if let bad = names.first(where: { !Self.isName($0) }) {
      throw wrong(key, "names of small letters, digits, _ and - (not \(quoted(bad)))")
    }
    return names
  }

  func permissions() throws(PluginError) -> [Permission] {
    var found: [Permission] = []
    for text in try texts("permissions") {
      guard let permission = Permission(text) else {
        let known = Grants.Module.allCases.map(\.rawValue) + ["files.read:PATH", "files.write:PATH"]
        throw .badManifest(
          plugin: folder,
          reason: "\"permissions\": \(quoted(text)) is none\(didYouMean(text, among: known)); there are "
            + known.joined(separator: ", "))
      }
      found.append(permission)
    }
    return found
  }

  private static func isName(_ name: String) -> Bool {
    let bytes = name.utf8
    guard let first = bytes.first, (0x61...0x7A).contains(first), bytes.count <= 40 else { return false }
    return bytes.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D }
  }
}
