// Words and games as they are handed to Lua and to commands. Invariant: a handle ends with the workspace that made it,
// though words themselves belong to nobody.

import Files
public import Lexicon
import Problems
public import WordGames

/// A word list in use.
///
///     let lexicon = try workspace.lexicon("spanish").lexicon
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
///     let game = try workspace.startGame(GameOptions())
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
  /// What tells the game from others in the table of games, and how many of its found words are stored; nil before the
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

  deinit { workspace.forget(game) }
}

/// What a user asks for in a new game; what is nil comes from the settings, or is chosen.
///
///     var options = GameOptions()
///     (options.language, options.length) = ("spanish", 9)
///     let game = try workspace.startGame(options)
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

extension Workspace {
  /// The lexicon of a language by its name; that of `game.language` when it is nil.
  /// - Throws: `LexiconError.unknownLanguage`, `.noWordList`.
  public func lexicon(_ name: String?, foldAccents: Bool = false) throws -> LexiconHandle {
    handle(of: try lexicons.lexicon(for: language(named: name), foldAccents: foldAccents))
  }

  /// Whether the lexicon of a language is there at once.
  public func isLexiconOpen(_ name: String?) throws -> Bool { try lexicons.isOpen(language(named: name)) }

  /// The language of a name; that of `game.language` when it is nil.
  /// - Throws: `LexiconError.unknownLanguage`.
  public func language(named name: String?) throws -> Language {
    try lexicons.language(named: name ?? preferences().gameLanguage)
  }

  /// The lexicon of a file of words.
  public func loadLexicon(_ path: String, name: String?, language: String?) throws -> LexiconHandle {
    let known = language.map { Language.named($0) ?? Language(name: $0, title: $0, code: "") }
    return handle(of: try lexicons.load(path: path, name: name, language: known))
  }

  /// Starts a game. Modes' own functions run during it.
  public func startGame(_ options: GameOptions) throws -> GameHandle {
    let mode = try modes.mode(named: options.mode)
    let preferences = try preferences()
    // A list of the user's own may have no words of the length that is usual.
    let usual = options.lexicon == nil && options.base == nil && mode.length == nil
    let length = options.length ?? (usual ? preferences.gameLength : nil)
    let lexicon =
      if let given = options.lexicon { given } else {
        try self.lexicon(options.language, foldAccents: options.foldsAccents || preferences.foldsAccents).lexicon
      }
    let random = options.seed.map { RandomChoices(seed: $0) } ?? environment.random.choices
    let common = try gameWords(lexicon, isGiven: options.lexicon != nil)
    let game = try Game.start(
      mode: mode, lexicon: lexicon, common: common,
      BaseWish(length: length, word: options.base, level: options.level), random: random, now: environment.clocks.now)
    let handle = handle(of: game)
    handle.canResume = options.lexicon.map(lexicons.gives) ?? true
    return handle
  }
}
