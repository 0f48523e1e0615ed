// How a running game is stored. Invariant: at most one game is stored for resuming.

import Files
import Lexicon
import Storage
import WordGames

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
