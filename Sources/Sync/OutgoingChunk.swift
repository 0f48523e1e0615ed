// The unsent rows, and a chunk of them.
// Invariant: unsent rows are held by their ids alone; a chunk is bounded in rows and in bytes.

import Decks
import Exchange

/// The unsent rows by their ids: 8 bytes a row.
struct UnsentRows {
  var notes: ArraySlice<Int64> = []
  var cards: ArraySlice<Int64> = []
  /// Cards with unsent answers.
  var logs: ArraySlice<CardID> = []
  /// How many answers these are.
  var answers = 0
  /// Answers of cards that were removed here, by card and time.
  var strays: ArraySlice<Int64> = []

  var count: Int { notes.count + cards.count + answers + strays.count }
  var isEmpty: Bool { notes.isEmpty && cards.isEmpty && logs.isEmpty && strays.isEmpty }
}

/// What the rows that are sent are made with.
struct RowMaking {
  let cards: SentCardReader
  let log: SentReviews
  /// By the decks of the cards.
  var options: [DeckID: DeckOptions] = [:]
  /// Of the last new card.
  var position = 0
  /// The last answer of a removed card.
  var stray: (card: Int64, interval: Int64) = (0, 0)
}

/// A chunk of rows.
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
