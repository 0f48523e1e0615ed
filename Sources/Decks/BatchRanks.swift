// The places of the cards that a batch puts into a deck.
// Invariant: each lies below the one before it, and all above the cards that were there when they were taken.

import Storage

/// The places that the cards of a batch take, one below the other.
struct BatchRanks {
  private var nextRank: Int64 = 0
  private var end: Int64 = 0

  init(_ db: Database, _ deck: DeckID) throws { try renew(db, deck) }

  /// Goes on at the top of the deck.
  mutating func renew(_ db: Database, _ deck: DeckID) throws {
    nextRank = try CardOrder.above(db, deck, room: CardOrder.batchRoom)
    end = nextRank + CardOrder.batchRoom
  }

  /// The next place, which stays free.
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
