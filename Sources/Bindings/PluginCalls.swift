// Calls into a plugin's code: how an error names each call, and what the caller gets when it fails. Invariant: an
// error of a plugin names the plugin; only Ctrl-C, the end of the program and ordinary problems pass through
// unchanged.

public import LuaRuntime
public import Problems
import Text
import Workspace

public enum PluginCall: Equatable, Sendable, CustomStringConvertible {
  case loading
  case command(String)
  case completion(String)
  /// A function of a mode, an exercise or a format.
  case part(_ kind: String, String, function: String)
  case event(ShellEvent)
  case change(String)
  case check(String)
  case test(String)

  public var description: String {
    switch self {
    case .loading: "while it was loaded"
    case .command(let name): "in command \(quoted(name))"
    case .completion(let name): "in the completion of \(quoted(name))"
    case .part(let kind, let name, let function): "in \(kind) \(quoted(name)), function \(function)"
    case .event(let event): "in the event \(event.rawValue)"
    case .change(let subject): "when \(subject) changed"
    case .check(let name): "in the check of the setting \(quoted(name))"
    case .test(let name): "in the test \(quoted(name))"
    }
  }
}

public struct PluginLimits: Equatable, Sendable {
  public var seconds: Double
  /// MiB.
  public var memory: Int

  public init(seconds: Double, memory: Int) { (self.seconds, self.memory) = (seconds, memory) }

  public static let standard = PluginLimits(seconds: 2, memory: 64)
  /// Of a plugin with formats: a file is read in one call.
  public static let ofFormats = PluginLimits(seconds: 20, memory: 64)
  /// What the user may set.
  public static let secondsRange = 0.1...3600.0
  public static let memoryRange = 1...4096

  /// "2 s".
  public var secondsInWords: String {
    seconds == seconds.rounded() && seconds < 1e9 ? "\(Int(seconds)) s" : "\(seconds) s"
  }
}

/// How a call into a plugin failed, for the caller.
public enum PluginCallError: Problem, Equatable {
  /// `place` is `init.lua:88`, or empty.
  case outOfTime(plugin: String, PluginCall, place: String, limits: PluginLimits)
  case outOfMemory(plugin: String, PluginCall, place: String, limits: PluginLimits)
  case failed(plugin: String, PluginCall, reason: String)
  /// A listener used up all the time of its event; `others` had none left.
  case unsubscribed(reason: String, others: Int)

  /// Converts a Lua error into what the caller gets.
  /// - Parameter advice: what to add to the message of an error that is not about a limit.
  public init(plugin: String, _ call: PluginCall, _ error: LuaError, limits: PluginLimits, advice: String? = nil) {
    let position = error.position.trimmed
    let place = position.hasSuffix(":") ? String(position.dropLast()) : position
    switch error.stopReason {
    case .deadline: self = .outOfTime(plugin: plugin, call, place: place, limits: limits)
    case .memory: self = .outOfMemory(plugin: plugin, call, place: place, limits: limits)
    default: self = .failed(plugin: plugin, call, reason: error.description + (advice ?? ""))
    }
  }

  public var report: ProblemReport {
    switch self {
    case .outOfTime(let plugin, let call, let place, let limits):
      let most = PluginLimits.secondsRange.upperBound
      let more = PluginLimits(seconds: min(limits.seconds < 10 ? 10 : limits.seconds * 2, most), memory: 0)
      let option = limits.seconds < most ? "--seconds \(more.secondsInWords.dropLast(2))" : nil
      return ProblemReport(
        .pluginStopped, "A plugin was stopped",
        "\(plugin): stopped after \(limits.secondsInWords) \(call)\(Self.at(place))" + Self.raising(option, of: plugin))
    case .outOfMemory(let plugin, let call, let place, let limits):
      let most = PluginLimits.memoryRange.upperBound
      let option = limits.memory < most ? "--memory \(min(limits.memory * 2, most))" : nil
      return ProblemReport(
        .pluginStopped, "A plugin was stopped",
        "\(plugin): stopped at \(limits.memory) MiB \(call)\(Self.at(place))" + Self.raising(option, of: plugin))
    case .failed(let plugin, let call, let reason):
      return ProblemReport(.pluginFailed, "A plugin failed", "\(plugin): \(reason) (\(call))")
    case .unsubscribed(let reason, let others):
      let rest = others == 0 ? "" : "; \(counted(others, "other listener")) had no time left"
      return ProblemReport(.pluginStopped, "A plugin was stopped", "\(reason); it is unsubscribed\(rest)")
    }
  }

  private static func at(_ place: String) -> String { place.isEmpty ? "" : " (\(place))" }

  /// - Parameter option: the option with the greater limit; nil if there is none.
  private static func raising(_ option: String?, of plugin: String) -> String {
    option.map { "; raise its limit with `plugin limit \(plugin) \($0)`" } ?? ""
  }
}

extension BindingContext {
  /// Runs code of the state's plugin, an error in which becomes an ordinary one that names it; the user's own stays.
  func calling<R>(_ call: PluginCall, _ body: () throws -> R) throws -> R {
    guard let plugin = owner.plugin?.description else { return try body() }
    // Modes and formats change no data themselves.
    let isPure = if case .part(let kind, _, _) = call { kind != "exercise" } else { false }
    do {
      return try isPure ? body() : shell.changing(asPlugin: plugin) { try limitingPending(of: plugin, body) }
    } catch let error as LuaError
      where error.isUncatchable || (call == .event(.authenticationChanged) && error.isSignInMissing)
    {
      throw error
    } catch let error as LuaError {
      let advice = self.advice(on: error.description)
      throw recorded(PluginCallError(plugin: plugin, call, error, limits: terms.limits, advice: advice), error.trace)
    } catch LuaFailure.message(let message) {
      throw recorded(PluginCallError.failed(plugin: plugin, call, reason: message), nil)
    }
  }

  private func limitingPending<R>(of plugin: String, _ body: () throws -> R) throws -> R {
    let open: Workspace
    do { open = try workspace() } catch {
      // Nobody is signed in, so there is nothing to change.
      return try body()
    }
    return try open.limitingPending(of: plugin, to: terms.limits.memory << 20, body)
  }

  private func recorded(_ problem: PluginCallError, _ trace: String?) -> LuaError {
    terms.recordFailure(problem.message)
    return LuaError(reporting: problem, trace: trace)
  }
}

extension LuaError {
  /// Whether the error passes through unchanged: not the plugin's own, or converted once already.
  var isUncatchable: Bool {
    isRequestedStop
      || problem.map { [.failure(.pluginFailed), .failure(.pluginStopped)].contains($0.report.code) } ?? false
  }

  /// Whether the code used what only a signed-in user may use.
  var isSignInMissing: Bool { problem.map { $0.report.code == .signIn(.authRequired) } ?? false }

  /// Whether a Ctrl-C or `os.exit` ended the code, which is not an error of the code.
  var isRequestedStop: Bool {
    switch stopReason {
    case .interrupt, .exit: true
    default: false
    }
  }
}
