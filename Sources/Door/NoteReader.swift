// Notes and plain cards as clients see them. Invariant: a note type is read once for many notes.

import Decks
import Values
import Workspace

/// A note, or a plain card as the note of type Basic that it goes out as.
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
  /// Of plain cards.
  private var plain: NoteType?

  init(_ workspace: Workspace) { self.workspace = workspace }

  func view(of note: NumberedNote) throws -> NoteView {
    switch note {
    case .note(let note): try view(of: note)
    case .plain(let card): try view(of: card)
    }
  }

  private func view(of note: NoteHandle) throws -> NoteView {
    let record = try note.record()
    let type = try types[record.type] ?? note.type().record()
    types[record.type] = type
    let missing = Array(repeating: "", count: max(0, type.fields.count - record.fields.count))
    return NoteView(
      number: record.id.rawValue, type: type,
      fields: zip(type.fields, record.fields + missing).map { (name: $0, value: $1) }, tags: record.tags,
      modified: record.modified, cards: try note.cards().map(\.id.rawValue))
  }

  private func view(of card: CardHandle) throws -> NoteView {
    let record = try card.record()
    let type = try plain ?? workspace.plainNoteType()
    plain = type
    let sides = [record.prompt, record.answer].map(FieldHTML.html(ofPlain:))
    return NoteView(
      number: record.id.rawValue, type: type, fields: zip(type.fields, sides).map { (name: $0, value: $1) },
      tags: record.tags, modified: Int(record.modified), cards: [record.id.rawValue])
  }
}
