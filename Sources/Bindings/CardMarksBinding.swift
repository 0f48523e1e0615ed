// Lua's view of burying cards, and of a deck's statistics. Invariant: burying changes no schedule.

import Decks
import LuaRuntime
import Memory
import Workspace

func describeMarks(_ type: BoundType<CardHandle>) {
  type.method("bury", [], returns: .nothing, grant: .decksWrite, "Hides it until tomorrow.") {
    card, _ in
    _ = try card.record()
    try card.workspace.cards.bury([card])
    return LuaNothing()
  }
  type.method("unbury", [], returns: .nothing, grant: .decksWrite, "Shows it again before tomorrow.") { card, _ in
    _ = try card.record()
    try card.workspace.cards.unbury([card])
    return LuaNothing()
  }
}

func addStatistics(_ type: BoundType<DeckHandle>) {
  type.method(
    "stats", [LuaParameter("query", .optional(.string))], returns: .table, example: "(\"tag:animal\")",
    "Study statistics of the deck and the decks within it, or of their cards that a query finds: today, streak, "
      + "cards, retention, days, hours, buttons, forecast, intervals, stability, difficulty, retrievability, added."
  ) { deck, stack in
    let query = stack.isNoneOrNil(2) ? nil : try stack.text(2, limit: 100_000)
    return LuaValue(try deck.statistics(query: query).value)
  }
}
