// Lua's view of a deck's goal. Invariant: assigning a goal plans it as the command does.

import Decks
import LuaRuntime
import Values
import Workspace

func describeGoal(_ type: BoundType<DeckHandle>) {
  type.field(
    "goal", .optional(.table), grant: .decksWrite, example: "{date = \"2030-06-01\", recall = 0.9, minutes = 30}",
    "The date to know it by, its own or that of a deck that contains it: {deck=, date=, recall=, minutes=, days_left=, "
      + "last_days=}; nil if there is none. Assign {date=, recall=0.95, minutes=20}, or nil for none. "
      + "`deck:stats().goal` has the forecast."
  ) { deck -> Frozen<LuaValue>? in
    try deck.goals.current().map { found in
      let goal = found.goal
      let value: Value = .record([
        "deck": found.deck.name, "date": goal.date, "recall": goal.recall, "minutes": Value.measure(goal.minutes),
        "days_left": found.daysLeft, "last_days": goal.lastDays,
      ])
      return Frozen(LuaValue(value), advice: "assign the whole table")
    }
  } set: { deck, stack in
    if stack.isNoneOrNil(3) { return try deck.goals.remove() }
    let table = try stack.table(3, "a table with date, recall and minutes")
    try table.allowOnly(["date", "recall", "minutes"])
    let date = try table.text("date")
    let recall = try table.optionalNumber("recall") ?? DeckGoal.initialRecall
    let minutes = try table.optionalNumber("minutes") ?? DeckGoal.initialMinutes
    try deck.goals.set(date: date, recall: recall, minutes: minutes)
  }
}
