// How well the words of a text are known by the cards. Invariant: only the cards of its words are read, again when
// cards may have changed.

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
