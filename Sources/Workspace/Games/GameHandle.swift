// Word lists and games as Lua and the commands see them: starting, playing, storing and resuming. Invariant: a handle
// becomes unusable when its workspace is closed, although word lists belong to no account. At most one game is stored.
// A guess that counts is stored at the end of the current operation at the latest; the end of a game is stored and
// notified once.

import Files
public import Lexicon
import Problems
import Storage
import Text
public import WordGames

public final class LexiconHandle: WorkspaceHandle {
  public let workspace: Workspace
  public let lexicon: Lexicon

  init(_ lexicon: Lexicon, in workspace: Workspace) { (self.lexicon, self.workspace) = (lexicon, workspace) }
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

  init(_ game: Game, in workspace: Workspace) { (self.game, self.workspace) = (game, workspace) }
}

/// The options of a new game; nil values come from the settings, or are chosen.
public struct GameOptions {
  public var mode = "classic"
  public var language: String?
  public var length: Int?
  public var base: String?
  public var seed: UInt64?
  public var lexicon: Lexicon?
  public var foldsAccents: Bool?
  /// The deck whose words the game is about, and which of its cards.
  public var deck: DeckHandle?
  public var query: String?

  public init() {}
}

extension GameHandle {
  /// Judges a guess that was typed. A guess that counts is stored when this returns, even if the code that was
  /// notified was interrupted.
  /// - Returns: the outcome, and the guess as it was judged.
  /// - Throws: an error of the mode's functions, or an interrupt.
  public func guess(_ text: String) throws -> (outcome: GuessOutcome, word: String) {
    var text = text
    return try storing {
      try text.withUTF8 { bytes in
        let guess = game.read(bytes)
        return (try self.guess(guess), guess.word)
      }
    }
  }

  /// Judges a guess made by a program. A guess that counts is stored at the end of the current operation.
  public func guess(_ guess: Guess) throws -> GuessOutcome {
    let outcome = try game.guess(guess)
    if outcome.counts || game.mayEnd || outcome == .over { try follow(outcome) }
    return outcome
  }

  /// Judges a guess given as UTF-8, for a caller that needs only the outcome.
  public func guess(_ bytes: UnsafeBufferPointer<UInt8>) throws -> GuessOutcome { try guess(game.read(bytes)) }

  /// Judges a guess on a fast path that only adds points: the game is already waiting to be stored, and nobody
  /// observes words. Returns nil in all other cases, as if no guess was made; then call `guess`.
  public func guessPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> GuessOutcome? {
    isWaiting && !workspace.observesWords ? game.guessPlain(bytes) : nil
  }

  /// Stores and notifies what a guess changed.
  @inline(__always)
  private func follow(_ outcome: GuessOutcome) throws {
    if outcome.counts {
      if !isWaiting { workspace.games.storeLater(self) }
      if workspace.observesWords, let word = game.newest {
        try workspace.observer?.notify(.wordFound(self, word: word))
      }
      if !game.mayEnd { return }
    }
    try finishIfOver()
  }

  /// Continues with the reloaded mode if the mode's owner was unloaded, as by `plugin reload`. If the mode was not
  /// registered again, its functions fail.
  public func renewMode() throws {
    guard game.isModeGone else { return }
    do { try game.take(workspace.modes.named(game.mode.name)) } catch is NameProblem {
      // The functions of the mode say so at their next use.
    }
  }

  /// Chooses a new base word, as in `Game.newWord`. A game that had ended continues with it.
  public func newWord() throws -> String {
    let word = try game.newWord()
    hasEnded = false
    if game.count == 0 { stored = nil }
    storeLater()
    return word
  }

  public func hint() throws -> String {
    let hint = try game.hint()
    storeLater(isBegun: true)
    return hint
  }

  public func pass() throws {
    game.pass()
    storeLater(isBegun: true)
    try finishIfOver()
  }

  public func giveUp() throws {
    game.giveUp()
    try finishIfOver()
  }

