// The clock of a game: it runs from the start and stops while paused.
// Invariant: time never runs backwards, whatever the clock that is passed in does.

final class GameClock {
  /// The time limit of the game in seconds; nil for none.
  let limit: Double?
  private let date: () -> Double
  private let now: () -> Double
  /// Seconds played up to the last reading of the clock.
  private var spent = 0.0
  /// The time of that reading; nil while paused.
  private var since: Double?

  /// - Parameters:
  ///   - date: returns seconds since 1970.
  ///   - elapsed: returns the seconds of a clock that is never set.
  init(limit: Double?, date: @escaping () -> Double, elapsed: @escaping () -> Double) {
    self.limit = limit
    self.date = date
    now = elapsed
    since = elapsed()
  }

  /// Seconds since 1970.
  var today: Double { date() }

  /// Seconds played so far.
  var elapsed: Double {
    if let start = since {
      let time = now()
      spent += max(0, time - start)
      since = time
    }
    return spent
  }

  var remaining: Double? { limit.map { max(0, $0 - elapsed) } }
  var isOut: Bool { limit.map { elapsed >= $0 } ?? false }

  func pause() {
    _ = elapsed
    since = nil
  }

  func resume() {
    if since == nil { since = now() }
  }

  /// Sets the seconds played so far.
  func set(elapsed: Double) {
    spent = elapsed
    if since != nil { since = now() }
  }
}
