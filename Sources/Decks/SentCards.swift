// Cards on their way out, with their notes, schedules and what they were elsewhere.
// Invariant: one walk in the order of the deck; memory holds one card, whose bytes are good until the walk goes on.

public import Storage

/// The cards of a deck, top first; their texts are not read.
public final class SentCards {
  private let walk: Statement

  public init(_ db: Database, in deck: DeckID) throws {
    walk = try Statement(
      db, "SELECT \(ListedCard.columnsWithoutTexts) FROM card_rows WHERE deck = ?1 ORDER BY rank", [deck.rawValue])
  }

  /// Nil after the last.
  public func next() throws -> ListedCard? { try walk.next().map(ListedCard.init) }
}

/// Cards that go out one by one.
public final class SentCardReader {
  private let statement: Statement

  public init(_ db: Database) throws {
    statement = try Statement(db, "SELECT \(ListedCard.columnsWithoutTexts) FROM card_rows WHERE id = ?1")
  }

  /// Lends a card's row; nil where it was removed.
  public func with<T>(_ id: CardID, _ body: (ListedCard) throws -> T) throws -> T? {
    statement.bind(1, id.rawValue)
    return try statement.first { try body(ListedCard($0)) }
  }
}
