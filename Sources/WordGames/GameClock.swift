// The clock of a game: it runs from the start and stops while paused.
// Invariant: time never runs backwards, whatever the clock that is passed in does.

import Files

final class GameClock {
  /// The time limit of the game in seconds; nil for none.
  let limit: Double?
  private let clocks: Clocks
  /// Seconds played up to the last reading of the clock.
  private var spent = 0.0
  /// The time of that reading; nil while paused.
  private var since: Double?

  init(limit: Double?, _ clocks: Clocks) {
    self.limit = limit
    self.clocks = clocks
    since = clocks.elapsed()
  }

  /// Seconds since 1970.
  var now: Double { clocks.now() }

  /// The date where the user is, in days since 1970; nil if the clock shows none.
  var today: Int? { now.isFinite ? clocks.day(of: now) : nil }

  /// Seconds played so far.
  var elapsed: Double {
    if let start = since {
      let time = clocks.elapsed()
      spent += max(0, time - start)
      since = time
    }
    return spent
  }

  var remaining: Double? { limit.map { max(0, $0 - elapsed) } }

  func pause() {
    _ = elapsed
    since = nil
  }

  func resume() { if since == nil { since = clocks.elapsed() } }

  /// Sets the seconds played so far.
  func set(elapsed: Double) {
    spent = elapsed
    if since != nil { since = clocks.elapsed() }
  }
}
