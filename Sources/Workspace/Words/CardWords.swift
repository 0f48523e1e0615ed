// How well the words of a text are known by the cards.
// Invariant: only the cards of its words are read, again when cards may have changed.

import Decks
import Language
import Lexicon

enum CardWords {
  /// Returns what is known of those of some lemmas that have a card or are listed.
  /// - Parameter deck: if given, only the cards of this deck and its subdecks count.
  static func known(
    _ workspace: Workspace, _ wanted: Set<String>, _ lemmatizer: Lemmatizer, deck: String?
  ) throws -> [String: (state: WordState, recall: Double)] {
    let knownDays = Double(try workspace.preferences().texts.knownDays)
    let deckID = try deck.map { try workspace.decks.open($0).id }
    var known: [String: (state: WordState, recall: Double)] = [:]
    try workspace.read { db in
      let memories = try NoteMemories(db, in: deckID, at: workspace.moment)
      try NoteWords.forEach(db) { note, word in
        let found = lemmas(of: word, lemmatizer).filter(wanted.contains)
        guard !found.isEmpty, let memory = try memories.memory(db, of: note) else { return }
        let state = state(of: memory, knownDays: knownDays)
        for lemma in found {
          let before = known[lemma] ?? (.unknown, 0)
          known[lemma] = (min(before.state, state), max(before.recall, memory.recall))
        }
      }
      try ListedWordTable.forEach(db, language: lemmatizer.language.code) { lemma, isIgnored in
        known[lemma] = isIgnored ? (.ignored, 0) : (.known, 1)
      }
    }
    return known
  }

  /// Returns what a card's word may be in a text: the word itself, and its lemma if that differs.
  static func lemmas(of word: String, _ lemmatizer: Lemmatizer) -> [String] {
    guard let lemma = lemmatizer.lemma(ofPhrase: word), lemma != word else { return [word] }
    return [word, lemma]
  }

  private static func state(of memory: NoteMemory, knownDays: Double) -> WordState {
    if memory.isSuspended { return .ignored }
    if !memory.isStudied { return .new }
    return (memory.stability ?? 0) >= knownDays ? .known : .learning
  }
}

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
        for order in orders where order.moved > 0 { try CardOrder.arrange(db, order.ids) }
      }
    }
    return (orders.reduce(0) { $0 + $1.found }, moved)
  }
}
