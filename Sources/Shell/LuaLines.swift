// Runs a line of Lua, and detects one that was meant as a command: `studdy`, `crd list`. Invariant: an expression shows
// its values, an unfinished chunk asks for more input, and a line that Lua could run because its first name exists is
// never refused.

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

struct MistypedCommand {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// The unknown name that makes up the whole line; Lua evaluates it to nil.
  func unknownName(in line: String) -> String? {
    guard let shape = CommandShape(line), shape.isAlone, !shape.word.contains("-"),
      !session.registry.isKnown(shape.word),
      !session.scripting.isGlobal(shape.word)
    else { return nil }
    return shape.word
  }

  /// The error for a mistyped command; nil when the line is Lua.
  func error(in line: String) -> CommandError? {
    // Many programs use `?` for help.
    if line.trimmed == "?" { return .unknownCommand("?", suggestion: "help") }
    guard let shape = CommandShape(line), !session.registry.isKnown(shape.word) else { return nil }
    // In Lua, `a-b` begins with the name `a`.
    let name = String(shape.word.prefix { $0 != "-" })
    guard !session.scripting.isGlobal(name) else { return nil }
    let globals = shape.isAlone ? Array(session.scripting.ownGlobals) : []
    let near = session.registry.nearCommand(to: shape.word, among: globals)
    // An unknown name alone evaluates to nil, and calling one is an error of Lua.
    if near == nil, shape.isAlone || shape.isBeforeText { return nil }
    return .unknownCommand(shape.word, suggestion: near, reason: session.registry.reasonForMissing(shape.word))
  }
}
