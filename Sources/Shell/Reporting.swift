// Errors in words, and what they mean for the exit status. Invariant: every failure that reaches a person passes here: one line,
// no Swift type name, no trace unless it was asked for.

import Authentication
import Commands
import LuaRuntime
import Problems
import Text
import Values

/// Reports errors in words, or as JSON.
struct Reporter {
  private let console: Console
  private let wantsJSON: Bool
  private let wantsTrace: Bool

  init(_ console: Console, _ options: ShellOptions) {
    self.console = console
    (wantsJSON, wantsTrace) = (options.wantsJSON, options.wantsTrace)
  }

  /// Tells of an error and answers the exit status it stands for.
  /// - Parameter origin: the command that failed, before the message.
  @discardableResult
  func report(_ error: any Error, origin: String? = nil, asJSON: Bool? = nil) -> Int32 {
    if let reason = (error as? LuaError)?.stopReason, case .exit(let status) = reason { return Int32(status) }
    let problem = problem(of: error)
    // Whoever ended the program knows why its work stopped.
    if let signal = Interrupts.endingSignal, problem.code == "interrupted" { return 128 + signal }
    if asJSON ?? wantsJSON {
      console.messageAsItIs(JSONText.problem(problem))
    } else {
      console.message(printableLines(words(error, problem, origin)))
    }
    if let trace = (error as? LuaError)?.trace, wantsTrace { console.message(trace) }
    return status(of: error, problem)
  }

  private func words(_ error: any Error, _ problem: any Problem, _ origin: String?) -> String {
    if let lua = error as? LuaError {
      if lua.stopReason == .interrupt { return "interrupted" }
      return withoutPromptPosition(lua.description)
    }
    return origin.map { "\($0): \(problem.message)" } ?? "error: \(problem.message)"
  }

  /// Lines typed at the prompt have no file to point into.
  private func withoutPromptPosition(_ text: String) -> String {
    let start = promptChunk + ":1: "
    if text.hasPrefix(start) { return "error: " + text.dropFirst(start.count) }
    return text.contains(":") && !text.hasPrefix("stopped") ? text : "error: " + text
  }

  private func problem(of error: any Error) -> any Problem {
    switch error {
    case let lua as LuaError:
      if let problem = lua.problem {
        return PlainProblem(code: problem.code, title: problem.title, message: lua.description)
      }
      let code = lua.stopReason == .interrupt ? "interrupted" : "lua_error"
      return PlainProblem(code: code, title: "A Lua error", message: withoutPromptPosition(lua.description))
    case let problem as any Problem: return problem
    default: return PlainProblem(code: "failed", title: "It failed", message: String(describing: error))
    }
  }

  private func status(of error: any Error, _ problem: any Problem) -> Int32 {
    if let command = error as? CommandError, command.isUsage { return ExitStatus.usage }
    switch problem.code {
    case "interrupted": return ExitStatus.interrupted
    case "auth_required", "denied": return ExitStatus.signIn
    // A setting may be locked too; through Lua only the words are left to tell the two apart.
    case let code where code == "empty" || problem.title == AuthenticationError.locked(retryAfter: 1).title:
      return ExitStatus.signIn
    default: return ExitStatus.failed
    }
  }

  /// A message may have line ends of its own (a syntax error in a long line); other control characters are shown.
  private func printableLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0), limit: 2_000) }
      .joined(separator: "\n")
  }
}
