// Writes a deck and its nested decks as one HTML file that works offline: it can be studied in the browser, and
// without scripts it is a list that reveals answers. Pictures and sounds are data: URLs.
// Invariant: the file is written completely or keeps its old content; memory does not grow with the deck except for 8
// bytes per card; suspended cards are left out; what a browser cannot show is left out and counted.

public import Decks
public import Files
import Memory
public import Storage
public import Templates
import Text
public import Values

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

  public var value: Value {
    .record([
      "cards": cards, "bytes": bytes, "media": media, "media_left_out": mediaLeftOut, "documents": documents,
      "documents_left_out": documentsLeftOut,
    ])
  }
}

/// Writes the page of a deck.
///
///     let page = try DeckPage(db, deck, at: moment, media: { folder + "/" + $0.hash })
///     let report = try page.write(to: "spanish.html", isInterrupted: isInterrupted)
public struct DeckPage {
  private let db: Database
  private let deck: DeckRecord
  private let decks: [DeckRecord]
  private let moment: StudyMoment
  private let mediaPath: (MediaRecord) -> String
  private let picture: (String) throws -> GalleryPicture?
  private let masks: (MaskedPicture, _ isFront: Bool) throws -> [UInt8]?
  /// The typical size in bytes of the picture of a document.
  private static let usualPicture = 60_000

  /// - Parameters:
  ///   - media: returns the path of a media file's content.
  ///   - picture: returns the picture of the document with an id; nil when it cannot be drawn.
  ///   - masks: returns the masks of a picture as SVG; nil when they cannot be drawn.
  public init(
    _ db: Database, _ deck: DeckID, at moment: StudyMoment,
    media: @escaping (MediaRecord) -> String, picture: @escaping (String) throws -> GalleryPicture? = { _ in nil },
    masks: @escaping (MaskedPicture, _ isFront: Bool) throws -> [UInt8]? = { _, _ in nil }
  ) throws {
    (self.picture, self.masks) = (picture, masks)
    self.db = db
    self.deck = try DeckTable.record(db, deck)
    decks = [self.deck] + (try DeckTable.within(db, deck))
    (self.moment, mediaPath) = (moment, media)
  }

