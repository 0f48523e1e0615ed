// Lua's view of decks: the module `decks` and the type `deck`. Invariant: each member reads all its arguments before
// it changes anything.

import CardDocuments
import Decks
public import LuaRuntime
import Problems
import Text
public import Workspace

extension DeckHandle: BoundObject {}

/// The maximum bytes of a name and of a query; nothing useful is longer.
let (longestName, longestQuery) = (10_000, 100_000)

func decksModule(_ context: BindingContext) -> BoundModule {
  let grant = LuaGrant.any(.decksRead, .decksWrite, .formats)
  return context.module(
    "decks", "Decks of cards: make, open, list and remove them; formats of files of cards.", grant: grant
  ) { module in
    module.function(
      "create", ["name": .string], returns: .object("deck").orProblem, grant: .decksWrite, example: "(\"Italian\")",
      "Makes an empty deck. `A::B` is a deck within a deck. Codes: exists, bad_name."
    ) { stack in try context.workspace().decks.create(stack.text(1, limit: longestName)) }
    module.function(
      "open", ["name": .string], returns: .object("deck").orProblem, grant: .decks, example: "(\"Spanish\")",
      "The deck with that name. Code: not_found, with a `suggestion` if there is a similar name."
    ) { stack in try context.workspace().decks.open(stack.text(1, limit: longestName)) }
    module.function("list", returns: .list(.object("deck")), grant: .decks, "All decks, by name.") { _ in
      try context.workspace().decks.all()
    }
    module.action(
      "remove", ["name": .string], grant: .decksWrite, example: "(\"Spanish\")",
      "Removes a deck, the decks within it and all their cards. Code: not_found."
    ) { stack in try context.workspace().decks.open(stack.text(1, limit: longestName)).remove() }
    describeFormats(module, context)
  }
}

func deckType(_ context: BindingContext) -> BoundType<DeckHandle> {
  BoundType<DeckHandle>(
    "deck", "An ordered list of cards.",
    summary: { "deck \"\(printable(try $0.record().name))\" (\(counted(try $0.count(), "card")))" },
    identity: { .text(try $0.record().name) }, checks: context.checks(.decks) { try requireOpen($0, "deck") }
  ) { type in
    type.example = "decks.open(\"Spanish\")"
    describeFields(type)
    describeGoal(type)
    describeAdding(type, context)
    describeCards(type)
    describeNotes(type)
    describeDeckFiles(type, context)
    describeComparing(type, context)
    describeMining(type)
    addStudying(type, context)
    type.operation("__len") { deck, _ in try deck.count() }
  }
}

private func describeFields(_ type: BoundType<DeckHandle>) {
  type.field(
    "name", .string, grant: .decksWrite, example: "\"Español\"",
    "Its name; `A::B` is a deck within a deck. Assigning renames it."
  ) {
    try $0.record().name
  } set: { deck, stack in
    let name = try stack.text(3, limit: longestName)
    try deck.rename(to: name)
  }
  type.field("count", .integer, "How many cards it contains itself.") { try $0.count() }
  type.field("due_count", .integer, "How many of its own cards are due for review.") { try $0.counts().dueCount }
  type.field("new_count", .integer, "How many of its own cards were never studied.") { try $0.counts().newCount }
  type.field("study_due", .integer, "How many due cards `study` would show now, with the decks within it.") {
    try $0.studyCounts().due
  }
  type.field("study_new", .integer, "How many new cards `study` would show now, with the decks within it.") {
    try $0.studyCounts().new
  }
  type.field("options", .object("deck_options"), "How it is studied: an object with writable fields.") { deck in
    held(&deck.part) { DeckOptionsObject(.deck(deck)) }
  }
  type.field(
    "preset", .optional(.object("preset")), grant: .decksWrite,
    "The preset that applies to it; assign a preset, its name, or nil for none."
  ) { deck in
    try deck.scheduling.preset().map { deck.workspace.handle(of: $0) }
  } set: { deck, stack in
    let preset = stack.objectOrNil(3, PresetHandle.self)
    let name = stack.isNoneOrNil(3) ? nil : try preset?.record().name ?? stack.text(3, limit: longestName)
    try deck.scheduling.setPreset(name)
  }
}

