// Days of study: they begin at 4 in the morning, local time.
// Invariant: nothing here reads a clock or a time zone; both are passed in. A time belongs to the day that it had when
// it was the present: each has the offset of its own date, not that of today.

import Glibc

/// A moment, with the limits of its day.
public struct StudyMoment: Sendable {
  /// Seconds since 1970.
  public let now: Double
  /// How far the user's clock is ahead of UTC at a time, in seconds.
  private let zoneOffset: @Sendable (Double) -> Double
  /// Seconds from midnight to the beginning of a new day.
  public let rollover: Double

  /// - Parameter zoneOffset: how far the user's clock is ahead of UTC at a time, in seconds.
  public init(now: Double, zoneOffset: @escaping @Sendable (Double) -> Double, rollover: Double = 4 * 3600) {
    self.now = now.isFinite ? now : 0
    (self.zoneOffset, self.rollover) = (zoneOffset, rollover)
  }

  /// Creates a moment in a zone whose clock is never changed.
  public init(now: Double, utcOffset: Double = 0) { self.init(now: now, zoneOffset: { _ in utcOffset }) }

  /// Another moment of the same user.
  public func at(_ now: Double) -> StudyMoment { StudyMoment(now: now, zoneOffset: zoneOffset, rollover: rollover) }

  /// How far the user's clock is ahead of UTC now, in seconds.
  public var utcOffset: Double { zoneOffset(now) }

  /// What the user's clock shows at a time, as seconds since 1970.
  public func local(_ time: Double) -> Double { time + zoneOffset(time) }

  /// The number of the day that contains a time.
  public func day(of time: Double) -> Int {
    let days = ((local(time) - rollover) / 86_400).rounded(.down)
    return Int(exactly: min(1e12, max(-1e12, days.isNaN ? 0 : days))) ?? 0
  }

  public var today: Int { day(of: now) }

  /// When a day begins, in seconds since 1970.
  public func start(ofDay day: Int) -> Double {
    let shown = Double(day) * 86_400 + rollover
    // The offset at the time itself, which it takes two steps to find.
    return shown - zoneOffset(shown - zoneOffset(shown - utcOffset))
  }

  /// When the first of the last `days` days begins, of which today is the last.
  func start(ofLast days: Int) -> Double { start(ofDay: today - days + 1) }

  /// When tomorrow begins.
  public var endOfToday: Double { start(ofDay: today + 1) }

  /// When nothing else is left, cards being learnt that come before this may be shown; they count as due.
  public var soon: Double { now + 1200 }

  /// A burial that ends after this was made by a clock that has been set back since: the card is shown.
  var latestBurial: Double { now + 2 * 86_400 }

  /// Whether a card that is buried until then is hidden now. As with due days, the nearest beginning of a day counts.
  func isBuried(until: Double?) -> Bool { until.map { $0 >= dueCutoff && $0 < latestBurial } ?? false }

  /// A learnt card is due on a day. It is stored as the moment when that day began in the time zone in which the card
  /// was answered. Summer time and journeys shift the beginnings of days by up to half a day, so the nearest
  /// beginning counts.
  public func dueDay(of due: Double) -> Int { day(of: due + 43_200) }

  /// Learnt cards that are due before this time are due today.
  var dueCutoff: Double { start(ofDay: today) + 43_200 }

  /// The days that a learnt card was given, or else those from its last answer to its due day; 0 for a card that was
  /// never answered.
  public func interval(of schedule: CardSchedule) -> Int {
    schedule.due.map { interval(schedule.interval, due: $0, last: schedule.lastReview) } ?? 0
  }

  /// - Parameter given: see `CardSchedule.interval`.
  func interval(_ given: Int?, due: Double, last: Double?) -> Int {
    given ?? last.map { max(0, dueDay(of: due) - day(of: $0)) } ?? 0
  }

  /// Days from the last answer of a card to today; 0 for a card whose last answer is not known.
  func days(since last: Double?) -> Int { last.map { max(0, today - day(of: $0)) } ?? 0 }

  /// A day as a date: `2026-11-22`.
  public static func date(ofDay day: Int) -> String { CivilDate(day: min(1_000_000_000_000, max(-700_000, day))).text }
}

/// A day of the Gregorian calendar.
public struct CivilDate: Equatable {
  public let year: Int
  public let month: Int
  public let day: Int

  public init(year: Int, month: Int, day: Int) { (self.year, self.month, self.day) = (year, month, day) }

  /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
  public init(day: Int) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * ofYear + 2) / 153
    self.day = ofYear - (153 * fromMarch + 2) / 5 + 1
    month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970.
  public var days: Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let ofEra = shifted - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }

  /// `2026-11-21`
  public var text: String { "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)" }

  /// Parses the form of `text`; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count == 4, parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), month <= 12, day <= 31
    else { return nil }
    self.init(year: year, month: month, day: day)
    guard CivilDate(day: days) == self else { return nil }
  }
}
