// Places the cards of new and moved rows in their deck next to the cards of their neighbours in the source.
// Invariant: only cards that the build made are moved.

import Decks
import Storage

/// Orders the cards of a build.
struct SourceOrder {
  private let db: Database
  private let build: Int64

  init(_ db: Database, _ build: Int64) { (self.db, self.build) = (db, build) }

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
