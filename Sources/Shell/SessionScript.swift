// Writes the lines of a session as a Lua script: `history --lua FILE`. Invariant: the script does what the lines did,
// in order; a line that failed becomes a comment.

import Commands
import Files
import LuaRuntime
import Text

struct SessionScript {
  let session: Session

  init(_ session: Session) { self.session = session }

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

  /// The Lua call for a command. Redirection is omitted, since a script cannot redirect output, and commands only for
  /// the command line become comments.
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

  /// The Lua code for a line: the prompt shows the value of an expression, so the script must do so explicitly; a local
  /// lives only for its line.
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
