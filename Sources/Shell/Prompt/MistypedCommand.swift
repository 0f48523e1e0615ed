// Detects a line that was meant as a command but would run as Lua: `studdy`, `crd list`. Invariant: a line that Lua
// could run because its first name exists is never refused.

import Commands
import Text

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