  /// Called when the game is no longer shown: notifies of its end if it has ended, otherwise stores its current
  /// state. A game in which nothing was done does not replace another.
  /// - Parameter first: the state of the game when it was first shown.
  /// - Returns: whether this game can be resumed.
  public func leave(since first: GameState) throws -> Bool {
    try storing {
      try finishIfOver()
      if hasEnded { return false }
      var now = try game.state
      now.elapsed = first.elapsed
      guard try isWaiting || stored != nil || now != first || !workspace.games.hasSaved else { return false }
      if !isWaiting { workspace.games.storeLater(self) }
      return canResume
    }
  }

  /// Stores and notifies the end of the game, if it has ended and that was not done yet.
  public func finishIfOver() throws {
    guard !hasEnded, try game.isFinished() else { return }
    hasEnded = true
    try workspace.games.storeEnd(of: self)
    try workspace.observer?.notify(.gameFinished(self))
  }

  private func storeLater(isBegun: Bool = false) {
    if !isWaiting, isBegun || game.count > 0, !hasEnded { workspace.games.storeLater(self) }
  }

  /// Runs the body and stores what is waiting, whether or not it throws.
  private func storing<Answer>(_ body: () throws -> Answer) throws -> Answer {
    let answer = Result { try body() }
    try workspace.games.store()
    return try answer.get()
  }

  /// Appends the new words to the stored game, or stores the game whole if another game, or none, is stored.
  func store(_ db: Database, now: Double) throws {
    if let stored {
      let more = try game.state(foundFrom: stored.found)
      if try GameTable.append(db, more, game: stored.game, after: stored.found, now: now) {
        return self.stored = (stored.game, game.count)
      }
    }
    let id = stored?.game ?? Int64(truncatingIfNeeded: workspace.environment.random.entropy() >> 1)
    try GameTable.save(db, game.state, game: id, now: now)
    stored = (id, game.count)
  }
}

public struct GameOperations {
  let workspace: Workspace

  /// Starts a game. The mode's own functions run during the call.
  public func start(_ options: GameOptions) throws -> GameHandle {
    let mode = try workspace.modes.named(options.mode)
    let preferences = try workspace.preferences()
    // A user's own list may have no words of the usual length.
    let usual = options.lexicon == nil && options.base == nil && mode.length == nil
    let folds = options.foldsAccents ?? preferences.games.foldsAccents
    let shown = options.language == nil ? try options.deck?.shownLanguage(matching: options.query) : nil
    let language = try shown ?? workspace.words.language(named: options.language)
    let random = options.seed.map { RandomChoices(seed: $0) } ?? workspace.environment.random.choices
    var (own, base) = (OwnWords(), options.base)
    let length = options.length ?? (usual ? preferences.games.length : nil)
    let lexicon =
      if let given = options.lexicon {
        given
      } else if let deck = options.deck {
        try deck.lexicon(matching: options.query, in: language, foldAccents: folds, &own)
      } else {
        try workspace.words.lexicon(options.language, foldAccents: folds).lexicon
      }
    if options.deck != nil, mode.rules.contains(.fromLetters), mode.hooks.setup == nil {
      do { own.bases = try workspace.lexicons.lexicon(for: language, foldAccents: folds) } catch {
        // Without a list of the language, the letters are those of the deck's words.
      }
    } else if options.deck != nil, options.length == nil {
      var random = random
      base = base ?? lexicon.random(using: &random)
    }
    let common = try workspace.words.ofGame(lexicon, isGiven: options.lexicon != nil || options.deck != nil)
    let game = try Game.start(
      mode: mode, lexicon: lexicon, common: common, own: own,
      BaseWordOptions(length: length, word: base), random: random,
      clocks: workspace.environment.clocks)
    if let deck = options.deck, game.countsWords, game.possible().count < DeckHandle.fewestWords {
      throw try deck.tooFewWords(own.answers.count, found: game.possible().count)
    }
    let handle = workspace.handle(of: game)
    handle.canResume = options.deck == nil && options.lexicon.map(workspace.lexicons.isCached) ?? true
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
  public func resume() throws -> GameHandle? {
    try store()
    guard let saved = try workspace.read({ try GameTable.saved($0) }) else { return nil }
    let state = saved.state
    let mode = try workspace.modes.named(state.mode)
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
