// A word game in play: a base word, the accepted guesses, points, turns and the clock. Invariant: a guess changes the
// game only after every rule and hook was evaluated, and no hook can change the game meanwhile.

import Files
public import Lexicon

/// The reason why a game ended.
///
///     if try game.ending() == .timeOut { ... }
public enum Ending: Sendable {
  case timeOut, passed, givenUp
  /// The mode's own `finished` returned true.
  case byMode
}

/// A game in progress:
///
///     let game = try Game.start(mode: .classic, lexicon: lexicon, random: random, clocks: clocks)
///     try game.guess("grace")            // .accepted(points: 5)
public final class Game {
  public private(set) var mode: Mode
  public let lexicon: Lexicon
  /// The common words of the list, if the game is about them.
  public let common: CommonWords?
  /// What is known of the words of a game about a learner's own: its hints.
  public internal(set) var own = OwnWords()
  var base: BaseInPlay
  var tally: GameTally
  private(set) var traits: GameTraits
  let judge: Judge
  let foundWords = FoundWords()
  /// Whether a function of the mode is running, during which nothing may change.
  private(set) var isRunningHook = false
  let clock: GameClock
  var choice: BaseChoice
  /// The mode's own data: the stored text, until the mode loads it.
  var ownData: (stored: String?, made: (any ModeData)?) = (nil, nil)

  init(mode: Mode, lexicon: Lexicon, common: CommonWords?, choice: BaseChoice, clocks: Clocks) {
    self.mode = mode
    self.lexicon = lexicon
    self.common = common
    self.choice = choice
    base = BaseInPlay(rules: mode.rules)
    traits = GameTraits(mode, lexicon.language)
    tally = GameTally(nextReward: mode.scoring.firstReward(after: 0), players: mode.players)
    clock = GameClock(limit: mode.seconds, clocks)
    judge = Judge(lexicon: lexicon, found: foundWords)
  }

  public var baseWord: String { base.word }
  /// The rules in force: the mode's, or those that its `setup` returned.
  public var rules: [Rule] { base.rules }
  /// The number of times that a base word and its rules were put into play.
  public var deals: Int { base.deals }
  /// The reason that the mode's own `accept` gave for the last word that it declined.
  public var declined: Refusal? { tally.declined }
  /// Whose turn it is, from 0.
  public var currentPlayer: Int { tally.currentPlayer }
  /// Points deducted for hints, of all players.
  public var hintCosts: Int { tally.hintCosts.reduce(0, +) }
  /// Whether the game can end by itself, and therefore is checked before and after each guess.
  public var mayEnd: Bool { traits.mayEnd }
  /// The words that the game chooses from and looks for. A guess may be any word of `lexicon`.
  public var sought: Lexicon { common?.lexicon ?? lexicon }
  public var language: Language { lexicon.language }
  var words: GameWords { GameWords(lexicon: lexicon, sought: sought) }
  /// The number of letters of the base word.
  public var length: Int { base.letterCount }
  /// The found words, newest first.
  public var found: [String] { foundWords.entries.reversed().map(foundWords.word) }
  public var newest: String? { foundWords.entries.last.map(foundWords.word) }
  public var count: Int { foundWords.count }
  /// The bytes that the found words use beyond those of a new game.
  public var foundBytes: Int { foundWords.grown }
  /// The mean length of the found words in letters; 0 if there are none.
  public var average: Double { count == 0 ? 0 : Double(foundWords.letters) / Double(count) }
  /// The points of all players minus the cost of hints; never below 0.
  public var score: Int { max(0, foundWords.points + tally.bonus - hintCosts) }
  /// The points of each player minus the cost of their hints; never below 0.
  public var scores: [Int] {
    var scores = [Int](repeating: 0, count: mode.players)
    for entry in foundWords.entries { scores[entry.player] += entry.points }
    return zip(scores, tally.hintCosts).map { max(0, $0 - $1) }
  }
  /// The reward that the current number of found words earns; nil for none.
  public var reward: Reward? { mode.scoring.rewards.first { $0.words == count } }
  /// Seconds left; nil in a mode without a time limit.
  public var timeRemaining: Double? { clock.remaining }

  /// Whether the game has ended, so that no guess is judged any more.
  public func isFinished() throws -> Bool { try ending() != nil }