private func describeAdding(_ type: BoundType<DeckHandle>, _ context: BindingContext) {
  type.method(
    "add", ["card": .table], returns: .object("card").orProblem, grant: .decksWrite,
    example: "{prompt = \"el árbol\", answer = \"the tree\", tags = {\"plant\"}}",
    "Adds a card on top, or at a position: {prompt=, answer=, tags=, guid=, fields=, document=, at=}. "
      + "Codes: empty_prompt, empty_answer, duplicate, bad_text, bad_tag, bad_guid, not_in_store."
  ) { deck, stack in
    let table = try stack.table(2, "a table with prompt and answer")
    if let added = try addPlain(table, to: deck, at: .top) { return added }
    guard let position = try table.optionalInteger("at", in: 1...Int.max) else {
      return try deck.add(readCard(table), at: .top)
    }
    return try deck.add(readCard(table, allowing: cardKeys + ["at"]), at: .position(position))
  }
  type.method(
    "append", ["card": .table], returns: .object("card").orProblem, grant: .decksWrite,
    example: "{prompt = \"la flor\", answer = \"the flower\"}",
    "Adds a card below all others, so that cards added in a loop keep their order. Otherwise like add."
  ) { deck, stack in
    let table = try stack.table(2, "a table with prompt and answer")
    return try addPlain(table, to: deck, at: .bottom) ?? deck.add(readCard(table), at: .bottom)
  }
  type.method(
    "add_all", ["source": .oneOf([.table, .function]), "options": .optional(.table)],
    returns: .table.orProblem, grant: .decksWrite,
    example: "({{prompt = \"uno\", answer = \"one\"}, {prompt = \"dos\", answer = \"two\"}})",
    "Adds many cards as one operation, from an array or an iterator that returns one card per call. "
      + "Options: on_duplicate = \"skip\" (default), \"update\" or \"error\". Returns {added=, updated=, skipped=, "
      + "rejected={{index=, code=, message=}...}, rejected_count=}; rejected has the first 1,000."
  ) { deck, stack in try addAll(to: deck, stack, context) }
}

private func describeCards(_ type: BoundType<DeckHandle>) {
  type.method(
    "cards", ["query": .optional(.string)], returns: .iterator(.object("card")), example: "(\"tag:animal\")",
    "The cards that a query finds, top first; the cards and their order are fixed when it is called."
  ) { deck, stack in
    let cards = try deck.cards(matching: stack.optionalText(2))
    return LuaResults(cards, LuaValue.none, LuaValue.none, cards)
  }
  type.method(
    "find", ["query": .string], returns: .list(.object("card")), example: "(\"tag:animal -is:suspended\")",
    "The cards that a query finds, as a list."
  ) { deck, stack in
    let cards = try deck.cards(matching: stack.text(2, limit: longestQuery))
    try stack.memory.charge(8 * cards.count)
    return try LuaPushed.objects(of: cards.count, on: stack) { try cards.nextCard() }
  }
  type.method(
    "card", ["position": .integer], returns: .optional(.object("card")), example: "(1)",
    "The card at a position: 1 is the top; nil after the last card."
  ) { deck, stack in try deck.card(at: stack.integer(2, in: 1...Int.max)) }
  type.method(
    "remove", ["what": .oneOf([.object("card"), .integer, .list(.integer)])], returns: .integer,
    grant: .decksWrite, example: "(1)",
    "Removes a card, the card at a position, or the cards at several positions, counted before any is removed."
  ) { deck, stack in
    if let card = stack.objectOrNil(2, CardHandle.self) { return try deck.remove(card) }
    if stack.kind(2) == .table {
      let positions = try stack.table(2).elements { try $0.integer(-1, in: 1...Int.max) }
      return try deck.removeCards(at: positions)
    }
    guard stack.kind(2) == .number else { throw stack.expected("card, integer or list of integers", at: 2) }
    return try deck.removeCards(at: [stack.integer(2, in: 1...Int.max)])
  }
  describeStatistics(type)
}

private func describeStatistics(_ type: BoundType<DeckHandle>) {
  type.method(
    "set_due", ["query": .string, "days": .oneOf([.integer, .string])], returns: .integer.orProblem,
    grant: .decksWrite, example: "(\"tag:animal\", \"3-7\")",
    "Makes the cards that a query finds due in some days, \"3-7\" at random, or on a date; returns how many. Code: "
      + "bad_due."
  ) { deck, stack in
    let (query, days) = (try stack.text(2, limit: longestQuery), try stack.text(3, limit: 100))
    let cards = try deck.cards(matching: query).rest()
    try deck.workspace.cards.setDue(cards, to: days)
    return cards.count
  }
  type.method(
    "stats", ["query": .optional(.string)], returns: .table, example: "(\"tag:animal\")",
    "Study statistics of the deck and the decks within it, or of their cards that a query finds: today, streak, "
      + "cards, retention, days, hours, buttons, forecast, intervals, stability, difficulty, retrievability, added."
  ) { deck, stack in LuaValue(try deck.statistics(query: stack.optionalText(2, limit: longestQuery)).value) }
}

