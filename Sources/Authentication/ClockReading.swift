// How much time passed between two looks at the clocks. Invariant: nothing in this room reads a clock by itself.

import Files

extension ClockReading {
  /// Milliseconds from `earlier` to now. Within one start of the machine the wall clock has no say; across a restart it
  /// is all there is, and a clock that went back counts as no time passed.
  func elapsed(since earlier: ClockReading) -> Int64 {
    let (then, now) = bootID == earlier.bootID ? (earlier.boot, boot) : (earlier.wall, wall)
    let (difference, isOver) = now.subtractingReportingOverflow(then)
    return isOver ? 0 : max(0, difference)
  }
}
