// A card or a note that a build made, as the deck has it now.
// Invariant: its hash is that of what the user sees of it, so that an edit gives another one.

import Decks
import Storage
import Text

/// A card or a note as the deck has it now.
struct BuildContent {
  let target: BuiltTarget
  let guid: String
  let hash: Int64
  let prompt: String
  let answer: String
  let tags: [String]
  /// Of a note.
  let fields: [String]

  var isNote: Bool { target.note != nil }

  /// nil when it is gone.
  static func of(_ db: Database, _ target: BuiltTarget) throws -> BuildContent? {
    switch target {
    case .none: return nil
    case .card(let id):
      guard let card = try CardTable.card(db, id) else { return nil }
      return BuildContent(
        target: target, guid: card.guid, hash: BuildIDs.hash([card.prompt, card.answer] + card.tags),
        prompt: card.prompt, answer: card.answer, tags: card.tags, fields: [])
    case .note(let id):
      guard try NoteTable.exists(db, id) else { return nil }
      let note = try NoteTable.record(db, id)
      return BuildContent(
        target: target, guid: note.guid, hash: BuildIDs.hash(note.fields + note.tags),
        prompt: note.fields.first ?? "", answer: "", tags: note.tags, fields: note.fields)
    }
  }

  /// Whether a row says the same.
  func isSame(as row: CardRow) -> Bool {
    guard tags == row.tags else { return false }
    guard case .fields(_, let values, _) = row.note else {
      return !isNote && prompt == String(decoding: row.prompt, as: UTF8.self).trimmed
        && answer == String(decoding: row.answer, as: UTF8.self).trimmed
    }
    return isNote && zip(values, fields).allSatisfy { $0.html == $1 }
  }
}
