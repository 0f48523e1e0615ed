// Leeches in a user's decks, and what may help with each. Invariant: listing them changes nothing.

public import Decks
public import Memory
import Storage
import Text

/// A card that is forgotten more often than the memory model predicts, with what may help.
public struct LeechHelp {
  public let card: CardHandle
  public let record: CardRecord
  public let deck: String
  /// The outermost deck that contains it; similar cards are looked for in there.
  public let family: String
  public let test: LeechTest
  /// Wrong answers that were typed for it, the most frequent first.
  public let mistypes: [Mistype]
  /// Cards that it may be confused with, to study side by side.
  public let confusedWith: [CardRecord]
  public let same: [CardRecord]
  /// One of the user's sentences that contains the card's word.
  public let sentence: String?
}

public struct LeechOperations {
  let workspace: Workspace

  /// Returns the leeches of a deck and its subdecks, or of all decks; those with the most evidence first.
  public func list(of deck: DeckHandle? = nil) throws -> [LeechHelp] {
    try workspace.read { db in
      var decks = try DeckTable.list(db).map(\.id)
      if let deck { decks = [deck.id] + (try DeckTable.within(db, deck.id).map(\.id)) }
      let leeches = try LeechReading.leeches(db, in: decks, at: workspace.moment)
      return try help(db, leeches.map { ($0.card, $0.test) })
    }
  }

  /// Returns what may help with a card, whether or not it is a leech.
  public func help(with card: CardHandle) throws -> LeechHelp? {
    try workspace.read { db in
      guard let record = try CardTable.card(db, card.id) else { return nil }
      let options = try DeckTable.options(db, record.deck)
      return try help(db, [(card.id, LeechReading.test(db, card.id, options, at: workspace.moment))]).first
    }
  }

  private func help(_ db: Database, _ leeches: [(card: CardID, test: LeechTest)]) throws -> [LeechHelp] {
    let records = try CardTable.cards(db, ids: leeches.map(\.card))
    let tests = Dictionary(firstOf: leeches.map { ($0.card, $0.test) })
    let sentences = try Dictionary(firstOf: zip(records.map(\.id), Confusions.sentences(db, with: records)))
    var alike: [CardID: (near: [CardID], same: [CardID])] = [:]
    var families: [DeckID: [DeckID]] = [:]
    for deck in Set(records.map(\.deck)) { families[deck] = try Confusions.family(db, of: DeckTable.record(db, deck)) }
    for (family, cards) in Dictionary(grouping: records, by: { families[$0.deck] ?? [] }) {
      for (card, found) in zip(cards, try Confusions.cards(db, like: cards, in: family)) { alike[card.id] = found }
    }
    return try records.map { record in
      let deck = try DeckTable.record(db, record.deck)
      return LeechHelp(
        card: workspace.handle(of: record.id), record: record, deck: deck.name,
        family: try families[record.deck]?.first.map { try DeckTable.record(db, $0).name } ?? deck.name,
        test: tests[record.id] ?? LeechTest(), mistypes: try MistypeTable.list(db, of: record.id),
        confusedWith: try CardTable.cards(db, ids: alike[record.id]?.near ?? []),
        same: try CardTable.cards(db, ids: alike[record.id]?.same ?? []), sentence: sentences[record.id].flatMap { $0 })
    }
  }
}
