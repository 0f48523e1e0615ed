// Lua's view of comparisons and past states: `deck:diff` and `shell.at`. Invariant: both only read; a change during
// `shell.at` raises.

import Decks
import Exchange
import LuaRuntime
import Problems
import Values
import Workspace

func describeComparing(_ type: BoundType<DeckHandle>, _ context: BindingContext) {
  type.method(
    "diff", ["other": .oneOf([.object("deck"), .string])], returns: .list(.table).orProblem,
    example: "(\"spanish.apkg\")",
    "The differences between the deck and another deck, a DECK@STEP, a file or a folder of `build`: a list of "
      + "{kind=, event=, key=, title=, fields=, added_tags=, removed_tags=, behind=}, as in `deck diff --json`."
  ) { deck, stack in
    let name = try deck.record().name
    let other: String
    if let handle = stack.objectOrNil(2, DeckHandle.self) {
      other = try handle.record().name
    } else {
      other = try stack.text(2)
    }
    let comparing = deck.workspace.comparing
    var settings = comparing.settings()
    if try !comparing.isOfCollection(other) {
      let path = comparing.path(of: other)
      try context.requireReading(path)
      settings.kinds = context.kinds(of: path)
    }
    let difference = try comparing.difference(
      [name, other], settings, generator: DeckGenerator(seconds: 60, processes: context.plugins))
    return LuaValue(.list(difference.changes.map(\.value)))
  }
}

func describeLookingBack(_ module: BoundModule, _ context: BindingContext) {
  module.function(
    "at", ["step": .integer, "fn": .function], returns: .any.orProblem, grant: .shellRun,
    example: "(41, function() return #decks.open(\"Spanish\") end)",
    "Calls a function with everything as it was after a step of `undo --list`, and returns its first result. "
      + "Everything is read-only there: a change is refused, and so is `shell.at` after a change in a script. Codes: "
      + "not_found, cannot_undo."
  ) { stack in
    let step = try stack.integer(1)
    let function = try stack.function(2)
    return try context.workspace().at(step: step) { try function.call() }
  }
}
