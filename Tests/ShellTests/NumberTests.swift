// Formatting numbers for people.

import Decks
import Testing

@testable import Shell

@Suite struct NumberTests {
  @Test(arguments: [
    // Now it is 8:00; the day began at 4:00, the one before at -20:00.
    (14_400.0, 0), (14_399.0, 1), (-3600.0, 1), (-72_000.0, 1), (-72_001.0, 2), (32_400.0, 0), (1e300, 0),
    (-1e300, 1_000_000_000_000), (.infinity, 0), (-.infinity, 1_000_000_000_000),
  ])
  func `the evening before is yesterday, and a file may contain any time`(moment: Double, days: Int) {
    #expect(daysAgo(moment, at: StudyMoment(now: 8 * 3600)) == days)
  }
}
