// The lines of a session as a script of Lua: `history --lua FILE`. Invariant: the script does what the lines did, in
// their order; a line that failed stands in it as a comment.

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
        lines.append("assert(shell.run(\(Self.quotedInLua(line.text.trimmed))))")
      } else {
        lines.append(statement(line.text))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// An expression shows its value at the prompt: in a script it is told to.
  private func statement(_ text: String) -> String {
    let expression = text.hasPrefix("=") ? String(text.dropFirst()) : text
    do {
      _ = try session.lua.load("return " + expression, name: "history")
      return "show(\(expression))"
    } catch {
      // It is no expression, so it is kept as a statement.
      return text
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
