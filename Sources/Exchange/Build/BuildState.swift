// What a build knows while it runs, and the place of new cards in their deck: next to the cards of their neighbours in
// the source. Invariant: only cards that the build made are moved.

import Decks
import Storage

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

struct SourceOrder {
  let db: Database
  let build: Int64

  /// Places the cards of new notes below the card of the preceding row. At the beginning of a source they are placed
  /// above the card of the following row. The cards of a new source are placed below those of earlier sources; if
  /// there are none, they stay on top.
  func place(_ new: Set<NoteID>, of source: Int64) throws {
    if new.isEmpty { return }
    var decks: [DeckID: [(id: CardID, isNew: Bool)]] = [:]
    for (id, deck, note) in try BuildTable.cards(db, of: source) {
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
        } else if let last = try BuildTable.lastCard(db, of: build, in: deck, before: source) {
          try CardOrder.put(db, ids, beside: last, isBelow: true)
        }
        rest = cards[end...]
      }
    }
  }
}
