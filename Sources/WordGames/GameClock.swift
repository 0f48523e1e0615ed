// The clock of a game: runs from the start, stands still while paused.
// Invariant: time never runs backwards, whatever the clock that is passed in does.

struct GameClock {
  /// Seconds of the whole game; nil without end.
  let limit: Double?
  private let now: () -> Double
  private var spent = 0.0
  private var since: Double?

  init(limit: Double?, now: @escaping () -> Double) {
    self.limit = limit
    self.now = now
    since = now()
  }

  /// Seconds since 1970, as the clock that was passed in has it.
  var today: Double { now() }

  /// Seconds played so far.
  var elapsed: Double { spent + (since.map { max(0, now() - $0) } ?? 0) }
  var remaining: Double? { limit.map { max(0, $0 - elapsed) } }
  var isOut: Bool { limit.map { elapsed >= $0 } ?? false }

  mutating func pause() {
    spent = elapsed
    since = nil
  }

  mutating func resume() {
    if since == nil { since = now() }
  }

  /// Sets the seconds played so far.
  mutating func set(elapsed: Double) {
    spent = elapsed
    if since != nil { since = now() }
  }
}
