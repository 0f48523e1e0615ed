// Runs a line of Lua, and detects one that was meant as a command: `studdy`, `crd list`; and writes the lines of a
// session as a script. Invariant: an expression shows its values, an unfinished chunk asks for more, and a line whose
// first name exists in Lua is never refused; the script does what the lines did.

import Commands
import Files
import LuaRuntime
import Text

/// The name of the prompt's chunks in Lua's messages.
let promptChunk = "prompt"

struct LuaLines {
  let session: Session

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
        let function = try expressionOrChunk(Array(text.utf8)[...], promptChunk)
        try session.changing(from: "a line of Lua") {
          try ScriptRunner(session).rehearsing { try showResults(of: function, showsNil: showsNil) }
        }
        try session.requireWholeLists()
      }
      return .done
    } catch let error as LuaError where error.isIncomplete { return .incomplete } catch {
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

  /// Loads code as an expression, as which `=1 + 1` is always meant, or else as statements.
  func expressionOrChunk(_ code: ArraySlice<UInt8>, _ name: String) throws -> LuaReference {
    let isForced = code.first == UInt8(ascii: "=")
    do {
      return try session.lua.load(Array("return ".utf8) + (isForced ? code.dropFirst() : code), name: name)
    } catch is LuaError where !isForced { return try session.lua.load(Array(code), name: name) }
  }
}

struct MistypedCommand {
  let session: Session

  /// The unknown name that makes up the whole line; Lua evaluates it to nil.
  func unknownName(in line: String) -> String? {
    guard let shape = CommandShape(line), shape.isAlone, !shape.word.contains("-"),
      !session.registry.isKnown(shape.word), !session.scripting.isGlobal(shape.word)
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

struct SessionScript {
  let session: Session

  var text: String {
    var lines = [
      "-- What was typed in a session of Deckhand \(session.options.version).", "", "local function show(...)",
      "  for i = 1, select(\"#\", ...) do shell.print((select(i, ...))) end", "end", "",
    ]
    for line in session.input.typedLines {
      if line.hasFailed {
        lines += line.text.split(separator: "\n").map { "-- failed: \($0)" }
      } else if line.isCommand {
        lines.append(command(line.text))
      } else {
        lines.append(statement(line.text))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The Lua call for a command. Redirection is left out; commands only for the command line become comments.
  private func command(_ text: String) -> String {
    do {
      let (line, _) = try CommandLine.parts(of: text)
      let words = try ShellWords.split(line, home: session.environment.folders.home)
      let isForLua = session.registry.command(of: words)?.access.isForCommandLineOnly == false
      return isForLua ? "assert(shell.run(\(Self.quotedInLua(line.trimmed))))" : "-- not from Lua: \(text.trimmed)"
    } catch {
      // The line has run before, so parsing it does not fail.
      return "-- not from Lua: \(text.trimmed)"
    }
  }

  /// The Lua code for a line: it shows the value of an expression, as the prompt does; a local lives only for its line.
  private func statement(_ text: String) -> String {
    let expression = text.hasPrefix("=") ? String(text.dropFirst()) : text
    if loads("return " + expression) {
      // A comment at the end would swallow the closing bracket.
      return loads("show(\(expression))") ? "show(\(expression))" : "show(\(expression)\n)"
    }
    // A chunk cannot continue after `return`, so it needs its own function.
    if !loads(text + "\nlocal _") { return "show((function(...)\n\(text)\nend)())" }
    return hasLocals(text) ? "do\n\(text)\nend" : text
  }

  private func loads(_ code: String) -> Bool {
    do {
      _ = try session.lua.load(code, name: "history")
      return true
    } catch {
      // The only question is whether it loads.
      return false
    }
  }

  /// Whether the text defines a local outside any inner block.
  private func hasLocals(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return luaTokens(text).contains { token in
      token.isKeyword("local")
        && openParts(of: String(decoding: bytes[..<token.range.lowerBound], as: UTF8.self)).isEmpty
    }
  }

  private static func quotedInLua(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\" + String(scalar)
      case "\n": quoted += "\\n"
      case _ where scalar.value < 32 || scalar.value == 127:
        let digits = String(scalar.value)
        quoted += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
