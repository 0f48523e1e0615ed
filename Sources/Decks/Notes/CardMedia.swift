// The sounds and pictures of one card, for who shows it. Invariant: each name once, in the order in which they stand.

public import Storage

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
    let sides = try html(db, card)
    var media = CardMedia()
    (media.promptSounds, media.promptPictures) = MediaNames.inOrder(sides.front)
    (media.answerSounds, media.answerPictures) = MediaNames.inOrder(sides.back)
    return media
  }

  private static func isBasic(_ db: Database, _ type: NoteTypeID) throws -> Bool {
    try db.firstRow("SELECT basic FROM note_types WHERE id = ?", [type.rawValue]) { $0.integer(0) != 0 } ?? false
  }

  private static func html(_ db: Database, _ card: CardRecord) throws -> (front: String, back: String) {
    let note = try record(db, card.note)
    if try isBasic(db, note.type), card.ordinal == 0, note.fields.count == 2 {
      return (HTMLText.plain(note.fields[0]) ?? note.fields[0], HTMLText.plain(note.fields[1]) ?? note.fields[1])
    }
    let maker = NoteCardMaker(try NoteTypeTable.record(db, note.type))
    let place = maker.type.isCloze ? 0 : card.ordinal
    guard maker.sides.indices.contains(place) else { return ("", "") }
    let fields = NoteFields(names: maker.type.fields, values: padded(note.fields, maker.type))
    var facts = maker.facts(note, deckName: try DeckTable.record(db, card.deck).name)
    (facts.cardID, facts.flag) = (card.id.rawValue, card.flag)
    let sides = CardSides(fields: fields.adding(facts), ordinal: card.ordinal)
    let pair = maker.sides[place]
    return (try sides.front(pair.front).text, try sides.back(pair.back, frontSide: []).text)
  }
}
