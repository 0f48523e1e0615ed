// Lua's view of note types and of media files: the modules `notetypes` and `media`, the type `notetype`. Invariant: a
// change that removes cards or texts is refused, with their numbers, unless the script agreed to it.

import Decks
public import LuaRuntime
import Problems
import Templates
import Text
public import Workspace

extension NoteTypeHandle: BoundObject {}

func noteTypesModule(_ context: BindingContext) -> BoundModule {
  context.module("notetypes", "Note types: the fields and templates that notes share.", grant: .decks) { module in
    module.function("list", returns: .list(.object("notetype")), "All note types, by name.") { _ in
      try context.workspace().noteTypes.all()
    }
    module.function(
      "open", ["name": .string], returns: .object("notetype").orProblem, example: "(\"Basic\")",
      "The note type with that name. Code: not_found, with a `suggestion` if there is a similar name."
    ) { stack in try context.workspace().noteTypes.open(stack.text(1, limit: longestName)) }
    module.function(
      "create", ["description": .table], returns: .object("notetype").orProblem, grant: .decksWrite,
      example: "{name = \"Word\", fields = {\"Word\", \"Meaning\"}, "
        + "cards = {{name = \"Ask\", front = \"{{Word}}\", back = \"{{Meaning}}\"}}}",
      "Makes a note type: {name=, fields={NAME...}, cards={{name=, front=, back=}...}, css=, cloze=}. "
        + "Codes: exists, bad_type, bad_template."
    ) { stack in
      let draft = try readDraft(stack.table(1, "a table with name, fields and cards"))
      return try context.workspace().noteTypes.create(draft)
    }
  }
}

func readDraft(_ table: borrowing LuaTable) throws -> NoteTypeDraft {
  try table.allowOnly(["name", "fields", "cards", "css", "cloze"])
  return NoteTypeDraft(
    name: try table.optionalText("name") ?? "", fields: try readFieldNames(table) ?? [],
    cards: try readCards(table) ?? [], css: try table.optionalText("css") ?? NoteTypeDraft.plainCSS,
    isCloze: try table.optionalBoolean("cloze") ?? false)
}

private func readFieldNames(_ table: borrowing LuaTable) throws -> [String]? {
  try table.optionalTexts("fields", atMost: 10_000)
}

private func readCards(_ table: borrowing LuaTable) throws -> [CardTemplate]? {
  try table.optionalTable("cards") { cards in
    try cards.elements { stack in
      let card = try stack.table(-1, "table with name, front and back")
      try card.allowOnly(["name", "front", "back"])
      return CardTemplate(
        try card.text("name"), front: try card.optionalText("front") ?? "", back: try card.optionalText("back") ?? "")
    }
  }
}

func noteTypeType(_ context: BindingContext) -> BoundType<NoteTypeHandle> {
  BoundType<NoteTypeHandle>(
    "notetype", "A note type: the names of the fields, and a template for each card.", weight: .bytes(2048),
    summary: { type in
      let record = try type.record()
      return "notetype \"\(printable(record.name, limit: 40))\" (\(counted(record.fields.count, "field")))"
    }, identity: { .text(try $0.record().name) }, checks: context.checks(.decks) { try requireOpen($0, "notetype") }
  ) { type in
    type.example = "notetypes.open(\"Basic\")"
    type.field("name", .string, "Its name.") { try $0.record().name }
    type.field("fields", .list(.string), "The names of its fields.") { type in
      Frozen(try type.record().fields, advice: "use notetype:update{fields = {...}}")
    }
    type.field("cards", .list(.table), "Its templates: {name=, front=, back=} each, in HTML.") { type in
      Frozen(try type.record().cards.map(\.luaValue), advice: "use notetype:update{cards = {...}}")
    }
    type.field("css", .string, "How its cards look in programs that show HTML.") { try $0.record().css }
    type.field("cloze", .boolean, "Whether it makes a card for each cloze number.") { try $0.record().isCloze }
    type.field("count", .integer, "How many notes have this type.") { try $0.noteCount() }
    type.action(
      "update", ["changes": .table], grant: .decksWrite, example: "{css = \".card { font-size: 20px }\"}",
      "Changes it with its notes and cards: {name=, fields=, cards=, css=}; what is omitted stays. Fields and cards "
        + "are matched by name; if their number is unchanged, the others are matched by position and renamed. Code: "
        + "loses_cards, with `cards` and `notes`, unless agreed = true."
    ) { type, stack in
      let table = try stack.table(2, "a table with changes")
      try table.allowOnly(["name", "fields", "cards", "css", "agreed"])
      let record = try type.record()
      var draft = record.draft
      draft.name = try table.optionalText("name") ?? draft.name
      draft.fields = try readFieldNames(table) ?? draft.fields
      draft.cards = try readCards(table) ?? draft.cards
      draft.css = try table.optionalText("css") ?? draft.css
      let agreed = try table.optionalBoolean("agreed") ?? false
      try type.edit(NoteTypeEdit(record, to: draft), agreed: agreed)
    }
    type.action("remove", grant: .decksWrite, "Removes it. Code: in_use, when it has notes.") { type, _ in
      _ = try type.record()
      try type.remove()
    }
  }
}

extension CardTemplate {
  fileprivate var luaValue: LuaValue { .record(["name": name, "front": front, "back": back]) }
}

func mediaModule(_ context: BindingContext) -> BoundModule {
  context.module("media", "Media: the pictures and sounds that cards use.", grant: .decks) { module in
    module.function(
      "add", ["path": .string], returns: .string.orProblem, grant: .decksWrite, example: "(\"dog.svg\")",
      "Adds a copy of a file; returns the name to write in a field: [sound:NAME] or <img src=\"NAME\">. "
        + "If another file has the name, a part of the hash is added."
    ) { stack in
      let path = try context.expanded(stack.text(1))
      try context.requireReading(path)
      return try context.workspace().media.add(from: path, context.kinds(of: path))
    }
    module.function("list", returns: .list(.table), "All media: {name=, size=} each, by name.") { _ in
      try context.workspace().media.all().map { LuaValue.record(["name": $0.name, "size": $0.size]) }
    }
  }
}
