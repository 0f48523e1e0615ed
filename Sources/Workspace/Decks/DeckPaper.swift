// A deck printed on paper, to cut out or as worksheets; a deck as a web page, and the import of answers from it.
// Invariant: writing changes nothing but the file, and a placeholder is drawn for a picture that cannot be shown;
// importing answers is one operation, all of them or none.

public import CardDocuments
import Decks
public import Exchange
public import Files
import Storage
import Templates

extension DeckHandle {
  /// Writes the cards of the deck and its subdecks as a PDF to print.
  /// - Parameter query: which cards to print; nil prints all that are not suspended.
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
    let (media, masked) = try (workspace.read { try CardMedia($0, of: record) }, card.maskedPicture())
    let ofAnswer = media.ofAnswerAlone(record.answer, masked: masked)
    let pictures = ofAnswer.filter(media.answerPictures.contains)
    var back = try side(record.answer, without: ofAnswer, pictures, masked, isFront: false)
    if let document = record.document {
      let drawn = try workspace.documents.picture(ofDocument: document)
      back.pictures.append(try drawn.flatMap { try decoded($0.png) })
    }
    let names = media.promptPictures + media.promptSounds
    return (try side(record.prompt, without: names, media.promptPictures, masked, isFront: true), back)
  }

  private func side(
    _ text: String, without names: [String], _ pictures: [String], _ masked: MaskedPicture?, isFront: Bool
  ) throws -> PaperSide {
    PaperSide(
      CardMedia.text(masked?.removed(from: text) ?? text, without: names),
      pictures: try pictures.prefix(Self.mostPictures).map {
        try picture($0, $0 == masked?.name ? masked : nil, isFront: isFront)
      })
  }

  /// Returns a picture; nil if it is missing or cannot be shown.
  private func picture(_ name: String, _ masked: MaskedPicture?, isFront: Bool) throws -> Picture? {
    guard let record = try workspace.read({ try MediaTable.named($0, name) }) else { return nil }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try ByteFile(workspace.media.folder + "/" + record.hash, isInterrupted: workspace.isInterrupted).rest(
        limit: MediaOperations.limit)
    } catch {
      guard case .interrupted = error.reason else { return nil }
      throw error
    }
    return try decoded(bytes, masked, isFront: isFront)
  }

  private func decoded(_ bytes: [UInt8], _ masked: MaskedPicture? = nil, isFront: Bool = false) throws -> Picture? {
    do throws(PictureFailure) {
      let picture = try workspace.drawing.picture(from: bytes, longSide: Self.pictureSize)
      return try workspace.media.masked(picture, masked, isFront: isFront)
    } catch {
      guard case .drawing(let failure) = error else { return nil }
      throw DocumentError.drawing(failure)
    }
  }
}

extension DeckHandle {
  /// Estimates the size of the deck's page in bytes.
  public func pageWeight(_ options: PageOptions = PageOptions()) throws -> Int {
    try workspace.read { try page($0, options).weight() }
  }

  /// Writes the deck and its subdecks, as they are at one moment, as a single HTML file for studying offline.
  public func writePage(
    to path: String, _ kinds: FileKinds = .plain, _ options: PageOptions = PageOptions(),
    progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> PageReport {
    try atOneMoment { db in
      try page(db, options).write(to: path, kinds, isInterrupted: workspace.isInterrupted) { done, total in
        try workspace.poll()
        try progress(done, total)
      }
    }
  }

  private func page(_ db: Database, _ options: PageOptions) throws -> DeckPage {
    let folder = workspace.media.folder
    return try DeckPage(
      db, id, at: workspace.moment, options, media: { folder + "/" + $0.hash },
      picture: { [workspace] in try workspace.documents.picture(ofDocument: $0) },
      masks: { [workspace] in try workspace.media.masks(of: $0, isFront: $1) })
  }

  /// Imports files of answers from pages of this deck, as if the answers had been given here at their time.
  /// - Throws: `ExchangeError.badFile`, `FileError`; then nothing was changed.
  public func importAnswers(
    from paths: [String], _ kinds: FileKinds = .plain, progress: ImportProgress = { _, _ in }
  ) throws -> AnswerReport {
    try workspace.perform(
      .importAnswers, on: workspace.decks.name(of: id), count: { $0.entered + $0.older }
    ) { db in
      let answers = try AnswerImport(db, into: id, at: workspace.moment)
      return try answers.run(paths, kinds, isInterrupted: workspace.isInterrupted) { done, total in
        try workspace.poll()
        try progress(done, total)
      }
    }
  }
}
