// What can be wrong with a plugin, its files and the file of grants, as messages. Invariant: each message names the
// plugin or the file, and a remedy if there is one.

import Bindings
public import LuaRuntime
public import Problems
import Text
import Values

/// Why a plugin cannot be used.
public enum PluginError: Problem, TracedError, Equatable {
  case unknown(name: String, suggestion: String?)
  /// `reason` completes "plugin.json: ...".
  case badManifest(plugin: String, reason: String)
  case newerAPI(plugin: String, api: Int)
  /// Its code failed; `trace` is the traceback, if errors carry one.
  case failed(plugin: String, message: String, trace: String? = nil)
  /// Its manifest names something that its code did not add.
  case missing(plugin: String, what: String)
  case asksForMore(plugin: String, rights: [String])
  case exists(name: String, what: String)
  case badName(String)
  case disabled(plugin: String)
  /// Its own `init.lua` tried to use or load it.
  case isLoading(plugin: String)
  /// Its `init.lua` turned it off, or the user signed out.
  case endedWhileLoading(plugin: String)
  /// It cannot run in its own process; the reason is in words.
  case cannotIsolate(plugin: String, reason: String)
  /// Another plugin tried to make it run in Deckhand's process.
  case mayNotLeaveProcess(plugin: String)
  /// A plugin runs `plugin limit`, for itself or another.
  case mayNotSetLimits(plugin: String)
  /// Its `plugin.json` has changed since the user was asked.
  case changed(plugin: String)

  public var trace: String? { if case .failed(_, _, let trace) = self { trace } else { nil } }

  public var report: ProblemReport {
    switch self {
    case .unknown(let name, let near):
      ProblemReport(
        .notFound, "No such plugin",
        "no plugin is called \(quoted(name))\(didYouMean(near)); `plugin list` shows them", ["suggestion": near])
    case .badManifest(let plugin, let reason):
      .of(plugin, .badManifest, "A plugin's manifest is wrong", "\(printable(plugin)): plugin.json: \(reason)")
    case .newerAPI(let plugin, let api):
      .of(
        plugin, .newerAPI, "A plugin for a newer Deckhand",
        "\(plugin): written for interface \(api), this program has \(apiVersion); update Deckhand")
    case .failed(let plugin, let message, _): .of(plugin, .pluginFailed, "A plugin failed", "\(plugin): \(message)")
    case .missing(let plugin, let what):
      .of(
        plugin, .pluginFailed, "A plugin failed",
        "\(plugin): its plugin.json names \(what), which its code did not add")
    case .asksForMore(let plugin, let rights):
      .of(
        plugin, .notGranted, "A plugin asks for more",
        "\(plugin): asks for \(rights.joined(separator: ", ")); `plugin enable \(plugin)` grants it")
    case .disabled(let plugin):
      .of(plugin, .pluginDisabled, "The plugin is off", "\(plugin) is off; `plugin enable \(plugin)` turns it on")
    case .isLoading(let plugin):
      .of(
        plugin, .pluginLoading, "The plugin is being loaded",
        "\(plugin) is being loaded: it cannot be used before its init.lua has ended")
    case .endedWhileLoading(let plugin):
      .of(plugin, .pluginDisabled, "The plugin is off", "\(plugin) was unloaded while its init.lua ran")
    case .changed(let plugin):
      .of(
        plugin, .pluginChanged, "A plugin changed",
        "\(plugin): its plugin.json changed after the question; nothing was granted, "
          + "`plugin enable \(plugin)` asks again")
    case .cannotIsolate(let plugin, let reason):
      .of(
        plugin, .pluginFailed, "A plugin cannot be isolated",
        "\(plugin): cannot run in a process of its own: \(reason); "
          + "`plugin enable \(plugin) --no-isolate` runs it in Deckhand's, where a bug in it can damage your data")
    case .mayNotLeaveProcess(let plugin):
      .of(
        plugin, .notGranted, "Not granted",
        "\(plugin): only you can have it run in Deckhand's own process: type `plugin enable \(plugin) --no-isolate`")
    case .mayNotSetLimits(let plugin):
      .of(
        plugin, .notGranted, "Not granted",
        "\(plugin): only you can change what a plugin may use: type `plugin limit \(plugin)` with the new limits")
    case .exists(let name, let what):
      ProblemReport(.exists, "The name is taken", "\(quoted(name)) is already the name of \(what)")
    case .badName(let name):
      ProblemReport(
        .badName, "Not a usable name",
        "\(quoted(name)) is not a valid plugin name: lowercase letters, digits, _ and - are expected, a letter first")
    }
  }
}

enum PluginFileError: Problem, Equatable {
  case missing(file: String)
  /// The file, or a link on the way to it, leads out of the plugin's folder.
  case outside(file: String)
  /// `require` got something that is not a module name.
  case badModule(String)
  /// `require` finds no file; `stem` is its path without `.lua`.
  case noModule(stem: String)
  case damagedGrants(path: String, JSONFailure)
  /// The file is JSON, but not an object.
  case badGrants(path: String)
  /// The journal of a change to a plugin cannot be read.
  case badJournal(path: String)

  var report: ProblemReport {
    switch self {
    case .missing(let file): ProblemReport(.notFound, "A plugin's file", "\(printable(file)) is missing")
    case .outside(let file):
      ProblemReport(.badPath, "A plugin's file", "\(printable(file)) is outside the plugin's folder")
    case .badModule(let name):
      ProblemReport(
        .badName, "A plugin's file",
        "require: \(quoted(name)) is not a module name; a plugin can only require its own files")
    case .noModule(let stem):
      ProblemReport(.notFound, "A plugin's file", "require: no file \(stem).lua in the plugin's folder")
    case .damagedGrants(let path, let failure):
      ProblemReport(
        .badFile, "A damaged file",
        "\(printable(path)):\(failure.line):\(failure.column): \(failure.words); "
          + "no installed plugin is enabled until it is repaired or removed")
    case .badJournal(let path):
      ProblemReport(
        .damagedJournal, "A damaged record",
        "\(printable(path)) records an unfinished change of a plugin and cannot be read; no plugin is installed, "
          + "updated or removed until you delete the file")
    case .badGrants(let path):
      ProblemReport(
        .badFile, "A damaged file",
        "\(printable(path)): an object is expected; no installed plugin is enabled until it is repaired or removed")
    }
  }
}
