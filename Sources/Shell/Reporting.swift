// Formats errors for the user, and maps them to exit statuses. Invariant: every failure that reaches a user passes
// through here: one line, no Swift type name, no stack trace unless requested.

import Authentication
import Commands
import LuaRuntime
import Problems
import Text
import Values

/// Reports errors as text or as JSON.
struct Reporter {
  private let console: Console
  private let wantsJSON: Bool

  init(_ console: Console, _ options: ShellOptions) { (self.console, wantsJSON) = (console, options.wantsJSON) }

  /// Reports an error and returns its exit status.
  /// - Parameter origin: the command that failed; printed before the message.
  @discardableResult
  func report(_ error: any Error, origin: String? = nil, asJSON: Bool? = nil) -> Int32 {
    if let reason = (error as? LuaError)?.stopReason, case .exit(let status) = reason { return Int32(status) }
    let problem = problem(of: error)
    // Whoever ended the program knows why its work stopped.
    if let signal = Interrupts.endingSignal, problem.report.code == .interrupted { return 128 + signal }
    if asJSON ?? wantsJSON {
      console.rawMessage(Value(problem).json)
    } else {
      let words = printable(console.place, limit: 500) + words(error, problem, origin)
      if error is LuaError { console.message(lines: words) } else { console.message(words) }
    }
    showTrace(of: error)
    return problem.report.code.exitStatus
  }

  /// Reports an error in a listener; that of a plugin names the plugin and the subject itself.
  func report(_ error: any Error, in subject: String, of owner: Owner) {
    console.message(owner == .user ? "in \(subject): \(error)" : "\(error)")
    showTrace(of: error)
  }

  /// Shows the traceback, which an error has only if it was requested.
  private func showTrace(of error: any Error) {
    if let trace = (error as? any TracedError)?.trace { console.message(lines: trace) }
  }

  private func words(_ error: any Error, _ problem: any Problem, _ origin: String?) -> String {
    if let lua = error as? LuaError {
      if lua.stopReason == .interrupt { return "interrupted" }
      let text = withoutPromptPosition(lua.description)
      let hasPlace = text == lua.description && text.contains(":") && !text.hasPrefix("stopped")
      return hasPlace ? text : "error: " + text
    }
    if !console.place.isEmpty { return problem.message }
    return origin.map { "\($0): \(problem.message)" } ?? "error: \(problem.message)"
  }

  /// Lines typed at the prompt have no file, so the position is removed.
  private func withoutPromptPosition(_ text: String) -> String {
    let start = promptChunk + ":1: "
    return text.hasPrefix(start) ? String(text.dropFirst(start.count)) : text
  }

  private func problem(of error: any Error) -> any Problem {
    switch error {
    case let lua as LuaError:
      if let report = lua.problem?.report {
        return PlainProblem(ProblemReport(report.code, report.title, lua.description))
      }
      if lua.stopReason == .interrupt { return PlainProblem(ProblemReport(.interrupted, "Interrupted", "interrupted")) }
      return PlainProblem(ProblemReport(.luaError, "A Lua error", withoutPromptPosition(lua.description)))
    case let problem as any Problem: return problem
    default: return PlainProblem(ProblemReport(.failed, "It failed", String(describing: error)))
    }
  }
}
