// Writes decks as a package: notes, media, presets, schedules.
// Invariant: the same cards produce the same bytes; the target file is either the whole package or what it was
// before; memory does not grow with the number of cards.

public import Decks
public import Files
public import Storage
import Text

/// The options of a package export, besides the decks.
public struct PackageDestination {
  /// The account's folder, for temporary files.
  public var folder: String
  public var moment: StudyMoment
  /// Whether schedules and the review log are exported. Otherwise every card is exported as a new one.
  public var keepsSchedule = false
  /// Whether to write the format for programs older than 2022.
  public var isLegacy = false
  /// Whether the package is a whole collection with all decks, which replaces another collection on import.
  public var isWhole = false
  /// Whether the package is one of Deckhand's own files, a backup.
  public var isOwn = false
  public var isInterrupted: @Sendable () -> Bool
  /// Returns the path of a media file's content.
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

  /// - Parameter decks: each is exported with the decks nested in it.
  public init(_ db: Database, decks: [DeckID], _ destination: PackageDestination) throws {
    (self.db, self.destination) = (db, destination)
    self.decks = try decks.flatMap { try [DeckTable.record(db, $0)] + DeckTable.within(db, $0) }
      .distinct(by: \.id)
  }

  /// - Parameters:
  ///   - kinds: which kinds of file may be at the path: other than plain files only when the user typed it.
  ///   - progress: called with the cards done and their total; an error from it ends the export and leaves the file
  ///     unchanged.
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

  /// - Returns: the media that belong to the package.
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

/// Clamps a time, which may be any number, to whole seconds.
func seconds(_ time: Double) -> Int64 { Int64(min(1e11, max(0, time.isNaN ? 0 : time))) }
