// Notes as clients see them. Invariant: a note type is read once for many notes.

import Decks
import Templates
import Values
import Workspace

/// Reads notes with their types for one action.
final class NoteReader {
  private var types: [NoteTypeID: NoteType] = [:]

  func read(_ note: NoteHandle) throws -> (note: NoteRecord, type: NoteType) {
    let record = try note.record()
    let type = try types[record.type] ?? note.type().record()
    types[record.type] = type
    return (record, type)
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
