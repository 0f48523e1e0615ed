// What a study session draws beside a card's texts: the pictures that its sides name, and its document. Invariant: what
// cannot be drawn is told by name in the texts, and keeps nobody from studying.

import CardDocuments
import Decks
import Text
import Workspace

extension StudyScreen {
  /// Pictures that are drawn of one card.
  private static let mostPictures = 2

  /// Lines below the texts, ready to be drawn; made once for each side of a card.
  func pictures(of card: CardHandle, isAnswered: Bool) throws -> [String] {
    if let drawn = view.picture, drawn.card === card, drawn.isAnswered == isAnswered { return drawn.lines }
    var lines = try media(of: card, isAnswered: isAnswered)
    if isAnswered { lines += try document(of: card) }
    view.picture = (card, isAnswered, lines)
    return lines
  }

  private func media(of card: CardHandle, isAnswered: Bool) throws -> [String] {
    guard terminal.canRedraw, terminal.usesColor else { return [] }
    let media = try card.media()
    let front = try study.workspace.media.known(media: media.promptPictures)
    let back =
      isAnswered ? try study.workspace.media.known(media: media.answerPictures).filter { !front.contains($0) } : []
    // The side that is looked at has room for one at least.
    let before = front.prefix(back.isEmpty ? Self.mostPictures : Self.mostPictures - 1)
    let shown = before + back.prefix(Self.mostPictures - before.count)
    let picture = DocumentPicture(session, besides: 11, sharing: shown.count)
    return shown.flatMap { name in
      let lines = picture.lines(ofMedia: name, in: study.workspace)
      return lines.isEmpty ? [] : [""] + lines
    }
  }

  /// The document that the card shows, as `doc show` draws it; in words where the terminal shows no pictures.
  private func document(of card: CardHandle) throws -> [String] {
    guard let document = try card.document()?.document() else { return [] }
    var lines = try DocumentPicture(session, besides: 11).lines(of: document)
    if lines.isEmpty { lines = wrapped(document.content.summary, width: 70).map { "        " + $0 } }
    return [""] + lines
  }
}
