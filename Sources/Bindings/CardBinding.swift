// What Lua sees of a card. Invariant: its fields are those of the store at the moment of reading.

import CardDocuments
import Decks
public import LuaRuntime
import Text
import Values
public import Workspace

extension CardHandle: BoundObject {}
extension CardSequence: BoundObject {}

func cardType(_ context: BindingContext) -> BoundType<CardHandle> {
  BoundType<CardHandle>(
    "card", "A card: a prompt, and the answer to it.", weight: .bytes(512),
    summary: { card in
      let record = try card.record()
      return "card \"\(printable(record.prompt, limit: 40))\" / \"\(printable(record.answer, limit: 40))\""
    },
    identity: { .text(try $0.record().guid) }, entrance: context.entrance(.decks) { try requireOpen($0, "card") }
  ) { type in
    type.example = "decks.open(\"Spanish\"):card(1)"
    describeTexts(type, context)
    describePlace(type, context)
    describeSchedule(type)
    describeMarks(type, context)
  }
}

private func describeTexts(_ type: BoundType<CardHandle>, _ context: BindingContext) {
  type.field("prompt", .string, grant: .decksWrite, example: "\"el perro\"", "What is asked.") {
    try $0.record().prompt
  } set: { card, stack in
    let text = try stack.text(3)
    try card.update(prompt: text)
  }
  type.field("answer", .string, grant: .decksWrite, example: "\"the hound\"", "What is to be known.") {
    try $0.record().answer
  } set: { card, stack in
    let text = try stack.text(3)
    try card.update(answer: text)
  }
  type.field(
    "tags", .list(.string), grant: .decksWrite, example: "{\"animal\"}",
    "Its tags. Assign a whole list, or use tag and untag."
  ) { card in
    FrozenList(
      try card.record().tags, advice: "assign the whole list (card.tags = {...}), or use card:tag() and card:untag()")
  } set: { card, stack in
    let tags = try stack.table(3, "list of strings").elements { try $0.text(-1) }
    try card.update(tags: tags)
  }
  type.field(
    "document", .optional(.object("document")), grant: .decksWrite, "The document that it shows; assign one, or nil."
  ) {
    try $0.document()
  } set: { card, stack in
    let document = stack.isNoneOrNil(3) ? nil : try stack.object(3, DocumentHandle.self)
    try card.setDocument(document?.document().id.description)
  }
  type.method(
    "tag", [LuaParameter("tags", .variadic(.string))], returns: .nothing, grant: .decksWrite, example: "(\"animal\")",
    "Adds tags."
  ) { card, stack in
    let added = try (2..<max(2, stack.count + 1)).map { try stack.text($0) }
    try card.update(tags: card.record().tags + added)
    return LuaNothing()
  }
  type.method(
    "untag", [LuaParameter("tags", .variadic(.string))], returns: .nothing, grant: .decksWrite, example: "(\"animal\")",
    "Takes tags away."
  ) { card, stack in
    let removed = try (2..<max(2, stack.count + 1)).map { try stack.text($0) }
    try card.update(tags: card.record().tags.filter { !removed.contains($0) })
    return LuaNothing()
  }
}

private func describePlace(_ type: BoundType<CardHandle>, _ context: BindingContext) {
  type.field("note", .object("note"), "The note that it is made from.") {
    try $0.note()
  }
  type.field(
    "fields", .table,
    "The fields of its note by name, as HTML, and beside them what the card keeps of a file's other columns."
  ) { card in
    FrozenValue(
      .table(try card.fields().map { (.text($0.name), $0.value.luaValue) }),
      advice: "assign a field of the note (card.note.fields.NAME = ...)")
  }
  type.field("guid", .string, "What it is known by when decks are exchanged.") { try $0.record().guid }
  type.field("deck", .object("deck"), "The deck it is in.") { try $0.deck() }
  type.field("position", .integer, "Its place in the deck; 1 is the top.") { try $0.position() }
  type.method(
    "move", [LuaParameter("position", .integer)], returns: .nothing, grant: .decksWrite, example: "(1)",
    "Brings it to a position; beyond the last is the bottom."
  ) { card, stack in
    let position = try stack.integer(2, in: 1...Int.max)
    try card.move(to: position)
    return LuaNothing()
  }
  type.method("remove", [], returns: .nothing, grant: .decksWrite, "Removes it from its deck.") { card, _ in
    _ = try card.record()
    try card.workspace.remove([card])
    return LuaNothing()
  }
  type.method("suspend", [], returns: .nothing, grant: .decksWrite, "Keeps it out of reviews.") { card, _ in
    try card.setSuspended(true)
    return LuaNothing()
  }
  type.method("resume", [], returns: .nothing, grant: .decksWrite, "Lets it into reviews again.") { card, _ in
    try card.setSuspended(false)
    return LuaNothing()
  }
}

private func describeSchedule(_ type: BoundType<CardHandle>) {
  type.field("state", .string, "new, learning, review, relearning or suspended.") { card in
    let record = try card.record()
    return record.isSuspended ? "suspended" : record.state.name
  }
  type.field("due", .optional(.number), "When it is to be studied: seconds since 1970; nil for a new card.") {
    try $0.record().due
  }
  type.field("stability", .optional(.number), "Days after which it is remembered with a probability of 0.9.") {
    try $0.record().stability
  }
  type.field("difficulty", .optional(.number), "From 1, easy, to 10.") { try $0.record().difficulty }
  type.field("reps", .integer, "How many times it was answered in reviews.") { try $0.record().reps }
  type.field("lapses", .integer, "How many times it was forgotten.") { try $0.record().lapses }
}

extension CardFieldValue {
  private static let limits = JSONLimits(bytes: 1 << 20, depth: 64, values: 100_000, string: 1 << 20)

  fileprivate var luaValue: LuaValue {
    switch self {
    case .text(let text): return .text(text)
    case .json(let json):
      do throws(JSONFailure) {
        return LuaValue(try JSONParser.parse(Array(json.utf8), limits: Self.limits))
      } catch {
        // A column that no program of ours wrote.
        return .text(json)
      }
    }
  }
}

/// The iterator over cards: called for the next one.
func cardSequenceType() -> BoundType<CardSequence> {
  BoundType<CardSequence>(
    "cards", "An iterator over cards.", weight: .measured({ 512 + $0.count * 8 + min($0.count, 256) * 512 }),
    summary: { "iterator over \(counted($0.count, "card"))" },
    entrance: LuaEntrance { try requireOpen($0, "iterator") }
  ) { type in
    type.example = "decks.open(\"Spanish\"):cards(\"tag:animal\")"
    type.operation("__call") { cards, _ in try cards.nextCard() }
    type.operation("__close") { _, _ in LuaNothing() }
  }
}
