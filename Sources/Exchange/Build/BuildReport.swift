// What a build is given, what it knows while it runs, and its report: what it did, and what it leaves for the user to
// decide; and the place of new cards in their deck, next to the cards of their neighbours in the source.
// Invariant: what was edited in the deck is never overwritten unreported; only cards that the build made are moved.

public import Decks
import Storage
import Text
public import Values

/// What happened to a row, or how its card and its source differ.
///
///     for finding in report.findings where finding.kind.isDifference { print(finding.path, finding.line) }
public struct BuildFinding: Equatable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case new
    /// The card had been removed from the deck and was restored.
    case restored
    /// The row is in a different source or deck than before.
    case moved
    case changed
    /// The row is gone, and its card was removed.
    case pruned
    /// The card was edited in the deck; its row was not.
    case edited
    /// The same field was edited in the card and in its row.
    case both
    /// The card was removed from the deck; its row is unchanged.
    case removed
    /// The row is gone; the card still exists.
    case gone
    /// The row is gone; the card was edited in the deck.
    case goneEdited = "gone_edited"
    /// The row is gone; the card was studied, and pruning left it.
    case goneStudied = "gone_studied"
    /// The row names a picture or a sound that does not exist.
    case missingMedia = "missing_media"
    /// An answer contains a cloze, which is plain text there.
    case answeredCloze = "answered_cloze"
    /// Lines of a source that are part of no card; the prompt says why.
    case left
    /// A link or a pipe in the place of a source or a folder was skipped.
    case passedOver = "passed_over"

    public var isDifference: Bool { [.edited, .both, .removed, .gone, .goneEdited, .goneStudied].contains(self) }

    public var isHint: Bool { [.missingMedia, .answeredCloze, .left, .passedOver].contains(self) }
  }

  public let kind: Kind
  public let path: String
  public let line: Int
  public let prompt: String
  public var fields: [String] = []

  public var value: Value {
    .record(
      [("kind", .text(kind.rawValue)), ("path", .text(path)), ("line", .integer(line)), ("prompt", .text(prompt))]
        + (fields.isEmpty ? [] : [("fields", .list(fields.map { .text($0) }))]))
  }
}

public struct BuildReport: Equatable, Sendable {
  /// The cards and notes added and updated, and the rows that were refused.
  public var cards = AddReport()
  /// The number of cards and notes that were removed because their rows are gone.
  public var removed = 0
  /// The number of sources that were read, and of those that had not changed.
  public var (read, unchanged) = (0, 0)
  /// Whether at least one row of the sources was accepted, in this build or an earlier one.
  public var hasAcceptedRows = false
  public var media = 0
  public var writtenBack = 0
  /// The findings, row by row; the first build only reports differences.
  public var findings: [BuildFinding] = []

  /// Whether rows were refused, no row was accepted, and nothing else was done.
  public var isRefused: Bool { cards.isRefused && !hasAcceptedRows && removed == 0 && media == 0 && writtenBack == 0 }

  public var counts: [(Int, String)] {
    [(cards.added, "added"), (cards.updated, "updated"), (removed, "removed"), (media, "media imported")]
  }

  public var inWords: String {
    let words = counts.filter { $0.0 > 0 }.map { "\(grouped($0.0)) \($0.1)" }
    return words.isEmpty ? "only the state of the sources was recorded" : words.joined(separator: ", ")
  }

  /// The report of this build and of one after it that removed what the first one left.
  public func adding(_ later: BuildReport) -> BuildReport {
    var sum = self
    sum.removed += later.removed
    sum.findings = findings.filter { !$0.kind.isDifference } + later.findings
    return sum
  }

  public var isEmpty: Bool { cards.added + cards.updated + removed + media == 0 }

  public var value: Value {
    .record(
      cards.fields + [
        ("removed", .integer(removed)), ("media", .integer(media)), ("sources_read", .integer(read)),
        ("sources_unchanged", .integer(unchanged)), ("written_back", .integer(writtenBack)),
        ("changes", .list(findings.filter { !$0.kind.isDifference && !$0.kind.isHint }.map(\.value))),
        ("conflicts", .list(findings.filter(\.kind.isDifference).map(\.value))),
        ("hints", .list(findings.filter(\.kind.isHint).map(\.value))),
      ])
  }
}

