// The clock of a game: it runs from the start and stops while paused.
// Invariant: time never runs backwards, whatever the clock that is passed in does.

/// The clocks that a game reads.
///
///     try Game.start(mode: .daily, lexicon: lexicon, random: random, clocks: GameClocks(now: now))
public struct GameClocks {
  let now: () -> Double
  let zoneOffset: (Double) -> Double
  let elapsed: () -> Double

  /// - Parameters:
  ///   - now: returns seconds since 1970.
  ///   - zoneOffset: returns the user's offset from UTC in seconds at a given time.
  ///   - elapsed: returns the seconds of a clock that is never set, for the time limit; `now` if there is none.
  public init(
    now: @escaping () -> Double, zoneOffset: @escaping (Double) -> Double = { _ in 0 },
    elapsed: (() -> Double)? = nil
  ) {
    (self.now, self.zoneOffset, self.elapsed) = (now, zoneOffset, elapsed ?? now)
  }
}

final class GameClock {
  /// The time limit of the game in seconds; nil for none.
  let limit: Double?
  private let clocks: GameClocks
  /// Seconds played up to the last reading of the clock.
  private var spent = 0.0
  /// The time of that reading; nil while paused.
  private var since: Double?

  init(limit: Double?, _ clocks: GameClocks) {
    self.limit = limit
    self.clocks = clocks
    since = clocks.elapsed()
  }

  /// Seconds since 1970.
  var now: Double { clocks.now() }

  /// The date where the user is, in days since 1970; nil if the clock shows none.
  var today: Int? { Int(exactly: ((now + clocks.zoneOffset(now)) / 86_400).rounded(.down)) }

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
  var isOut: Bool { limit.map { elapsed >= $0 } ?? false }

  func pause() {
    _ = elapsed
    since = nil
  }

  func resume() {
    if since == nil { since = clocks.elapsed() }
  }

  /// Sets the seconds played so far.
  func set(elapsed: Double) {
    spent = elapsed
    if since != nil { since = clocks.elapsed() }
  }
}
