// Writes a deck and its nested decks as one HTML file that works offline: it can be studied in the browser, and
// without scripts it is a list that reveals answers.
// Invariant: the file is written completely or keeps its old content; memory does not grow with the deck except for 8
// bytes per card; suspended cards are left out.

public import Decks
public import Files
import Memory
public import Storage
import Text
public import Values

/// The options of a page.
///
///     var options = PageOptions()
///     (options.promptLanguage, options.isFresh) = ("es", true)
public struct PageOptions: Sendable {
  /// The languages of the two sides as `lang` attributes (BCP 47); nil for none.
  public var promptLanguage: String?
  public var answerLanguage: String?
  /// The title of the page; nil for the deck's name.
  public var title: String?
  /// Whether all cards are new on the page, for another person. Otherwise their schedules continue there.
  public var isFresh = false

  public init() {}
}

/// The report of writing a page.
///
///     report.bytes   // of the file
public struct PageReport: Equatable, Sendable {
  public internal(set) var cards = 0
  public internal(set) var bytes = 0
  /// The number of pictures and sounds, counted each time they are shown.
  public internal(set) var media = 0
  /// The number of media that a browser cannot show, or that do not exist.
  public internal(set) var mediaLeftOut = 0
  /// The number of documents that cards show, and of those that could not be drawn.
  public internal(set) var documents = 0
  public internal(set) var documentsLeftOut = 0

  /// The report as `--json` prints it.
  public var value: Value {
    .record([
      ("cards", .integer(cards)), ("bytes", .integer(bytes)), ("media", .integer(media)),
      ("media_left_out", .integer(mediaLeftOut)), ("documents", .integer(documents)),
      ("documents_left_out", .integer(documentsLeftOut)),
    ])
  }
}

/// Writes the page of a deck.
///
///     let page = try DeckPage(db, deck, at: moment, PageOptions(), media: { folder + "/" + $0.hash })
///     let report = try page.write(to: "spanish.html", isInterrupted: isInterrupted)
public struct DeckPage {
  private let db: Database
  private let deck: DeckRecord
  private let decks: [DeckRecord]
  private let moment: StudyMoment
  private let options: PageOptions
  private let mediaPath: (MediaRecord) -> String
  private let picture: (String) throws -> GalleryPicture?
  /// The typical size in bytes of the picture of a document.
  private static let usualPicture = 60_000

  /// - Parameters:
  ///   - media: returns the path of a media file's content.
  ///   - picture: returns the picture of the document with an id; nil when it cannot be drawn.
  public init(
    _ db: Database, _ deck: DeckID, at moment: StudyMoment, _ options: PageOptions,
    media: @escaping (MediaRecord) -> String, picture: @escaping (String) throws -> GalleryPicture? = { _ in nil }
  ) throws {
    self.picture = picture
    self.db = db
    self.deck = try DeckTable.record(db, deck)
    decks = [self.deck] + (try DeckTable.within(db, deck))
    (self.moment, self.options, mediaPath) = (moment, options, media)
  }

  /// Estimates the size of the file in bytes without making it.
  public func weight() throws -> Int {
    let isTimed = try !memories().isEmpty
    let frame = PageText.head(title: "", options: "", timed: isTimed).count + PageText.end(timed: isTimed).count
    return try decks.reduce(frame) { sum, deck in
      let texts = try CardTable.textSize(db, in: deck.id)
      let media = try MediaTable.size(db, shownIn: deck.id)
      let schedules = options.isFresh ? 0 : texts.studied * 250
      let pictures = texts.documents * Self.usualPicture
      return sum + texts.bytes + texts.cards * 105 + schedules + (media + pictures) / 3 * 4
    }
  }

  /// - Parameters:
  ///   - path: a file name; `-` is not standard output here.
  ///   - progress: called after each 500 cards with the cards done and their total; an error from it ends the export
  ///     and leaves the file unchanged.
  public func write(
    to path: String, _ kinds: FileKinds = .plain, isInterrupted: @escaping () -> Bool,
    progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> PageReport {
    let ids = try decks.map { try CardTable.ids(db, in: $0.id) }
    let memories = try memories()
    let total = ids.reduce(0) { $0 + $1.count }
    var report = PageReport()
    try AtomicFile.write(path, .exported(kinds, isInterrupted: isInterrupted)) { sink in
      var (cards, done) = (PageCards(db, sink, options, memories, mediaPath, picture, isInterrupted), 0)
      let title = options.title ?? deck.name
      try sink.append(PageText.head(title: title, options: pageOptions, timed: !memories.isEmpty))
      for (deck, ids) in zip(decks, ids) {
        try beginSection(deck, sink)
        for start in stride(from: 0, to: ids.count, by: 500) {
          let some = ids[start..<min(start + 500, ids.count)]
          for card in try CardTable.cards(db, ids: some) where !card.isSuspended { try cards.write(card) }
          done += some.count
          try progress(done, total)
        }
        try sink.append("</section>\n".utf8)
      }
      try sink.append(PageText.end(timed: !memories.isEmpty))
      report = cards.report
      report.bytes = sink.count
    }
    return report
  }

  /// Returns the FSRS-7 memories of the cards; empty when FSRS-7 schedules none of the decks.
  private func memories() throws -> TimedMemories {
    TimedMemories(Dictionary(firstOf: try decks.map { ($0.id, try DeckTable.options(db, $0.id)) }))
  }

  private var pageOptions: String {
    Value.record([
      ("deck", .text(deck.pageID)), ("name", .text(deck.name)), ("rollover", .measure(moment.rollover)),
    ]).json
  }

  private func beginSection(_ inner: DeckRecord, _ sink: FileSink) throws {
    let name = PageText.escaped(inner.name(within: deck))
    let options = PageText.escaped(try DeckTable.options(db, inner.id, at: moment).forPage.json)
    try sink.append("<section data-subdeck=\"\(name)\" data-options=\"\(options)\">\n".utf8)
    if !name.isEmpty { try sink.append("<h2>\(name)</h2>\n".utf8) }
  }
}

extension DeckRecord {
  /// The id by which pages and files of answers name the deck; it survives renaming. `Default` has the same id in
  /// every collection, but answers name cards by guids, which are unique across collections.
  var pageID: String { "\(id.rawValue)" }
}

extension FittedModels {
  /// The parameters of FSRS-7, and for each first rating whether enough cards had it for its intervals to be
  /// reliable.
  fileprivate var forPage: Value {
    .record([
      ("parameters", .list(parameters.map { .number($0) })),
      ("believed", .list(Rating.allCases.map { .boolean(guarded(3, first: $0, usual: 1) == 3) })),
    ])
  }
}

extension DeckOptions {
  /// The options that the page's script needs for scheduling.
  var forPage: Value {
    .record([
      ("parameters", .list(parametersInUse.map { .number($0) })), ("retention", .number(desiredRetention)),
      ("learningSteps", .list(learningSteps.map { .measure($0) })),
      ("relearningSteps", .list(relearningSteps.map { .measure($0) })), ("maximumInterval", .integer(maximumInterval)),
      ("minimumLapse", .integer(minimumLapseInterval)), ("shortTerm", .boolean(shortTerm)),
      ("newPerDay", .integer(newPerDay)), ("reviewsPerDay", .integer(reviewsPerDay)),
      ("newIgnoresReviewLimit", .boolean(newIgnoresReviewLimit)),
      ("maximumAnswerSeconds", .measure(maximumAnswerSeconds)), ("timed", timed?.forPage ?? .null),
      ("timedSteps", .list([false, true].map { .boolean(stepsAreTimed(relearning: $0)) })),
    ])
  }
}
