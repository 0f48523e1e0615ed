// A game as it is stored, and cards of the words that were missed in it.
// Invariant: a missed word makes one card however often it is missed.

public import Decks
import Files
import Lexicon
import Storage
import WordGames

extension GameHandle {
  /// Adds what is new to the stored game, or stores it whole where another one is, or nothing.
  func store(_ db: Database, now: Double) throws {
    if let stored {
      let more = game.state(foundFrom: stored.found)
      if try GameTable.append(db, more, game: stored.game, after: stored.found, now: now) {
        return self.stored = (stored.game, game.count)
      }
    }
    let id = stored?.game ?? Int64(truncatingIfNeeded: workspace.environment.random.entropy() >> 1)
    try GameTable.save(db, game.state, game: id, now: now)
    stored = (id, game.count)
  }

  /// Adds a card for each word that was not found: prompt, what it means where a deck called Dictionary or a dictionary
  /// of this machine knows it, else its letters and how many they are; answer, the word.
  public func addMissed(to deck: DeckHandle) throws -> AddReport {
    let missed = game.missed()
    let language = game.language
    let meanings = try workspace.games.meanings(in: language)
    return try deck.addAll(onDuplicate: .skip) { batch in
      for word in missed {
        try batch.add(
          NewCard(
            prompt: meanings[word] ?? workspace.words.gloss(of: word, in: language) ?? Self.letters(of: word),
            answer: word,
            tags: ["missed"],
            guid: "missed:\(language.name):\(word)"))
      }
    }
  }

  /// The letters in order, and how many there are: `a b c (3 letters)`.
  private static func letters(of word: String) -> String {
    "\(word.map(String.init).sorted().joined(separator: " ")) (\(word.count) letters)"
  }
}