/// How a build handles differences between the sources and the deck.
public struct BuildChoices {
  /// Whether cards whose rows are gone are removed from the deck.
  public var prunes = false
  /// Whether the user agreed that these are more than half of all cards, and that some of them were studied.
  public var (prunesMost, prunesStudied) = (false, false)
  /// Whether cards that were removed from the deck are restored.
  public var restores = false
  /// Whether cards that were edited in the deck are first written back to their sources.
  public var writesBack = false
  /// Whether sources that have changes which are not committed in git are never written to.
  public var requiresCommitted = false

  public init() {}
}

/// The choices and dependencies of a build.
///
///     var settings = BuildSettings(
///       generator, now: now, random: random, mediaLimit: 100 << 20, isInterrupted: isInterrupted,
///       receiveMedia: receive)
///     settings.choices.prunes = true
public struct BuildSettings {
  public var choices = BuildChoices()
  let generator: any CardGenerator
  let now: Double
  let random: () -> UInt64
  /// The limit on the size of a media file in bytes.
  let mediaLimit: Int
  let receiveMedia: BuildMediaReceiver
  let isInterrupted: @Sendable () -> Bool

  package init(
    _ generator: any CardGenerator, now: Double, random: @escaping () -> UInt64, mediaLimit: Int,
    isInterrupted: @escaping @Sendable () -> Bool, receiveMedia: @escaping BuildMediaReceiver
  ) {
    (self.generator, self.now, self.random) = (generator, now, random)
    (self.mediaLimit, self.isInterrupted, self.receiveMedia) = (mediaLimit, isInterrupted, receiveMedia)
  }
}

package protocol CardGenerator {
  /// Runs a generator.
  /// - Parameters:
  ///   - path: the path of the generator.
  ///   - folder: the only folder that it may read from.
  ///   - emit: receives each row; its guid preserves the card's identity when the texts change.
  /// - Returns: the paths within the folder of the files that it read.
  /// - Throws: `BuildError.generator`, and errors from `emit`.
  func run(_ path: String, in folder: String, emit: @escaping (CardRow) throws -> Void) throws -> [String]
}

struct BuildState {
  var report = BuildReport()
  /// The earlier build; nil for the first one.
  var build: Int64?
  var noteCount = 0
  var visited: [VisitedSource] = []
  /// Sources that were not read, with the rows that are gone from them.
  var unread: [(path: String, id: Int64, gone: [BuiltRow])] = []
  var gone: [Int64: [BuiltRow]] = [:]
  /// Rows that may have moved: those of changed sources by given id, and those that are gone by `whole`.
  var (movedIDs, movedRows): ([String: BuiltRow], [Int64: BuiltRow]) = ([:], [:])
  /// The notes that rows of this build belong to.
  var claimed: Set<NoteID?> = []
  /// The paths within the folder of the pictures and sounds that rows name, by name.
  var media: [String: String] = [:]
  var ids = NewIDs()
}

/// A source whose rows are written after all sources have been read, because a row may have moved.
struct VisitedSource {
  let path: String
  let id: Int64
  var rows: [BuiltRow] = []
  /// Notes that this build made for the source, or moved to it from another source or deck.
  var new: Set<NoteID> = []
  var left: [BuiltRow] = []
  var isGone = false
}

extension BuildTable {
  /// Places the cards of new notes below the card of the preceding row. At the beginning of a source they are placed
  /// above the card of the following row. The cards of a new source are placed below those of earlier sources; if
  /// there are none, they stay on top.
  static func place(_ db: Database, _ new: Set<NoteID>, of source: Int64, in build: Int64) throws {
    if new.isEmpty { return }
    var decks: [DeckID: [(id: CardID, isNew: Bool)]] = [:]
    for (id, deck, note) in try cards(db, of: source) {
      decks[deck, default: []].append((id, new.contains(note)))
    }
    for (deck, cards) in decks.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      var rest = cards[...]
      while let start = rest.firstIndex(where: \.isNew) {
        let end = rest[start...].firstIndex { !$0.isNew } ?? rest.endIndex
        let ids = cards[start..<end].map(\.id)
        if start > cards.startIndex {
          try CardOrder.put(db, ids, beside: cards[start - 1].id, isBelow: true)
        } else if end < cards.endIndex {
          try CardOrder.put(db, ids, beside: cards[end].id, isBelow: false)
        } else if let last = try lastCard(db, of: build, in: deck, before: source) {
          try CardOrder.put(db, ids, beside: last, isBelow: true)
        }
        rest = cards[end...]
      }
    }
  }
}
