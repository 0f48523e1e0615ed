// Runs a line of Lua. Invariant: an expression shows its values; an unfinished chunk asks for more input.

import Commands
import LuaRuntime
import Text
import Workspace

/// The name of the prompt's chunks in Lua's messages.
let promptChunk = "prompt"

/// Runs lines of Lua in a session.
struct LuaLines {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// The result of running a line of Lua.
  enum Outcome {
    case done
    case incomplete
    case failed(status: Int32)
  }

  /// Runs Lua from the prompt: an expression shows its values, an unfinished chunk asks for more input.
  func run(_ text: String, showsNil: Bool = true) -> Outcome {
    defer { session.storeGames() }
    do {
      try session.refreshAccounts()
      try Interrupts.holding {
        let function = try expressionOrChunk(text)
        try session.changing(from: "a line of Lua") {
          try ScriptRunner(session).rehearsing { try showResults(of: function, showsNil: showsNil) }
        }
        try session.requireWholeLists()
      }
      return .done
    } catch let error as LuaError where error.isIncomplete {
      return .incomplete
    } catch {
      if case .exit(let status)? = (error as? LuaError)?.stopReason {
        session.state.leaving = Int32(status)
        return .done
      }
      return .failed(status: session.report(error))
    }
  }

  /// Calls a function and shows its results as the prompt does.
  func showResults(of function: LuaReference, asJSON: Bool = false, showsNil: Bool = true) throws {
    try function.callForAll { stack, first, count in
      // Games are stored first, so that the results shown match the stored state.
      session.storeGames()
      for index in first..<(first + count) {
        if !showsNil, stack.isNoneOrNil(index) { continue }
        if asJSON {
          session.show(CommandResult(session.scripting.value(of: try stack.value(index))), asJSON: true)
        } else {
          session.console.show(try LuaPreview(index, on: stack).lines(on: session.console.terminal))
        }
      }
    }
  }

  private func expressionOrChunk(_ text: String) throws -> LuaReference {
    let expression = text.hasPrefix("=") ? String(text.dropFirst()) : text
    do {
      return try session.lua.load("return " + expression, name: promptChunk)
    } catch let error as LuaError where !text.hasPrefix("=") || error.isIncomplete {
      return try session.lua.load(text.hasPrefix("=") ? "return " + expression : text, name: promptChunk)
    }
  }
}
