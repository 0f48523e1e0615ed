// A word game in play: a base word, the guesses that counted, points, turns and the clock.
// Invariant: what a guess changes is changed only after every rule and hook had its say, and no hook changes it meanwhile.

public import Lexicon

/// What ended a game.
public enum Ending: Sendable {
  case timeOut, passed, givenUp
  /// The mode's own `finished` says so.
  case byMode
}

/// A game under way:
///
///     let game = try Game.start(mode: .classic, lexicon: lexicon, base: "cambering", random: random, now: now)
///     try game.guess("grace")            // .accepted(points: 5)
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
  /// Whether the game can end by itself, and so is asked about it before and after each guess.
  public let mayEnd: Bool
  /// Of the mode: how many take turns, how many words go with a base word (0 for any number), and whether letters alone count.
  let (players, wordsPerBase): (Int, Int)
  let hasPlainPoints: Bool
  /// Whether a guess is a matter of the rules and the letters alone: no functions, no clock, no turns, one base word.
  let isPlain: Bool
  let judge: Judge
  let foundWords = FoundWords()
  var bonus = 0
  /// How many found words give the next reward; 0 for none.
  var nextReward: Int
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
  /// What was stored of the mode's own data, until the mode takes it over.
  var storedData: String?
  private var ownData: (any ModeData)?

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
    mayEnd = mode.hooks.finished != nil || mode.seconds != nil
    (players, wordsPerBase) = (mode.players, mode.wordsPerBase.map { max(1, $0) } ?? 0)
    hasPlainPoints = !mode.scoring.usesLetterValues
    isPlain = !hasSay && !mayEnd && players == 1 && wordsPerBase == 0 && hasPlainPoints
    nextReward = mode.scoring.firstReward(after: 0)
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
  public var count: Int { foundWords.count }
  /// Bytes that the found words take beyond those of a fresh game.
  public var foundBytes: Int { foundWords.grown }
  /// The mean length of the found words in letters; 0 when there are none.
  public var average: Double { count == 0 ? 0 : Double(foundWords.letters) / Double(count) }
  /// The points of all players, less what hints cost; never below 0.
  public var score: Int { max(0, foundWords.points + bonus - hintCosts) }
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

  /// Whether no guess is judged any more: the time is out, all players passed, it was given up, or the mode says so.
  public func isFinished() throws -> Bool { try ending() != nil }

  /// What ended the game; nil while it goes on.
  public func ending() throws -> Ending? {
    if hasGivenUp { return .givenUp }
    if clock.isOut { return .timeOut }
    if passes >= max(2, mode.players) { return .passed }
    return try asking { try mode.hooks.finished?(self) } == true ? .byMode : nil
  }

  /// What the mode keeps with the game, made at the first use by whoever made the mode; nil for a mode that keeps nothing.
  public func data() throws -> (any ModeData)? {
    if let ownData { return ownData }
    guard let make = mode.hooks.makeData else { return nil }
    let made = try make(storedData)
    ownData = made
    return made
  }

  /// The mode's data as text, to be stored with the game; nil for none.
  public var dataText: String? { ownData?.text ?? storedData }

  func takeReward() {
    if let reward = mode.scoring.rewards.first(where: { $0.words == count }) { bonus += reward.points }
    nextReward = mode.scoring.firstReward(after: count)
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
    let wasAsking = isAsking
    isAsking = true
    defer { isAsking = wasAsking }
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
