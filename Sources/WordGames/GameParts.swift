// The parts of a game: what its mode fixes, the base word in play, what is counted, and where base words come from.
// Invariant: they are plain records; what may change when is the business of `Game`.

import Lexicon

/// What a mode fixes for the whole game, worked out once.
struct GameTraits {
  /// Whether the mode has functions that are asked about each word.
  let hasSay: Bool
  /// Whether the game can end by itself.
  let mayEnd: Bool
  /// How many take turns.
  let players: Int
  /// How many words go with a base word; 0 for any number.
  let wordsPerBase: Int
  /// Whether points are letters alone.
  let hasPlainPoints: Bool
  /// Whether a guess is a matter of the rules and the letters alone: no functions, no clock, no turns, one base word.
  let isPlain: Bool
  /// The points of letters, where the mode goes by them.
  let letterValues: [Character: Int]

  init(_ mode: Mode, _ language: Language) {
    hasSay = mode.hooks.accept != nil || mode.hooks.score != nil
    mayEnd = mode.hooks.finished != nil || mode.seconds != nil
    (players, wordsPerBase) = (mode.players, mode.wordsPerBase.map { max(1, $0) } ?? 0)
    hasPlainPoints = !mode.scoring.usesLetterValues
    letterValues = hasPlainPoints ? [:] : language.letterValues
    isPlain = !hasSay && !mayEnd && players == 1 && wordsPerBase == 0 && hasPlainPoints
  }
}

/// The base word in play.
struct BaseInPlay {
  let word: String
  let letterCount: Int
  /// The rules in force.
  let rules: [Rule]
  /// How often rules and base word were put into play.
  let deals: Int
  /// The words that the rules allow, once they were asked for.
  var possible: [String]?

  init(word: String = "", rules: [Rule], deals: Int = 0) {
    (self.word, letterCount, self.rules, self.deals) = (word, word.count, rules, deals)
  }
}

/// What is counted beside the found words.
struct GameTally {
  var bonus = 0
  /// Points taken off for hints, by player.
  var hintCosts: [Int]
  /// How many found words give the next reward; 0 for none.
  var nextReward: Int
  var acceptedOnBase = 0
  var passes = 0
  /// Whose turn it is, from 0.
  var currentPlayer = 0
  var hasGivenUp = false
  /// What the mode's own `accept` said of the last word that it declined.
  var declined: Refusal?

  init(nextReward: Int, players: Int) {
    self.nextReward = nextReward
    hintCosts = [Int](repeating: 0, count: players)
  }
}

/// Where the base words of a game come from.
struct BaseChoice {
  var random: any RandomNumberGenerator
  let level: Difficulty
  let wantedLength: Int?
}

/// The mode's own data: as it was stored, until the mode takes it over.
struct OwnData {
  var stored: String?
  var made: (any ModeData)?
}
