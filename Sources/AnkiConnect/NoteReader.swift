// Notes as clients see them. Invariant: a note type is read once for many notes.

import Decks
import Templates
import Values
import Workspace

/// A note.
struct NoteView {
  let number: Int64
  let type: NoteType
  /// HTML, in the order of the type.
  let fields: [(name: String, value: String)]
  let tags: [String]
  let modified: Int
  let cards: [Int64]

  /// Bytes that it has as a value: those of its texts, and what holds them.
  var weight: Int {
    let texts = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 300 }
    return 500 + texts + tags.reduce(0) { $0 + $1.utf8.count + 32 } + cards.count * 32
  }

  /// `{"Front": {"value": "...", "order": 0}}`
  var fieldValues: Value {
    .record(
      fields.enumerated().map { index, field in
        (field.name, .record([("value", .text(field.value)), ("order", .integer(index))]))
      })
  }
}

/// Reads them for one action.
final class NoteReader {
  private let workspace: Workspace
  private var types: [NoteTypeID: NoteType] = [:]

  init(_ workspace: Workspace) { self.workspace = workspace }

  func view(of note: NoteHandle) throws -> NoteView {
    let record = try note.record()
    let type = try types[record.type] ?? note.type().record()
    types[record.type] = type
    let missing = Array(repeating: "", count: max(0, type.fields.count - record.fields.count))
    return NoteView(
      number: record.id.rawValue, type: type,
      fields: zip(type.fields, record.fields + missing).map { (name: $0, value: $1) }, tags: record.tags,
      modified: record.modified, cards: try note.cards().map(\.id.rawValue))
  }
}
