// A note that a build made, as the deck has it now.
// Invariant: its hash is that of what the user sees of it, so that an edit gives another one.

import Decks
import Storage
import Templates
import Text

/// A note as the deck has it now.
struct BuildContent {
  let note: NoteRecord
  let type: NoteType
  /// What the note says as a prompt and an answer; nil for one of another type than Basic, and for formatted text.
  let texts: (prompt: String, answer: String)?

  /// nil when it is gone.
  static func of(_ db: Database, _ id: NoteID?) throws -> BuildContent? {
    guard let id, try NoteTable.exists(db, id) else { return nil }
    let note = try NoteTable.record(db, id)
    let type = try NoteTypeTable.record(db, note.type)
    let plain = type.isBasic ? note.fields.compactMap(FieldHTML.plain) : []
    return BuildContent(note: note, type: type, texts: plain.count == 2 ? (plain[0], plain[1]) : nil)
  }

  var hash: Int64 { BuildIDs.hash(note.fields + note.tags) }

  /// What the note is called by.
  var prompt: String { texts?.prompt ?? note.fields.first ?? "" }

  /// Whether a row has this content.
  func isSame(as row: CardRow) -> Bool {
    guard note.tags == row.tags else { return false }
    guard case .note(_, let values, _) = row.content else {
      return texts?.prompt == String(decoding: row.prompt, as: UTF8.self).trimmed
        && texts?.answer == String(decoding: row.answer, as: UTF8.self).trimmed
    }
    return zip(values, note.fields).allSatisfy { $0.html == $1 }
  }

  /// Whether the note can become what a row says: a prompt and an answer are a note of Basic.
  func canBecome(_ row: CardRow) -> Bool {
    guard case .note(let type, _, _) = row.content else { return self.type.isBasic }
    return !self.type.isBasic || self.type.name.lowercased() == type.trimmed.lowercased()
  }
}
