// The lines of a session as a script of Lua: `history --lua FILE`. Invariant: the script does what the lines did, in
// their order; a line that failed stands in it as a comment.

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

  /// A script has no way to send a command's output elsewhere, and some commands are for the command line alone.
  private func command(_ text: String) -> String {
    do {
      let (line, _) = try CommandLine.parts(of: text)
      let words = try ShellWords.split(line, home: session.environment.folders.home)
      let isForLua = session.registry.command(of: words)?.access.isForCommandLineOnly == false
      return isForLua ? "assert(shell.run(\(Self.quotedInLua(line.trimmed))))" : "-- not from Lua: \(text.trimmed)"
    } catch {
      // It ran, so it can be read.
      return "-- not from Lua: \(text.trimmed)"
    }
  }

  /// An expression shows its value at the prompt: in a script it is told to. A local lives for its line only.
  private func statement(_ text: String) -> String {
    let expression = text.hasPrefix("=") ? String(text.dropFirst()) : text
    if loads("return " + expression) {
      // A comment would take the bracket in.
      return loads("show(\(expression))") ? "show(\(expression))" : "show(\(expression)\n)"
    }
    // What answers by `return` ends a chunk.
    if !loads(text + "\nlocal _") { return "show((function(...)\n\(text)\nend)())" }
    return hasLocals(text) ? "do\n\(text)\nend" : text
  }

  private func loads(_ code: String) -> Bool {
    do {
      _ = try session.lua.load(code, name: "history")
      return true
    } catch {
      // Whether it is one is all that is asked.
      return false
    }
  }

  /// Whether it makes a local outside of a block of its own.
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