  /// The reason why the game ended; nil while it is in progress.
  public func ending() throws -> Ending? {
    if tally.hasGivenUp { return .givenUp }
    if timeRemaining == 0 { return .timeOut }
    if tally.passes >= max(2, mode.players) { return .passed }
    return try runningHook { try mode.hooks.finished?(self) } == true ? .byMode : nil
  }

  /// The data that the mode keeps with the game, made by its `makeData` on first use; nil for a mode without data.
  public func data() throws -> (any ModeData)? {
    if let made = ownData.made { return made }
    guard let make = mode.hooks.makeData else { return nil }
    let made = try make(ownData.stored)
    ownData.made = made
    return made
  }

  /// The mode's data as text, to be stored with the game; nil for none.
  public var dataText: String? { get throws { try ownData.made?.text ?? ownData.stored } }

  /// Whether the plugin or script that made the mode is gone, so that its functions fail.
  public var isModeGone: Bool { mode.hooks.isGone?() == true }

  /// Continues with a new definition of the mode: base word, found words, points and the mode's data stay.
  public func take(_ renewed: Mode) throws {
    guard renewed.name == mode.name, renewed.players == mode.players else { return }
    ownData = (try dataText, nil)
    (mode, traits) = (renewed, GameTraits(renewed, language))
    tally.nextReward = renewed.scoring.firstReward(after: count)
  }

  /// The text on the screen in place of the base word: the mode's own text, or the base word.
  public func shown() throws -> String { try runningHook { try mode.hooks.show?(self) } ?? baseWord }

  /// Ends the game; the missed words may then be shown.
  public func giveUp() { tally.hasGivenUp = true }

  /// Stops the clock until `resume`, for example while the shell is suspended or locked.
  public func pause() { clock.pause() }

  public func resume() { clock.resume() }

  /// Passes the turn on without a word. The game ends when all players have passed in a row.
  public func pass() {
    guard mode.players > 1 else { return }
    tally.passes += 1
    tally.currentPlayer = (tally.currentPlayer + 1) % mode.players
  }

  /// The words that the rules allow with this base word, whether found or not: longest first, then by code point. If
  /// the game is about common words, only those. The mode's own `accept` is not asked.
  public func possible() -> [String] {
    if let words = base.possible { return words }
    let words = words.candidates(rules: rules, baseWord: baseWord)
    base.possible = words
    return words
  }

  /// Whether the words that were not found are listed: not if letters are guessed, or the mode has its own solution.
  public var listsMissed: Bool { rules.contains(.inDictionary) && mode.hooks.solution == nil }

  /// The possible words that were not found.
  public func missed() -> [String] {
    let found = Set(foundWords.words)
    return possible().filter { !found.contains($0) }
  }

  public var foundPossible: Int {
    guard let common else { return count }
    return foundWords.words.count { common.contains($0) }
  }

  /// Whether the game counts words of the list, and not letters or other steps.
  public var countsWords: Bool { rules.contains(.inDictionary) }

  /// The mode's description of what was to be found; nil for a mode that lists words.
  public var solution: Solution? { get throws { try runningHook { try mode.hooks.solution?(self) } } }

  /// Calls a function of the mode; changes that it tries to make meanwhile are rejected.
  func runningHook<Answer>(_ question: () throws -> Answer) rethrows -> Answer {
    let wasRunningHook = isRunningHook
    isRunningHook = true
    defer { isRunningHook = wasRunningHook }
    return try question()
  }

  func play(_ word: String, rules: [Rule]) {
    base = BaseInPlay(word: word, rules: rules, deals: base.deals + 1)
    judge.take(rules: rules, baseWord: word)
    tally.acceptedOnBase = 0
  }
}

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

struct BaseInPlay {
  let word: String
  let letterCount: Int
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
struct GameTally: Equatable, Sendable {
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

  /// Deducts the points of a hint from the current player.
  mutating func charge(hint cost: Int) {
    hintCosts[currentPlayer] = min(hintCosts[currentPlayer] + cost, 1_000_000_000)
  }

  init(nextReward: Int, players: Int) {
    self.nextReward = nextReward
    hintCosts = [Int](repeating: 0, count: players)
  }
}

/// The source of a game's base words.
typealias BaseChoice = (random: any RandomNumberGenerator, wantedLength: Int?)
