// Writing decks as a package: notes as they are, plain cards as notes of the type Basic, media, presets, schedules.
// Invariant: the same cards give the same bytes; the target holds the whole package or what it held; memory does not
// grow with the cards.

public import Decks
public import Files
public import GRDB
import Storage
import Text

/// What an export of a package is given beside the decks.
public struct PackageDestination {
  /// The account's folder, for what is put together.
  public var folder: String
  public var moment: StudyMoment
  /// Otherwise every card goes out as a new one, without the log.
  public var keepsSchedule = false
  /// For programs of before 2022.
  public var isLegacy = false
  /// A collection of its own, which replaces one, with all decks.
  public var isWhole = false
  public var isInterrupted: () -> Bool
  /// Where the content of a media file is.
  public var mediaPath: (MediaRecord) -> String

  public init(
    folder: String, moment: StudyMoment, isInterrupted: @escaping () -> Bool = { false },
    mediaPath: @escaping (MediaRecord) -> String
  ) {
    (self.folder, self.moment) = (folder, moment)
    (self.isInterrupted, self.mediaPath) = (isInterrupted, mediaPath)
  }
}

/// Writes decks to a package.
///
///     let export = try PackageExport(db, decks: [deck], destination)
///     let report = try export.run(to: "spanish.apkg")
public final class PackageExport {
  private let db: Database
  private let decks: [DeckRecord]
  private let destination: PackageDestination
  private var cardCount = 0
  private var lost: [CardPart: Int] = [:]

  /// - Parameter decks: each with those within it.
  public init(_ db: Database, decks: [DeckID], _ destination: PackageDestination) throws {
    (self.db, self.destination) = (db, destination)
    var seen: Set<DeckID> = []
    self.decks = try decks.flatMap { try [DeckTable.record(db, $0)] + DeckTable.within(db, $0) }
      .filter { seen.insert($0.id).inserted }
  }

  /// - Parameters:
  ///   - kinds: what may be at the path: others than plain files only where the user typed it.
  ///   - progress: cards done and all of them; what it throws ends the export, the file stays as it was.
  /// - Throws: `PackageError.noLibrary`, `.interrupted`, `FileError` for the file.
  public func run(
    to path: String, _ kinds: FileKinds = .plain, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> ExportReport {
    guard canReadPackages else { throw PackageError.noLibrary(path: path) }
    let scratch = try Scratch(in: destination.folder)
    return try withExtendedLifetime(scratch) {
      let collection = scratch.path("collection")
      let media = try writeCollection(collection, progress)
      let builder = PackageBuilder(path, scratch, destination)
      let bytes = try builder.build(collection: collection, media: media, kinds)
      return ExportReport(cards: cardCount, bytes: bytes, lost: lost)
    }
  }

  // MARK: The collection

  /// - Returns: the media that go along.
  private func writeCollection(
    _ path: String, _ progress: (Int, Int) throws -> Void
  ) throws -> [MediaRecord] {
    let queue = try ForeignDatabase.create(path, isInterrupted: destination.isInterrupted)
    let total = try decks.reduce(0) { try $0 + DeckTable.count(db, $1.id) }
    return try queue.unsafeReentrantWrite { foreign in
      let writer = try CollectionWriter(foreign, ofSeveralDecks: decks.count > 1)
      var head = CollectionHeadMaker()
      var notes = try SentNotes(db, writer)
      let reviews = try SentReviews(db)
      for deck in decks {
        let id = try head.add(db, deck)
        let schedule = SentSchedule(destination.moment, try DeckTable.options(db, deck.id))
        let cards = try SentCards(db, in: deck.id)
        var position = 0
        while let card = try cards.next() {
          try write(card, deck: id, schedule, &position, &notes, writer, reviews, &head)
          cardCount += 1
          if cardCount % 1024 == 0 {
            if destination.isInterrupted() { throw PackageError.interrupted(path: path) }
            try progress(cardCount, total)
          }
        }
      }
      for type in notes.usedTypes { head.add(type) }
      try writer.finish(head.head(), hasIndices: destination.isWhole)
      return try media(notes)
    }
  }

  private func write(
    _ card: SentCard, deck: Int64, _ schedule: SentSchedule, _ position: inout Int, _ notes: inout SentNotes,
    _ writer: CollectionWriter, _ reviews: SentReviews, _ head: inout CollectionHeadMaker
  ) throws {
    noteLost(card)
    let note = try notes.add(card)
    head.note(max(card.modified, notes.lastModified))
    let id = try writer.cardID(card.foreignID ?? notes.id(of: card))
    // Positions go up in the order of the deck; those that came so stay as they were.
    let came = card.raw.flatMap(AnkiCard.stored)?.card
    let place = came.flatMap { $0.type == 0 ? $0.due : nil }.map { max($0, position) } ?? position + 1
    var row = AnkiCard(due: place)
    if destination.keepsSchedule {
      row = schedule.row(of: card, position: place, lastReview: try writeLog(card, id, writer, reviews))
      head.note(card.schedule.lastReview ?? 0)
    }
    let isNew = row.type == 0
    if isNew { position = place }
    let modified = card.foreignID == nil ? seconds(card.modified) : max(card.foreignModified, seconds(card.modified))
    try writer.add(
      CollectionWriter.Card(
        id: id, note: note, deck: deck, ordinal: card.ordinal, modified: modified,
        reps: isNew ? 0 : card.schedule.reps, lapses: isNew ? 0 : card.schedule.lapses, row: row))
  }

  private func noteLost(_ card: SentCard) {
    if card.hasFields { lost[.fields, default: 0] += 1 }
    if card.hasDocument { lost[.documents, default: 0] += 1 }
    if !destination.keepsSchedule, card.schedule.state != .new { lost[.schedule, default: 0] += 1 }
  }

  /// - Returns: the second of the last answer, as the log has it now.
  private func writeLog(
    _ card: SentCard, _ id: Int64, _ writer: CollectionWriter, _ reviews: SentReviews
  ) throws -> Int? {
    var (interval, last): (Int64, Int?) = (0, nil)
    for review in try reviews.of(card.id) {
      let row = ReceivedReview(review, card: id, id: review.foreignID ?? milliseconds(review.at), last: interval)
      let written = try writer.add(row)
      if row.ease > 0 { last = Int(written / 1000) }
      interval = row.interval
    }
    return last
  }

  private func media(_ notes: SentNotes) throws -> [MediaRecord] {
    let all = try MediaTable.list(db)
    if destination.isWhole { return all }
    let texts = notes.usedTypes.map { type in type.css + type.cards.map { $0.front + $0.back }.joined() }
    return all.filter { file in
      notes.mediaNames.contains(file.name)
        || file.name.hasPrefix("_") && texts.contains { $0.contains(file.name) }
    }
  }
}

/// Whole seconds, and milliseconds, of a time that may be anything.
func seconds(_ time: Double) -> Int64 { Int64(min(1e11, max(0, time.isNaN ? 0 : time))) }
func milliseconds(_ time: Double) -> Int64 { Int64(min(1e14, max(1, time.isNaN ? 1 : (time * 1000).rounded(.down)))) }
