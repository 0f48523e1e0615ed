// A deck's cards on their way out into a package: with their notes, schedules and what they were elsewhere.
// Invariant: one walk in the order of the deck; memory holds one card.

public import Storage

/// A card that is sent out, and what it was elsewhere; its bytes are good until the walk goes on.
public struct SentCard {
  public let card: ListedCard

  fileprivate static let query = """
    SELECT \(ListedCard.columnsWithoutTexts), anki, amod, raw FROM card_rows
    LEFT JOIN anki_cards ON anki_cards.card = card_rows.id
    """

  init(_ row: Row) { card = ListedCard(row) }

  /// The id that it has elsewhere; nil where it has none yet.
  public var foreignID: Int64? { card.row.optionalInteger(ListedCard.next) }
  /// When it was changed there, in seconds since 1970.
  public var foreignModified: Int64 { card.row.integer(ListedCard.next + 1) }
  /// Its row there as it came.
  public var raw: String? { card.row.optionalText(ListedCard.next + 2) }
}

/// The cards of a deck, top first.
public final class SentCards {
  private let walk: Statement

  public init(_ db: Database, in deck: DeckID) throws {
    walk = try Statement(db, "\(SentCard.query) WHERE deck = ?1 ORDER BY rank", [deck.rawValue])
  }

  /// Nil after the last.
  public func next() throws -> SentCard? { try walk.next().map(SentCard.init) }
}

/// Cards that go out one by one.
public final class SentCardReader {
  private let statement: Statement

  public init(_ db: Database) throws {
    statement = try Statement(db, "\(SentCard.query) WHERE id = ?1")
  }

  /// Lends a card's row; nil where it was removed.
  public func with<T>(_ id: CardID, _ body: (SentCard) throws -> T) throws -> T? {
    statement.bind(1, id.rawValue)
    return try statement.first { try body(SentCard($0)) }
  }
}
