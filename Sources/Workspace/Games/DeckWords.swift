// The words of a deck as the list of a game. Invariant: a word of the list is a prompt of one word, without its
// article, and has the answer of the first card that has it.

import Decks
import Language
import Lexicon
import Templates
import Text
import WordGames

extension DeckHandle {
  /// The fewest words that are worth a game.
  static let fewestWords = 3

  /// Returns the prompts that are one word, of the deck and the decks within it.
  /// - Throws: `WorkspaceError.tooFewWords`.
  func lexicon(
    matching query: String?, in language: Language, foldAccents: Bool, _ own: inout OwnWords
  ) throws -> Lexicon {
    let lemmatizer = workspace.languages.lemmatizer(of: language)
    var found: [(word: String, answer: String)] = []
    for deck in try [self] + within() {
      let cards = try deck.cards(matching: query)
      while let card = try cards.nextCard() {
        try workspace.poll()
        let record = try card.record()
        guard let word = NoteWords.word(ofField: record.prompt).flatMap(lemmatizer.word(ofPhrase:)) else { continue }
        found.append((word, FieldHTML.spoken(record.answer)))
      }
    }
    guard found.count >= Self.fewestWords else { throw try tooFewWords(found.count, found: found.count) }
    let list = try Lexicon.of(
      found.map(\.word), language: language, name: try record().name, foldAccents: foldAccents)
    own.answers = Dictionary(firstOf: found.map { (list.normalized($0.word), $0.answer) }).filter {
      list.contains($0.key)
    }
    return list
  }

  func tooFewWords(_ words: Int, found: Int) throws -> WorkspaceError {
    .tooFewWords(deck: try record().name, words: words, found: found, needed: Self.fewestWords)
  }
}
