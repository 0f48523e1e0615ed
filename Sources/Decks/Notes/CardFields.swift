// The fields behind a card: those of its note, by name, and those that are stored with the card.
// Invariant: each name occurs once; a field of the note takes precedence over a field of the card with the same name.

import Files
public import Storage
import Templates
import Text

/// The fields behind what a card shows.
public enum CardFields {
  /// The fields of a card's note as HTML, in the order of its type, then those that are stored with the card.
  public static func all(_ db: Database, of card: CardRecord) throws -> [CardField] {
    let note = try NoteTable.record(db, card.note)
    let type = try NoteTypeTable.record(db, note.type)
    let own = zip(type.fields, NoteTable.padded(note.fields, type)).map { CardField($0, .text($1)) }
    return own + card.fields.filter { !type.fields.contains($0.name) }
  }

  /// The fields that no template uses and that are not empty, as plain text.
  public static func unnamed(_ db: Database, of card: CardRecord) throws -> [(name: String, text: String)] {
    let type = try NoteTypeTable.record(db, NoteTable.record(db, card.note).type)
    let unnamed = Set(NoteCardMaker(type, isInterrupted: isNeverInterrupted).unnamedFields)
    return try all(db, of: card).compactMap { field in
      let isOwn = type.fields.contains(field.name)
      if isOwn, !unnamed.contains(field.name) { return nil }
      let text =
        switch field.value {
        case .text(let text): isOwn ? FieldHTML.text(text) : text
        case .json(let json): json
        }
      return text.trimmed.isEmpty ? nil : (field.name, text.trimmed)
    }
  }

  /// The ranges of the card's answer, in UTF-8 bytes, that a cloze hides in the prompt.
  public static func hiddenParts(_ db: Database, of card: CardRecord) throws -> [Range<Int>] {
    let note = try NoteTable.record(db, card.note)
    let type = try NoteTypeTable.record(db, note.type)
    if !type.isCloze { return [] }
    let maker = NoteCardMaker(type, isInterrupted: isNeverInterrupted)
    var facts = maker.facts(note, deckName: try DeckTable.record(db, card.deck).name)
    (facts.cardID, facts.flag) = (card.id.rawValue, card.flag)
    let fields = NoteFields(names: type.fields, values: NoteTable.padded(note.fields, type))
    return try maker.hiddenParts(of: card.answer, fields, facts, ordinal: card.ordinal)
  }
}
