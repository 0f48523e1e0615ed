// Time: the system's, and one that only a test moves.

public import Files
public import Glibc

/// Seconds that only grow.
public func monotonicSeconds() -> Double {
  seconds(of: CLOCK_MONOTONIC)
}

/// Seconds of processor time that this thread has used. What a test judges by: a busy machine takes longer, and does no
/// more.
public func processorSeconds() -> Double { seconds(of: CLOCK_THREAD_CPUTIME_ID) }

/// Seconds of processor time that a running program has used, in all its threads; 0 when it is gone.
public func processorSeconds(of process: pid_t) -> Double {
  var clock: clockid_t = 0
  return clock_getcpuclockid(process, &clock) == 0 ? seconds(of: clock) : 0
}

private func seconds(of clock: clockid_t) -> Double {
  var now = timespec()
  return clock_gettime(clock, &now) == 0 ? Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 : 0
}

/// Waits until something holds, and says whether it does. What takes longer than a minute has stopped, on a machine
/// however busy.
public func waits(seconds: Double = 60, _ condition: () -> Bool) -> Bool {
  let end = monotonicSeconds() + seconds
  while !condition() {
    if monotonicSeconds() >= end { return false }
    usleep(2000)
  }
  return true
}

/// Clocks that stand until they are moved, of a machine that starts anew when the test says so.
public final class TestClock {
  public var reading = ClockReading(wall: 1_700_000_000_000, boot: 1_000_000, bootID: "first")
  private var generator: TestGenerator

  public init(seed: UInt64 = 7) { generator = TestGenerator(seed) }

  public func pass(_ seconds: Double) {
    reading.wall += Int64(seconds * 1000)
    reading.boot += Int64(seconds * 1000)
  }

  /// The surroundings of a room: these clocks, and random numbers that repeat. Only a pause takes real time.
  public var environment: Environment {
    Environment(
      clocks: Clocks(
        now: { Double(self.reading.wall) / 1000 }, elapsed: { Double(self.reading.boot) / 1000 },
        reading: { self.reading }, pause: { usleep(UInt32($0) * 1000) }),
      random: RandomSources(choices: RandomChoices(seed: 7), entropy: { self.generator.next() }),
      isInterrupted: { false })
  }
}
