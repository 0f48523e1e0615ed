// Where code runs that is not the user's own: a bundled plugin's in deckhand's process, any other plugin's in its own,
// and that of a source of `build` always in its own. Invariant: code whose process cannot be started, or has ended, is
// not run elsewhere instead; only the user decides that.

import Bindings
import Files
public import LuaRuntime

/// The processes of the plugins of a host.
///
///     if plugins.isolation.holds(plugin) { ... }
public struct PluginIsolation {
  let host: PluginHost

  /// Whether a plugin's code runs, or would run, in its own process.
  public func holds(_ plugin: Plugin) -> Bool { plugin.wantsProcess && host.environment.folders.pluginProgram != nil }

  /// Checks that a plugin could run where it is supposed to.
  /// - Throws: `PluginError.cannotIsolate`.
  func check(_ plugin: Plugin) throws {
    _ = try process(for: plugin, CodeTerms(memoryLimit: plugin.limits.memory << 20, seed: nil))
  }

  /// Starts the process for a plugin, with this state as its twin; nil for a plugin that runs in Deckhand's process.
  func start(_ plugin: Plugin, _ lua: LuaState, seed: UInt64?) throws -> DistantCode? {
    var terms = CodeTerms(memoryLimit: plugin.limits.memory << 20, seed: seed)
    terms.isTracing = lua.isTracing
    guard let process = try process(for: plugin, terms) else { return nil }
    let code = DistantCode(lua, process, longestFrame: terms.longestFrame)
    code.onFailure = { [weak host, weak plugin] why in
      if let host, let plugin { PluginIsolation(host: host).unloadAfterFailure(plugin, why) }
    }
    return code
  }

  /// Starts the process for code that no plugin owns, with this state as its twin.
  /// - Parameter seconds: the time limit of a call.
  public func start(_ lua: LuaState, _ terms: CodeTerms, seconds: Double) throws -> DistantCode? {
    try process(terms, seconds: seconds) { LuaFailure.message("it cannot run in a process of its own: \($0)") }.map {
      DistantCode(lua, $0, longestFrame: terms.longestFrame)
    }
  }

  private func process(for plugin: Plugin, _ terms: CodeTerms) throws -> PluginProcess? {
    guard plugin.wantsProcess else { return nil }
    return try process(terms, seconds: plugin.limits.seconds) {
      PluginError.cannotIsolate(plugin: plugin.name, reason: $0)
    }
  }

  private func process(_ terms: CodeTerms, seconds: Double, _ failure: (String) -> any Error) throws -> PluginProcess? {
    guard let path = host.environment.folders.pluginProgram else { return nil }
    let zone = host.environment.variables.value("TZ").map { ["TZ=" + $0] } ?? []
    do throws(IsolationFailure) {
      return try PluginProcess(
        path: path, variables: zone, terms, seconds: seconds, clock: host.environment.clocks.elapsed)
    } catch {
      throw failure(error.words(path))
    }
  }

  /// Unloads a plugin whose process has ended, until it is loaded again. The caller gets the reason as an error.
  private func unloadAfterFailure(_ plugin: Plugin, _ why: DistantFailure) {
    plugin.lastError = why.words
    // During loading, the code that loads the plugin sets its state.
    guard plugin.state == .loaded else { return }
    host.unload(plugin)
    plugin.state = .failed(why.words + "; `plugin reload \(plugin.name)` starts it again")
  }
}

extension PluginHost {
  public var isolation: PluginIsolation { PluginIsolation(host: self) }
}

extension IsolationFailure {
  fileprivate func words(_ program: String) -> String {
    switch self {
    case .missing(let path): "\(path) cannot be started; put deckhand-plugin next to deckhand"
    case .notConfined: "this system cannot restrict what a process may do"
    case .notReady: "\(program) did not answer"
    }
  }
}
