// A mode: the rules of a game as data, and the functions that its author adds; and the table of modes. Invariant: a
// mode never changes once made, what may differ between games is in `ModeSetup`.

public import Problems
public import Text

/// The settings that a mode's `setup` makes for one game.
///
///     mode.hooks.setup = { game in ModeSetup(rules: game.rules + [.palindrome]) }
public struct ModeSetup {
  /// The base word, or nil to keep the one that was chosen.
  public var base: String?
  /// The rules that replace the mode's, or nil.
  public var rules: [Rule]?

  public init(base: String? = nil, rules: [Rule]? = nil) { (self.base, self.rules) = (base, rules) }
}

/// The functions of a mode, all optional; what they throw is thrown by the call on the game that led to it.
///
///     var hooks = ModeHooks()
///     hooks.score = { game, word in word.count * 2 }
public struct ModeHooks {
  /// Called when a game starts and for each new base word.
  public var setup: ((Game) throws -> ModeSetup?)?
  /// The text on the screen in place of the base word.
  public var show: ((Game) throws -> String)?
  /// Returns nil to accept a word that passed every rule, or the reason for declining it.
  public var accept: ((Game, String) throws -> (any Problem)?)?
  /// The points of an accepted word.
  public var score: ((Game, String) throws -> Int)?
  public var finished: ((Game) throws -> Bool)?
  public var hint: ((Game) throws -> String)?
  /// What is shown when a game was given up, in place of the words that were not found.
  public var solution: ((Game) throws -> Solution)?
  /// Makes the data that the mode keeps with a game, from the text that was stored of it before, if any.
  public var makeData: ((_ stored: String?) throws -> any ModeData)?
  /// Whether the owner of the mode is gone, such as an unloaded plugin; its functions then fail.
  public var isGone: (() -> Bool)?
  /// Called before the owner of the mode goes, so that the data of its games is not lost.
  public var willRemove: (() -> Void)?

  public init() {}
}

/// What was to be found.
///
///     mode.hooks.solution = { game in Solution("The word was gato.", words: ["gato"]) }
public struct Solution: Equatable, Sendable {
  public let text: String
  /// The words in the text whose meanings are shown. The first one represents the game in the table of scores.
  public let words: [String]

  public init(_ text: String, words: [String] = []) { (self.text, self.words) = (text, words) }
}

/// The data that a mode keeps with a game. It belongs to the owner of the mode; others get a copy.
///
///     mode.hooks.makeData = { stored in Progress(decoding: stored) }
///     try game.data()?.text   // stored with the game
public protocol ModeData: AnyObject {
  /// The data as text, to be stored with the game; nil if there is nothing to store.
  /// - Throws: if there is more than can be stored.
  var text: String? { get throws }
}

/// Clamps points to a billion either way, so that no sum of them overflows.
func bounded(_ points: Int) -> Int { min(max(points, -1_000_000_000), 1_000_000_000) }

/// How words are scored if a mode has no `score`.
///
///     mode.scoring.usesLetterValues = true
///     mode.scoring.hintCost = 0
public struct Scoring: Equatable, Sendable {
  /// Whether a word scores its letter values in the language instead of its number of letters.
  public var usesLetterValues = false
  /// Points for a word that uses every letter of the base word.
  public var allLettersBonus = 0 { didSet { allLettersBonus = bounded(allLettersBonus) } }
  /// The points that `hint` costs; the score does not fall below 0.
  public var hintCost = 2 { didSet { hintCost = max(0, bounded(hintCost)) } }
  /// The rewards for reaching a number of words, ascending.
  public var rewards: [Reward] = Reward.plain

  /// The number of words that the next reward is for; 0 if none follows.
  func firstReward(after count: Int) -> Int { rewards.lazy.map(\.words).filter { $0 > count }.min() ?? 0 }
}

