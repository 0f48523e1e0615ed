// Cards of several decks in one order, and changes of many at once. Invariant: a change of many cards is one operation:
// all of it, or none where one is refused.

public import Decks
import Files
import Storage
import Text

extension Workspace {
  /// What searches read before, as long as nothing has changed.
  var searchCache: SearchCache {
    let cache = opened.search ?? SearchCache(path: folder + "/.search", isSaved: !rehearsal.isOn)
    opened.search = cache
    cache.refresh(changeCount, others: database.otherChanges)
    return cache
  }

  /// The cards of decks that a query finds, deck by deck, top first, or sorted.
  public func cards(
    of decks: [DeckHandle], matching query: String?, sortedBy sort: CardProperty? = nil, isDescending: Bool = false
  ) throws -> CardSequence {
    let blank = query?.trimmed.isEmpty ?? true
    let parsed = try blank ? nil : query.map { try CardQuery($0, isInterrupted: environment.isInterrupted) }
    var (ids, positions): ([CardID], [Int]) = ([], [])
    for deck in decks {
      guard let parsed else {
        let all = try self.ids(of: deck.id)
        ids += all
        positions += 1...max(1, all.count)
        if all.isEmpty { positions.removeLast() }
        continue
      }
      let found = try read { try CardTable.found($0, in: deck.id, matching: parsed, at: moment, searchCache) }
      ids += found.ids
      positions += found.positions
    }
    if let sort {
      let order = try read { try CardTable.order($0, ids, by: sort, isDescending: isDescending) }
      (ids, positions) = (order.map { ids[$0] }, order.map { positions[$0] })
    }
    return CardSequence(ids, positions: positions, in: self)
  }

  /// Gives cards the texts and tags of others.
  public func update(_ edits: [(card: CardHandle, to: NewCard)]) throws {
    let changesOthers = try perform(.editCard, on: stepName(of: edits.map(\.card)), count: { _ in edits.count }) { db in
      try edits.reduce(false) {
        let (new, now) = ($1.to, environment.clocks.now())
        return try CardTable.update(
          db, $1.card.id, prompt: new.prompt, answer: new.answer, tags: new.tags, now: now)
          || $0
      }
    }
    if changesOthers { opened.orders.forget() }
  }

  /// Brings cards to the top of a deck; answers how many were moved.
  @discardableResult
  public func move(_ cards: [CardHandle], into deck: DeckHandle) throws -> Int {
    try perform(.moveCard, on: stepName(of: cards), count: { _ in cards.count }) {
      try CardTable.move($0, cards.map(\.id), into: deck.id, now: environment.clocks.now())
    }
  }
}
