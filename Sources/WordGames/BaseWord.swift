// How a game gets its base word: given, the day's, or by chance with something to find in it.
// Invariant: the same generator, date, list and level give the same word.

public import Lexicon

extension Game {
  /// The length of a base word when nobody asks for one.
  public static let defaultLength = 8
  /// The longest base word that is taken, in letters.
  public static let longestBase = 1000

  /// Starts a game. `length` is that of the base word (`defaultLength`, or the nearest that the list has, when nil),
  /// `base` a base word in place of one chosen by chance. `now` gives seconds since 1970.
  public static func start(
    mode: Mode, lexicon: Lexicon, length: Int? = nil, base: String? = nil, level: Difficulty = .normal,
    random: any RandomNumberGenerator, now: @escaping () -> Double
  ) throws -> Game {
    let choice = BaseChoice(random: random, level: level, wantedLength: length)
    let game = Game(mode: mode, lexicon: lexicon, choice: choice, now: now)
    if let base {
      try game.setUp(base: game.words.checked(base: base))
    } else {
      try game.takeNewBase()
    }
    return game
  }

  /// A new base word, the list, the points and the clock as at the start. In a mode of many base words they stay, and
  /// only the base word is new. Answers the base word.
  public func newWord() throws -> String {
    guard !isAsking else { throw GameError.busy }
    let word = try chosenBase()
    if mode.wordsPerBase == nil {
      foundWords.clear()
      (tally.bonus, tally.nextReward) = (0, mode.scoring.firstReward(after: 0))
      tally.hintCosts = 0
      clock.set(elapsed: 0)
    }
    try setUp(base: word)
    tally.passes = 0
    tally.hasGivenUp = false
    return baseWord
  }

  func takeNewBase() throws { try setUp(base: chosenBase()) }

  /// Lets the mode set the base word and the rules, then puts them into play.
  private func setUp(base: String) throws {
    play(base, rules: mode.rules)
    guard let setup = try asking({ try mode.hooks.setup?(self) }) else { return }
    play(try setup.base.map { try words.checked(base: $0) } ?? base, rules: setup.rules ?? mode.rules)
  }

  private func chosenBase() throws(GameError) -> String {
    let length = choice.wantedLength ?? usualLength
    guard lexicon.count(length: length) > 0 else {
      throw .noBaseWord(length: length, language: language.title, lengths: lexicon.lengths)
    }
    guard mode.isDaily, let day = Int(exactly: (clock.today / 86_400).rounded(.down)) else {
      return worthwhile { _ in randomWord(length) }
    }
    // Each try of a day has a number of its own, so that everybody who has the list comes to the same word.
    return worthwhile { attempt in lexicon.wordOfTheDay(day &* Self.attempts &+ attempt, length: length) }
  }

  /// Where nobody asked for a length: that of the base word in play, the default, or the nearest to it that the list
  /// has.
  private var usualLength: Int {
    for length in [baseWord.count, Self.defaultLength] where lexicon.count(length: length) > 0 { return length }
    return lexicon.lengths.min { abs($0 - Self.defaultLength) < abs($1 - Self.defaultLength) } ?? Self.defaultLength
  }

  private static let attempts = 64

  /// The first of some words that has enough to find, else the one that comes nearest. Never the base word in play, but
  /// when there is no other.
  private func worthwhile(_ candidate: (Int) -> String?) -> String {
    let words = (0..<Self.attempts).compactMap(candidate).filter { mode.isDaily || $0 != baseWord }
    guard mode.rules.contains(.fromLetters) else { return words.first ?? baseWord }
    return lexicon.nearest(to: choice.level.formableWords, among: words, minLength: GameWords.shortest(mode.rules))
      ?? baseWord
  }

  private func randomWord(_ length: Int) -> String? {
    var generator = AnyGenerator(base: choice.random)
    defer { choice.random = generator.base }
    return lexicon.random(length: length, using: &generator)
  }
}

/// A generator of any kind as one of a fixed kind.
struct AnyGenerator: RandomNumberGenerator {
  var base: any RandomNumberGenerator

  mutating func next() -> UInt64 { base.next() }
}
