// A deck and the decks within it as one HTML file that needs no network: it studies itself, and without scripts it is a
// list that reveals answers.
// Invariant: the file is written whole or keeps its old content; memory does not grow with the deck but for 8 bytes a
// card; suspended cards are not in it.

public import Decks
public import Files
import Memory
public import Storage
import Text
public import Values

/// How a deck becomes a page.
///
///     var options = PageOptions()
///     (options.promptLanguage, options.isFresh) = ("es", true)
public struct PageOptions: Sendable {
  /// The languages of the sides, as `lang` has them (BCP 47); nil when not given.
  public var promptLanguage: String?
  public var answerLanguage: String?
  /// What the page is called; nil for the deck's name.
  public var title: String?
  /// Whether every card is new there, for another person; else studying goes on from where the cards are here.
  public var isFresh = false

  public init() {}
}

/// What a page holds.
///
///     report.bytes   // of the file
public struct PageReport: Equatable, Sendable {
  public internal(set) var cards = 0
  public internal(set) var bytes = 0
  /// Pictures and sounds, each counted as often as it is shown.
  public internal(set) var media = 0
  /// Those that a browser cannot show, or that are gone.
  public internal(set) var mediaLeftOut = 0
  /// Documents that cards show, and those of them that could not be drawn.
  public internal(set) var documents = 0
  public internal(set) var documentsLeftOut = 0

  /// As `--json` prints it.
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
///     let report = try page.write(to: "spanish.html")
public struct DeckPage {
  private let db: Database
  private let deck: DeckRecord
  private let decks: [DeckRecord]
  private let moment: StudyMoment
  private let options: PageOptions
  private let mediaPath: (MediaRecord) -> String
  private let picture: (String) throws -> GalleryPicture?
  /// Bytes that the picture of a document has about.
  private static let usualPicture = 60_000

  /// - Parameters:
  ///   - media: where the content of a media file is.
  ///   - picture: of the document of an id; nil where it cannot be drawn.
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

  /// About how many bytes the file will have, reckoned without making it.
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
  ///   - path: `-` is not standard output here: a page is a file.
  ///   - progress: cards written and all of them, by the page of 500; what it throws ends it, the file stays as it was.
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

  /// What FSRS-7 knows of the cards of the decks that it schedules.
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
  /// What pages and files of answers name the deck by: renaming keeps it. `Default` has the same in every collection;
  /// answers name their cards by guids, which no other collection has.
  var pageID: String { "\(id.rawValue)" }
}

extension FittedModels {
  /// The parameters of FSRS-7, and which first ratings enough cards had for their intervals to be believed.
  fileprivate var forPage: Value {
    .record([
      ("parameters", .list(parameters.map { .number($0) })),
      ("believed", .list(Rating.allCases.map { .boolean(guarded(3, first: $0, usual: 1) == 3) })),
    ])
  }
}

extension DeckOptions {
  /// What the page's script schedules by.
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
