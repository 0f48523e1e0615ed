// The games of an account: starting, storing and resuming them, and their results.
// Invariant: at most one game is stored; it is replaced by the one that was changed last.

import Decks
import Files
import Lexicon
import Storage
public import WordGames

public struct GameOperations {
  let workspace: Workspace

  /// Starts a game. The mode's own functions run during the call.
  public func start(_ options: GameOptions) throws -> GameHandle {
    let mode = try workspace.modes.mode(named: options.mode)
    let preferences = try workspace.preferences()
    // A user's own list may have no words of the usual length.
    let usual = options.lexicon == nil && options.base == nil && mode.length == nil
    let length = options.length ?? (usual ? preferences.games.length : nil)
    let lexicon =
      if let given = options.lexicon { given } else {
        try workspace.words.lexicon(
          options.language, foldAccents: options.foldsAccents ?? preferences.games.foldsAccents
        ).lexicon
      }
    let random = options.seed.map { RandomChoices(seed: $0) } ?? workspace.environment.random.choices
    let common = try workspace.words.ofGame(lexicon, isGiven: options.lexicon != nil)
    let game = try Game.start(
      mode: mode, lexicon: lexicon, common: common,
      BaseWordOptions(length: length, word: options.base, level: options.level), random: random,
      clocks: workspace.environment.clocks)
    let handle = workspace.handle(of: game)
    handle.canResume = options.lexicon.map(workspace.lexicons.isCached) ?? true
    return handle
  }

  /// Marks a game to be stored. Only the last one is stored: it replaces any other.
  func storeLater(_ game: GameHandle) {
    guard game.canResume else { return game.isWaiting = true }
    workspace.unit.waitingGame?.isWaiting = false
    workspace.unit.waitingGame = game
    game.isWaiting = true
  }

  /// Stores the game that is waiting for it. Called at the end of each line, command and unit of work.
  public func store() throws {
    guard let game = workspace.unit.waitingGame, workspace.isOpen else { return }
    do {
      try workspace.perform(.saveGame) { try game.store($0, now: workspace.now) }
    } catch let error as GameError {
      // It would fail in the same way at the end of each following line.
      (workspace.unit.waitingGame, game.isWaiting) = (nil, false)
      throw error
    }
    (workspace.unit.waitingGame, game.isWaiting) = (nil, false)
  }

  /// Stores the result of a game that has ended, unless no guess in it counted.
  func storeEnd(of game: GameHandle) throws {
    if workspace.unit.waitingGame === game { (workspace.unit.waitingGame, game.isWaiting) = (nil, false) }
    guard game.game.count > 0 else { return }
    let result = game.game.result
    try workspace.perform(.saveGame) { db in
      try GameTable.keep(db, result)
      if let stored = game.stored { try GameTable.forgetSaved(db, game: stored.game) }
    }
    game.stored = nil
  }

  /// Resumes the stored game; returns nil if there is none.
  /// - Parameter prepare: makes the mode available.
  public func resume(prepare: (String) throws -> Void) throws -> GameHandle? {
    try store()
    guard let saved = try workspace.read({ try GameTable.saved($0) }) else { return nil }
    let state = saved.state
    try prepare(state.mode)
    let mode = try workspace.modes.mode(named: state.mode)
    let language = try workspace.lexicons.language(named: state.language)
    let lexicon = try workspace.lexicons.lexicon(for: language, foldAccents: state.foldsAccents)
    let game = try Game.resume(
      state, mode: mode, lexicon: lexicon, common: workspace.words.ofGame(lexicon, isGiven: false),
      random: workspace.environment.random.choices, clocks: workspace.environment.clocks)
    let handle = workspace.handle(of: game)
    handle.stored = (saved.game, saved.found)
    return handle
  }

  /// Whether a game is stored or waiting to be stored.
  var hasSaved: Bool {
    get throws { try workspace.unit.waitingGame != nil || workspace.read { try GameTable.hasSaved($0) } }
  }

  public func results() throws -> [GameResult] {
    try store()
    return try workspace.read { try GameTable.results($0) }
  }
}
