// `card history`. Invariant: every stored undo step that changed the card or its note is listed, newest first, with its
// changes.

import Commands
import Exchange
import Storage
import Text
import Values
import Workspace

enum CardHistoryCommand {
  static var command: BuiltIn {
    BuiltIn(
      "card", "history", summary: "Shows each step that changed a card, with what changed and when.",
      answer: "{step, name, at, event, fields, added_tags, removed_tags}...",
      details: """
        The steps are those of `undo --list`, newest first; changes that other cards of the note share are included. \
        `undo N` undoes one of them; `deckhand --at N card show CARD` shows the card as it was after a step.
        """, arguments: [Argument("CARD", .card, help: "a guid, its beginning, or DECK:POSITION")],
      example: "card history Spanish:1"
    ) { invocation, session in
      let steps = try session.workspace().comparing.history(of: CardCommands.card(invocation.text("CARD"), session))
      let terminal = session.console.terminal
      let drawing = ChangeLines(terminal: terminal)
      var lines: [String] = []
      for step in steps {
        let name = printable(step.step.name, limit: 500)
        lines.append(terminal.styled("step \(step.step.id)", .bold) + "  \(session.since(step.step.at))  \(name)")
        lines += drawing.fields(step.change).map { "  " + $0 }
      }
      if steps.isEmpty { lines = ["No stored undo step changed this card."] }
      return CommandResult(.list(steps.map(value)), .drawn(lines))
    }
  }

  private static func value(_ step: CardStep) -> Value {
    let change = step.change.value.record ?? Value.Record()
    let wanted: Set<String> = ["event", "fields", "added_tags", "removed_tags"]
    let names = [
      ("step", Value.integer(step.step.id)), ("name", .text(step.step.name)), ("at", .number(step.step.at)),
    ]
    return .record(names + change.fields.filter { wanted.contains($0.name) }.map { ($0.name, $0.value) })
  }
}
