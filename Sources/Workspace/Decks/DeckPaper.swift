// A deck printed on paper, to cut out or as worksheets; a deck as a web page, and the import of answers from it.
// Invariant: writing changes nothing but the file, and a placeholder is drawn for a picture that cannot be shown;
// importing answers is one operation, all of them or none.

public import CardDocuments
import Decks
public import Exchange
public import Files
import Problems
import Storage
import Templates
import Text

extension DeckHandle {
  /// Writes the cards of the deck and its subdecks as a PDF to print.
  /// - Parameter query: which cards to print; nil prints all that are not suspended.
  /// - Throws: `DocumentError`, `DeckError.badQuery`; then the file is unchanged.
  public func print(
    to path: String, _ options: PaperOptions, matching query: String? = nil,
    drawn: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> PaperReport {
    let cards = try printed(matching: query, limit: PaperSheet.mostCards)
    let paper = CardPaper(workspace: workspace, kind: options.kind)
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
  let kind: PaperKind

  /// The most pictures on one side of a card.
  private static let mostPictures = 4

  func sides(of card: CardHandle) throws -> (front: PaperSide, back: PaperSide) {
    if let sides = try exercise(card) { return sides }
    let record = try card.record()
    let (media, masked) = try (workspace.read { try CardMedia($0, of: record) }, card.maskedPicture())
    let ofAnswer = media.ofAnswerAlone(record.answer, masked: masked)
    let pictures = ofAnswer.filter(media.answerPictures.contains)
    var back = try side(record.answer, without: ofAnswer, pictures, masked, isFront: false)
    if let document = record.document {
      let png = try workspace.documents.picture(ofDocument: document)?.png
      back.pictures.append(try shown { try workspace.drawing.picture(from: png ?? [], longSide: 1000) })
    }
    let names = media.promptPictures + media.promptSounds
    return (try side(record.prompt, without: names, media.promptPictures, masked, isFront: true), back)
  }

  private func side(
    _ text: String, without names: [String], _ pictures: [String], _ masked: MaskedPicture?, isFront: Bool
  ) throws -> PaperSide {
    let text = masked?.removed(from: text) ?? text
    // The pictures are where the text names the first one, else above it.
    let place = pictures.first.flatMap { CardMedia.marks(of: $0).lazy.compactMap { text.firstRange(ofText: $0) }.first }
    let start = pictures.isEmpty ? text.endIndex : place?.lowerBound ?? text.startIndex
    return PaperSide(
      CardMedia.text(String(text[..<start]), without: names),
      pictures: try pictures.prefix(Self.mostPictures).map { name in
        try shown { try workspace.media.picture(name, of: masked, isFront: isFront) }
      }, below: CardMedia.text(String(text[start...]), without: names))
  }

  /// Fields that say nothing about the word of a note.
  private static let silent: Set<String> = ["source", "count", "audio", "picture"]

  /// Returns what an exercise asks: for gaps, a sentence without and with its bold words; to match or search, the word
  /// of a note that has more. The clue is the first other field that says something. Nil for the sides as they are.
  private func exercise(_ card: CardHandle) throws -> (front: PaperSide, back: PaperSide)? {
    let fields = try card.fields().filter { !Self.silent.contains($0.name.lowercased()) }.map(\.value.written)
    let others = fields.dropFirst().filter { !$0.contains(text: "<b>") && !$0.contains(text: "{{c") }
    let clue = others.lazy.map(FieldHTML.spoken).first { !$0.isEmpty } ?? ""
    let (word, record) = (FieldHTML.spoken(fields.first ?? ""), try card.record())
    if kind == .match || kind == .search {
      let isAlone = fields.count < 3 || record.prompt == word || record.answer == word
      return isAlone || clue.isEmpty || NoteWords.word(ofField: word) == nil ? nil : (PaperSide(word), PaperSide(clue))
    }
    guard kind == .cloze else { return nil }
    func isGap(_ run: StyledRun) -> Bool { run.style.contains(.bold) && run.text.contains(where: \.isLetter) }
    let sentence = try card.drawn(CardDrawing.Options()).prompt.rows(within: .max).first { line in
      line.contains(where: isGap) && line.contains { !isGap($0) && $0.text.contains(where: \.isLetter) }
    }
    guard let sentence, !sentence.text.contains("[") else { return nil }
    let isTold = sentence.contains { isGap($0) && clue.lowercased().contains(text: $0.text.lowercased()) }
    let gaps = sentence.map { isGap($0) ? "[...]" : $0.text }.joined()
    return (PaperSide(isTold || clue.isEmpty ? gaps : gaps + "\n" + clue), PaperSide(sentence.text))
  }

  /// Returns a picture; nil if it is missing or cannot be shown.
  private func shown(_ picture: () throws -> Picture) throws -> Picture? {
    do { return try picture() } catch {
      if case PictureFailure.drawing(let failure) = error { throw DocumentError.drawing(failure) }
      // The sheet shows a placeholder for what is missing.
      if error is PictureFailure || error is NoteError { return nil }
      if let error = error as? FileError, error.report.code != .interrupted { return nil }
      throw error
    }
  }
}

extension DeckHandle {
  /// Estimates the size of the deck's page in bytes.
  public func pageWeight() throws -> Int { try workspace.read { try page($0).weight() } }

  /// Writes the deck and its subdecks, as they are at one moment, as a single HTML file for studying offline.
  public func writePage(
    to path: String, _ kinds: FileKinds = .plain, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> PageReport {
    try atOneMoment { db in
      try page(db).write(to: path, kinds, isInterrupted: workspace.isInterrupted) { done, total in
        try workspace.poll()
        try progress(done, total)
      }
    }
  }

  private func page(_ db: Database) throws -> DeckPage {
    let folder = workspace.media.folder
    return try DeckPage(
      db, id, at: workspace.moment, media: { folder + "/" + $0.hash },
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
