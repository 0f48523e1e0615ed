// Word lists and games as Lua and the commands see them. Invariant: a handle becomes unusable when its workspace is
// closed, although word lists belong to no account. A guess that counts is stored at the end of the current operation at
// the latest; the end of a game is stored and notified once.

import Files
public import Lexicon
import Problems
import Storage
public import WordGames

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
}

/// The options of a new game; nil values come from the settings, or are chosen.
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
  /// - Parameter prepare: makes the mode available.
  public func renewMode(prepare: (String) throws -> Void) throws {
    guard game.isModeGone else { return }
    try prepare(game.mode.name)
    if workspace.modes.owner(of: game.mode.name) != nil { try game.take(workspace.modes.mode(named: game.mode.name)) }
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
    let answer: Answer
    do {
      answer = try body()
    } catch {
      try workspace.games.store()
      throw error
    }
    try workspace.games.store()
    return answer
  }
}

extension GameHandle {
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
