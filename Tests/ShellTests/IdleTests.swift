// The idle lock: minutes without a key.

import Testing

@testable import Shell

@Suite struct IdleTests {
  @Test func `keys put the lock off, and the minutes count from the last of them`() {
    var watch = IdleWatch(keys: 5, now: 0)
    #expect(!watch.isOver(keys: 5, minutes: 1, now: 59_999))
    #expect(!watch.isOver(keys: 6, minutes: 1, now: 60_000))
    #expect(!watch.isOver(keys: 6, minutes: 1, now: 119_999))
    #expect(watch.isOver(keys: 6, minutes: 1, now: 120_000))
    #expect(!watch.isOver(keys: 6, minutes: 0, now: .max))
    // A machine that slept is locked when it wakes.
    var sleeper = IdleWatch(keys: 0, now: 0)
    #expect(sleeper.isOver(keys: 0, minutes: 15, now: 3_600_000))
  }
}
