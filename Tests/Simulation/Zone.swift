// The zone of the simulated machine: an hour ahead of UTC, two in summer, by the rule of the European Union.
// Invariant: the offset depends on the moment alone.

import Glibc

enum Zone {
  /// Seconds that the clock on the wall is ahead of UTC.
  static func offset(_ moment: Double) -> Double { isSummer(moment) ? 7200 : 3600 }

  /// Summer is from 1:00 UTC on the last Sunday of March to that of October (directive 2000/84/EC).
  private static func isSummer(_ moment: Double) -> Bool {
    let changes = changes(inYearOf: moment)
    return moment >= changes[0] && moment < changes[1]
  }

  private static func changes(inYearOf moment: Double) -> [Double] {
    var time = time_t(min(4e10, max(0, moment)))
    var parts = tm()
    gmtime_r(&time, &parts)
    return [Int32(2), 9].map { month in
      // Both months have 31 days.
      var last = tm()
      (last.tm_year, last.tm_mon, last.tm_mday, last.tm_hour) = (parts.tm_year, month, 31, 1)
      let time = timegm(&last)
      return Double(time - Int(last.tm_wday) * 86_400)
    }
  }

  /// Where a day begins or the offset changes next, seconds from a moment: just before, at, and just after it.
  static func borders(after moment: Double) -> [Int] {
    let today = ((moment + offset(moment) - 14_400) / 86_400).rounded(.down)
    let changes = changes(inYearOf: moment) + Zone.changes(inYearOf: moment + 365 * 86_400)
    let days = [today + 1, today + 2].map { $0 * 86_400 + 14_400 - offset(moment) }
    let next = changes.filter { $0 > moment }.prefix(2)
    // The day that begins after a change, too.
    return (days + next + next.map { $0 + 3 * 3600 - 3600 }).flatMap { border in
      [-1, 0, 1].map { Int((border - moment).rounded(.up)) + $0 }
    }
  }
}
