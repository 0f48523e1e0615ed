// The time zones of the simulated machines: both have summer time, by the rules of the European Union or of the United
// States. Invariant: the offset depends only on the zone and the moment.

import Glibc

struct Zone {
  /// The offset from UTC in winter, in seconds.
  let winter: Double
  /// The times of the two yearly changes, in seconds after 01:00 UTC on their day.
  private let hours: [Double]
  private let isAmerican: Bool

  /// Madrid: UTC+1, in summer UTC+2.
  static let east = Zone(winter: 3600, hours: [0, 0], isAmerican: false)
  /// New York: UTC-5, in summer UTC-4.
  static let west = Zone(winter: -18_000, hours: [6 * 3600, 5 * 3600], isAmerican: true)

  /// The zone of a device; the second device is across an ocean.
  static func of(_ device: String) -> Zone { device == "two" ? west : east }

  /// The offset from UTC, in seconds.
  func offset(_ moment: Double) -> Double { isSummer(moment) ? winter + 3600 : winter }

  /// The number of the day; days begin at 04:00 local time.
  func day(_ moment: Double) -> Double { ((moment + offset(moment) - 14_400) / 86_400).rounded(.down) }

  private func isSummer(_ moment: Double) -> Bool {
    let changes = changes(inYearOf: moment)
    return moment >= changes[0] && moment < changes[1]
  }

  /// Changes are at 01:00 UTC on the last Sundays of March and October (directive 2000/84/EC), and at 02:00 on the
  /// second Sunday of March and the first of November (Energy Policy Act of 2005).
  private func changes(inYearOf moment: Double) -> [Double] {
    var time = time_t(min(4e10, max(0, moment)))
    var parts = tm()
    gmtime_r(&time, &parts)
    let sundays: [(month: Int32, last: Int32)] = isAmerican ? [(2, 14), (10, 7)] : [(2, 31), (9, 31)]
    return zip(sundays, hours).map { sunday, later in
      var day = tm()
      (day.tm_year, day.tm_mon, day.tm_mday, day.tm_hour) = (parts.tm_year, sunday.month, sunday.last, 1)
      let time = timegm(&day)
      return Double(time - Int(day.tm_wday) * 86_400) + later
    }
  }

  /// Seconds from a moment to the next start of a day and the next change of the offset: just before, at and just
  /// after each.
  func borders(after moment: Double) -> [Int] {
    let today = day(moment)
    let changes = changes(inYearOf: moment) + changes(inYearOf: moment + 365 * 86_400)
    let days = [today + 1, today + 2].map { $0 * 86_400 + 14_400 - offset(moment) }
    let next = changes.filter { $0 > moment }.prefix(2)
    // Also the day that begins after a change.
    return (days + next + next.map { $0 + 3 * 3600 - 3600 }).flatMap { border in
      [-1, 0, 1].map { Int((border - moment).rounded(.up)) + $0 }
    }
  }
}
