// Formatting numbers for people.

import Testing

@testable import Shell

@Suite struct NumberTests {
  @Test(arguments: [
    (0.0, 172_800.0, 2), (100, 0, 0), (1e300, 0, 0), (-1e300, 0, 1_000_000_000), (-.infinity, 0, 1_000_000_000),
    (.infinity, 0, 0), (.greatestFiniteMagnitude, -.greatestFiniteMagnitude, 0),
  ])
  func `days are counted from any time that a file may contain`(moment: Double, now: Double, days: Int) {
    #expect(wholeDays(from: moment, to: now) == days)
  }
}
