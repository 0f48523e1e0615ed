// Cards to be exported or sent, with their notes, schedules and their rows from other programs.
// Invariant: one pass in the order of the deck; memory holds one card, whose bytes are valid until the next one is
// read.

public import Storage

/// The cards of a deck, top first; their texts are not read.
public final class SentCards {
  private let walk: Statement

  public init(_ db: Database, in deck: DeckID) throws {
    walk = try Statement(
      db, "SELECT \(ListedCard.columnsWithoutTexts) FROM card_rows WHERE deck = ?1 ORDER BY rank", [deck.rawValue])
  }

  /// The next card; nil after the last.
  public func next() throws -> ListedCard? { try walk.next().map(ListedCard.init) }
}

/// Reads single cards that are exported or sent.
public final class SentCardReader {
  private let statement: Statement

  public init(_ db: Database) throws {
    statement = try Statement(db, "SELECT \(ListedCard.columnsWithoutTexts) FROM card_rows WHERE id = ?1")
  }

  /// Lends a card's row to `body`; nil if the card was removed.
  public func with<T>(_ id: CardID, _ body: (ListedCard) throws -> T) throws -> T? {
    statement.bind(1, id.rawValue)
    return try statement.first { try body(ListedCard($0)) }
  }
}