/// Returns what to do with a card that exists already; nil if the table does not say.
func readOnDuplicate(_ table: borrowing LuaTable) throws -> OnDuplicate? {
  guard let name = try table.optionalText("on_duplicate") else { return nil }
  guard let known = OnDuplicate(rawValue: name) else {
    throw table.wrong("on_duplicate must be \"skip\", \"update\" or \"error\", got \(quoted(name))")
  }
  return known
}

// MARK: Cards from tables

let cardKeys = ["prompt", "answer", "tags", "guid", "fields", "document"]

/// Adds a card that consists only of texts, the common case in a loop; nil for any other card.
private func addPlain(_ table: borrowing LuaTable, to deck: DeckHandle, at place: CardPlace) throws -> CardHandle? {
  try table.withPlainBytes("prompt", "answer", "guid") { prompt, answer, guid in
    try deck.add(CheckedCard(prompt: prompt, answer: answer, guid: guid), at: place)
  }
}

/// Reads a card from a script's table. Invalid UTF-8 is an ordinary failure, not a wrong use.
func readCard(_ table: borrowing LuaTable, allowing keys: [String] = cardKeys) throws -> NewCard {
  try table.allowOnly(keys)
  return NewCard(
    prompt: try text(table, "prompt") ?? "", answer: try text(table, "answer") ?? "",
    tags: try table.optionalTexts("tags") ?? [], guid: try text(table, "guid"), fields: try fields(table),
    document: try table.optionalObject("document", DocumentHandle.self)?.idForCards())
}

private func text(_ table: borrowing LuaTable, _ name: String) throws -> String? {
  guard try table.has(name) else { return nil }
  guard let text = String(validating: try table.bytes(name), as: UTF8.self) else {
    throw DeckError.badText(what: name, reason: "must be UTF-8")
  }
  return text
}

private func fields(_ table: borrowing LuaTable) throws -> [CardField] {
  let named = try table.optionalTable("fields") { try $0.namedValues() }
  return try (named ?? []).map { pair in
    if let text = pair.value.text { return CardField(pair.name, .text(text)) }
    if case .bytes(let bytes) = pair.value, String(validating: bytes, as: UTF8.self) == nil {
      throw DeckError.badText(what: "field \(quoted(pair.name))", reason: "must be UTF-8")
    }
    guard let json = pair.value.json else {
      throw table.wrong("field '\(pair.name)' has a value that a card cannot store")
    }
    return CardField(pair.name, .json(json))
  }
}

/// Adds a batch of cards from an array or an iterator. The script's code runs inside the operation.
private func addAll(to deck: DeckHandle, _ stack: borrowing LuaStack, _ context: BindingContext) throws -> LuaValue {
  var onDuplicate = OnDuplicate.skip
  if let options = try stack.optionalTable(3, allowing: ["on_duplicate"]) {
    onDuplicate = try readOnDuplicate(options) ?? .skip
  }
  guard stack.kind(2) == .table || stack.isCallable(2) else {
    throw stack.expected("array or iterator function", at: 2)
  }
  let total = stack.kind(2) == .table ? try stack.table(2).count() : 0
  let progress = context.shell.progress("Adding cards", total)
  defer { progress.finish() }
  let report = try deck.addAll(onDuplicate: onDuplicate) { batch in
    var count = 0
    try LuaItems(at: 2, on: stack).forEach { item in
      try add(item, to: batch)
      count += 1
      if count % 1000 == 0 { progress.step(1000) }
    }
  }
  return LuaValue(report.value)
}

private let badCard = ProblemCode.failure(.badCard)

/// Adds one item of a batch. What is wrong with it goes into the report; only a stop or a duplicate ends the batch.
private func add(_ item: borrowing LuaStack, to batch: CardBatch) throws {
  guard item.kind(-1) == .table else {
    return batch.reject(code: badCard, message: "a table with prompt and answer expected, got \(item.typeName(-1))")
  }
  do {
    let table = try item.table(-1)
    let added = try table.withPlainBytes("prompt", "answer", "guid") { prompt, answer, guid in
      try batch.add(prompt: prompt, answer: answer, guid: guid)
    }
    if added == nil { try batch.add(readCard(table)) }
  } catch LuaFailure.argument(_, let message) {
    batch.reject(code: badCard, message: message)
  } catch let error as DeckError {
    guard case .badText = error else { throw error }
    batch.reject(code: error.report.code, message: error.message)
  } catch let error as DocumentError {
    batch.reject(code: error.report.code, message: error.message)
  }
}
