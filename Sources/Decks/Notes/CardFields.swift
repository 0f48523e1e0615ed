// What is behind a card: the fields of its note by name and those that are stored with it; what a note in its present
// or a former state shows; the answer that a card asks for; its sounds and pictures. Invariant: each name occurs once;
// a field of the note takes precedence over a field of the card with the same name.

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

  /// The picture of which the card hides areas; nil if it shows none.
  public static func maskedPicture(_ db: Database, of card: CardRecord) throws -> MaskedPicture? {
    let note = try NoteTable.record(db, card.note)
    let type = try NoteTypeTable.record(db, note.type)
    return try maskedPicture(
      db, NoteFields(names: type.fields, values: NoteTable.padded(note.fields, type)), type, card)
  }

  fileprivate static func maskedPicture(
    _ db: Database, _ fields: NoteFields, _ type: NoteType, _ card: CardRecord
  ) throws -> MaskedPicture? {
    try MaskedPicture(fields, of: type, number: card.ordinal + 1) { try MediaTable.isThere(db, $0) }
  }
}

/// What the two sides of a card show, as HTML in which clozes are marked; the answer without a prompt that it repeats.
public struct CardHTML {
  public private(set) var prompt = ""
  public private(set) var answer = ""
  /// Whether the sides were written as plain text, in which white space counts.
  public private(set) var isPlain: (prompt: Bool, answer: Bool) = (false, false)
  public let type: NoteTypeID
  /// The picture of which the card hides areas; then its texts describe it, and there is no HTML.
  public private(set) var masked: MaskedPicture?

  /// - Throws: `NoteError.tooLarge`; what reading throws.
  public init(_ db: Database, of card: CardRecord) throws {
    let note = try NoteTable.record(db, card.note)
    type = note.type
    if try CardMedia.isBasic(db, note.type), card.ordinal == 0, note.fields.count == 2 {
      let media = try CardMedia(db, of: card)
      (prompt, isPlain.prompt) = CardHTML.field(note.fields[0], media.promptPictures)
      (answer, isPlain.answer) = CardHTML.field(note.fields[1], media.answerPictures)
    } else {
      let type = try NoteTypeTable.record(db, note.type)
      let fields = NoteFields(names: type.fields, values: NoteTable.padded(note.fields, type))
      masked = try CardFields.maskedPicture(db, fields, type, card)
      guard masked == nil else {
        isPlain = (true, true)
        return
      }
      let sides = try CardHTML.sides(db, card, note, fields, of: type, isForTerminal: true)
      prompt = sides.front.text
      answer = try CardTexts.answerAlone(sides.back, prompt: card.prompt, isInterrupted: isNeverInterrupted).text
    }
  }

  /// A side that is one field. A tag in plain text is a picture if there is a file of its name.
  private static func field(_ field: String, _ pictures: [String]) -> (html: String, isPlain: Bool) {
    guard !FieldHTML.isFormatted(field) else { return (field, false) }
    let html = pictures.reduce(field) { html, name in
      [#"<img src="\#(name)">"#, "<img src='\(name)'>"].reduce(html) {
        $0.replacing(text: FieldHTML.html(ofPlain: $1), with: $1)
      }
    }
    return (html, true)
  }

  fileprivate static func sides(
    _ db: Database, _ card: CardRecord, _ note: NoteRecord, _ fields: NoteFields, of type: NoteType, isForTerminal: Bool
  ) throws -> (front: Bytes, back: Bytes) {
    let maker = NoteCardMaker(type, isInterrupted: isNeverInterrupted)
    var facts = maker.facts(tags: note.tags, deckName: try DeckTable.record(db, card.deck).name)
    (facts.cardID, facts.flag) = (card.id.rawValue, card.flag)
    return try maker.html(fields, facts, ordinal: card.ordinal, isForTerminal: isForTerminal)
  }
}

/// The two sides of a card as a terminal draws them, and the picture of which it hides areas.
public typealias DrawnSides = (prompt: CardDrawing, answer: CardDrawing, masked: MaskedPicture?)

