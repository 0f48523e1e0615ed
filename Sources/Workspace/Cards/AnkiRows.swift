// Converts cards and their logs to and from Anki's rows, for programs that use Anki's numbers.
// Invariant: a row that is read and written back unchanged changes no card; a change of many cards is one operation.

public import Decks
public import Exchange
public import Memory
import Storage

public struct AnkiRows {
  let workspace: Workspace

  public func rows(of cards: [CardHandle]) throws -> [AnkiCard] {
    let positions = try cards.map { try $0.record().state == .new ? $0.position() : 0 }
    return try workspace.read { db in
      let rows = ServerRows(workspace.moment)
      let options = try DeckTable.allOptions(db, at: workspace.moment)
      var found: [AnkiCard] = []
      try CardTable.forEachRow(db, cards.map(\.id)[...]) { place, card in
        found.append(rows.shown(card, position: positions[place], options[card.deck] ?? DeckOptions()))
      }
      return found
    }
  }

  /// Returns which of the cards are due, as in Anki's `is:due`.
  public func areDue(_ rows: [AnkiCard]) -> [Bool] {
    let moment = ServerRows(workspace.moment)
    return rows.map(moment.isDue)
  }

  /// Writes the schedules and marks of rows to their cards, and moves a card whose row names another deck.
  /// - Throws: `DeckError.gone` if a card or a deck is gone; `.badOption` for numbers that no card can have.
  public func writeRows(_ rows: [AnkiCard]) throws {
    let cards = rows.map { workspace.handle(of: CardID(rawValue: $0.id)) }
    try workspace.perform(.editCard, on: workspace.cards.stepName(of: cards), count: { _ in rows.count }) { db in
      let server = ServerRows(workspace.moment)
      for row in rows {
        try workspace.poll()
        guard let known = try SyncedCards.stored(db, CardID(rawValue: row.id)) else {
          throw DeckError.gone(what: "the card")
        }
        let deck = try DeckTable.record(db, DeckID(rawValue: row.deck)).id
        let options = try DeckTable.options(db, deck)
        var card = server.received(row.bounded, in: deck, rank: known.rank, options, isBuriedToday: true)
        try card.schedule.check()
        (card.ordinal, card.modified) = (known.ordinal, workspace.now)
        try SyncedCards.renew(db, known, to: card, keepsRank: true)
      }
    }
    workspace.opened.orders.forget()
  }

  public func answer(_ card: CardHandle, _ rating: Rating) throws {
    let name = try "\(card.record().stepName): \(rating.name)"
    _ = try workspace.perform(.answerCard, on: name) { db in
      var replay = try AnswerReplay(db, at: workspace.moment)
      return try replay.enter(card.id, rating, at: workspace.moment, seconds: nil)
    }
  }

  /// Returns the logs of cards, the earliest row first, each with whether a sync server lacks it.
  public func log(of cards: [CardID]) throws -> [CardID: [(review: ReceivedReview, isUnsent: Bool)]] {
    try workspace.read { db in
      let reader = try SentReviews(db)
      var logs: [CardID: [(review: ReceivedReview, isUnsent: Bool)]] = [:]
      for card in cards where logs[card] == nil {
        try workspace.poll()
        let log = try reader.of(card)
        logs[card] = zip(ReceivedReview.rows(of: log, card: card), log).map { ($0, $1.isUnsent) }
      }
      return logs
    }
  }

  /// Adds rows to logs; a row that already exists is skipped.
  /// - Throws: `DeckError.badOption` for the first row that is no answer, or has the id of another; then none is added.
  public func enter(_ reviews: [ReceivedReview]) throws {
    try workspace.perform(.importAnswers, count: { _ in reviews.count }) { db in
      let receiver = try ReviewReceiver(db, of: nil)
      for review in reviews { try receiver.receive(review) }
      try receiver.flush()
      for (index, review) in reviews.enumerated() where try !ReviewTable.holds(db, review) {
        throw DeckError.badOption(
          name: "reviews/\(index)",
          reason: "needs an ease from 0 to 4, and an id from 1 to 999999999999999 that no other answer has")
      }
    }
  }
}

extension CardOperations {
  public var anki: AnkiRows { AnkiRows(workspace: workspace) }

  public func all(in deck: DeckHandle) throws -> [CardID] { try workspace.read { try CardTable.ids($0, in: deck.id) } }
}
