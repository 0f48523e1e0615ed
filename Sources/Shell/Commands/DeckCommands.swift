// `deck ...`. Invariant: a command says what it did and how much; it never changes more than it says.

import Bindings
import Commands
import Decks
import Files
import LuaRuntime
import Problems
import Text
import Values
import Workspace

enum DeckCommands {
  static var all: [BuiltIn] {
    [
      listDecks, createDeck, showDeck, renameDeck, removeDeck,
    ]
  }

  private static var listDecks: BuiltIn {
    BuiltIn(
      "deck", "list", summary: "Lists the decks.", answer: "deck...",
      details: """
        Cards counts only the deck's own cards; the other columns include the decks within it. New and Due count what \
        `study` would show now, up to the daily limits.
        """
    ) { _, session in
      let workspace = try session.workspace()
      let decks = try workspace.decks.all()
      var table = TableText(
        [
          .init("Deck", isTyped: true), .init("Cards", .right), .init("New", .right), .init("Due", .right),
          .init("Last studied"),
        ],
        whenEmpty: "No decks yet; `deck create NAME` creates one.")
      let counts = try workspace.decks.studyCounts()
      for (deck, record) in zip(decks, try workspace.decks.records()) {
        let study = counts[deck.id] ?? StudyCounts()
        table.add([
          record.name, session.grouped(try deck.count()), session.grouped(study.new), session.grouped(study.due),
          record.studied.map { session.ago($0) } ?? "never",
        ])
      }
      return CommandResult(.objects(decks), .table(table))
    }
  }

  private static var createDeck: BuiltIn {
    BuiltIn(
      "deck", "create", effect: .changes, summary: "Creates an empty deck.", answer: "deck",
      details: "A deck A::B is within the deck A, which is created too if it does not exist.",
      arguments: [Argument("DECK", help: "the new deck's name")], example: "deck create Spanish::Verbs"
    ) { invocation, session in
      let deck = try session.workspace().decks.create(invocation.text("DECK"))
      return CommandResult(.object(deck), line: "Created deck \(quoted(try deck.record().name)).")
    }
  }

  private static var showDeck: BuiltIn {
    BuiltIn(
      "deck", "show", summary: "Shows a deck and its first cards.", answer: "deck", arguments: [Common.deck],
      example: "deck show Spanish"
    ) { invocation, session in
      let deck = try session.workspace().decks.open(invocation.text("DECK"))
      let study = try deck.studyCounts()
      let shown = 20
      let listing = try session.workspace().cards.list(of: [deck], limit: shown)
      var parts: [Display] = [
        .lines([
          "\(try deck.record().name): \(session.counted(listing.total, "card")); to study now: \(session.grouped(study.new)) new, "
            + "\(session.grouped(study.due)) due"
        ])
      ]
      if !listing.cards.isEmpty {
        let columns: [CardProperty] = [.position, .prompt, .answer, .tags, .state, .guid]
        parts.append(.table(try CardListCommand.table(listing.cards.map(\.card), columns, whenEmpty: "", session)))
      }
      if listing.total > shown {
        let name = ShellWords.quote(try deck.record().name)
        parts.append(.lines(["… \(session.grouped(listing.total - shown)) more; `card list --deck \(name)` lists all"]))
      }
      return CommandResult(.object(deck), .parts(parts))
    }
  }

  private static var renameDeck: BuiltIn {
    BuiltIn(
      "deck", "rename", effect: .changes, summary: "Renames a deck, together with the decks within it.", answer: "deck",
      arguments: [Common.deck, Argument("NEW", help: "its new name")], example: "deck rename Spanish Español"
    ) { invocation, session in
      let deck = try session.workspace().decks.open(invocation.text("DECK"))
      let old = try deck.record().name
      try deck.rename(to: invocation.text("NEW"))
      return CommandResult(.object(deck), line: "Renamed deck \(quoted(old)) to \(quoted(try deck.record().name)).")
    }
  }

  private static var removeDeck: BuiltIn {
    BuiltIn(
      "deck", "remove", effect: .changes, summary: "Removes a deck, the decks within it and all their cards.",
      answer: "integer", details: "At a terminal it asks first when there are cards.", arguments: [Common.deck],
      example: "deck remove Old"
    ) { invocation, session in
      let deck = try session.workspace().decks.open(invocation.text("DECK"))
      let name = try deck.record().name
      let within = try deck.within()
      let cards = try ([deck] + within).reduce(0) { try $0 + $1.count() }
      let more = within.isEmpty ? "" : " and \(session.counted(within.count, "deck")) within it"
      if cards > 0, !(try session.confirm("Remove deck \(quoted(name))\(more) with \(session.counted(cards, "card"))?"))
      {
        return CommandResult(.integer(0), line: "Nothing was removed.")
      }
      let removed = try deck.remove()
      return CommandResult(
        .integer(removed), line: "Removed deck \(quoted(name))\(more), \(session.counted(removed, "card")).")
    }
  }
}

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
