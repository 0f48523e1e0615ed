// The sounds and pictures of one card, for showing it. Invariant: each name once, in the order of the text.

import Files
public import Storage
import Templates

/// What a card's sides name.
public struct CardMedia: Equatable, Sendable {
  public var promptSounds: [String] = []
  public var answerSounds: [String] = []
  public var promptPictures: [String] = []
  public var answerPictures: [String] = []

  public init() {}
}

extension NoteTable {
  /// The media of a card as the templates of its note give them; plain text may name them by tags, too.
  public static func media(_ db: Database, of card: CardRecord) throws -> CardMedia {
    let note = try record(db, card.note)
    if try isBasic(db, note.type), card.ordinal == 0, note.fields.count == 2 { return try plainMedia(db, note.fields) }
    let sides = try html(db, card, note)
    var media = CardMedia()
    (media.promptSounds, media.promptPictures) = MediaNames.inOrder(sides.front)
    (media.answerSounds, media.answerPictures) = MediaNames.inOrder(sides.back)
    return media
  }

  private static func isBasic(_ db: Database, _ type: NoteTypeID) throws -> Bool {
    try db.firstRow("SELECT basic FROM note_types WHERE id = ?", [type.rawValue]) { $0.integer(0) != 0 } ?? false
  }

  /// Of a prompt and an answer: a tag in plain text names a file only where there is one of that name.
  private static func plainMedia(_ db: Database, _ fields: [String]) throws -> CardMedia {
    func names(_ field: String) throws -> (sounds: [String], pictures: [String]) {
      var found = MediaNames.inOrder(HTMLText.plain(field) ?? field)
      let named = MediaNames.inHTML(field)
      found.pictures = try found.pictures.filter { try named.contains($0) || MediaTable.isThere(db, $0) }
      return found
    }
    var media = CardMedia()
    (media.promptSounds, media.promptPictures) = try names(fields[0])
    (media.answerSounds, media.answerPictures) = try names(fields[1])
    return media
  }

  private static func html(
    _ db: Database, _ card: CardRecord, _ note: NoteRecord
  ) throws -> (front: String, back: String) {
    let maker = NoteCardMaker(try NoteTypeTable.record(db, note.type), isInterrupted: isNeverInterrupted)
    let place = maker.type.isCloze ? 0 : card.ordinal
    guard maker.sides.indices.contains(place) else { return ("", "") }
    let fields = NoteFields(names: maker.type.fields, values: padded(note.fields, maker.type))
    var facts = maker.facts(note, deckName: try DeckTable.record(db, card.deck).name)
    (facts.cardID, facts.flag) = (card.id.rawValue, card.flag)
    let sides = CardSides(fields: fields.adding(facts), ordinal: card.ordinal, isInterrupted: maker.isInterrupted)
    let pair = maker.sides[place]
    return (try sides.front(pair.front).text, try sides.back(pair.back, frontSide: []).text)
  }
}
