// The time as the door needs it: a wall clock that anybody may set, and one that only runs forward but starts with the machine.
// Invariant: nothing in this room reads a clock by itself.

import Glibc

/// One look at both clocks.
public struct ClockReading: Equatable, Sendable {
  /// Milliseconds since 1970, as the wall clock has it.
  public var wall: Int64
  /// Milliseconds since the machine started, sleep included.
  public var boot: Int64
  /// Which start of the machine that was.
  public var bootID: String

  public init(wall: Int64, boot: Int64, bootID: String) {
    self.wall = wall
    self.boot = boot
    self.bootID = bootID
  }

  /// Milliseconds from `earlier` to now. Within one start of the machine the wall clock has no say; across a restart it is
  /// all there is, and a clock that went back counts as no time passed.
  func elapsed(since earlier: ClockReading) -> Int64 {
    let (then, now) = bootID == earlier.bootID ? (earlier.boot, boot) : (earlier.wall, wall)
    let (difference, isOver) = now.subtractingReportingOverflow(then)
    return isOver ? 0 : max(0, difference)
  }
}

/// The clocks and the chance that the program hands in.
public struct AuthenticationClock {
  public var now: () -> ClockReading
  /// Waits for some milliseconds.
  public var pause: (Int) -> Void
  /// As many random bytes as asked for, unpredictable.
  public var random: (Int) -> [UInt8]
  /// Whether the user asks to stop: it ends the waiting for another process.
  public var isInterrupted: () -> Bool = { false }

  public init(now: @escaping () -> ClockReading, pause: @escaping (Int) -> Void, random: @escaping (Int) -> [UInt8]) {
    self.now = now
    self.pause = pause
    self.random = random
  }
}

extension AuthenticationClock {
  /// The machine's own. `bootID` is the text of /proc/sys/kernel/random/boot_id, or empty where there is none; it is asked for
  /// at each look.
  public static func system(bootID: @escaping @autoclosure () -> String) -> AuthenticationClock {
    AuthenticationClock(
      now: { ClockReading(wall: milliseconds(CLOCK_REALTIME), boot: milliseconds(CLOCK_BOOTTIME), bootID: bootID()) },
      pause: { usleep(UInt32(clamping: $0 * 1000)) },
      random: { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<max(0, count)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      })
  }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
