// AnkiConnect actions on existing notes and their tags. Invariant: an id that does not exist is skipped where an action
// takes several, and is an error where it takes one; tags are case-insensitive.

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

final class NoteReader {
  private var types: [NoteTypeID: NoteType] = [:]

  func read(_ note: NoteHandle) throws -> (note: NoteRecord, type: NoteType) {
    let record = try note.record()
    return (record, try types.kept(record.type) { try note.type().record() })
  }
}

extension NoteRecord {
  /// The HTML of the fields with their names, in the type's order; missing fields are empty.
  func named(_ type: NoteType) -> [(name: String, html: String)] {
    type.fields.enumerated().map { ($1, $0 < fields.count ? fields[$0] : "") }
  }

  /// `{"Front": {"value": "...", "order": 0}}`
  func fieldValues(_ type: NoteType) -> Value {
    .record(
      named(type).enumerated().map { index, field in
        (field.name, .record([("value", .text(field.html)), ("order", .integer(index))]))
      })
  }

  /// The approximate size of the note as a value, in bytes: its texts and their overhead.
  func weight(_ type: NoteType) -> Int {
    let texts = named(type).reduce(0) { $0 + $1.name.utf8.count + $1.html.utf8.count + 300 }
    return 500 + texts + tags.reduce(0) { $0 + $1.utf8.count + 32 }
  }
}

enum TagActions {
  static let all: [Action] = [
    .reading("getTags") { call in .list(try call.workspace.notes.tags().map { .text($0) }) },
    .reading("getNoteTags") { call in
      .list(try call.note(call.params["note"].integer()).record().tags.map { .text($0) })
    },
    // There are no unused tags: a tag exists only while a note has it.
    .reading("clearUnusedTags") { _ in .null },
    .changing("addTags") { call in
      // The add-on's action removes tags too.
      let tags = try list(call.params["tags"])
      let isAdding = try call.flag("add", true)
      try call.workspace.notes.changeTags(
        of: call.numbers("notes").map { Int64($0) }, adding: isAdding ? tags : [], removing: isAdding ? [] : tags)
      return .null
    },
    .changing("removeTags") { call in
      let tags = try list(call.params["tags"])
      try call.workspace.notes.changeTags(of: call.numbers("notes").map { Int64($0) }, removing: tags)
      return .null
    },
    .changing("updateNoteTags") { call in
      let note = try call.note(call.params["note"].integer())
      guard
        call.params["tags"].value?.text != nil
          || call.params["tags"].value?.list?.allSatisfy({ $0.text != nil }) == true
      else { throw ActionFailure("Must provide tags as a list of strings") }
      try note.update(tags: list(call.params["tags"]))
      return .null
    },
    .changing("replaceTags") { call in
      try replace(call, in: call.numbers("notes").compactMap { try call.workspace.notes.numbered(Int64($0)) })
    },
    .changing("replaceTagsInAllNotes") { call in
      let tag = try call.params["tag_to_replace"].text("a tag")
      let numbers = try call.workspace.notes.numbers(anki: "\"tag:\(escaped(tag))\"")
      return try replace(call, in: numbers.compactMap { try call.workspace.notes.numbered($0) })
    },
  ]

  /// Parses a text of tags separated by spaces, or a list of such texts. As in Anki, a blank text is no tag.
  static func list(_ reader: ValueReader) throws -> [String] {
    if let text = reader.value?.text { return Tags.separated(text) }
    return try reader.items("a text or a list of texts").flatMap { tags in Tags.separated(try tags.text()) }
  }

  private static func replace(_ call: ActionCall, in notes: [NoteHandle]) throws -> Value {
    let old = try call.params["tag_to_replace"].text("a tag")
    let new = try call.params["replace_with_tag"].text("a tag")
    let key = old.lowercased()
    let having = try notes.filter { try $0.record().tags.contains { $0.lowercased() == key } }
    if having.isEmpty { return .null }
    try call.workspace.notes.changeTags(of: having.map(\.id.rawValue), adding: Tags.separated(new), removing: [old])
    return .null
  }

  private static func escaped(_ tag: String) -> String {
    tag.reduce(into: "") { $0 += "\\*_\"".contains($1) ? "\\\($1)" : "\($1)" }
  }
}
