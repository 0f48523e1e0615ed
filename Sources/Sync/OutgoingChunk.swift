// The unsent rows, and a chunk of them.
// Invariant: unsent rows are held in memory by id only; a chunk is bounded in rows and in bytes.

import Decks
import Exchange

/// The ids of the unsent rows: 8 bytes a row.
struct UnsentRows {
  var notes: ArraySlice<Int64> = []
  var cards: ArraySlice<Int64> = []
  /// Cards with unsent answers.
  var logs: ArraySlice<CardID> = []
  var answers = 0
  /// Unsent answers of cards that were removed locally, sorted by card and time.
  var strays: ArraySlice<Int64> = []

  var count: Int { notes.count + cards.count + answers + strays.count }
  var isEmpty: Bool { notes.isEmpty && cards.isEmpty && logs.isEmpty && strays.isEmpty }
}

/// What is needed to build the rows that are sent.
struct RowContext {
  let cards: SentCards
  let log: SentReviews
  var options: [DeckID: DeckOptions] = [:]
  /// The position of the last new card.
  var position = 0
  /// The card and the interval of the last answer of a removed card.
  var stray: (card: Int64, interval: Int64) = (0, 0)
}

struct OutgoingChunk {
  static let mostRows = 2000
  static let mostBytes = 4 << 20
  private(set) var rows: [StagedKind: [String]] = [:]
  private(set) var count = 0
  private var bytes = 0

  var isFull: Bool { count >= OutgoingChunk.mostRows || bytes >= OutgoingChunk.mostBytes }

  mutating func add(_ kind: StagedKind, _ json: String) {
    rows[kind, default: []].append(json)
    count += 1
    bytes += json.utf8.count
  }
}
