// Time: the system's clocks, and one that only a test moves.

public import Files
public import Glibc

/// Seconds of a monotonic clock.
public func monotonicSeconds() -> Double {
  seconds(of: CLOCK_MONOTONIC)
}

/// Processor time that this thread has used, in seconds. Tests are judged by it: on a busy machine it does not grow.
public func processorSeconds() -> Double { seconds(of: CLOCK_THREAD_CPUTIME_ID) }

/// Processor time that a running program has used, in all its threads, in seconds; 0 if it is gone.
public func processorSeconds(of process: pid_t) -> Double {
  var clock: clockid_t = 0
  return clock_getcpuclockid(process, &clock) == 0 ? seconds(of: clock) : 0
}

private func seconds(of clock: clockid_t) -> Double {
  var now = timespec()
  return clock_gettime(clock, &now) == 0 ? Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 : 0
}

/// Waits until the condition holds; returns whether it does. Even on a busy machine nothing should take longer than a
/// minute.
public func waits(seconds: Double = 60, _ condition: () -> Bool) -> Bool {
  let end = monotonicSeconds() + seconds
  while !condition() {
    if monotonicSeconds() >= end { return false }
    usleep(2000)
  }
  return true
}

/// Waits until no process has a file open for writing. A program that another test starts while this one writes the
/// file has it open until it runs.
public func waitsUntilClosed(_ path: String) -> Bool { waits { !isOpenForWriting(path) } }

/// Clocks that do not move until they are moved, of a machine that reboots when the test says so.
public final class TestClock {
  public var reading = ClockReading(wall: 1_700_000_000_000, boot: 1_000_000, bootID: "first")
  private var generator: TestGenerator

  public init(seed: UInt64 = 7) { generator = TestGenerator(seed) }

  public func pass(_ seconds: Double) {
    reading.wall += Int64(seconds * 1000)
    reading.boot += Int64(seconds * 1000)
  }

  /// An environment with these clocks and reproducible random numbers. Only a pause takes real time.
  public var environment: Environment {
    Environment(
      clocks: Clocks(
        now: { Double(self.reading.wall) / 1000 }, elapsed: { Double(self.reading.boot) / 1000 },
        reading: { self.reading }, pause: { usleep(UInt32($0) * 1000) }),
      random: RandomSources(choices: RandomChoices(seed: 7), entropy: { self.generator.next() }),
      isInterrupted: { false })
  }
}
