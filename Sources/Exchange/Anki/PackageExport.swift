// Writing decks as a package: notes, media, presets, schedules.
// Invariant: the same cards give the same bytes; the target holds the whole package or what it held; memory does not
// grow with the cards.

public import Decks
public import Files
public import Storage
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
  public var isInterrupted: @Sendable () -> Bool
  /// Where the content of a media file is.
  public var mediaPath: (MediaRecord) -> String

  public init(
    folder: String, moment: StudyMoment, isInterrupted: @escaping @Sendable () -> Bool,
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
    let scratch = try Scratch(.package, in: destination.folder)
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
    let file = try ForeignDatabase.create(path, isInterrupted: destination.isInterrupted)
    let total = try decks.reduce(0) { try $0 + DeckTable.count(db, $1.id) }
    return try file.use { foreign in
      let writer = try CollectionWriter(foreign, ofSeveralDecks: decks.count > 1)
      let sent = try SentCollection(db, writer, destination)
      for deck in decks {
        try sent.add(deck) {
          if destination.isInterrupted() { throw PackageError.interrupted(path: path) }
          try progress(sent.cardCount, total)
        }
      }
      (cardCount, lost) = (sent.cardCount, sent.lost)
      return try sent.finish()
    }
  }
}

/// Whole seconds of a time that may be anything.
func seconds(_ time: Double) -> Int64 { Int64(min(1e11, max(0, time.isNaN ? 0 : time))) }
