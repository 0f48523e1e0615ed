// Time: the system's, and one that only a test moves.

import Glibc

/// Seconds that only grow.
public func monotonicSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// Waits until something holds, and says whether it does.
public func waits(seconds: Double = 5, _ condition: () -> Bool) -> Bool {
  let end = monotonicSeconds() + seconds
  while !condition() {
    if monotonicSeconds() >= end { return false }
    usleep(2000)
  }
  return true
}

/// A clock that stands until it is moved.
public final class TestClock {
  /// Seconds since the beginning of 1970.
  public var seconds: Double

  public init(_ seconds: Double = 1_700_000_000) { self.seconds = seconds }

  public func pass(_ more: Double) { seconds += more }
}
