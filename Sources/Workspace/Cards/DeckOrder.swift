// The order of the cards in decks, cached while no card moves, and paged lists of cards. Invariant: iterating over
// all cards of a deck and asking each for its position takes as long as the iteration alone, even if other properties
// of the cards change meanwhile.

import Decks
import Text

/// The card orders of a workspace's decks. Each is built once it was requested often enough.
struct DeckOrders {
  /// The order of a deck's cards at one point in time, top first.
  final class Order {
    let ids: [CardID]
    lazy var positions = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($0.element, $0.offset + 1) })

    init(_ ids: [CardID]) { self.ids = ids }
  }

  private var orders: [DeckID: Order] = [:]
  private var requestCounts: [DeckID: Int] = [:]
  /// A change that moves no card sets it, so that the orders stay valid.
  var changeCount = 0
  /// Increases with each change that may have moved a card.
  private(set) var version = 0

  /// This many questions about single cards are answered without building the order of the whole deck.
  private static let askLimit = 3

  mutating func refresh(_ now: Int) {
    guard now != changeCount else { return }
    changeCount = now
    version &+= 1
    orders = [:]
    requestCounts = [:]
  }

  /// Invalidates the orders after an operation that usually moves no card has moved some.
  mutating func forget() { changeCount = -1 }

  /// Returns the order if it is cached, or was requested often enough to be worth building.
  mutating func order(of deck: DeckID, make: () throws -> [CardID]) rethrows -> Order? {
    if let known = orders[deck] { return known }
    requestCounts[deck, default: 0] += 1
    return requestCounts[deck, default: 0] > Self.askLimit ? try wholeOrder(of: deck, make: make) : nil
  }

  mutating func wholeOrder(of deck: DeckID, make: () throws -> [CardID]) rethrows -> Order {
    try orders.kept(deck) { Order(try make()) }
  }
}

extension CardOperations {
  var orderVersion: Int {
    workspace.opened.orders.refresh(workspace.changeCount)
    return workspace.opened.orders.version
  }

  func ids(of deck: DeckID) throws -> [CardID] {
    try checkOrders(deck)
    return try workspace.opened.orders.wholeOrder(of: deck) { try readIDs(of: deck) }.ids
  }

  private func readIDs(of deck: DeckID) throws -> [CardID] { try workspace.read { try CardTable.ids($0, in: deck) } }

  func id(of deck: DeckID, at position: Int) throws -> CardID? {
    try checkOrders(deck)
    guard let order = try workspace.opened.orders.order(of: deck, make: { try readIDs(of: deck) }) else {
      return try workspace.read { try CardTable.id($0, in: deck, at: position) }
    }
    return order.ids.indices.contains(position - 1) ? order.ids[position - 1] : nil
  }

  func position(of card: CardID, in deck: DeckID) throws -> Int {
    try checkOrders(deck)
    let order = try workspace.opened.orders.order(of: deck) { try readIDs(of: deck) }
    return try order?.positions[card] ?? workspace.read { try CardTable.position($0, of: card) }
  }

  /// Checks that the deck exists, and whether another process has changed anything.
  private func checkOrders(_ deck: DeckID) throws {
    try workspace.read { _ = try DeckTable.record($0, deck) }
    workspace.opened.orders.refresh(workspace.changeCount)
  }
}

/// A page of the cards that a query matches, each with its position, and the number of all.
public typealias CardListing = (cards: [(card: CardHandle, position: Int)], total: Int)

extension CardOperations {
  /// Lists the cards of decks that a query matches (all if it is nil or blank), deck by deck, top first.
  /// - Parameter offset: how many cards to skip.
  /// - Parameter limit: the most cards to return; nil returns all that remain.
  public func list(
    of decks: [DeckHandle], matching query: String? = nil, offset: Int = 0, limit: Int? = nil
  ) throws -> CardListing {
    var listing: CardListing = ([], 0)
    if try cardQuery(query) != nil {
      for deck in decks { _ = try deck.record() }
      let found = try find(in: decks, matching: query)
      listing.total = found.count
      found.skip(offset)
      while listing.cards.count < limit ?? .max, let card = try found.nextCard() {
        try workspace.poll()
        listing.cards.append((card, try card.position()))
      }
      return listing
    }
    for deck in decks {
      let added = try page(deck.id, max(0, offset - listing.total), limit.map { $0 - listing.cards.count } ?? .max)
      listing.cards += added.cards
      listing.total += added.total
    }
    return listing
  }

  private func page(_ deck: DeckID, _ offset: Int, _ limit: Int) throws -> CardListing {
    try workspace.read { db in
      var listing: CardListing = ([], 0)
      _ = try DeckTable.record(db, deck)
      listing.total = try DeckTable.count(db, deck)
      guard offset < listing.total, limit > 0 else { return listing }
      let records = try CardTable.page(db, in: deck, offset: offset, count: limit)
      for (position, record) in zip((offset + 1)..., records) {
        let card = workspace.handle(of: record.id)
        card.cacheRecord(record, position: position)
        listing.cards.append((card, position))
      }
      return listing
    }
  }
}
