// Words and games as they are handed to Lua and to commands. Invariant: a handle ends with the workspace that made it,
// though words themselves belong to nobody.

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

/// A game in play. What is done to it goes through its handle, which judges, stores and notifies:
///
///     let game = try workspace.games.start(GameOptions())
///     let answer = try game.guess("grace")
///     answer.outcome.code                // nil: it counts, is stored, and was notified
public final class GameHandle: WorkspaceHandle {
  public let workspace: Workspace
  public let game: Game
  /// About what a fresh game takes of memory, with room for its first words.
  public static let firstWeight = 24 << 10
  /// The bytes of its words that were charged to whoever holds it, and those of the lists that were made of what is
  /// possible.
  public var (chargedBytes, listBytes) = (0, 0)
  /// What it takes of memory by now.
  public var weight: Int { Self.firstWeight + chargedBytes + listBytes }
  /// The number of the game in the table of games, and how many of its found words are stored; nil before the
  /// first time.
  var stored: (game: Int64, found: Int)?
  /// Whether it can be taken up again: not with a word list of the user's own, which nobody could find again.
  var canResume = true
  /// Whether something of it waits to be stored.
  var isWaiting = false
  /// Whether its end was stored and notified.
  public internal(set) var hasEnded = false

  init(_ game: Game, in workspace: Workspace) {
    self.game = game
    self.workspace = workspace
  }

  deinit { workspace.handles.games.forget(ObjectIdentifier(game)) }
}

/// What a user asks for in a new game; what is nil comes from the settings, or is chosen.
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
  public var foldsAccents = false

  public init() {}
}
