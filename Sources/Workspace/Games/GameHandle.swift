// Word lists and games as Lua and the commands see them. Invariant: a handle becomes unusable when its workspace is
// closed, although word lists belong to no account.

import Files
public import Lexicon
import Problems
public import WordGames

/// A word list in use.
///
///     let lexicon = try workspace.words.lexicon("spanish").lexicon
///     lexicon.contains("gato")
public final class LexiconHandle: WorkspaceHandle {
  public let workspace: Workspace
  public let lexicon: Lexicon

  init(_ lexicon: Lexicon, in workspace: Workspace) {
    self.lexicon = lexicon
    self.workspace = workspace
  }
}

/// A running game. Every action goes through its handle, which judges, stores and notifies:
///
///     let game = try workspace.games.start(GameOptions())
///     let answer = try game.guess("grace")
///     answer.outcome.code                // nil: it counts, is stored, and was notified
public final class GameHandle: WorkspaceHandle {
  public let workspace: Workspace
  public let game: Game
  /// The approximate memory use of a new game, with room for its first words.
  public static let firstWeight = 24 << 10
  /// The bytes charged to the holder of the game for its words, and those of the lists of possible words made for it.
  public var (chargedBytes, listBytes) = (0, 0)
  /// The current memory use of the game.
  public var weight: Int { Self.firstWeight + chargedBytes + listBytes }
  /// The number of the game in the table of games, and how many of its found words are stored; nil before it is
  /// stored for the first time.
  var stored: (game: Int64, found: Int)?
  /// Whether the game can be resumed: not if it uses a user's own word list, which could not be found again.
  var canResume = true
  /// Whether the game has changes that are not yet stored.
  var isWaiting = false
  /// Whether the end of the game was stored and notified.
  public internal(set) var hasEnded = false

  init(_ game: Game, in workspace: Workspace) {
    self.game = game
    self.workspace = workspace
  }

  deinit { workspace.handles.games.forget(ObjectIdentifier(game)) }
}

/// The options of a new game; nil values come from the settings, or are chosen.
///
///     var options = GameOptions()
///     (options.language, options.length) = ("spanish", 9)
///     let game = try workspace.games.start(options)
public struct GameOptions {
  public var mode = "classic"
  public var language: String?
  public var length: Int?
  public var base: String?
  public var seed: UInt64?
  public var lexicon: Lexicon?
  public var level = Difficulty.normal
  public var foldsAccents: Bool?

  public init() {}
}
