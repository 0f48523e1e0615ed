// What is behind a card: the fields of its note by name and those that are stored with it; what a note in its present or
// a former state shows; and the answer that a card asks for.
// Invariant: each name occurs once; a field of the note takes precedence over a field of the card with the same name.

import Files
public import Storage
public import Templates
import Text

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

/// The columns of a note that decide what its cards show.
public struct NoteSource {
  public var type: NoteTypeID
  public var fields: String
  public var tags: String

  public init(type: NoteTypeID, fields: String, tags: String) {
    (self.type, self.fields, self.tags) = (type, fields, tags)
  }

  /// Returns what a card shows; nil if the type no longer exists.
  /// - Parameter card: the columns of the card that its template may show.
  public func sides(
    _ db: Database, of card: (id: CardID, deck: DeckID, ordinal: Int, flag: Int)
  ) throws -> (prompt: String, answer: String)? {
    guard let type = try NoteTypeTable.known(db, type) else { return nil }
    let maker = NoteCardMaker(type, isInterrupted: isNeverInterrupted)
    let note = NoteRecord(
      id: NoteID(rawValue: 0), guid: "", type: type.id, modified: 0, tags: Tags.list(tags),
      fields: NoteTable.padded(NoteFieldText.list(fields), type))
    let deck = try db.firstRow("SELECT name FROM decks WHERE id = ?", [card.deck.rawValue]) { $0.text(0) }
    var facts = maker.facts(note, deckName: deck ?? "")
    (facts.cardID, facts.flag) = (card.id.rawValue, card.flag)
    let values = NoteFields(names: type.fields, values: note.fields)
    let texts = try maker.texts(values, facts, ordinal: card.ordinal)
    return (texts.prompt, texts.answer)
  }
}

extension NoteSource {
  public static func of(_ db: Database, _ id: NoteID) throws -> NoteSource? {
    try db.firstRow("SELECT type, fields, tags FROM notes WHERE id = ?", [id.rawValue]) { row in
      NoteSource(type: NoteTypeID(rawValue: row.integer(0)), fields: row.text(1), tags: row.text(2))
    }
  }
}

extension NoteTable {
  /// What a card asks the user to type; nil if its front asks for nothing, or if the answer is empty.
  public static func typedQuestion(_ db: Database, _ card: CardID) throws -> TypedQuestion? {
    let sql = """
      SELECT note, ord FROM cards JOIN notes ON notes.id = note JOIN note_types ON note_types.id = notes.type
      WHERE cards.id = ? AND NOT basic
      """
    let found = try db.firstRow(sql, [card.rawValue]) {
      (NoteID(rawValue: $0.integer(0)), StoredCard.ordinal($0.integer(1)))
    }
    guard let (id, ordinal) = found else { return nil }
    let note = try record(db, id)
    let maker = NoteCardMaker(try NoteTypeTable.record(db, note.type), isInterrupted: isNeverInterrupted)
    let fields = NoteFields(names: maker.type.fields, values: padded(note.fields, maker.type))
    return maker.typedQuestion(fields.adding(maker.facts(note, deckName: "d")), ordinal: ordinal)
  }
}
