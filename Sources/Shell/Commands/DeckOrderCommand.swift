// `deck order`. Invariant: only new cards are moved, as one undo step.

import Commands
import Decks
import Text
import Values
import Workspace

enum DeckOrderCommand {
  static var command: BuiltIn {
    BuiltIn(
      "deck", "order", effect: .changes, summary: "Orders the new cards of a deck by how much they help with a text.",
      answer: "{found, moved}",
      details: """
        The word of a card is the first field of its note. Cards whose words are the most frequent in the files come \
        first; cards with known words and cards without a word of the text follow in their old order. The decks within \
        it are each ordered separately, too.
        """, arguments: [Common.deck, TextCommands.files],
      options: [
        Option("--by", choice: ["gain"], help: "gain (the only choice): how often a word is in the text"),
        Common.language,
      ], usage: ["deck order DECK --by gain FILE... [--language L]"],
      example: "deck order Spanish --by gain novel.txt --language spanish"
    ) { invocation, session in
      let deck = try session.workspace().decks.open(invocation.text("DECK"))
      var options = TextOptions()
      options.language = invocation.optionalText("--language")
      let text = try TextCommands.open(invocation.list("FILE"), options, session, command: invocation.command.name)
      let (found, moved) = try deck.orderNewCards(byGainIn: text)
      let name = quoted(try deck.record().name)
      return CommandResult(
        .record(["found": found, "moved": moved]),
        line: "Found \(session.counted(found, "new card")) of \(name) with words of the text; "
          + "\(session.grouped(moved)) moved.")
    }
  }
}
