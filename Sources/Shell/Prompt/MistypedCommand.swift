// A line that was meant as a command and would be taken for Lua: `studdy`, `crd list`. Invariant: a line that Lua could
// run for its first name is never refused.

import Commands
import Text

struct MistypedCommand {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// What is wrong with the line; nil when it is Lua.
  func error(in line: String) -> CommandError? {
    guard let shape = CommandShape(line), !session.registry.isKnown(shape.word) else { return nil }
    // `a-b` is the name `a` in Lua.
    let name = String(shape.word.prefix { $0 != "-" })
    guard !session.isGlobal(name) else { return nil }
    let names = session.registry.firstWords + (shape.isAlone ? Array(session.scripting.ownGlobals) : [])
    let near = suggestion(for: shape.word, among: names)
    // A name alone that nobody knows is nil, and a call of one is an error of Lua.
    if near == nil, shape.isAlone || shape.isBeforeText { return nil }
    return .unknownCommand(shape.word, suggestion: near)
  }
}
