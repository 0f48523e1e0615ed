// What a build did, and what it left to the user.
// Invariant: what was edited in the deck is never overwritten without a report.

public import Decks
import Text
public import Values

/// What became of a row, or what its card and its source differ in.
///
///     for finding in report.findings where finding.kind.isDifference { print(finding.path, finding.line) }
public struct BuildFinding: Equatable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// The row has no card yet.
    case new
    /// The card had been removed in the deck, and is there again.
    case restored
    /// The row is in another source or deck than before.
    case moved
    case changed
    /// The row is gone, and its card was removed.
    case pruned
    /// The card was edited in the deck, its row was not.
    case edited
    /// A field of the card and of its row were edited.
    case both
    /// The card was removed in the deck, its row is as it was.
    case removed
    /// The row is gone, the card is still there.
    case gone
    /// The row is gone, the card was edited in the deck.
    case goneEdited = "gone_edited"
    /// The row names a picture or a sound that is not there.
    case missingMedia = "missing_media"
    /// An answer has a cloze, which is a text there.
    case answeredCloze = "answered_cloze"
    /// A link or a pipe stands in the place of a source or a folder.
    case passedOver = "passed_over"

    /// Whether the deck and the sources are not the same there.
    public var isDifference: Bool { [.edited, .both, .removed, .gone, .goneEdited].contains(self) }

    /// Whether the source is to be looked at.
    public var isHint: Bool { [.missingMedia, .answeredCloze, .passedOver].contains(self) }
  }

  public let kind: Kind
  /// Of the source, within the folder.
  public let path: String
  public let line: Int
  /// What the card asks; of a picture or a sound that is missing, its path.
  public let prompt: String
  /// The fields that both sides edited.
  public var fields: [String] = []

  public var value: Value {
    .record(
      [("kind", .text(kind.rawValue)), ("path", .text(path)), ("line", .integer(line)), ("prompt", .text(prompt))]
        + (fields.isEmpty ? [] : [("fields", .list(fields.map { .text($0) }))]))
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
  /// Whether the sources have a row that was taken, in this build or before.
  public var hasTaken = false
  /// Media that were brought in.
  public var media = 0
  /// Rows that were written back to their sources.
  public var writtenBack = 0
  /// Row by row; of a first build only what the deck differs in.
  public var findings: [BuildFinding] = []

  public init() {}

  /// Whether rows were refused, no row was taken, and nothing else was done.
  public var isRefused: Bool { cards.isRefused && !hasTaken && removed == 0 && media == 0 && writtenBack == 0 }

  /// What it did to the deck: "2 added, 1 removed".
  public var inWords: String {
    let counts = [
      (cards.added, "added"), (cards.updated, "updated"), (removed, "removed"), (media, "media imported"),
    ]
    let words = counts.filter { $0.0 > 0 }.map { "\(grouped($0.0)) \($0.1)" }
    return words.isEmpty ? "only the state of the sources was recorded" : words.joined(separator: ", ")
  }

  /// Whether anything in the deck was changed.
  public var isEmpty: Bool { cards.added + cards.updated + removed + media == 0 }

  /// As `--json` prints it.
  public var value: Value {
    guard case .record(let counts) = cards.value else { return cards.value }
    return .record(
      counts.fields.map { ($0.name, $0.value) } + [
        ("removed", .integer(removed)), ("media", .integer(media)), ("sources_read", .integer(read)),
        ("sources_unchanged", .integer(unchanged)), ("written_back", .integer(writtenBack)),
        ("changes", .list(findings.filter { !$0.kind.isDifference && !$0.kind.isHint }.map(\.value))),
        ("conflicts", .list(findings.filter(\.kind.isDifference).map(\.value))),
        ("hints", .list(findings.filter(\.kind.isHint).map(\.value))),
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
  /// Cards that were removed in the deck come back.
  public var restores = false
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