  /// Estimates the size of the file in bytes without making it.
  public func weight() throws -> Int {
    let isTimed = try !memories().needsNoLog
    let frame =
      PageText.head(title: "", options: "", timed: isTimed, css: try styles().css).count
      + PageText.end(timed: isTimed).count
    return try decks.reduce(frame) { sum, deck in
      let texts = try CardTable.textSize(db, in: deck.id)
      let media = try MediaTable.size(db, shownIn: deck.id)
      let pictures = texts.documents * Self.usualPicture
      return sum + texts.bytes + texts.cards * 105 + texts.studied * 250 + (media + pictures) / 3 * 4
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
    let (memories, styles) = (try memories(), try styles())
    let total = ids.reduce(0) { $0 + $1.count }
    var report = PageReport()
    try AtomicFile.write(path, .exported(kinds, isInterrupted: isInterrupted)) { sink in
      var done = 0
      var cards = PageCards(
        db: db, sink: sink, memories: memories, mediaPath: mediaPath, picture: picture, masks: masks,
        isInterrupted: isInterrupted, styles: styles.names)
      try sink.append(
        PageText.head(title: deck.name, options: pageOptions, timed: !memories.needsNoLog, css: styles.css))
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
      try sink.append(PageText.end(timed: !memories.needsNoLog))
      report = cards.report
      report.bytes = sink.count
    }
    return report
  }

  private func memories() throws -> CardMemories {
    CardMemories(Dictionary(firstOf: try decks.map { ($0.id, try DeckTable.options(db, $0.id)) }))
  }

  /// Returns the rules of the note types of the cards, and the class by which they are named.
  private func styles() throws -> (names: [NoteTypeID: String], css: String) {
    var types: Set<Int64> = []
    for deck in decks {
      let sql = "SELECT DISTINCT notes.type FROM cards JOIN notes ON notes.id = note WHERE deck = ?"
      try db.forEachRow(sql, [deck.id.rawValue]) { types.insert($0.integer(0)) }
    }
    var (names, css): ([NoteTypeID: String], String) = ([:], "")
    for type in types.sorted() {
      let type = try NoteTypeTable.record(db, NoteTypeID(rawValue: type))
      let rules = type.css == NoteTypeDraft.plainCSS ? "" : PageStyle.scoped(type.css, to: "t\(names.count + 1)")
      if rules.isEmpty { continue }
      css += rules
      names[type.id] = "t\(names.count + 1)"
    }
    return (names, css)
  }

  private var pageOptions: String {
    Value.record(["deck": deck.pageID, "name": deck.name, "rollover": Value.measure(moment.rollover)]).json
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

extension RecallModel {
  /// What predicts besides FSRS-6: the parameters of FSRS-7 with whether enough cards had each first rating for its
  /// intervals to be reliable, and the effect of the time of an answer; null if FSRS-6 schedules alone.
  fileprivate var forPage: Value {
    if !readsLog { return .null }
    return .record([
      ("parameters", fsrs7.map { .list($0.w.map { .number($0) }) } ?? .null),
      ("believed", .list(Rating.allCases.map { .boolean(believes($0)) })),
      ("time", time.map { .record(["median": $0.median, "shift": $0.shift, "slope": $0.slope]) } ?? .null),
    ])
  }
}

extension DeckOptions {
  var forPage: Value {
    .record([
      "parameters": parametersInUse, "retention": desiredRetention,
      "learningSteps": learningSteps.map { Value.measure($0) },
      "relearningSteps": relearningSteps.map { Value.measure($0) }, "maximumInterval": maximumInterval,
      "minimumLapse": minimumLapseInterval, "shortTerm": shortTerm, "newPerDay": newPerDay,
      "reviewsPerDay": reviewsPerDay, "newIgnoresReviewLimit": newIgnoresReviewLimit,
      "maximumAnswerSeconds": Value.measure(maximumAnswerSeconds), "timed": recallModel.forPage,
      "timedSteps": [false, true].map { stepsAreTimed(relearning: $0) },
    ])
  }
}

struct PageCards {
  let db: Database
  let sink: FileSink
  let memories: CardMemories
  let mediaPath: (MediaRecord) -> String
  let picture: (String) throws -> GalleryPicture?
  let masks: (MaskedPicture, _ isFront: Bool) throws -> [UInt8]?
  let isInterrupted: () -> Bool
  /// The classes of note types that have a style of their own.
  let styles: [NoteTypeID: String]
  private(set) var report = PageReport()

  mutating func write(_ card: CardRecord) throws {
    var start = "<details data-guid=\"\(PageText.escaped(card.guid))\""
    if card.reps > 0 || card.state != .new {
      var schedule = card.schedule
      schedule.timed = try memories.entry(
        db, of: card.id, in: card.deck, stability: schedule.stability, last: schedule.lastReview)?.timed
      start += " data-schedule=\"\(PageText.escaped(schedule.forPage.json))\""
    }
    if let typed = try NoteTable.typedQuestion(db, card.id) {
      start += " data-typed=\"\(PageText.escaped(typed.expected))\""
      if typed.ignoresAccents { start += " data-accents=\"ignored\"" }
    }
    let html = try CardHTML(db, of: card)
    let style = styles[html.type]
    try sink.append((start + "><summary" + attributes(style, html.isPlain.prompt)).utf8)
    try write(html, card, isFront: true)
    try sink.append(("</summary><div" + attributes(style, html.isPlain.answer)).utf8)
    try write(html, card, isFront: false)
    if let document = card.document { try write(document: document) }
    try sink.append("</div></details>\n".utf8)
    report.cards += 1
  }

  private mutating func write(document: String) throws {
    guard let shown = try picture(document) else { return report.documentsLeftOut += 1 }
    let start = "<img alt=\"\(PageText.escaped(shown.description))\" src=\"data:image/png;base64,"
    try sink.append((start + base64(shown.png) + "\">").utf8)
    report.documents += 1
  }

  /// Returns the attributes of a side, and the end of its tag.
  private func attributes(_ style: String?, _ isPlain: Bool) -> String {
    let classes = [isPlain ? nil : "html", style].compactMap { $0 }.joined(separator: " ")
    return " dir=\"auto\"" + (classes.isEmpty ? ">" : " class=\"\(classes)\">")
  }

  /// Writes a side of a card that hides areas of a picture. A picture whose masks cannot be drawn is left out, and its
  /// words remain.
  private mutating func write(_ masked: MaskedPicture, _ card: CardRecord, isFront: Bool) throws {
    let media = try CardMedia(db, of: card)
    let names = isFront ? media.promptPictures + media.promptSounds : media.ofAnswerAlone(card.answer, masked: masked)
    let svg = try masks(masked, isFront)
    let text = isFront ? card.prompt : card.answer
    let words = CardMedia.text(svg == nil ? text : masked.removed(from: text), without: names)
    try sink.append(PageText.escaped(words).utf8)
    for name in names {
      guard name == masked.name else {
        try write(media: [name], nil)
        continue
      }
      guard let svg else {
        report.mediaLeftOut += 1
        continue
      }
      let start = "<span class=\"masked\"><img class=\"masks\" alt=\"\(PageText.escaped(masked.words))\" src=\""
      try sink.append("\(start)data:image/svg+xml;base64,\(base64(svg))\">".utf8)
      try write(media: [name], nil)
      try sink.append("</span>".utf8)
    }
  }

  /// Writes one side of a card; one without HTML as its text.
  private mutating func write(_ sides: CardHTML, _ card: CardRecord, isFront: Bool) throws {
    if let masked = sides.masked { return try write(masked, card, isFront: isFront) }
    let html = isFront ? sides.prompt : sides.answer
    if html.trimmed.isEmpty { return try sink.append(PageText.escaped(isFront ? card.prompt : card.answer).utf8) }
    var page = PageHTML(to: sink)
    try page.write(html) { try write(media: $0, $1) }
  }

  private mutating func write(media names: [String], _ description: String?) throws {
    guard !names.isEmpty else { return }
    for name in names {
      guard let record = try MediaTable.named(db, name) else { continue }
      guard
        try PageMedia.write(
          record.name, description, at: mediaPath(record), to: sink, isInterrupted: isInterrupted)
      else { break }
      return report.media += 1
    }
    report.mediaLeftOut += 1
  }
}

extension TimedMemory {
  fileprivate var forPage: Value {
    .record([
      "slow": state?.slow, "fast": state?.fast, "difficulty": state?.difficulty, "first": Int(first.rawValue),
      "hesitation": hesitation,
    ])
  }
}

extension CardSchedule {
  fileprivate var forPage: Value {
    .record([
      "state": Int(state.rawValue), "step": step, "due": due, "stability": stability, "difficulty": difficulty,
      "reps": reps, "lapses": lapses, "last": lastReview, "timed": timed?.forPage,
    ])
  }
}

/// How a browser presents a file, by the extension of its name.
enum PageMediaKind {
  case picture(String), sound(String)

  init?(ofName name: String) {
    switch name.lowercased().split(separator: ".").last {
    case "png": self = .picture("image/png")
    case "jpg", "jpeg": self = .picture("image/jpeg")
    case "gif": self = .picture("image/gif")
    case "webp": self = .picture("image/webp")
    case "avif": self = .picture("image/avif")
    case "bmp": self = .picture("image/bmp")
    case "svg": self = .picture("image/svg+xml")
    case "mp3": self = .sound("audio/mpeg")
    case "ogg", "oga", "opus": self = .sound("audio/ogg")
    case "wav": self = .sound("audio/wav")
    case "flac": self = .sound("audio/flac")
    case "m4a", "aac", "mp4": self = .sound("audio/mp4")
    case "webm": self = .sound("audio/webm")
    default: return nil
    }
  }
}

struct PageMedia {
  /// A multiple of three bytes, so that the chunks of base64 can be concatenated.
  private static let chunk = 3 << 14

  /// Writes a file as an element that shows or plays it.
  /// - Parameters:
  ///   - description: what a picture shows; its name when nil.
  ///   - path: the path of the file's content.
  /// - Returns: false when a browser cannot show the file, or it does not exist; then nothing was written.
  static func write(
    _ name: String, _ description: String? = nil, at path: String, to sink: FileSink,
    isInterrupted: @escaping () -> Bool
  ) throws -> Bool {
    guard let kind = PageMediaKind(ofName: name), try FileFacts.at(path) != nil else { return false }
    let file = try ByteFile(path, isInterrupted: isInterrupted)
    let name = PageText.escaped(name)
    switch kind {
    case .picture(let type):
      try sink.append("<img alt=\"\(description.map(PageText.escaped) ?? name)\" src=\"data:\(type);base64,".utf8)
    case .sound(let type): try sink.append("<audio controls title=\"\(name)\" src=\"data:\(type);base64,".utf8)
    }
    var place = 0
    while true {
      let bytes = try file.bytes(at: place, count: chunk)
      try sink.append(base64(bytes).utf8)
      place += bytes.count
      if bytes.count < chunk { break }
    }
    if case .sound = kind { try sink.append("\"></audio>".utf8) } else { try sink.append("\">".utf8) }
    return true
  }
}
