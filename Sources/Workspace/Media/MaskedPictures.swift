// Pictures of which cards hide areas, drawn; and notes that hide the parts of a document. Invariant: a picture is never
// returned without its masks; a note made from a document comes with the document's picture, in one undo step.

public import CardDocuments
import Decks
public import Templates
import Text

extension CardHandle {
  /// Returns the picture of which the card hides areas; nil if it shows none.
  public func maskedPicture() throws -> MaskedPicture? {
    let record = try record()
    return try workspace.read { try CardFields.maskedPicture($0, of: record) }
  }
}

extension MediaOperations {
  /// Returns a media file as a picture, as a side of a card shows it.
  /// - Throws: `NoteError.mediaNotFound`, `PictureFailure`, `FileError`.
  public func picture(_ name: String, of masked: MaskedPicture?, isFront: Bool) throws -> Picture {
    let picture = try picture(name)
    guard let masked, masked.name == name else { return picture }
    let items = masked.items(isFront: isFront, width: picture.width, height: picture.height)
    let png = try workspace.drawing.drawing(of: items, over: picture)
    return Picture(png: png, width: picture.width, height: picture.height)
  }

  /// Returns the masks of a side as SVG; nil if the picture cannot be decoded here.
  func masks(of masked: MaskedPicture, isFront: Bool) throws -> [UInt8]? {
    do {
      let picture = try picture(masked.name)
      let items = masked.items(isFront: isFront, width: picture.width, height: picture.height)
      return try workspace.drawing.drawing(of: items, over: picture, asSVG: true)
    } catch is PictureFailure { return nil }
  }
}

extension DocumentHandle {
  /// Adds a note of Anki's type Image Occlusion that hides the parts of the document, with a card for each.
  /// - Throws: `DocumentError.nothingToHide`.
  public func occlude(in deck: DeckHandle) throws -> NoteHandle {
    let stored = try document()
    let parts = zip(1..., stored.content.hiddenParts)
    let clozes = parts.map { MaskedPicture.cloze($0, $1.corners, isRound: $1.isRound) }
    if clozes.isEmpty { throw DocumentError.nothingToHide(stored.id) }
    let words = parts.filter { !$1.words.isEmpty }.map { "\($0) \($1.words)" }
    let picture = try stored.png(width: 650)
    return try workspace.perform(.addNote, on: workspace.decks.name(of: deck.id)) { _ in
      let name = try workspace.media.add(picture.bytes, named: "rwcard-\(stored.id.description.prefix(8)).png")
      let fields = [
        "Occlusion": clozes.joined(separator: "<br>"), "Image": "<img src=\"\(name)\">",
        "Back Extra": FieldHTML.html(ofPlain: words.joined(separator: ", ")),
      ]
      return try deck.addNote(NewNote(fields: fields), typeNamed: StockNoteType.occlusion.rawValue)
    }
  }
}
