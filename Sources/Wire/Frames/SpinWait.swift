// Polling for an answer for a moment before sleeping: waking a process takes tens of microseconds, longer than most
// calls of a plugin. Invariant: where polling does not help, it soon happens for only a few of the waits.

import Glibc

/// Polls for a result, adapting how often it does so.
struct SpinWait {
  /// Longer than it takes to wake the other side.
  private static let nanoseconds: Int64 = 50_000
  private static let mostSkipped = 63
  /// How many waits are skipped between two polls, and how many remain to be skipped.
  private(set) var skipped = 0
  private var left = 0
  /// Monotonic nanoseconds.
  private let now: () -> Int64

  init(now: @escaping () -> Int64 = SpinWait.now) { self.now = now }

  /// Returns what `look` returns once there is data or an error; nil if the caller should sleep until there is.
  mutating func find(_ look: () -> Int) -> Int? {
    guard left == 0 else {
      left -= 1
      return nil
    }
    var got = look()
    guard got < 0, errno == EAGAIN else { return got }
    let end = now() + Self.nanoseconds
    while now() < end {
      got = look()
      guard got < 0, errno == EAGAIN else {
        skipped /= 2
        return got
      }
    }
    // A failed poll costs as much as several successful ones gain.
    skipped = min(4 * skipped + 3, Self.mostSkipped)
    left = skipped
    return nil
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
