// Calls into a plugin's code: what each is called in an error, and what its caller hears when it fails. Invariant: an error of a
// plugin names the plugin; only Ctrl-C and problems of ordinary life pass as they are.

public import LuaRuntime
public import Problems
import Text

/// What of a plugin was called.
public enum PluginCall: Equatable, Sendable, CustomStringConvertible {
  case loading
  case command(String)
  case completion(String)
  case mode(String, function: String)
  case event(ShellEvent)
  case change(String)
  case test(String)

  public var description: String {
    switch self {
    case .loading: "while it was loaded"
    case .command(let name): "in command \(quoted(name))"
    case .completion(let name): "in the completion of \(quoted(name))"
    case .mode(let name, let function): "in mode \(quoted(name)), function \(function)"
    case .event(let event): "in the event \(event.rawValue)"
    case .change(let subject): "when \(subject) changed"
    case .test(let name): "in the test \(quoted(name))"
    }
  }
}

/// What each call of a plugin may use.
public struct PluginLimits: Equatable, Sendable {
  public var seconds: Double
  /// MiB.
  public var memory: Int

  public init(seconds: Double, memory: Int) {
    self.seconds = seconds
    self.memory = memory
  }

  public static let standard = PluginLimits(seconds: 2, memory: 64)

  /// "2 s".
  public var secondsInWords: String {
    seconds == seconds.rounded() && seconds < 1e9 ? "\(Int(seconds)) s" : "\(seconds) s"
  }
}

/// How a call into a plugin ended, for the one who called.
public enum PluginCallError {
  /// - Parameter place: `init.lua:88`, or empty.
  public static func problem(
    plugin: String, _ call: PluginCall, _ error: LuaError, limits: PluginLimits
  ) -> PlainProblem {
    let place = error.position.trimmed.trimmedSuffix(":")
    let at = place.isEmpty ? "" : " (\(place))"
    switch error.stopReason {
    case .deadline:
      let more = limits.seconds < 10 ? 10 : limits.seconds * 2
      return PlainProblem(
        code: "plugin_stopped", title: "A plugin was stopped",
        message: "\(plugin): stopped after \(limits.secondsInWords) \(call)\(at); raise its limit with "
          + "`plugin limit \(plugin) --seconds \(PluginLimits(seconds: more, memory: 0).secondsInWords.dropLast(2))`")
    case .memory:
      return PlainProblem(
        code: "plugin_stopped", title: "A plugin was stopped",
        message: "\(plugin): stopped at \(limits.memory) MiB \(call)\(at); raise its limit with "
          + "`plugin limit \(plugin) --memory \(limits.memory * 2)`")
    default:
      return PlainProblem(
        code: "plugin_failed", title: "A plugin failed", message: "\(plugin): \(error.description) (\(call))")
    }
  }
}

extension BindingContext {
  /// Runs code of the plugin that the state belongs to; an error in it becomes an ordinary one that names the plugin. The
  /// person's own code fails as it does.
  func calling<R>(_ call: PluginCall, _ body: () throws -> R) throws -> R {
    guard let plugin = owner.plugin?.description else { return try body() }
    do {
      return try body()
    } catch let error as LuaError where error.passesOn {
      throw error
    } catch let error as LuaError {
      throw told(PluginCallError.problem(plugin: plugin, call, error, limits: terms.limits), error.trace)
    } catch LuaFailure.message(let message) {
      throw told(
        PlainProblem(code: "plugin_failed", title: "A plugin failed", message: "\(plugin): \(message) (\(call))"), nil)
    }
  }

  private func told(_ problem: PlainProblem, _ trace: String?) -> LuaError {
    terms.noteFailure(problem.message)
    return LuaError(telling: problem, trace: trace)
  }
}

extension LuaError {
  /// Ctrl-C and the end of the program are nobody's error; what was told once names its plugin already.
  var passesOn: Bool {
    switch stopReason {
    case .interrupt, .exit: true
    default: problem.map { $0.code == "plugin_failed" || $0.code == "plugin_stopped" } ?? false
    }
  }
}

extension String {
  func trimmedSuffix(_ suffix: String) -> String { hasSuffix(suffix) ? String(dropLast(suffix.count)) : self }
}
