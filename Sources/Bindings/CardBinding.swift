// Lua's view of a card. Invariant: its fields are those of the store at the moment of reading.

import CardDocuments
import Decks
public import LuaRuntime
import Text
public import Workspace

extension CardHandle: BoundObject {}
extension CardSequence: BoundObject {}

func cardType(_ context: BindingContext) -> BoundType<CardHandle> {
  BoundType<CardHandle>(
    "card", "A card: a prompt and its answer.", weight: .bytes(512),
    summary: { card in
      let record = try card.record()
      return "card \"\(printable(record.prompt, limit: 40))\" / \"\(printable(record.answer, limit: 40))\""
    }, identity: { .text(try $0.record().guid) }, checks: context.checks(.decks) { try requireOpen($0, "card") }
  ) { type in
    type.example = "decks.open(\"Spanish\"):card(1)"
    describeFields(type)
    for (name, help, isAdded) in [("tag", "Adds tags.", true), ("untag", "Removes tags.", false)] {
      type.method(name, ["tags": .variadic(.string)], grant: .decksWrite, example: "(\"animal\")", help) {
        card, stack in
        let tags = try (2..<max(2, stack.count + 1)).map { try stack.text($0) }
        try card.workspace.cards.changeTags([card], adding: isAdded ? tags : [], removing: isAdded ? [] : tags)
      }
    }
    type.method(
      "move", ["position": .integer], grant: .decksWrite, example: "(1)",
      "Moves it to a position; a position after the last means the bottom."
    ) { card, stack in try card.move(to: stack.integer(2, in: 1...Int.max)) }
    let acts: [(String, String, (CardHandle) throws -> Void)] = [
      ("remove", "Removes it from its deck.", { try $0.workspace.cards.remove([$0]) }),
      ("suspend", "Keeps it out of reviews.", { try $0.setSuspended(true) }),
      ("resume", "Includes it in reviews again.", { try $0.setSuspended(false) }),
      ("bury", "Hides it until tomorrow.", { try $0.workspace.cards.bury([$0]) }),
      ("forget", "Makes it new again, after all other cards.", { try $0.workspace.cards.forget([$0]) }),
      ("unbury", "Shows it again before tomorrow.", { try $0.workspace.cards.unbury([$0]) }),
    ]
    for (name, help, act) in acts {
      type.method(name, grant: .decksWrite, help) { card, _ in
        // A card that was removed is an error.
        _ = try card.record()
        try act(card)
      }
    }
  }
}

/// How a field is assigned, with an example; the new value is at 3. Nil for a field that is only read.
private func setter(
  of property: CardProperty
) -> (example: String?, set: (CardHandle, borrowing LuaStack) throws -> Void)? {
  switch property {
  case .prompt: ("\"el perro\"", { card, stack in try card.update(prompt: stack.text(3)) })
  case .answer: ("\"the hound\"", { card, stack in try card.update(answer: stack.text(3)) })
  case .tags:
    (
      "{\"animal\"}",
      { card, stack in try card.update(tags: stack.table(3, "list of strings").elements { try $0.text(-1) }) }
    )
  case .document:
    (
      nil,
      { card, stack in
        let document = stack.isNoneOrNil(3) ? nil : try stack.object(3, DocumentHandle.self)
        try card.setDocument(document?.idForCards())
      }
    )
  case .due:
    ("os.time() + 7 * 86400", { card, stack in try card.workspace.cards.setDue([card], on: stack.number(3)) })
  case .flag:
    ("1", { card, stack in try card.workspace.cards.setFlag([card], to: stack.integer(3, in: CardHiding.flags)) })
  default: nil
  }
}

private func describeFields(_ type: BoundType<CardHandle>) {
  for property in CardProperty.shown {
    switch property {
    case .prompt: add(property, to: type) { try $0.record().prompt }
    case .answer: add(property, to: type) { try $0.record().answer }
    case .document: add(property, to: type) { try $0.document() }
    case .note: add(property, to: type) { try $0.note() }
    case .deck: add(property, to: type) { try $0.deck() }
    default: add(property, to: type) { Frozen(LuaValue(try $0.value(of: property)), advice: property.advice) }
    }
  }
}

private func add<V: LuaRepresentable>(
  _ property: CardProperty, to type: BoundType<CardHandle>, get: @escaping (CardHandle) throws -> V
) {
  let (name, words) = (property.rawValue, property.description)
  guard let setter = setter(of: property) else { return type.field(name, words.luaType, words.help, get: get) }
  type.field(name, words.luaType, grant: .decksWrite, example: setter.example, words.help, get: get, set: setter.set)
}

extension CardProperty {
  /// The advice for code that writes into a list returned by the field.
  fileprivate var advice: String {
    self == .tags
      ? "assign the whole list (card.tags = {...}), or use card:tag() and card:untag()"
      : "assign a field of the note (card.note.fields.NAME = ...)"
  }
}

extension CardProperty.Description {
  fileprivate var luaType: LuaType {
    let type: LuaType =
      switch kind {
      case .text: .string
      case .texts: .list(.string)
      case .integer: .integer
      case .number, .moment: .number
      case .boolean: .boolean
      case .record: .table
      case .document: .object("document")
      case .note: .object("note")
      case .deck: .object("deck")
      }
    return isOptional ? .optional(type) : type
  }
}

/// The iterator over cards; each call returns the next one.
func cardSequenceType() -> BoundType<CardSequence> {
  BoundType<CardSequence>(
    "cards", "An iterator over cards.", weight: .measured({ 512 + $0.count * 8 + min($0.count, 256) * 512 }),
    summary: { "iterator over \(counted($0.count, "card"))" }, checks: LuaChecks { try requireOpen($0, "iterator") }
  ) { type in
    type.example = "decks.open(\"Spanish\"):cards(\"tag:animal\")"
    type.operation("__call") { cards, _ in try cards.nextCard() }
    type.closing { _ in }
  }
}
