// Draws pictures below a card's texts: those that its sides name, and its document. Invariant: pictures that cannot be
// drawn are still named in the texts, and never prevent studying.

import CardDocuments
import Decks
import Text
import Workspace

extension StudyScreen {
  /// The most pictures drawn for one card.
  private static let mostPictures = 2

  /// The lines of the pictures below the texts, ready to be drawn; made once for each side of a card.
  /// - Parameter layout: gives the available rows, including an empty line above each picture.
  func pictures(of card: CardHandle, isAnswered: Bool, in layout: StudyLayout) throws -> [String] {
    if let drawn = view.picture, drawn.card === card, drawn.isAnswered == isAnswered { return drawn.lines }
    let document = isAnswered ? try card.document()?.document() : nil
    let rows = layout.pictureRoom
    var lines = try media(of: card, isAnswered: isAnswered, rows: document == nil ? rows : rows / 2)
    if let document { lines += try drawn(document, rows: rows - lines.count, layout) }
    view.picture = (card, isAnswered, lines)
    return lines
  }

  private func media(of card: CardHandle, isAnswered: Bool, rows: Int) throws -> [String] {
    guard terminal.canRedraw, terminal.usesColor else { return [] }
    let media = try card.media()
    let front = try study.workspace.media.known(media: media.promptPictures)
    let back =
      isAnswered ? try study.workspace.media.known(media: media.answerPictures).filter { !front.contains($0) } : []
    // At least one picture of the side being looked at is shown.
    let before = front.prefix(back.isEmpty ? Self.mostPictures : Self.mostPictures - 1)
    let shown = before + back.prefix(Self.mostPictures - before.count)
    let picture = DocumentPicture(session, rows: rows / max(1, shown.count) - 1)
    return shown.flatMap { name in
      let lines = picture.lines(ofMedia: name, in: study.workspace)
      return lines.isEmpty ? [] : [""] + lines
    }
  }

  /// The document of a card, drawn as by `doc show`; as text when the terminal shows no pictures.
  private func drawn(_ document: StoredDocument, rows: Int, _ layout: StudyLayout) throws -> [String] {
    let lines = try DocumentPicture(session, rows: rows - 1).lines(of: document)
    return [""] + (lines.isEmpty ? layout.indented(document.content.summary) : lines)
  }
}
