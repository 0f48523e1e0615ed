// A deck printed on paper: cards to cut out, and worksheets.
// Invariant: printing changes nothing but its file; a placeholder is drawn for a picture that cannot be shown, and
// printing continues.

public import CardDocuments
import Decks
import Exchange
import Files
import Storage

extension DeckHandle {
  /// Writes the cards of the deck and its subdecks as a PDF to print.
  /// - Parameters:
  ///   - query: which cards to print; nil prints all that are not suspended.
  ///   - drawn: called with the cards done and their total.
  /// - Throws: `DocumentError`, `DeckError.badQuery`; then the file is unchanged.
  public func print(
    to path: String, _ options: PaperOptions, matching query: String? = nil,
    drawn: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> PaperReport {
    let cards = try printed(matching: query, limit: PaperSheet.mostCards)
    let paper = CardPaper(workspace: workspace)
    return try PaperSheet(titled: try record().name, options).write(
      cards.count, to: path, by: workspace.drawing,
      drawn: { done in
        try workspace.poll()
        try drawn(done, cards.count)
      }, card: { try paper.sides(of: cards[$0]) })
  }

  /// Returns the cards of the deck and its subdecks that a query matches; if it is nil, all that are not suspended.
  /// - Parameter limit: returns one card more than that if there are more.
  func printed(matching query: String?, limit: Int) throws -> [CardHandle] {
    let inner = try workspace.read { try DeckTable.within($0, id) }
    let decks = [self] + inner.map { workspace.handle(of: $0.id) }
    return try workspace.cards.list(of: decks, matching: query ?? "-is:suspended", limit: limit + 1).cards.map(\.card)
  }
}

private struct CardPaper {
  let workspace: Workspace

  /// The length of a picture's long side in pixels, and the most pictures on one side of a card.
  private static let pictureSize = 700
  private static let mostPictures = 4

  func sides(of card: CardHandle) throws -> (front: PaperSide, back: PaperSide) {
    let record = try card.record()
    let media = try workspace.read { try CardMedia($0, of: record) }
    let ofAnswer = media.ofAnswerAlone(record.answer)
    var back = try side(record.answer, without: ofAnswer, ofAnswer.filter(media.answerPictures.contains))
    if let document = record.document {
      let drawn = try workspace.documents.picture(ofDocument: document)
      back.pictures.append(try drawn.flatMap { try decoded($0.png) })
    }
    return (try side(record.prompt, without: media.promptPictures + media.promptSounds, media.promptPictures), back)
  }

  private func side(_ text: String, without names: [String], _ pictures: [String]) throws -> PaperSide {
    PaperSide(CardMedia.text(text, without: names), pictures: try pictures.prefix(Self.mostPictures).map(picture))
  }

  private func picture(_ name: String) throws -> Picture? {
    guard let record = try workspace.read({ try MediaTable.named($0, name) }) else { return nil }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try ByteFile(
        workspace.media.folder + "/" + record.hash, isInterrupted: workspace.isInterrupted
      ).rest(limit: MediaOperations.limit)
    } catch {
      guard case .interrupted = error.reason else { return nil }
      throw error
    }
    return try decoded(bytes)
  }

  private func decoded(_ bytes: [UInt8]) throws -> Picture? {
    do throws(PictureFailure) {
      return try workspace.drawing.picture(from: bytes, longSide: Self.pictureSize)
    } catch {
      guard case .drawing(let failure) = error else { return nil }
      throw DocumentError.drawing(failure)
    }
  }
}
