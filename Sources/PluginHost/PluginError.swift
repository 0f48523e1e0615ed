// What can be wrong with a plugin, in words. Invariant: each message names the plugin, and what to do where something can be done.

import Bindings
public import Problems
import Text

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
  /// A plugin that it is built on is not there, is another version, or is off.
  case missingDependency(plugin: String, needs: String, reason: String)
  /// Plugins that need each other in a ring, the first again at the end.
  case cycle([String])
  case exists(name: String, what: String)
  case badName(String)
  case disabled(plugin: String)
  /// It was to be loaded again by its own `init.lua`.
  case isLoading(plugin: String)
  /// Its `init.lua` had it turned off, or the person signed out.
  case endedWhileLoading(plugin: String)
  /// Its `plugin.json` is another one than that which was asked about.
  case changed(plugin: String)

  public var code: String {
    switch self {
    case .unknown: "not_found"
    case .badManifest: "bad_manifest"
    case .newerAPI: "newer_api"
    case .failed, .missing: "plugin_failed"
    case .asksForMore: "not_granted"
    case .disabled, .endedWhileLoading: "plugin_disabled"
    case .isLoading: "plugin_loading"
    case .changed: "plugin_changed"
    case .missingDependency: "missing_dependency"
    case .cycle: "dependency_cycle"
    case .exists: "exists"
    case .badName: "bad_name"
    }
  }

  public var title: String {
    switch self {
    case .unknown: "No such plugin"
    case .badManifest: "A plugin's manifest is wrong"
    case .newerAPI: "A plugin for a newer Deckhand"
    case .failed, .missing: "A plugin failed"
    case .asksForMore: "A plugin asks for more"
    case .disabled, .endedWhileLoading: "The plugin is off"
    case .isLoading: "The plugin is being loaded"
    case .changed: "A plugin changed"
    case .missingDependency: "A plugin lacks another"
    case .cycle: "Plugins need each other"
    case .exists: "The name is taken"
    case .badName: "Not a usable name"
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
    case .isLoading(let plugin): "\(plugin) is being loaded: it cannot be used before its init.lua has ended"
    case .endedWhileLoading(let plugin): "\(plugin) was unloaded while its init.lua ran"
    case .changed(let plugin):
      "\(plugin): its plugin.json changed after the question; nothing was granted, `plugin enable \(plugin)` asks again"
    case .missingDependency(let plugin, let needs, let reason): "\(plugin): needs the plugin \(needs), \(reason)"
    case .cycle(let names): "\(names.first ?? ""): plugins need each other in a ring: \(names.joined(separator: " > "))"
    case .exists(let name, let what): "\(quoted(name)) is the name of \(what) already"
    case .badName(let name):
      "\(quoted(name)) cannot name a plugin: a name of small letters, digits, _ and - is expected, a letter first"
    }
  }

  public var details: [(name: String, value: ProblemDetail)] {
    switch self {
    case .unknown, .cycle, .exists, .badName: []
    case .badManifest(let plugin, _), .newerAPI(let plugin, _), .failed(let plugin, _), .missing(let plugin, _),
      .asksForMore(let plugin, _), .disabled(let plugin), .isLoading(let plugin), .endedWhileLoading(let plugin),
      .changed(let plugin),
      .missingDependency(let plugin, _, _):
      [("plugin", .text(plugin))]
    }
  }
}
