// AnkiConnect actions on existing notes. Invariant: an id that does not exist is skipped where an action takes several,
// and is an error where it takes one.

import Decks
import Files
import Templates
import Text
import Values
import Workspace

enum NoteActions {
  static let all: [Action] = [
    .reading("findNotes") { call in
      guard call.params["query"].isGiven else { return .list([]) }
      return CardActions.numbers(try call.workspace.notes.numbers(anki: call.params["query"].text()))
    },
    .reading("notesInfo", info),
    .reading("notesModTime") { call in
      .list(
        try call.numbers("notes").map { number in
          guard let note = try call.workspace.notes.numbered(Int64(number)) else { return .record([]) }
          return .record([("noteId", .integer(number)), ("mod", .integer(try note.record().modified))])
        })
    },
    .changing("updateNoteFields") { call in
      let note = call.params["note"]
      try update(note, fields: try note["fields"].fields(), tags: nil, call)
      return .null
    },
    .changing("updateNote") { call in
      let note = call.params["note"]
      let fields = try note["fields"].value.map { _ in try note["fields"].fields() }
      let tags = try note["tags"].value.map { _ in try TagActions.list(note["tags"]) }
      guard fields != nil || tags != nil else { throw ActionFailure("Must provide a \"fields\" or \"tags\" property.") }
      try update(note, fields: fields ?? [], tags: tags, call)
      return .null
    },
    .changing("deleteNotes") { call in
      try call.workspace.notes.remove(try call.numbers("notes").map { Int64($0) })
      return .null
    },
  ]

  // MARK: Reading

  private static func info(_ call: ActionCall) throws -> Value {
    let hasQuery = call.params["query"].isGiven
    let numbers =
      try hasQuery
      ? call.workspace.notes.numbers(anki: call.params["query"].text()) : call.numbers("notes").map { Int64($0) }
    let reader = NoteReader()
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

  /// Updates a note. Fields that the type does not have are ignored, as in AnkiConnect.
  private static func update(
    _ note: ValueReader, fields: [(name: String, reader: ValueReader)], tags: [String]?, _ call: ActionCall
  ) throws {
    let known = try call.note(note["id"].integer())
    let (record, type) = try NoteReader().read(known)
    // A type from another program may have two fields with the same name.
    let before = Dictionary(firstOf: record.named(type).map { ($0.name, $0.html) })
    var texts: [String: String] = [:]
    for (name, reader) in fields {
      if before[name] != nil { texts[name] = try reader.text() } else { call.answer.warn(field: name, of: type) }
    }
    for (name, html) in try RequestedMedia.list(of: note).markup(in: type.fields, call) {
      texts[name, default: before[name] ?? ""] += html
    }
    let lost = try known.update(fields: texts, tags: tags)
    if lost > 0 {
      call.host.log("A change to a note removed \(counted(lost, "card")); use `undo` to revert it.")
    }
  }
}
