// How a game gets its base word: given, the day's, or by chance with something to find in it.
// Invariant: the same generator, date, list and level give the same word.

public import Lexicon

/// How much there is to find in a base word that chance picks.
public enum Level: String, CaseIterable, Sendable {
  case easy, normal, hard

  /// How many possible words a base word should have.
  public var possibleWords: ClosedRange<Int> {
    switch self {
    case .easy: 120...100_000
    case .normal: 40...400
    case .hard: 12...60
    }
  }
}

extension Game {
  /// The length of a base word when nobody asks for one.
  public static let defaultLength = 8
  /// The longest base word that is taken, in letters.
  public static let longestBase = 1000

  /// Starts a game. `length` is that of the base word (8 when nil), `base` a base word in place of one chosen by chance.
  /// `now` gives seconds since 1970.
  public static func start(
    mode: Mode, lexicon: Lexicon, length: Int? = nil, base: String? = nil, level: Level = .normal,
    random: any RandomNumberGenerator, now: @escaping () -> Double
  ) throws -> Game {
    let game = Game(mode: mode, lexicon: lexicon, length: length, level: level, random: random, now: now)
    if let base {
      try game.setUp(base: game.checked(base: base))
    } else {
      try game.takeNewBase()
    }
    return game
  }

  /// A new base word, the list cleared. In a mode of many base words the found words stay. Answers the base word.
  public func newWord() throws -> String {
    try takeNewBase()
    if mode.wordsPerBase == nil {
      foundWords = FoundWords()
      bonus = 0
      hintCosts = 0
    }
    passes = 0
    hasGivenUp = false
    return baseWord
  }

  func takeNewBase() throws { try setUp(base: chosenBase()) }

  /// Lets the mode set the base word and the rules, then puts them into play.
  private func setUp(base: String) throws {
    play(base, rules: mode.rules)
    guard let setup = try mode.hooks.setup?(self) else { return }
    play(try setup.base.map { try checked(base: $0) } ?? base, rules: setup.rules ?? mode.rules)
  }

  /// A base word in normal form; letters only, at least two.
  private func checked(base: String) throws(GameError) -> String {
    let word = lexicon.normalized(base)
    guard word.count >= 2 else { throw .badBase(word: base, reason: "at least two letters expected") }
    guard word.count <= Self.longestBase else {
      throw .badBase(word: base, reason: "at most \(Self.longestBase) letters expected")
    }
    guard word.allSatisfy(\.isLetter) else { throw .badBase(word: base, reason: "letters only expected") }
    return word
  }

  private func chosenBase() throws(GameError) -> String {
    let length = wantedLength ?? Self.defaultLength
    guard lexicon.count(length: length) > 0 else {
      throw .noBaseWord(length: length, language: language.title, lengths: lexicon.lengths)
    }
    if mode.isDaily, let word = wordOfToday(length) { return word }
    return wordByChance(length)
  }

  private func wordOfToday(_ length: Int) -> String? {
    guard let day = Int(exactly: (clock.today / 86_400).rounded(.down)) else { return nil }
    return lexicon.wordOfTheDay(day, length: length)
  }

  /// The first of up to 60 words by chance that has enough to find, else the one that comes nearest.
  private func wordByChance(_ length: Int) -> String {
    let wanted = level.possibleWords
    var nearest: (word: String, distance: Int)?
    for _ in 0..<60 {
      guard let word = randomWord(length), word != baseWord || nearest == nil else { continue }
      guard mode.rules.contains(.fromLetters) else { return word }
      let count = lexicon.countFormable(from: word, minLength: shortest(mode.rules))
      if wanted.contains(count) { return word }
      let distance = count < wanted.lowerBound ? wanted.lowerBound - count : count - wanted.upperBound
      if nearest.map({ distance < $0.distance }) ?? true { nearest = (word, distance) }
    }
    return nearest?.word ?? baseWord
  }

  private func randomWord(_ length: Int) -> String? {
    var generator = AnyGenerator(base: random)
    defer { random = generator.base }
    return lexicon.random(length: length, using: &generator)
  }

  func shortest(_ rules: [Rule]) -> Int {
    rules.reduce(2) { least, rule in
      switch rule {
      case .minLength(let count), .length(let count): max(least, count)
      default: least
      }
    }
  }

  /// The words of the list that pass the rules, but for those that look at found words.
  func candidates(rules: [Rule], baseWord: String) -> [String] {
    let lasting = rules.filter { $0 != .unused && $0 != .ladderStep }
    let judge = Judge(rules: lasting, baseWord: baseWord, lexicon: lexicon)
    let none = FoundWords()
    let words =
      rules.contains(.fromLetters)
      ? lexicon.formable(from: baseWord, minLength: shortest(rules)) : Array(lexicon.words())
    return words.filter { word in
      var word = word
      let letters = word.count
      return word.withUTF8 { bytes in
        let guess = Judge.Guess(bytes: bytes, letters: letters, hash: Lexicon.hash(of: bytes))
        return judge.firstFailure(guess, found: none, last: { baseWord }) == nil
      }
    }
  }
}

/// A generator of any kind as one of a fixed kind.
struct AnyGenerator: RandomNumberGenerator {
  var base: any RandomNumberGenerator

  mutating func next() -> UInt64 { base.next() }
}
