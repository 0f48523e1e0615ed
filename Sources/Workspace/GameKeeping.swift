// What joins games with the user's data: a game stored and resumed, and results. Invariant: one game at most is stored
// to be taken up again; a result is kept once.

import Files
import Lexicon
import Storage
public import WordGames

extension Workspace {
  /// Remembers that a game is to be stored. Only the last one needs to be: it takes the place of any other.
  func storeLater(_ game: GameHandle) {
    guard game.canResume else { return game.isWaiting = true }
    unit.waitingGame?.isWaiting = false
    unit.waitingGame = game
    game.isWaiting = true
  }

  /// Puts away the game that waits for it. Called at the end of each line, command and unit of work.
  public func storeGames() throws {
    guard let game = unit.waitingGame, isOpen else { return }
    try perform(.keepGame) { try game.store($0, now: environment.clocks.now()) }
    (unit.waitingGame, game.isWaiting) = (nil, false)
  }

  /// Keeps the result of a game that ended; one without any guess that counted is not worth it.
  func storeEnd(of game: GameHandle) throws {
    if unit.waitingGame === game { (unit.waitingGame, game.isWaiting) = (nil, false) }
    guard game.game.count > 0 else { return }
    let result = game.game.result
    try perform(.keepGame) { db in
      try GameTable.keep(db, result)
      if let stored = game.stored { try GameTable.forgetSaved(db, game: stored.game) }
    }
    game.stored = nil
  }
}

extension GameHandle {
  /// Adds what is new to the stored game, or stores it whole where another one is, or nothing.
  fileprivate func store(_ db: Database, now: Double) throws {
    if let stored {
      let more = game.state(foundFrom: stored.found)
      if try GameTable.append(db, more, game: stored.game, after: stored.found, now: now) {
        return self.stored = (stored.game, game.count)
      }
    }
    let id = stored?.game ?? Int64(truncatingIfNeeded: workspace.environment.random.entropy() >> 1)
    try GameTable.save(db, game.state, game: id, now: now)
    stored = (id, game.count)
  }
}

extension Workspace {
  /// The stored game, resumed; nil when there is none.
  /// - Parameter prepare: sees to it that the mode is there.
  public func resumeGame(prepare: (String) throws -> Void) throws -> GameHandle? {
    try storeGames()
    guard let saved = try read({ try GameTable.saved($0) }) else { return nil }
    let state = saved.state
    try prepare(state.mode)
    let mode = try modes.mode(named: state.mode)
    let language = try lexicons.language(named: state.language)
    let lexicon = try lexicons.lexicon(for: language, foldAccents: state.foldsAccents)
    let game = try Game.resume(
      state, mode: mode, lexicon: lexicon, common: gameWords(lexicon, isGiven: false),
      random: environment.random.choices, now: environment.clocks.now)
    let handle = handle(of: game)
    handle.stored = (saved.game, saved.found)
    return handle
  }

  /// The finished games, newest first.
  public func gameResults() throws -> [GameResult] {
    try storeGames()
    return try read { try GameTable.results($0) }
  }
}
