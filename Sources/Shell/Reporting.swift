// Shows results and errors, on the screen and as JSON. Invariant: every failure that reaches a user passes through
// here: one line, no Swift type name, no stack trace unless requested; the JSON of an object has the names of its Lua
// fields.

import Authentication
import Bindings
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

extension Session {
  func show(_ result: CommandResult, asJSON: Bool) {
    // A script's output is never paged, since nobody turns the pages.
    guard asJSON else { return console.show(result.display, isPaged: !state.isInScript) }
    console.show(result.answer.jsonLines { scripting.record(of: $0) })
  }
}

extension UserScripting {
  /// A bound object as a record of its fields; objects within it are represented by their identity.
  func record(of object: AnyObject) -> Value {
    if let answer = object as? LuaCommandResult { return answer.plain { record(of: $0) } }
    guard let bound = object as? any BoundObject, let type = lua.description(of: bound) else { return .null }
    do {
      return .record(try type.fields.map { ($0.name, value(of: try $0.read(bound))) })
    } catch {
      return .record(["error": String(describing: error)])
    }
  }

  func value(of value: LuaValue) -> Value { value.value { identity(of: $0) } }

  private func identity(of object: any BoundObject) -> Value {
    guard let type = lua.description(of: object) else { return .null }
    do {
      return value(of: try type.identity(object))
    } catch {
      // The object was removed between the two reads, so there is nothing to name.
      return .null
    }
  }
}

extension CommandResult {
  /// The result of a change that did nothing: the editor left everything as it was, or the user declined.
  static func unchanged(_ answer: CommandAnswer = .value(.null)) -> CommandResult {
    CommandResult(answer, line: "Nothing was changed.")
  }
}
