// What a build did, and what it left to the user.
// Invariant: what was edited in the deck is never overwritten without a report.

public import Decks
public import Values

/// Rows whose cards are not as their source says.
///
///     for conflict in report.conflicts { print(conflict.path, conflict.line, conflict.kind.words) }
public struct BuildConflict: Equatable, Sendable {
  public enum Kind: String, Sendable {
    /// The card was edited while studying, its row was not.
    case edited
    /// The card and its row were edited.
    case both
    /// The card was removed in the deck, its row is as it was.
    case removed
    /// The row is gone, the card is still there.
    case gone
  }

  public let kind: Kind
  /// Of the source, within the folder.
  public let path: String
  public let line: Int
  /// What the card asks.
  public let prompt: String

  public var value: Value {
    .record([
      ("kind", .text(kind.rawValue)), ("path", .text(path)), ("line", .integer(line)), ("prompt", .text(prompt)),
    ])
  }
}

/// What a build did.
public struct BuildReport: Equatable, Sendable {
  /// Cards and notes, and the rows that were refused.
  public var cards = AddReport()
  /// Cards and notes that left the sources and were removed.
  public var removed = 0
  /// Sources that were read, and those that had not changed.
  public var (read, unchanged) = (0, 0)
  /// Media that were brought in.
  public var media = 0
  /// Rows that were written back to their sources.
  public var writtenBack = 0
  public var conflicts: [BuildConflict] = []

  public init() {}

  /// Whether anything in the deck was changed.
  public var isEmpty: Bool { cards.added + cards.updated + removed + media == 0 }

  /// As `--json` prints it.
  public var value: Value {
    guard case .record(let counts) = cards.value else { return cards.value }
    return .record(
      counts.fields.map { ($0.name, $0.value) } + [
        ("removed", .integer(removed)), ("media", .integer(media)), ("sources_read", .integer(read)),
        ("sources_unchanged", .integer(unchanged)), ("written_back", .integer(writtenBack)),
        ("conflicts", .list(conflicts.map(\.value))),
      ])
  }
}

/// How a folder is built, and with what.
///
///     var settings = BuildSettings(generator, now: now, random: random, mediaLimit: 100 << 20, receiveMedia: receive)
///     settings.prunes = true
public struct BuildSettings {
  /// Cards that left the sources leave the deck.
  public var prunes = false
  let generator: any CardGenerator
  /// Seconds since 1970.
  let now: Double
  let random: () -> UInt64
  /// Bytes that a media file may have.
  let mediaLimit: Int
  let receiveMedia: BuildMediaReceiver
  let isInterrupted: () -> Bool

  /// - Parameter random: 64 random bits a call.
  package init(
    _ generator: any CardGenerator, now: Double, random: @escaping () -> UInt64, mediaLimit: Int,
    isInterrupted: @escaping () -> Bool, receiveMedia: @escaping BuildMediaReceiver
  ) {
    (self.generator, self.now, self.random) = (generator, now, random)
    (self.mediaLimit, self.isInterrupted, self.receiveMedia) = (mediaLimit, isInterrupted, receiveMedia)
  }
}

/// What runs the generators of a folder.
package protocol CardGenerator {
  /// Runs one.
  /// - Parameters:
  ///   - path: of the generator.
  ///   - folder: the only one that it may read from.
  ///   - emit: takes each row: its guid keeps the card's identity when the texts change.
  /// - Returns: the files that it read, within the folder.
  /// - Throws: `BuildError.generator`, and what `emit` throws.
  func run(_ path: String, in folder: String, emit: @escaping (CardRow) throws -> Void) throws -> [String]
}