/// The reward for a number of found words.
///
///     mode.scoring.rewards = [Reward(words: 10, title: "Keen", points: 5)]
public struct Reward: Equatable, Sendable {
  public let words: Int
  public let title: String
  /// Extra points; 0 in `classic`, where only letters count.
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

/// Lua's object for a mode, as long as somebody uses it.
public final class StandIn { public weak var object: AnyObject? }

/// A kind of word game.
///
///     var mode = Mode(name: "sixes", title: "Sixes", summary: "Six letters.", rules: [.length(6), .inDictionary])
///     mode.seconds = 60
///     try modes.add(mode, owner: .user)
public struct Mode {
  /// The name in commands and Lua: lower case letters, digits, `_` and `-`.
  public let name: String
  public let title: String
  /// One sentence, for lists.
  public let summary: String
  /// In the order in which a guess is judged.
  public let rules: [Rule]
  public var hooks: ModeHooks
  public var scoring = Scoring()
  /// The number of letters of a base word if no length is requested; nil for the default.
  public var length: Int? { didSet { length = length.map { min(max($0, 2), 64) } } }
  /// The time limit of a game in seconds; nil for none.
  public var seconds: Double?
  /// The number of players who take turns.
  public var players = 1 { didSet { players = min(max(players, 1), 100) } }
  /// Whether the base word is the word of the day, the same for everybody.
  public var isDaily = false
  /// The number of accepted words after which a new base word is chosen while the found words stay; nil for never.
  public var wordsPerBase: Int?
  /// Shared by all copies of the mode.
  public let standIn = StandIn()

  public init(name: String, title: String, summary: String, rules: [Rule], hooks: ModeHooks = ModeHooks()) {
    self.name = name
    self.title = printable(title, limit: 100)
    self.summary = summary
    self.rules = rules
    self.hooks = hooks
  }

  public static let classicRules: [Rule] = [.minLength(2), .unused, .fromLetters, .inDictionary]

  public static var classic: Mode {
    builtIn("classic", "Classic", "Make words from the letters of a base word, for as long as you like.")
  }

  public static var timed: Mode {
    var mode = builtIn("timed", "Timed", "Three minutes; a word with all letters of the base earns 10 more.")
    mode.seconds = 180
    mode.scoring.allLettersBonus = 10
    mode.scoring.rewards = Reward.generous
    return mode
  }

  public static var daily: Mode {
    var mode = builtIn(
      "daily", "Daily", "The same base word for everybody until midnight; letters count by their value.")
    mode.isDaily = true
    mode.scoring.usesLetterValues = true
    mode.scoring.allLettersBonus = 10
    return mode
  }

  public static var blitz: Mode {
    var mode = builtIn("blitz", "Blitz", "Two minutes, and a new base word after every third word.")
    mode.seconds = 120
    mode.wordsPerBase = 3
    mode.scoring.rewards = Reward.generous
    return mode
  }

  public static var duel: Mode {
    var mode = builtIn("duel", "Duel", "Two players take turns; the game ends when both have passed.")
    mode.players = 2
    return mode
  }

  private static func builtIn(_ name: String, _ title: String, _ summary: String) -> Mode {
    Mode(name: name, title: title, summary: summary, rules: classicRules)
  }

  public static var builtIn: [Mode] { [classic, timed, daily, blitz, duel] }
}

/// The modes that can be played, the built-in ones first.
public typealias ModeTable = NamedTable<Mode>

extension NamedTable<Mode> {
  public convenience init() {
    self.init("mode", .unknownMode, own: Mode.builtIn.map { ($0.name, $0.summary, $0) }) { $0.hooks.willRemove?() }
  }

  /// - Throws: `GameError.badMode` if its name is invalid, `NameProblem.taken`.
  public func add(_ mode: Mode, owner: Owner) throws {
    guard !mode.name.isEmpty, mode.name.utf8.count <= 64, mode.name.utf8.allSatisfy(PluginName.isNameByte) else {
      throw GameError.badMode(name: mode.name, reason: "a name of lowercase letters, digits, _ and - expected")
    }
    try add(mode, mode.name, summary: mode.summary, owner: owner)
  }
}
