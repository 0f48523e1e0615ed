// Playing a game: a guess is judged, stored and notified here, for the prompt, a pipe, Lua and plugins alike.
// Invariant: what counts is stored at the end of the operation under way at the latest; a game's end is stored and
// notified once.

public import WordGames

extension GameHandle {
  /// Judges a guess that was typed. What counts is stored when this returns, also when what was notified ended in
  /// a stop.
  /// - Returns: the outcome, and the guess as it was judged.
  /// - Throws: what a function of the mode throws, and a stop.
  public func guess(_ text: String) throws -> (outcome: GuessOutcome, word: String) {
    var text = text
    return try storing {
      try text.withUTF8 { bytes in
        let guess = game.read(bytes)
        return (try self.guess(guess), guess.word)
      }
    }
  }

  /// Judges a guess of a program. What counts is stored at the end of the operation under way.
  public func guess(_ guess: Guess) throws -> GuessOutcome {
    let outcome = try game.guess(guess)
    if outcome.counts || game.mayEnd || outcome == .over { try follow(outcome) }
    return outcome
  }

  /// Judges a guess given as its UTF-8, for a caller that needs only the outcome.
  public func guess(_ bytes: UnsafeBufferPointer<UInt8>) throws -> GuessOutcome { try guess(game.read(bytes)) }

  /// Judges a guess from which only points follow: the game waits to be stored already, and nobody observes words. Nil
  /// in any other case, as if no guess was made; then call `guess`.
  public func guessPlainly(_ bytes: UnsafeBufferPointer<UInt8>) -> GuessOutcome? {
    isWaiting && !workspace.observesWords ? game.guessPlainly(bytes) : nil
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

  /// Goes on in the mode as it was made anew, where whoever made it was unloaded since, as by `plugin reload`. Where it
  /// was not made again its functions fail.
  /// - Parameter prepare: sees to it that the mode is there.
  public func renewMode(prepare: (String) throws -> Void) throws {
    guard game.isModeGone else { return }
    try prepare(game.mode.name)
    if workspace.modes.owner(of: game.mode.name) != nil {
      try game.take(workspace.modes.mode(named: game.mode.name))
    }
  }

  /// A new base word, as `Game.newWord`. A game that had ended goes on with it.
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

  /// Hands the turn on.
  public func pass() throws {
    game.pass()
    storeLater(isBegun: true)
    try finishIfOver()
  }

  /// Ends the game.
  public func giveUp() throws {
    game.giveUp()
    try finishIfOver()
  }

  /// The game is shown no more: its end is notified if it has come, else the game is stored as it is now. One that
  /// nothing was done in does not take the place of another.
  /// - Parameter first: the game as it was when it was first shown.
  /// - Returns: whether it is the game that can be taken up again.
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

  /// Stores and notifies the end of the game when there is one and nobody has yet.
  public func finishIfOver() throws {
    guard !hasEnded, try game.isFinished() else { return }
    hasEnded = true
    try workspace.games.storeEnd(of: self)
    try workspace.observer?.notify(.gameFinished(self))
  }

  private func storeLater(isBegun: Bool = false) {
    if !isWaiting, isBegun || game.count > 0, !hasEnded { workspace.games.storeLater(self) }
  }

  /// Does something and stores what waits, whatever it ends with.
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
