// Lua's view of notes: the type `note`, its fields by name, and `deck:add_note`. Invariant: a field is HTML as it is
// stored, whoever reads or writes it; a change updates the note's cards in the same operation.

import Decks
public import LuaRuntime
import Problems
import Templates
import Text
public import Workspace

extension NoteHandle: BoundObject {}

/// The maximum bytes of one field that a script passes.
private let longestField = 16 << 20

func noteType(_ context: BindingContext) -> BoundType<NoteHandle> {
  BoundType<NoteHandle>(
    "note", "A note: fields that one or several cards are made from.", weight: .bytes(512),
    summary: { note in
      let cards = try note.cards()
      let prompt = try cards.first?.record().prompt ?? ""
      let type = printable(try note.type().record().name, limit: 40)
      return "note \"\(printable(prompt, limit: 40))\" (\(type), \(counted(cards.count, "card")))"
    }, identity: { .text(try $0.record().guid) }, checks: context.checks(.decks) { try requireOpen($0, "note") }
  ) { type in
    type.example = "decks.open(\"Spanish\"):add_note{fields = {Front = \"el oso\", Back = \"the bear\"}}"
    type.field("guid", .string, "The id that identifies it when decks are exchanged.") { try $0.record().guid }
    type.field("type", .object("notetype"), "Its note type: the fields and templates that it shares with others.") {
      try $0.type()
    }
    type.field("fields", .object("note_fields"), "Its fields by name, as HTML; each can be assigned.") { note in
      held(&note.part) { NoteFieldsObject(note) }
    }
    type.field(
      "tags", .list(.string), grant: .decksWrite, example: "{\"animal\"}",
      "The tags of all its cards. Assign a whole list."
    ) { note in
      Frozen(try note.record().tags, advice: "assign the whole list: note.tags = {...}")
    } set: { note, stack in
      let tags = try stack.table(3, "list of strings").elements { try $0.text(-1) }
      try note.update(tags: tags)
    }
    type.field("cards", .list(.object("card")), "Its cards, in the order of the templates.") { note in
      Frozen(try note.cards(), advice: "a note's cards are made from its fields")
    }
    type.method(
      "remove", returns: .integer, grant: .decksWrite, "Removes it with its cards; returns how many cards were removed."
    ) { note, _ in
      _ = try note.record()
      return try note.remove()
    }
  }
}

final class NoteFieldsObject: BoundObject {
  let note: NoteHandle
  init(_ note: NoteHandle) { self.note = note }
}

func noteFieldsType(_ context: BindingContext) -> BoundType<NoteFieldsObject> {
  BoundType<NoteFieldsObject>(
    "note_fields", "The fields of a note by their names, as HTML.",
    summary: { "fields of note \"\(printable(try $0.note.record().guid))\"" },
    identity: { object in .table(try object.note.fields().map { (.text($0.name), .text($0.value)) }) },
    checks: context.checks(.decks) { try requireOpen($0.note, "note") }
  ) { type in
    type.example = "decks.open(\"Spanish\"):add_note{fields = {Front = \"el pez\", Back = \"the fish\"}}.fields"
    type.anyField(.string, grant: .decksWrite, "The text of a field, as HTML.") { object in
      try object.note.fields().map(\.name)
    } get: { object, name in
      try object.note.field(name)
    } set: { object, name, stack in
      guard stack.kind(3) == .text || stack.kind(3) == .number else { throw stack.expected("string", at: 3) }
      let text = try fieldText(stack.copiedBytes(3, limit: longestField), name)
      try object.note.update(fields: [name: text])
    }
    type.operation("__len") { object, _ in try object.note.fields().count }
    type.operation("__pairs") { object, _ in
      var left = try object.note.fields()[...]
      return LuaFunction("next_field", cost: 1024) { _ in
        guard let (name, value) = left.popFirst() else { return LuaResults(LuaValue.none) }
        return LuaResults(name, value)
      }
    }
  }
}

func describeNotes(_ type: BoundType<DeckHandle>) {
  type.method(
    "add_note", ["note": .table], returns: .object("note").orProblem, grant: .decksWrite,
    example: "{fields = {Front = \"el sol\", Back = \"the sun\"}}",
    "Adds a note with its cards on top: {type=, fields={NAME=HTML}, tags=, guid=}; the default type is Basic. "
      + "Codes: not_found, empty_note, no_cloze, duplicate, bad_text, too_large."
  ) { deck, stack in
    let table = try stack.table(2, "a table with type and fields")
    try table.allowOnly(["type", "fields", "tags", "guid"])
    let note = NewNote(
      fields: try readFields(table), tags: try table.optionalTexts("tags") ?? [], guid: try table.optionalText("guid"))
    if case .object(let object) = try table.value("type") {
      guard let type = object as? NoteTypeHandle else { throw table.wrong("field 'type': notetype or string expected") }
      return try deck.addNote(note, type: type)
    }
    return try deck.addNote(note, typeNamed: table.optionalText("type") ?? StockNoteType.basic.rawValue)
  }
}

private func readFields(_ table: borrowing LuaTable) throws -> [String: String] {
  guard try table.has("fields") else { return [:] }
  let wrong = table.wrong("field 'fields': a table {NAME = TEXT} expected")
  guard case .table(let pairs) = try table.value("fields") else { throw wrong }
  var fields: [String: String] = [:]
  for pair in pairs {
    guard let name = pair.key.text else { throw wrong }
    fields[name] = try fieldText(pair.value, name, table.argument)
  }
  return fields
}

private func fieldText(_ value: LuaValue, _ name: String, _ argument: Int) throws -> String {
  switch value {
  case .bytes(let bytes): return try fieldText(bytes, name)
  case .integer(let number): return String(number)
  case .number(let number): return String(number)
  default: throw LuaFailure.argument(argument, "field '\(printable(name))': string expected")
  }
}

/// Invalid UTF-8, or too long a text, is an ordinary failure, not a wrong use.
private func fieldText(_ bytes: [UInt8], _ name: String) throws -> String {
  if bytes.count > longestField { throw NoteError.badField(name: name, reason: "has more than 16 MiB") }
  guard let text = String(validating: bytes, as: UTF8.self) else {
    throw NoteError.badField(name: name, reason: "must be UTF-8")
  }
  return text
}
