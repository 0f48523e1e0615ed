// Lua's view of how decks are studied: options, presets and goals. Invariants: an option reads back as it was assigned;
// assigning a goal plans it as the command does.

import Decks
public import LuaRuntime
import Text
import Values
public import Workspace

extension PresetHandle: BoundObject {}

/// The options of a deck or of a preset, as a separate object.
final class DeckOptionsObject: BoundObject {
  let owner: OptionsOwner
  init(_ owner: OptionsOwner) { self.owner = owner }
}

func deckOptionsType(_ context: BindingContext) -> BoundType<DeckOptionsObject> {
  BoundType<DeckOptionsObject>(
    "deck_options",
    "How decks are studied. Steps are seconds, or a text such as \"1m 10m\"; easy_days are 7 numbers, or \"sun=0\".",
    summary: { object in
      switch object.owner {
      case .deck(let deck): "options of deck \"\(printable(try deck.record().name))\""
      case .preset(let preset): "options of preset \"\(printable(try preset.record().name))\""
      }
    },
    identity: { object in
      let options = try object.owner.options()
      return .table(DeckOptions.Name.allCases.map { (.text($0.text), options[$0].luaValue) })
    },
    checks: context.checks(.decks) { object in
      switch object.owner {
      case .deck(let deck): try requireOpen(deck, "deck")
      case .preset(let preset): try requireOpen(preset, "preset")
      }
    }
  ) { type in
    type.example = "decks.open(\"Spanish\").options"
    for name in DeckOptions.Name.allCases {
      let expectation = name.expectation.prefix(1).uppercased() + name.expectation.dropFirst()
      type.field(name.text, name.luaType, grant: .decksWrite, "\(name.summary) \(expectation).") { object in
        Frozen(try object.owner.options()[name].luaValue, advice: "assign the whole list")
      } set: { object, stack in
        let value = try readOption(name, stack)
        try object.owner.set(name, value)
      }
    }
  }
}

private func readOption(_ name: DeckOptions.Name, _ stack: borrowing LuaStack) throws -> OptionValue {
  switch name.kind {
  case .whole, .number: return .number(try stack.number(3))
  case .flag: return .flag(try stack.boolean(3))
  case .choice: return .choice(try stack.text(3, limit: 1000))
  case .steps where stack.kind(3) == .table: return .steps(try stack.table(3).elements { try $0.number(-1) })
  case .parameters where stack.kind(3) == .table: return .parameters(try stack.table(3).elements { try $0.number(-1) })
  case .weekdays where stack.kind(3) == .table: return .weekdays(try stack.table(3).elements { try $0.number(-1) })
  case .steps, .parameters, .weekdays:
    // Not a number either: as a text it would be a step in minutes, and in a list one in seconds.
    guard stack.kind(3) == .text else { throw stack.expected("list of numbers or text", at: 3) }
    return try name.value(of: stack.text(3, limit: 10_000))
  }
}

extension DeckOptions.Name {
  fileprivate var luaType: LuaType {
    switch kind {
    case .whole: .integer
    case .number: .number
    case .flag: .boolean
    case .choice: .string
    case .steps, .parameters, .weekdays: .list(.number)
    }
  }
}

extension OptionValue {
  fileprivate var luaValue: LuaValue {
    switch self {
    case .number(let number): Int(exactly: number).map { .integer($0) } ?? .number(number)
    case .flag(let isOn): .boolean(isOn)
    case .choice(let choice): .text(choice)
    case .steps(let numbers), .parameters(let numbers), .weekdays(let numbers): .list(numbers.map { .number($0) })
    }
  }
}

func presetsModule(_ context: BindingContext) -> BoundModule {
  context.module("presets", "Options that decks share: make, open, list them.", grant: .decks) { module in
    module.function("list", returns: .list(.object("preset")), "All presets, by name.") { _ in
      let workspace = try context.workspace()
      return try workspace.presets.all().map { workspace.handle(of: $0) }
    }
    module.function(
      "open", ["name": .string], returns: .object("preset").orProblem, example: "(\"Default\")",
      "The preset with that name. Code: not_found, with a `suggestion` if there is a similar name."
    ) { stack in
      let workspace = try context.workspace()
      return workspace.handle(of: try workspace.presets.find(stack.text(1, limit: longestName)))
    }
    module.function(
      "create", ["name": .string], returns: .object("preset").orProblem, grant: .decksWrite, example: "(\"Slow\")",
      "Makes a preset with the initial options. Codes: exists, bad_name."
    ) { stack in
      let workspace = try context.workspace()
      return workspace.handle(of: try workspace.presets.create(stack.text(1, limit: longestName)))
    }
  }
}

func presetType(_ context: BindingContext) -> BoundType<PresetHandle> {
  BoundType<PresetHandle>(
    "preset", "Study options that decks share.",
    summary: { preset in
      let record = try preset.record()
      return "preset \"\(printable(record.name))\" (\(counted(record.deckCount, "deck")))"
    }, identity: { .text(try $0.record().name) }, checks: context.checks(.decks) { try requireOpen($0, "preset") }
  ) { type in
    type.example = "presets.create(\"Slow\")"
    type.field("name", .string, grant: .decksWrite, example: "\"Fast\"", "Its name. Assigning renames it.") {
      try $0.record().name
    } set: { preset, stack in
      let name = try stack.text(3, limit: longestName)
      try preset.workspace.presets.rename(preset.id, to: name)
    }
    type.field("deck_count", .integer, "How many decks use it directly.") { try $0.record().deckCount }
    type.field("options", .object("deck_options"), "Its options: an object with writable fields.") { preset in
      held(&preset.part) { DeckOptionsObject(.preset(preset)) }
    }
    type.method(
      "remove", grant: .decksWrite, "Removes it; its decks then use the options of the decks that contain them."
    ) { preset, _ in
      _ = try preset.record()
      try preset.workspace.presets.remove(preset.id)
    }
  }
}

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
