// Clocks of a built program that a test controls: they do not move until the test moves them, so that no test waits
// for a lockout or an idle lock, and none expires too early on a slow machine.

import Glibc
import TestSupport

/// The wall clock and the machine's clock of all programs that are started with its variables.
final class ManualClock {
  private let folder = TemporaryFolder()
  private let readings: UnsafeMutablePointer<Int64>

  init() throws {
    try #require(Self.isCompiled)
    var (wall, boot) = (timespec(), timespec())
    clock_gettime(CLOCK_REALTIME, &wall)
    clock_gettime(CLOCK_BOOTTIME, &boot)
    let path = try folder.write([UInt8](repeating: 0, count: 24), to: "clock")
    let file = open(path, O_RDWR | O_CLOEXEC)
    defer { close(file) }
    let mapped = mmap(nil, 24, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    readings = try #require(mapped).bindMemory(to: Int64.self, capacity: 3)
    // Noon, so that what is due within hours is due on the same day.
    let noon = Int64(wall.tv_sec) / 86_400 * 86_400 + 43_200
    (readings[0], readings[1]) = (noon * 1000, Int64(boot.tv_sec) * 1000)
  }

  deinit { munmap(readings, 24) }

  /// The boot clock is moved last: once the idle lock sees the new time, all clocks show it.
  func pass(seconds: Int64) {
    for clock in [2, 0, 1] { readings[clock] += seconds * 1000 }
  }

  /// The environment variables that make a program use it.
  var environment: [String] { ["LD_PRELOAD=" + Self.library, "DECKHAND_TEST_CLOCK=" + folder.file("clock")] }

  private static let library = builtProgram("standing-clock-\(getpid()).so")

  private static let isCompiled: Bool = {
    let source = sourceRoot() + "/Tests/ProgramTests/Clock/standing_clock.c"
    do {
      let compiler = try Child(
        ["/usr/bin/cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], environment: ["PATH=/usr/bin:/bin"])
      atexit { unlink(ManualClock.library) }
      return try compiler.finish(input: "").status == 0
    } catch {
      Issue.record(error)
      return false
    }
  }()
}
