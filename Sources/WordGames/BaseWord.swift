// The words of a game: those of its list that its rules allow, and its base word, which is given by the user, the word
// of the day, or random with enough to find in it. Invariant: the same generator, date and list give the same word.

public import Files
public import Lexicon

/// The options for the base word of a game.
///
///     try Game.start(mode: mode, lexicon: lexicon, BaseWordOptions(word: "cambering"), random: random, clocks: clocks)
public struct BaseWordOptions {
  /// The number of letters; nil for the mode's number, or the default, or the nearest that the list has.
  public var length: Int?
  /// A given word instead of a random one.
  public var word: String?

  public init(length: Int? = nil, word: String? = nil) { (self.length, self.word) = (length, word) }
}

/// A learner's own words, which a game is about.
public struct OwnWords {
  /// What each word means, in normal form: the hints.
  public var answers: [String: String] = [:]
  /// The list whose words give the letters, as few words of a learner are made of the letters of another.
  public var bases: Lexicon?

  public init() {}
}

extension Game {
  /// The length of a base word if none is requested.
  public static let defaultLength = 8
  /// The longest base word that is accepted, in letters.
  public static let longestBase = 1000

  /// Starts a game. `common` are the words that the game is about, if not about the whole list.
  public static func start(
    mode: Mode, lexicon: Lexicon, common: CommonWords? = nil, own: OwnWords = OwnWords(),
    _ options: BaseWordOptions = BaseWordOptions(), random: any RandomNumberGenerator, clocks: Clocks
  ) throws -> Game {
    let choice: BaseChoice = (random, options.length)
    let game = Game(mode: mode, lexicon: lexicon, common: common, choice: choice, clocks: clocks)
    game.own = own
    if let word = options.word {
      try game.setUp(base: game.words.checked(base: word))
    } else {
      try game.setUp(base: game.chosenBase())
    }
    return game
  }

  /// Chooses a new base word, and resets the found words, the points and the clock. In a mode with several base words
  /// those stay, and only the base word is new. Returns the base word.
  public func newWord() throws -> String {
    guard !isRunningHook else { throw GameError.busy }
    let word = try chosenBase()
    let before = (base: base, tally: tally, elapsed: clock.elapsed, found: foundWords.state(from: 0))
    if mode.wordsPerBase == nil {
      foundWords.clear()
      (tally.bonus, tally.nextReward) = (0, mode.scoring.firstReward(after: 0))
      tally.hintCosts = [Int](repeating: 0, count: mode.players)
      clock.set(elapsed: 0)
    }
    do { try setUp(base: word) } catch {
      restore(base: before.base, tally: before.tally, found: before.found)
      clock.set(elapsed: before.elapsed)
      throw error
    }
    tally.passes = 0
    tally.hasGivenUp = false
    return baseWord
  }

  /// Restores the game as it was before a new base word, for which a function of the mode failed.
  func restore(base: BaseInPlay, tally: GameTally, found: [GameState.Found]) {
    play(base.word, rules: base.rules)
    foundWords.clear()
    foundWords.add(found)
    self.tally = tally
  }

  /// Asks the mode's `setup` for the base word and the rules, then puts them into play.
  func setUp(base: String) throws {
    play(base, rules: mode.rules)
    guard let setup = try runningHook({ try mode.hooks.setup?(self) }) else { return }
    play(try setup.base.map { try words.checked(base: $0) } ?? base, rules: setup.rules ?? mode.rules)
  }

  func chosenBase() throws(GameError) -> String {
    let (length, lexicon) = (choice.wantedLength ?? usualLength, own.bases ?? lexicon)
    guard lexicon.count(length: length) > 0 else {
      throw .noBaseWord(length: length, language: language.title, lengths: lexicon.lengths)
    }
    guard mode.isDaily, let day = clock.today else {
      let words = sought.count(length: length) > 0 && own.bases == nil ? sought : lexicon
      return worthwhile(in: words) { _ in words.random(length: length, using: &choice.random) }
    }
    // Each attempt of a day has its own number, so everybody who has the list gets the same word.
    return worthwhile(in: lexicon) { attempt in lexicon.wordOfTheDay(day &* Self.attempts &+ attempt, length: length) }
  }

  /// The length if none is requested: that of the base word, the mode, the default, or the nearest in the list.
  private var usualLength: Int {
    let lexicon = own.bases ?? lexicon
    for length in [baseWord.count, mode.length ?? Self.defaultLength] where lexicon.count(length: length) > 0 {
      return length
    }
    return lexicon.lengths.min { abs($0 - Self.defaultLength) < abs($1 - Self.defaultLength) } ?? Self.defaultLength
  }

  private static let attempts = 64

  /// Returns the first candidate with enough words, or the nearest; not the current base word, except in a daily mode.
  private func worthwhile(in list: Lexicon, _ candidate: (Int) -> String?) -> String {
    let attempts = own.bases == nil ? Self.attempts : Self.attempts * 32
    let words = (0..<attempts).compactMap(candidate).filter { mode.isDaily || $0 != baseWord }
    guard mode.rules.contains(.fromLetters) else { return words.first ?? baseWord }
    return (own.bases == nil ? list : lexicon).nearest(
      to: Difficulty.normal.formableWords, among: words, minLength: GameWords.shortest(mode.rules))
      ?? baseWord
  }
}

/// The words that the list of a game offers.
///
///     game.words.candidates(rules: [.fromLetters, .inDictionary], baseWord: "cambering")
struct GameWords {
  let lexicon: Lexicon
  /// The words of the lexicon that the game is about.
  let sought: Lexicon

  /// Returns a base word in normal form. It must consist of letters only, at least two of them.
  func checked(base: String) throws(GameError) -> String {
    let word = lexicon.normalized(base)
    guard word.count >= 2 else { throw .badBase(word: base, reason: "at least two letters expected") }
    guard word.count <= Game.longestBase else {
      throw .badBase(word: base, reason: "at most \(Game.longestBase) letters expected")
    }
    guard word.allSatisfy(\.isLetter) else { throw .badBase(word: base, reason: "only letters expected") }
    return word
  }

  /// The smallest number of letters that the rules allow.
  static func shortest(_ rules: [Rule]) -> Int {
    rules.reduce(2) { least, rule in
      switch rule {
      case .minLength(let count), .length(let count): max(least, count)
      default: least
      }
    }
  }

  /// The words of the list that pass the rules, without the rules about found words.
  func candidates(rules: [Rule], baseWord: String) -> [String] {
    let lasting = rules.filter { $0 != .unused && $0 != .ladderStep }
    let judge = Judge(lexicon: sought, found: FoundWords())
    judge.take(rules: lasting, baseWord: baseWord)
    let words =
      rules.contains(.fromLetters)
      ? sought.formableWords(from: baseWord, minLength: Self.shortest(rules)).texts : wordsOfList(within: rules)
    return words.filter { word in
      var word = word
      let letters = word.count
      return word.withUTF8 { bytes in
        let hash = Lexicon.hash(of: bytes)
        return judge.firstFailure((bytes, letters, hash)) == nil
      }
    }
  }

  /// The words of the list with the length and the prefix that the rules require.
  private func wordsOfList(within rules: [Rule]) -> [String] {
    var (length, prefix) = (nil as Int?, "")
    for rule in rules {
      switch rule {
      case .length(let count): length = count
      case .startsWith(let text): prefix = lexicon.normalized(text)
      default: break
      }
    }
    return Array(sought.words(length: length, prefix: prefix))
  }
}
