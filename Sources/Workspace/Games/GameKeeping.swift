// How a game in play is stored. Invariant: one game at most is stored to be taken up again.

import Files
import Lexicon
import Storage
import WordGames

extension GameHandle {
  /// Adds what is new to the stored game, or stores it whole where another one is, or nothing.
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
