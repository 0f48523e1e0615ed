// The idle lock: minutes without a key.

import Testing

@testable import Shell

@Suite struct IdleTests {
  @Test func `keys postpone the lock, and the minutes count from the last key`() {
    var watch = IdleWatch(keys: 5, now: 0)
    let looks: [(keys: Int, minutes: Int, now: Int64)] = [
      (5, 1, 59_999), (6, 1, 60_000), (6, 1, 119_999), (6, 1, 120_000), (6, 0, .max),
    ]
    let answers = looks.map { watch.isOver(keys: $0.keys, minutes: $0.minutes, now: $0.now) }
    #expect(answers == [false, false, false, true, false])
    // A machine that slept is locked when it wakes.
    var sleeper = IdleWatch(keys: 0, now: 0)
    let isLocked = sleeper.isOver(keys: 0, minutes: 15, now: 3_600_000)
    #expect(isLocked)
  }
}
