// A word game in play: a base word, the guesses that counted, points, turns and the clock. Invariant: what a guess
// changes is changed only after every rule and hook had its say, and no hook changes it meanwhile.

public import Lexicon

/// What ended a game.
///
///     if try game.ending() == .timeOut { ... }
public enum Ending: Sendable {
  case timeOut, passed, givenUp
  /// The mode's own `finished` says so.
  case byMode
}

/// A game under way:
///
///     let game = try Game.start(mode: .classic, lexicon: lexicon, random: random, now: now)
///     try game.guess("grace")            // .accepted(points: 5)
public final class Game {
  public private(set) var mode: Mode
  public let lexicon: Lexicon
  /// The common words of the list, where the game is about them.
  public let common: CommonWords?
  var base: BaseInPlay
  var tally: GameTally
  private(set) var traits: GameTraits
  let judge: Judge
  let foundWords = FoundWords()
  /// Whether a function of the mode is being asked, and so nothing may change.
  private(set) var isAsking = false
  let clock: GameClock
  var choice: BaseChoice
  var ownData = OwnData()

  init(mode: Mode, lexicon: Lexicon, common: CommonWords?, choice: BaseChoice, now: @escaping () -> Double) {
    self.mode = mode
    self.lexicon = lexicon
    self.common = common
    self.choice = choice
    base = BaseInPlay(rules: mode.rules)
    traits = GameTraits(mode, lexicon.language)
    tally = GameTally(nextReward: mode.scoring.firstReward(after: 0), players: mode.players)
    clock = GameClock(limit: mode.seconds, now: now)
    judge = Judge(lexicon: lexicon, found: foundWords)
  }

  public var baseWord: String { base.word }
  /// The rules in force: the mode's, or those that its `setup` gave.
  public var rules: [Rule] { base.rules }
  /// How often rules and base word were put into play.
  public var deals: Int { base.deals }
  /// What the mode's own `accept` said of the last word that it declined.
  public var declined: Refusal? { tally.declined }
  /// Whose turn it is, from 0.
  public var currentPlayer: Int { tally.currentPlayer }
  /// Points taken off for hints, of all players.
  public var hintCosts: Int { tally.hintCosts.reduce(0, +) }
  /// Whether the game can end by itself, and so is asked about it before and after each guess.
  public var mayEnd: Bool { traits.mayEnd }
  /// The words that the game chooses from and looks for. A guess may be any word of `lexicon`.
  public var sought: Lexicon { common?.lexicon ?? lexicon }
  public var language: Language { lexicon.language }
  var words: GameWords { GameWords(lexicon: lexicon, sought: sought) }
  /// The letters of the base word.
  public var length: Int { base.letterCount }
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
  public var score: Int { max(0, foundWords.points + tally.bonus - hintCosts) }
  /// The points of each player, less what their hints cost; never below 0.
  public var scores: [Int] {
    var scores = [Int](repeating: 0, count: mode.players)
    for entry in foundWords.entries { scores[entry.player] += entry.points }
    return zip(scores, tally.hintCosts).map { max(0, $0 - $1) }
  }
  /// What the number of found words just earned.
  public var reward: Reward? { mode.scoring.rewards.first { $0.words == count } }
  /// Seconds left; nil in a mode without an end.
  public var timeRemaining: Double? { clock.remaining }

  /// Whether no guess is judged any more: the time is out, all players passed, it was given up, or the mode says so.
  public func isFinished() throws -> Bool { try ending() != nil }

  /// What ended the game; nil while it goes on.
  public func ending() throws -> Ending? {
    if tally.hasGivenUp { return .givenUp }
    if clock.isOut { return .timeOut }
    if tally.passes >= max(2, mode.players) { return .passed }
    return try asking { try mode.hooks.finished?(self) } == true ? .byMode : nil
  }

  /// What the mode keeps with the game, made at the first use by whoever made the mode; nil for a mode that keeps
  /// nothing.
  public func data() throws -> (any ModeData)? {
    if let made = ownData.made { return made }
    guard let make = mode.hooks.makeData else { return nil }
    let made = try make(ownData.stored)
    ownData.made = made
    return made
  }

  /// The mode's data as text, to be stored with the game; nil for none.
  public var dataText: String? { get throws { try ownData.made?.text ?? ownData.stored } }

  /// Whether whoever made the mode is gone, so that its functions fail.
  public var isModeGone: Bool { mode.hooks.isGone?() == true }

  /// Goes on in the mode as it was made anew: base word, found words, points and the mode's data stay.
  public func take(_ renewed: Mode) throws {
    guard renewed.name == mode.name, renewed.players == mode.players else { return }
    ownData = OwnData(stored: try dataText)
    (mode, traits) = (renewed, GameTraits(renewed, language))
  }

  func takeReward() {
    tally.bonus += reward?.points ?? 0
    tally.nextReward = mode.scoring.firstReward(after: count)
  }

  /// What stands in place of the base word on the screen: the mode's own text, or the base word.
  public func shown() throws -> String { try asking { try mode.hooks.show?(self) } ?? baseWord }

  /// Ends the game; what was missed may be shown.
  public func giveUp() { tally.hasGivenUp = true }

  /// Stops the clock until `resume`, as while the shell is suspended or locked.
  public func pause() { clock.pause() }

  public func resume() { clock.resume() }

  /// Hands the turn on without a word. When all players have passed in a row the game ends.
  public func pass() {
    guard mode.players > 1 else { return }
    tally.passes += 1
    tally.currentPlayer = (tally.currentPlayer + 1) % mode.players
  }

  /// The words that the rules allow with this base word, whether found or not: longest first, then by code point. Where
  /// the game is about common words, those alone. A mode's own `accept` is not asked.
  public func possible() -> [String] {
    if let words = base.possible { return words }
    let words = words.candidates(rules: rules, baseWord: baseWord)
    base.possible = words
    return words
  }

  /// Whether it makes sense to list the words that were not found: not where letters are guessed, nor where the mode
  /// has a solution of its own.
  public var listsMissed: Bool { rules.contains(.inDictionary) && mode.hooks.solution == nil }

  /// The possible words that were not found.
  public func missed() -> [String] {
    let found = Set(foundWords.words)
    return possible().filter { !found.contains($0) }
  }

  /// How many of the possible words were found.
  public var foundPossible: Int {
    guard let common else { return count }
    return foundWords.words.count { common.contains($0) }
  }

  /// Whether what counts is words of the list, and not letters or steps of another kind.
  public var countsWords: Bool { rules.contains(.inDictionary) }

  /// What the mode tells of what was to be found; nil for a mode that lists words.
  public var solution: Solution? { get throws { try asking { try mode.hooks.solution?(self) } } }

  /// Asks a function of the mode; what it tries to change meanwhile is refused.
  func asking<Answer>(_ question: () throws -> Answer) rethrows -> Answer {
    let wasAsking = isAsking
    isAsking = true
    defer { isAsking = wasAsking }
    return try question()
  }

  /// Takes a base word with rules into play.
  func play(_ word: String, rules: [Rule]) {
    base = BaseInPlay(word: word, rules: rules, deals: base.deals + 1)
    judge.take(rules: rules, baseWord: word)
    tally.acceptedOnBase = 0
  }
}
