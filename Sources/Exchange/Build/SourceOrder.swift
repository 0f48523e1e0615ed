// Where new and moved rows of a build come in their deck: beside the rows that they stand beside in their source.
// Invariant: only cards that the build made are moved.

import Decks
import Storage

/// The order of the cards of a build.
struct SourceOrder {
  private let db: Database
  private let build: Int64

  init(_ db: Database, _ build: Int64) { (self.db, self.build) = (db, build) }

  /// Puts the cards of new notes below the card of the row before them, at the head of a source above that of the row
  /// behind them. Those of a new source come below the sources before it; what has nothing before it stays on top.
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
