// The parts of a game: what its mode fixes, the base word in play, the counters, and the source of base words.
// Invariant: they are plain records; `Game` decides what may change when.

import Lexicon

/// The traits that a mode fixes for the whole game, computed once.
struct GameTraits {
  /// Whether the mode has functions that are called for each word.
  let hasWordHooks: Bool
  /// Whether the game can end by itself.
  let mayEnd: Bool
  /// The number of players who take turns.
  let players: Int
  /// The number of words for each base word; 0 for any number.
  let wordsPerBase: Int
  /// Whether the points of a word are its number of letters.
  let hasPlainPoints: Bool
  /// Whether a guess depends only on the rules and the letters: no functions, no clock, no turns, one base word.
  let isPlain: Bool
  /// The points of letters, if the mode uses letter values.
  let letterValues: [Character: Int]

  init(_ mode: Mode, _ language: Language) {
    hasWordHooks = mode.hooks.accept != nil || mode.hooks.score != nil
    mayEnd = mode.hooks.finished != nil || mode.seconds != nil
    (players, wordsPerBase) = (mode.players, mode.wordsPerBase.map { max(1, $0) } ?? 0)
    hasPlainPoints = !mode.scoring.usesLetterValues
    letterValues = hasPlainPoints ? [:] : language.valueOfLetters
    isPlain = !hasWordHooks && !mayEnd && players == 1 && wordsPerBase == 0 && hasPlainPoints
  }
}

/// The base word in play.
struct BaseInPlay {
  let word: String
  let letterCount: Int
  /// The rules in force.
  let rules: [Rule]
  /// The number of times that a base word and its rules were put into play.
  let deals: Int
  /// The words that the rules allow, once they were computed.
  var possible: [String]?

  init(word: String = "", rules: [Rule], deals: Int = 0) {
    (self.word, letterCount, self.rules, self.deals) = (word, word.count, rules, deals)
  }
}

/// The counters other than those of the found words.
struct GameTally {
  var bonus = 0
  /// Points deducted for hints, by player.
  var hintCosts: [Int]
  /// The number of found words that gives the next reward; 0 for none.
  var nextReward: Int
  var acceptedOnBase = 0
  var passes = 0
  /// Whose turn it is, from 0.
  var currentPlayer = 0
  var hasGivenUp = false
  /// The reason that the mode's own `accept` gave for the last word that it declined.
  var declined: Refusal?

  init(nextReward: Int, players: Int) {
    self.nextReward = nextReward
    hintCosts = [Int](repeating: 0, count: players)
  }
}

/// The source of a game's base words.
struct BaseChoice {
  var random: any RandomNumberGenerator
  let level: Difficulty
  let wantedLength: Int?
}

/// The mode's own data: the stored text, until the mode loads it.
struct OwnData {
  var stored: String?
  var made: (any ModeData)?
}
