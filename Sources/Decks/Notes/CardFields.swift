// The fields behind a card: those of its note by name, and those that it keeps beside them.
// Invariant: a name is there once; a field of the note goes before one of the same name that the card keeps.

import Files
public import Storage
import Templates
import Text

/// What there is behind what a card shows.
public enum CardFields {
  /// The fields of a card's note as HTML, in the order of its type, then those that the card keeps beside them.
  public static func all(_ db: Database, of card: CardRecord) throws -> [CardField] {
    let note = try NoteTable.record(db, card.note)
    let type = try NoteTypeTable.record(db, note.type)
    let own = zip(type.fields, NoteTable.padded(note.fields, type)).map { CardField($0, .text($1)) }
    return own + card.fields.filter { !type.fields.contains($0.name) }
  }

  /// Those that no template names and that say something, as plain text.
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

  /// Where a card's answer has what a cloze hid, in its UTF-8.
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
