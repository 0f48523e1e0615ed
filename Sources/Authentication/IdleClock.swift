// How long no key was pressed, for the lock of `auth.idle_minutes`.
// Invariant: time that the machine slept counts; the wall clock is ignored.

/// The idle clock. The caller passes the current time: milliseconds since the machine started, including sleep.
///
///     var clock = IdleClock(now: 0)
///     clock.touch(now: 60_000)
///     clock.isOver(minutes: 15, now: 1_000_000)   // true
public struct IdleClock: Equatable, Sendable {
  private var lastTouched: Int64

  public init(now: Int64) { lastTouched = now }

  /// Records that a key was pressed, or that a command ended.
  public mutating func touch(now: Int64) { lastTouched = max(lastTouched, now) }

  /// Milliseconds until the lock, 0 if it is due; nil if `minutes` is 0 or less, which means never.
  public func remaining(minutes: Int, now: Int64) -> Int64? {
    guard minutes > 0 else { return nil }
    let limit = Int64(min(minutes, 1 << 32)) * 60_000
    let (idle, isOver) = now.subtractingReportingOverflow(lastTouched)
    if isOver { return now > lastTouched ? 0 : limit }
    return max(0, limit - max(0, idle))
  }

  public func isOver(minutes: Int, now: Int64) -> Bool { remaining(minutes: minutes, now: now) == 0 }
}
