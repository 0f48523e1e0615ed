// A line that was meant as a command and would be taken for Lua: `studdy`, `crd list`. Invariant: a line that Lua could
// run for its first name is never refused.

import Commands
import Text

struct MistypedCommand {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// The name that is the whole line and that nobody knows: Lua answers nil to it.
  func unknownName(in line: String) -> String? {
    guard let shape = CommandShape(line), shape.isAlone, !shape.word.contains("-"),
      !session.registry.isKnown(shape.word),
      !session.scripting.isGlobal(shape.word)
    else { return nil }
    return shape.word
  }

  /// What is wrong with the line; nil when it is Lua.
  func error(in line: String) -> CommandError? {
    // As many programs have it.
    if line.trimmed == "?" { return .unknownCommand("?", suggestion: "help") }
    guard let shape = CommandShape(line), !session.registry.isKnown(shape.word) else { return nil }
    // `a-b` is the name `a` in Lua.
    let name = String(shape.word.prefix { $0 != "-" })
    guard !session.scripting.isGlobal(name) else { return nil }
    let globals = shape.isAlone ? Array(session.scripting.ownGlobals) : []
    let near = session.registry.nearCommand(to: shape.word, among: globals)
    // A name alone that nobody knows is nil, and a call of one is an error of Lua.
    if near == nil, shape.isAlone || shape.isBeforeText { return nil }
    return .unknownCommand(shape.word, suggestion: near)
  }
}
