// What joins games with the person's data: a game put away and taken up again, results, and missed words turned into cards.
// Invariant: a missed word makes one card however often it is missed.

public import Decks
import GRDB
import Lexicon
public import WordGames

extension GameHandle {
  /// Puts the game away, or, when it is finished, keeps its result. A game without any guess is not worth either.
  /// - Parameter data: what the mode's maker keeps with the game, as text.
  public func keep(data: String?) throws {
    let now = workspace.surroundings.now()
    if try game.isFinished() {
      guard game.count > 0, !isKept else { return }
      isKept = true
      try workspace.perform(.keepGame) { db in
        try GameTable.keep(db, game.result)
        try GameTable.forgetSaved(db)
      }
    } else if game.count > 0 {
      var state = game.state
      state.data = data
      try workspace.perform(.keepGame) { try GameTable.save($0, state, now: now) }
    }
  }

  /// Adds a card for each word that was not found: prompt, what it means where a deck called Dictionary knows it, else its
  /// letters and how many they are; answer, the word.
  public func addMissed(to deck: DeckHandle) throws -> AddReport {
    let missed = game.missed()
    let language = game.language
    let meanings = try workspace.meanings(in: language)
    return try deck.addAll(onDuplicate: .skip) { batch in
      for word in missed {
        try batch.add(
          NewCard(
            prompt: meanings[word] ?? Self.letters(of: word), answer: word, tags: ["missed"],
            guid: "missed:\(language.name):\(word)"))
      }
    }
  }

  /// The letters in order, and how many there are: `a b c (3 letters)`.
  private static func letters(of word: String) -> String {
    "\(word.map(String.init).sorted().joined(separator: " ")) (\(word.count) letters)"
  }
}

extension Workspace {
  /// Words and their meanings from the deck `Dictionary::<Language>`, else `Dictionary`: prompt, the word; answer, the meaning.
  fileprivate func meanings(in language: Language) throws -> [String: String] {
    let names = ["Dictionary::\(language.title)", "Dictionary"]
    let known = try decks()
    guard let deck = try names.lazy.compactMap({ name in try known.first { try $0.record().name == name } }).first
    else {
      return [:]
    }
    let cards = try deck.cards()
    var meanings: [String: String] = [:]
    while let card = try cards.nextCard() {
      let record = try card.record()
      meanings[normalize(record.prompt, language: language)] = record.answer
    }
    return meanings
  }

  /// The game that was put away, taken up again; nil when there is none.
  /// - Parameter prepare: sees to it that the mode is there.
  /// - Returns: the game, and the text that its mode's maker kept.
  public func resumeGame(prepare: (String) throws -> Void) throws -> (game: GameHandle, data: String?)? {
    guard let state = try read({ try GameTable.saved($0) }) else { return nil }
    try prepare(state.mode)
    let mode = try modes.mode(named: state.mode)
    let language = try lexicons.language(named: state.language)
    let lexicon = try lexicons.lexicon(for: language, foldAccents: state.foldsAccents)
    let game = try Game.resume(
      state, mode: mode, lexicon: lexicon, random: surroundings.choices, now: surroundings.now)
    return (handle(of: game), state.data)
  }

  /// The finished games, newest first.
  public func gameResults() throws -> [GameResult] { try read { try GameTable.results($0) } }
}
