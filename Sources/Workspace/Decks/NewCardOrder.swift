// Sorts new cards by how much they help with a text. Invariant: cards that were studied stay in place, and cards that
// help equally keep their order.

import Decks

extension DeckHandle {
  /// Sorts the new cards of the deck, and of each of its subdecks, by the frequency of their words in a text.
  /// - Returns: how many new cards contain an unknown word of the text, and how many cards were moved.
  public func orderNewCards(byGainIn text: TextHandle) throws -> (found: Int, moved: Int) {
    let gains = try text.gains()
    let orders = try workspace.read { db in
      try ([id] + DeckTable.within(db, id).map(\.id)).map { deck in
        let old = try NoteWords.newCards(db, in: deck)
        let ranked = old.enumerated().map { place, card in
          let lemmas = card.word.map { CardWords.lemmas(of: $0, text.lemmatizer) } ?? []
          return (gain: lemmas.compactMap { gains[$0] }.max() ?? 0, place: place)
        }.sorted { ($1.gain, $0.place) < ($0.gain, $1.place) }
        return (
          found: ranked.count { $0.gain > 0 }, moved: ranked.enumerated().count { $0 != $1.place },
          ids: ranked.map { old[$0.place].card }
        )
      }
    }
    let moved = orders.reduce(0) { $0 + $1.moved }
    if moved > 0 {
      try workspace.perform(.moveCard, count: { _ in moved }) { db in
        for order in orders where order.moved > 0 { try CardTable.arrange(db, order.ids) }
      }
    }
    return (orders.reduce(0) { $0 + $1.found }, moved)
  }
}
