// Actions on notes that are there. Invariant: a number that stands for nothing is passed over where many are asked for,
// and an error where one is meant.

import Decks
import Files
import Templates
import Text
import Values
import Workspace

enum NoteActions {
  static let all: [Action] = [
    .reading("findNotes") { call in
      .list(try call.workspace.notes.numbers(anki: call.params["query"].text()).map { .integer(Int($0)) })
    },
    .reading("notesInfo", info),
    .changing("updateNoteFields") { call in
      let note = call.params["note"]
      try update(note, fields: try note["fields"].fields(), tags: nil, call)
      return .null
    },
    .changing("updateNote") { call in
      let note = call.params["note"]
      let fields = try note["fields"].value.map { _ in try note["fields"].fields() }
      let tags = try note["tags"].value.map { _ in try tagList(note["tags"]) }
      guard fields != nil || tags != nil else { throw ActionFailure("Must provide a \"fields\" or \"tags\" property.") }
      try update(note, fields: fields ?? [], tags: tags, call)
      return .null
    },
    .changing("deleteNotes") { call in
      try call.workspace.notes.remove(try call.numbers("notes").map { Int64($0) })
      return .null
    },
    .changing("addTags") { call in
      let tags = try tagList(call.params["tags"])
      try call.workspace.notes.changeTags(of: call.numbers("notes").map { Int64($0) }, adding: tags)
      return .null
    },
    .changing("removeTags") { call in
      let tags = try tagList(call.params["tags"])
      try call.workspace.notes.changeTags(of: call.numbers("notes").map { Int64($0) }, removing: tags)
      return .null
    },
    .reading("getTags") { call in .list(try call.workspace.notes.tags().map { .text($0) }) },
  ]

  /// A list of tags, or a text in which blanks part them.
  static func tagList(_ reader: ValueReader) throws -> [String] {
    if let text = reader.value?.text { return Tags.separated(text) }
    return try reader.elements("a text or a list of texts").map { tag throws(ShapeFailure) in try tag.text() }
  }

  // MARK: Reading

  private static func info(_ call: ActionCall) throws -> Value {
    let hasQuery = call.params["query"].value ?? .null != .null
    let numbers =
      try hasQuery
      ? call.workspace.notes.numbers(anki: call.params["query"].text()) : call.numbers("notes").map { Int64($0) }
    let reader = NoteReader(call.workspace)
    return .list(
      try numbers.map { number in
        if call.workspace.environment.isInterrupted() { throw WorkspaceError.interrupted }
        guard let note = try call.workspace.notes.numbered(number) else { return .record([]) }
        let (record, type) = try reader.read(note)
        let cards = try note.cards()
        try call.answer.charge(record.weight(type) + cards.count * 32)
        return described(record, type, cards)
      })
  }

  private static func described(_ note: NoteRecord, _ type: NoteType, _ cards: [CardHandle]) -> Value {
    .record([
      ("noteId", .integer(Int(note.id.rawValue))), ("modelName", .text(type.name)),
      ("tags", .list(note.tags.map { .text($0) })), ("fields", note.fieldValues(type)),
      ("mod", .integer(note.modified)), ("cards", .list(cards.map { .integer(Int($0.id.rawValue)) })),
    ])
  }

  // MARK: Changing

  /// Fields that the type does not have are passed over, as AnkiConnect does.
  private static func update(
    _ note: ValueReader, fields: [(name: String, reader: ValueReader)], tags: [String]?, _ call: ActionCall
  ) throws {
    let number = try note["id"].integer()
    guard let known = try call.workspace.notes.numbered(Int64(number)) else { throw ActionFailure.noNote(number) }
    let (record, type) = try NoteReader(call.workspace).read(known)
    var texts = Dictionary(uniqueKeysWithValues: record.named(type).map { ($0.name, $0.html) })
    for (name, reader) in fields where texts[name] != nil { texts[name] = try reader.text() }
    for (name, html) in try RequestedMedia.list(of: note).markup(in: type.fields, call) {
      texts[name, default: ""] += html
    }
    let lost = try known.update(fields: texts, tags: tags)
    if lost > 0 {
      call.host.tell("A note has lost \(counted(lost, "card")) by what was written to it; `undo` brings it back.")
    }
  }
}
