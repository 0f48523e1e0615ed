// The ranks of the cards that a batch adds to a deck.
// Invariant: each rank is below the one before it, and all are above the ranks that the deck had when they were
// reserved.

import Storage

/// The ranks that the cards of a batch take, one below the other.
struct BatchRanks {
  private var nextRank: Int64 = 0
  private var end: Int64 = 0

  init(_ db: Database, _ deck: DeckID) throws { try renew(db, deck) }

  /// Reserves new ranks at the top of the deck.
  mutating func renew(_ db: Database, _ deck: DeckID) throws {
    nextRank = try CardOrder.above(db, deck, room: CardOrder.batchRoom)
    end = nextRank + CardOrder.batchRoom
  }

  /// Returns the next rank without taking it.
  func peek() throws(DeckError) -> Int64 {
    if nextRank >= end { throw .batchTooLong }
    return nextRank
  }

  mutating func next() throws(DeckError) -> Int64 {
    let rank = try peek()
    nextRank += CardOrder.step
    return rank
  }
}
