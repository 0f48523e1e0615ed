// A mode: the rules of a game as data, and the functions that whoever made it adds.
// Invariant: a mode never changes once made; what a game may vary stands in `ModeSetup`.

public import Problems
import Text

/// What a mode's `setup` sets for one game.
///
///     mode.hooks.setup = { game in ModeSetup(rules: game.rules + [.palindrome]) }
public struct ModeSetup {
  /// The base word, or nil to leave the one that was chosen.
  public var base: String?
  /// The rules in place of the mode's, or nil.
  public var rules: [Rule]?

  public init(base: String? = nil, rules: [Rule]? = nil) {
    self.base = base
    self.rules = rules
  }
}

/// Functions of a mode, all optional. What they throw, the call on the game that led to them throws.
///
///     var hooks = ModeHooks()
///     hooks.score = { game, word in word.count * 2 }
public struct ModeHooks {
  /// Called when a game starts and for each new base word.
  public var setup: ((Game) throws -> ModeSetup?)?
  /// Text that stands in place of the base word on the screen.
  public var show: ((Game) throws -> String)?
  /// Nil to accept a word that passed every rule, or why not.
  public var accept: ((Game, String) throws -> (any Problem)?)?
  /// The points of an accepted word.
  public var score: ((Game, String) throws -> Int)?
  /// Whether the game has ended.
  public var finished: ((Game) throws -> Bool)?
  public var hint: ((Game) throws -> String)?
  /// What is told when a game was given up, in place of the words that were not found.
  public var solution: ((Game) throws -> Solution)?
  /// Makes the data that the mode keeps with a game, of what was stored of it before if anything was.
  public var makeData: ((_ stored: String?) throws -> any ModeData)?
  /// Whether whoever made the mode is gone, as a plugin that was unloaded: its functions fail then.
  public var isGone: (() -> Bool)?
  /// Called before whoever made the mode goes, so that the data of its games are not lost.
  public var willGo: (() -> Void)?

  public init() {}
}

/// What was to be found.
///
///     mode.hooks.solution = { game in Solution("The word was gato.", words: ["gato"]) }
public struct Solution: Equatable, Sendable {
  public let text: String
  /// The words of it, whose meanings are told. The first one stands for the game in the table of scores.
  public let words: [String]

  public init(_ text: String, words: [String] = []) { (self.text, self.words) = (text, words) }
}

/// What a mode keeps with a game. It belongs to whoever made the mode; others get a copy.
///
///     mode.hooks.makeData = { stored in Progress(decoding: stored) }
///     try game.data()?.text   // stored with the game
public protocol ModeData: AnyObject {
  /// The data as text, to be stored with the game; nil where there is nothing to store.
  /// - Throws: where it is more than can be stored.
  var text: String? { get throws }
}

/// Points within a billion either way, so that no sum of them overflows.
func bounded(_ points: Int) -> Int { min(max(points, -1_000_000_000), 1_000_000_000) }

/// How words are counted where a mode has no `score`.
///
///     mode.scoring.usesLetterValues = true
///     mode.scoring.hintCost = 0
public struct Scoring: Equatable, Sendable {
  /// By the language's letter values instead of by letters.
  public var usesLetterValues = false
  /// Points for a word that uses every letter of the base word.
  public var allLettersBonus = 0 { didSet { allLettersBonus = bounded(allLettersBonus) } }
  /// What `hint` costs; the score does not fall below 0.
  public var hintCost = 2 { didSet { hintCost = max(0, bounded(hintCost)) } }
  /// What reaching a number of words gives, ascending.
  public var rewards: [Reward] = Reward.plain

  public init() {}

  /// The number of words that the next reward is for; 0 when none follows.
  func firstReward(after count: Int) -> Int { rewards.lazy.map(\.words).filter { $0 > count }.min() ?? 0 }
}

/// What a player gets for a number of found words.
///
///     mode.scoring.rewards = [Reward(words: 10, title: "Keen", points: 5)]
public struct Reward: Equatable, Sendable {
  public let words: Int
  public let title: String
  /// Points on top; 0 in `classic`, where letters alone count.
  public let points: Int

  public init(words: Int, title: String, points: Int) {
    self.words = words
    self.title = title
    self.points = bounded(points)
  }

  static let titles = [
    (5, "Warm"), (10, "Keen"), (20, "Wordy"), (40, "Fluent"), (80, "Learned"), (160, "Walking dictionary"),
  ]
  static let plain = titles.map { Reward(words: $0.0, title: $0.1, points: 0) }
  static let generous = titles.map { Reward(words: $0.0, title: $0.1, points: $0.0) }
}

/// A kind of word game.
///
///     var mode = Mode(name: "sixes", title: "Sixes", summary: "Six letters.", rules: [.length(6), .inDictionary])
///     mode.seconds = 60
///     try modes.add(mode, owner: .user)
public struct Mode {
  /// In commands and Lua: small letters, digits, `_` and `-`.
  public let name: String
  public let title: String
  /// One sentence for lists.
  public let summary: String
  /// In the order in which a guess is judged.
  public let rules: [Rule]
  public var hooks: ModeHooks
  public var scoring = Scoring()
  /// How many letters a base word has where nobody asked for a length; nil for the usual number.
  public var length: Int? { didSet { length = length.map { min(max($0, 2), 64) } } }
  /// How long a game lasts, in seconds; nil without end.
  public var seconds: Double?
  /// How many players take turns.
  public var players = 1 { didSet { players = min(max(players, 1), 100) } }
  /// Whether the base word is the day's, the same for everybody.
  public var isDaily = false
  /// A new base word comes after so many accepted ones, the found words staying; nil never.
  public var wordsPerBase: Int?

  public init(name: String, title: String, summary: String, rules: [Rule], hooks: ModeHooks = ModeHooks()) {
    self.name = name
    self.title = printable(title, limit: 100)
    self.summary = summary
    self.rules = rules
    self.hooks = hooks
  }
}

extension Mode {
  /// The rules of `classic`.
  public static let classicRules: [Rule] = [.minLength(2), .unused, .fromLetters, .inDictionary]

  public static var classic: Mode {
    Mode(
      name: "classic", title: "Classic",
      summary: "Make words from the letters of a base word, for as long as you like.",
      rules: classicRules)
  }

  public static var timed: Mode {
    var mode = Mode(
      name: "timed", title: "Timed",
      summary: "Three minutes; a word with all letters of the base earns 10 more.",
      rules: classicRules)
    mode.seconds = 180
    mode.scoring.allLettersBonus = 10
    mode.scoring.rewards = Reward.generous
    return mode
  }

  public static var daily: Mode {
    var mode = Mode(
      name: "daily", title: "Daily", summary: "The same base word for everybody today; letters count by their value.",
      rules: classicRules)
    mode.isDaily = true
    mode.scoring.usesLetterValues = true
    mode.scoring.allLettersBonus = 10
    return mode
  }

  public static var blitz: Mode {
    var mode = Mode(
      name: "blitz", title: "Blitz", summary: "Two minutes, and a new base word after every third word.",
      rules: classicRules)
    mode.seconds = 120
    mode.wordsPerBase = 3
    mode.scoring.rewards = Reward.generous
    return mode
  }

  public static var duel: Mode {
    var mode = Mode(
      name: "duel", title: "Duel", summary: "Two players take turns; the game ends when both have passed.",
      rules: classicRules)
    mode.players = 2
    return mode
  }

  public static var builtIn: [Mode] { [classic, timed, daily, blitz, duel] }
}
