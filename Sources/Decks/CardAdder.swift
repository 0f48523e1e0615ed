// Adds cards to a deck one at a time, and reuses for later cards what it found out for the first.
// Invariant: this is correct only while nothing else changes the deck between the cards; the owner of the adder
// ensures that.

public import Storage

/// Adds single cards to one deck.
///
///     let adder = try CardAdder(db, deck: deck, random: random)
///     let card = try NewCard(prompt: "el gato", answer: "the cat").checked { try adder.add($0, at: .top, now: now) }
public final class CardAdder {
  private let db: Database
  private let deck: DeckID
  private let writer: CardWriter
  /// A range that contains all ranks of the deck; nil if it is not known.
  private var ranks: ClosedRange<Int64>?

  /// - Parameter random: returns 64 random bits per call, for the guid of a card without one.
  /// - Throws: `gone`.
  public init(_ db: Database, deck: DeckID, random: @escaping () -> UInt64) throws {
    guard try DeckTable.exists(db, deck) else { throw DeckError.gone(what: "the deck") }
    (self.db, self.deck) = (db, deck)
    writer = try CardWriter(db, deck: deck, random: random)
  }

  /// Returns whether a card can be added at `place` without a change to other rows, such as moving cards to make
  /// room.
  public func needsOneStatement(at place: CardPlace) -> Bool { rank(at: place) != nil }

  /// Adds a card.
  /// - Parameter now: seconds since 1970.
  /// - Throws: `duplicate`.
  public func add(_ card: CheckedCard, at place: CardPlace, now: Double) throws -> CardID {
    let known = rank(at: place)
    let rank = try known ?? CardOrder.rank(db, deck, for: place)
    switch try writer.write(card, rank: rank, now: now) {
    case .added(let id):
      if known != nil, let ranks {
        self.ranks = min(ranks.lowerBound, rank)...max(ranks.upperBound, rank)
      } else {
        ranks = try CardOrder.ranks(db, deck)
      }
      return id
    case .found(let id), .foundSibling(let id):
      let guid = card.guid.map { String(decoding: $0, as: UTF8.self) }
      throw DeckError.duplicate(guid: guid, prompt: try CardTable.card(db, id)?.prompt ?? "")
    }
  }

  private func rank(at place: CardPlace) -> Int64? { ranks.flatMap { CardOrder.rank(beside: $0, for: place) } }
}
