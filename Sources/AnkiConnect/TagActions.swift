// AnkiConnect actions on note tags. Invariant: tags are case-insensitive; a tag exists while at least one note has it.

import Decks
import Text
import Values
import Workspace

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
    try call.workspace.notes.changeTags(
      of: having.map(\.id.rawValue), adding: Tags.separated(new), removing: [old])
    return .null
  }

  /// Escapes what a search would read as a wildcard.
  private static func escaped(_ tag: String) -> String {
    tag.reduce(into: "") { $0 += "\\*_\"".contains($1) ? "\\\($1)" : "\($1)" }
  }
}
