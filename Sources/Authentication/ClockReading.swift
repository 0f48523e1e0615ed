// The time that passed between two readings of the clocks. Invariant: nothing in this module reads a clock by itself.

import Files

extension ClockReading {
  /// Milliseconds from `earlier` to now. Within one start of the machine, the wall clock is ignored; across a restart
  /// it is the only clock, and if it went back, no time has passed.
  func elapsed(since earlier: ClockReading) -> Int64 {
    let (then, now) = bootID == earlier.bootID ? (earlier.boot, boot) : (earlier.wall, wall)
    let (difference, isOver) = now.subtractingReportingOverflow(then)
    return isOver ? 0 : max(0, difference)
  }
}
