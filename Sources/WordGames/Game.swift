// A word game in play: a base word, the guesses that counted, points, turns and the clock.
// Invariant: what a guess changes is changed only after every rule and hook had its say, and no hook changes it meanwhile.

public import Lexicon

public final class Game {
  public let mode: Mode
  public let lexicon: Lexicon
  public internal(set) var baseWord = "" { didSet { letterCount = baseWord.count } }
  private(set) var letterCount = 0
  /// The rules in force: the mode's, or those that its `setup` gave.
  public internal(set) var rules: [Rule]
  /// How often rules and base word were put into play.
  public private(set) var deals = 0
  /// What the mode's own `accept` said of the last word that it declined.
  public internal(set) var declined: Refusal?
  /// Whose turn it is, from 0.
  public internal(set) var currentPlayer = 0
  /// Points taken off for hints.
  public internal(set) var hintCosts = 0
  /// Whether the mode has functions that are asked about each word.
  let hasSay: Bool
  let judge: Judge
  let foundWords = FoundWords()
  var bonus = 0
  var acceptedOnBase = 0
  var passes = 0
  var hasGivenUp = false
  /// Whether a function of the mode is being asked, and so nothing may change.
  private(set) var isAsking = false
  let clock: GameClock
  var random: any RandomNumberGenerator
  let level: Difficulty
  let wantedLength: Int?
  private(set) lazy var letterValues = language.letterValues
  private var possibleCache: [String]?

  init(
    mode: Mode, lexicon: Lexicon, length: Int?, level: Difficulty, random: any RandomNumberGenerator,
    now: @escaping () -> Double
  ) {
    self.mode = mode
    self.lexicon = lexicon
    self.level = level
    self.random = random
    rules = mode.rules
    hasSay = mode.hooks.accept != nil || mode.hooks.score != nil
    wantedLength = length
    clock = GameClock(limit: mode.seconds, now: now)
    judge = Judge(lexicon: lexicon, found: foundWords)
  }

  public var language: Language { lexicon.language }
  /// The letters of the base word.
  public var length: Int { letterCount }
  /// The found words, newest first.
  public var found: [String] { foundWords.entries.reversed().map(foundWords.word) }
  /// The word found last.
  public var newest: String? { foundWords.entries.last.map(foundWords.word) }
  public var count: Int { foundWords.entries.count }
  /// The mean length of the found words in letters; 0 when there are none.
  public var average: Double { count == 0 ? 0 : Double(foundWords.letters) / Double(count) }
  /// The points of all players, less what hints cost; never below 0.
  public var score: Int { max(0, foundWords.entries.reduce(bonus) { $0 + $1.points } - hintCosts) }
  /// The points of each player.
  public var scores: [Int] {
    var scores = [Int](repeating: 0, count: mode.players)
    for entry in foundWords.entries { scores[entry.player] += entry.points }
    return scores
  }
  /// The newest of the rewards that the number of found words gave.
  public var reward: Reward? { mode.scoring.rewards.last { $0.words <= count } }
  /// Seconds left; nil in a mode without an end.
  public var timeRemaining: Double? { clock.remaining }

  /// Whether no guess is judged any more: the time is out, both players passed, it was given up, or the mode says so.
  public func isFinished() throws -> Bool {
    if hasGivenUp || clock.isOut || passes >= max(2, mode.players) { return true }
    return try mode.hooks.finished?(self) ?? false
  }

  /// What stands in place of the base word on the screen: the mode's own text, or the base word.
  public func shown() throws -> String { try mode.hooks.show?(self) ?? baseWord }

  /// Ends the game; what was missed may be shown.
  public func giveUp() { hasGivenUp = true }

  /// Stops the clock, as when the shell is suspended.
  public func pause() { clock.pause() }

  public func resume() { clock.resume() }

  /// Hands the turn on without a word. When all players have passed in a row the game ends.
  public func pass() {
    guard mode.players > 1 else { return }
    passes += 1
    currentPlayer = (currentPlayer + 1) % mode.players
  }

  /// The words that the rules allow with this base word, whether found or not: longest first, then by code point.
  /// A mode's own `accept` is not asked.
  public func possible() -> [String] {
    if let words = possibleCache { return words }
    let words = candidates(rules: rules, baseWord: baseWord)
    possibleCache = words
    return words
  }

  /// The possible words that were not found.
  public func missed() -> [String] {
    let found = Set(foundWords.words)
    return possible().filter { !found.contains($0) }
  }

  /// Asks a function of the mode; what it tries to change meanwhile is refused.
  func asking<Answer>(_ question: () throws -> Answer) rethrows -> Answer {
    isAsking = true
    defer { isAsking = false }
    return try question()
  }

  /// Takes a base word with rules into play.
  func play(_ word: String, rules: [Rule]) {
    baseWord = word
    self.rules = rules
    judge.take(rules: rules, baseWord: word)
    deals += 1
    possibleCache = nil
    acceptedOnBase = 0
  }
}