extension CardDrawing {
  /// Returns the two sides of a card as a terminal draws them; a side that shows nothing, or hides areas of a picture,
  /// as its text.
  public static func sides(_ db: Database, of card: CardRecord, _ options: Options) throws -> DrawnSides {
    let html = try CardHTML(db, of: card)
    let prompt = CardDrawing(html.prompt, isPlain: html.isPlain.prompt, options)
    let answer = CardDrawing(html.answer, isPlain: html.isPlain.answer, options)
    let isBlank = prompt.isEmpty || card.prompt == CardTexts.blank
    return (
      isBlank ? CardDrawing(plain: card.prompt) : prompt, answer.isEmpty ? CardDrawing(plain: card.answer) : answer,
      html.masked
    )
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
    var facts = maker.facts(tags: note.tags, deckName: deck ?? "")
    (facts.cardID, facts.flag) = (card.id.rawValue, card.flag)
    let values = NoteFields(names: type.fields, values: note.fields)
    let texts = try maker.texts(values, facts, ordinal: card.ordinal)
    return (texts.prompt, texts.answer)
  }

  /// The source of a note; nil if the note no longer exists.
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
    return maker.typedQuestion(fields.adding(maker.facts(tags: note.tags, deckName: "d")), ordinal: ordinal)
  }
}

public struct CardMedia: Equatable, Sendable {
  public var promptSounds: [String] = []
  public var answerSounds: [String] = []
  public var promptPictures: [String] = []
  public var answerPictures: [String] = []

  public init() {}

  /// The pictures and sounds of the answer. Media that the back of a note repeats from its front are not shown twice,
  /// unless the answer names them, or hides less of them.
  public func ofAnswerAlone(_ answer: String, masked: MaskedPicture? = nil) -> [String] {
    let front = Set(promptPictures + promptSounds).subtracting(masked.map { [$0.name] } ?? [])
    return (answerPictures + answerSounds).filter { !front.contains($0) || answer.contains(text: $0) }
  }

  /// A card's text without the names of the media that are shown beside it.
  public static func text(_ text: String, without names: [String]) -> String {
    guard !names.isEmpty else { return text }
    return names.flatMap(marks).reduce(text) { $0.replacing(text: $1, with: "") }.trimmed
  }

  /// What stands for a medium in a card's text.
  public static func marks(of name: String) -> [String] {
    [
      "[picture \(name)]", "[picture \(MediaNames.decoded(name))]", "[sound \(name)]", "[sound:\(name)]",
      "<img src=\"\(name)\">", "<img src='\(name)'>",
    ]
  }

  /// Finds the media of a card in the sides that the templates of its note make; plain text may also name them by tags.
  public init(_ db: Database, of card: CardRecord) throws {
    let note = try NoteTable.record(db, card.note)
    if try CardMedia.isBasic(db, note.type), card.ordinal == 0, note.fields.count == 2 {
      (promptSounds, promptPictures) = try CardMedia.names(db, inPlain: note.fields[0])
      (answerSounds, answerPictures) = try CardMedia.names(db, inPlain: note.fields[1])
      return
    }
    let type = try NoteTypeTable.record(db, note.type)
    let fields = NoteFields(names: type.fields, values: NoteTable.padded(note.fields, type))
    let sides = try CardHTML.sides(db, card, note, fields, of: type, isForTerminal: false)
    func isThere(_ name: String) throws -> Bool { try MediaTable.isThere(db, name) }
    (promptSounds, promptPictures) = try MediaNames.inOrder(sides.front.text, isThere: isThere)
    (answerSounds, answerPictures) = try MediaNames.inOrder(sides.back.text, isThere: isThere)
  }

  fileprivate static func isBasic(_ db: Database, _ type: NoteTypeID) throws -> Bool {
    try db.hasRow("SELECT 1 FROM note_types WHERE id = ? AND basic", [type.rawValue])
  }

  /// The media of a prompt or an answer. A tag in plain text names a file only if there is a file of that name.
  private static func names(_ db: Database, inPlain field: String) throws -> (sounds: [String], pictures: [String]) {
    var found = try MediaNames.inOrder(FieldHTML.plain(field) ?? field) { try MediaTable.isThere(db, $0) }
    let named = MediaNames.inHTML(field)
    found.pictures = try found.pictures.filter { try named.contains($0) || MediaTable.isThere(db, $0) }
    return found
  }
}
