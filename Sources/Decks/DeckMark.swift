// Detects whether the cards of a deck have changed since they were read. Invariant: adding, removing, moving or
// editing a card changes the mark.

public import Storage

/// A fingerprint of the cards of a deck at one moment.
///
///     let before = try DeckMark(db, deck)
///     let isChanged = try DeckMark(db, deck) != before
public struct DeckMark: Equatable, Sendable {
  private let count: Int
  private let lastID: Int64
  /// The sum of the times of change: the latest time may be that of a card from a machine whose clock is ahead.
  private let changes: Double
  private let order: Double

  public init(_ db: Database, _ deck: DeckID) throws {
    // Each rank is weighted by the id of its card, so the sum changes if two cards swap places.
    let statement = try db.cachedStatement(
      sql: """
        SELECT count(*), coalesce(max(id), 0), total(mod), total(rank * (1.0 + (id % 65521) / 65521.0))
        FROM cards WHERE deck = ?
        """)
    let row = try statement.first([deck.rawValue]) { ($0.count(0), $0.integer(1), $0.number(2), $0.number(3)) }
    (count, lastID, changes, order) = row ?? (0, 0, 0, 0)
  }
}
