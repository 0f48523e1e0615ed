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

  @Test(arguments: [(0, "1970-01-01"), (1_157_407, "5138-11-16"), (2_932_897, "10000-01-01"), (-800_000, "53-06-19")])
  func `a day is shown as its date, however far it is`(day: Int, date: String) {
    #expect(StudyMoment.date(ofDay: day) == date)
    #expect(StudyMoment.date(ofDay: .max) == StudyMoment.date(ofDay: 1_000_000_000_000))
  }
}
