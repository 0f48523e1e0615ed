// The sounds and pictures of one card, for showing it. Invariant: each name occurs once, in the order of the text.

import Files
public import Storage
import Templates
import Text

public struct CardMedia: Equatable, Sendable {
  public var promptSounds: [String] = []
  public var answerSounds: [String] = []
  public var promptPictures: [String] = []
  public var answerPictures: [String] = []

  public init() {}

  /// The pictures and sounds of the answer. Media that the back of a note repeats from its front are not shown twice,
  /// unless the answer names them.
  public func ofAnswerAlone(_ answer: String) -> [String] {
    let front = Set(promptPictures + promptSounds)
    return (answerPictures + answerSounds).filter { !front.contains($0) || answer.contains(text: $0) }
  }

  /// A card's text without the names of the media that are shown beside it.
  public static func text(_ text: String, without names: [String]) -> String {
    guard !names.isEmpty else { return text }
    var text = text
    for name in names {
      for mark in [
        "[picture \(name)]", "[picture \(MediaNames.decoded(name))]", "[sound \(name)]", "[sound:\(name)]",
        "<img src=\"\(name)\">", "<img src='\(name)'>",
      ] { text = text.replacing(text: mark, with: "") }
    }
    return text.trimmed
  }

  /// Finds the media of a card in the sides that the templates of its note make; plain text may also name them by
  /// tags.
  public init(_ db: Database, of card: CardRecord) throws {
    let note = try NoteTable.record(db, card.note)
    if try CardMedia.isBasic(db, note.type), card.ordinal == 0, note.fields.count == 2 {
      (promptSounds, promptPictures) = try CardMedia.names(db, inPlain: note.fields[0])
      (answerSounds, answerPictures) = try CardMedia.names(db, inPlain: note.fields[1])
      return
    }
    let sides = try CardMedia.html(db, card, note)
    func isThere(_ name: String) throws -> Bool { try MediaTable.isThere(db, name) }
    (promptSounds, promptPictures) = try MediaNames.inOrder(sides.front, isThere: isThere)
    (answerSounds, answerPictures) = try MediaNames.inOrder(sides.back, isThere: isThere)
  }

  private static func isBasic(_ db: Database, _ type: NoteTypeID) throws -> Bool {
    try db.hasRow("SELECT 1 FROM note_types WHERE id = ? AND basic", [type.rawValue])
  }

  /// The media of a prompt or an answer. A tag in plain text names a file only if there is a file of that name.
  private static func names(_ db: Database, inPlain field: String) throws -> (sounds: [String], pictures: [String]) {
    var found = try MediaNames.inOrder(HTMLText.plain(field) ?? field) { try MediaTable.isThere(db, $0) }
    let named = MediaNames.inHTML(field)
    found.pictures = try found.pictures.filter { try named.contains($0) || MediaTable.isThere(db, $0) }
    return found
  }

  private static func html(
    _ db: Database, _ card: CardRecord, _ note: NoteRecord
  ) throws -> (front: String, back: String) {
    let maker = NoteCardMaker(try NoteTypeTable.record(db, note.type), isInterrupted: isNeverInterrupted)
    let place = maker.type.isCloze ? 0 : card.ordinal
    guard maker.sides.indices.contains(place) else { return ("", "") }
    let fields = NoteFields(names: maker.type.fields, values: NoteTable.padded(note.fields, maker.type))
    var facts = maker.facts(note, deckName: try DeckTable.record(db, card.deck).name)
    (facts.cardID, facts.flag) = (card.id.rawValue, card.flag)
    let sides = CardSides(fields: fields.adding(facts), ordinal: card.ordinal, isInterrupted: maker.isInterrupted)
    let pair = maker.sides[place]
    return (try sides.front(pair.front).text, try sides.back(pair.back, frontSide: []).text)
  }
}
