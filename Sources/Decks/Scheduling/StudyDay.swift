// Days as learners have them: they begin at 4 in the morning, local time.
// Invariant: nothing here reads a clock or a time zone; both are handed in.

import Glibc

/// A moment, and where the borders of days are at it.
///
///     let moment = StudyMoment(now: 1_800_000_000, utcOffset: 7200)
///     moment.endOfToday   // when the next day of study begins
public struct StudyMoment: Equatable, Sendable {
  /// Seconds since 1970.
  public let now: Double
  /// Seconds that the user's clock is ahead of UTC at this moment.
  public let utcOffset: Double
  /// Seconds after midnight at which a new day begins.
  public let rollover: Double

  public init(now: Double, utcOffset: Double = 0, rollover: Double = 4 * 3600) {
    self.now = now.isFinite ? now : 0
    self.utcOffset = utcOffset
    self.rollover = rollover
  }

  /// The number of the day that a time is in.
  public func day(of time: Double) -> Int {
    let days = ((time + utcOffset - rollover) / 86_400).rounded(.down)
    return Int(exactly: min(1e12, max(-1e12, days.isNaN ? 0 : days))) ?? 0
  }

  /// The number of today.
  public var today: Int { day(of: now) }

  /// When a day begins, in seconds since 1970.
  public func start(ofDay day: Int) -> Double { Double(day) * 86_400 + rollover - utcOffset }

  /// When tomorrow begins.
  public var endOfToday: Double { start(ofDay: today + 1) }

  /// When nothing else is left, what is being learnt may be shown if it comes until then; it counts as due.
  public var soon: Double { now + 1200 }

  /// A card that is buried beyond this was so by a clock that went back since: it is shown.
  public var latestBurial: Double { now + 2 * 86_400 }

  /// Whether a card that is buried until then waits now.
  func isBuried(until: Double?) -> Bool { until.map { $0 > now && $0 < latestBurial } ?? false }

  // MARK: Due days

  /// A learnt card is due on a day, which is stored as the moment when that day began where the card was answered.
  /// Summer time and journeys move the beginnings of days by up to half a day: the nearest beginning counts.
  public func dueDay(of due: Double) -> Int { day(of: due + 43_200) }

  /// Learnt cards with a due time before this one are due today.
  public var dueBorder: Double { start(ofDay: today) + 43_200 }

  /// Days from the last answer of a learnt card to its due day; 0 for what was never answered.
  public func interval(of schedule: CardSchedule) -> Int {
    schedule.due.map { interval(due: $0, last: schedule.lastReview) } ?? 0
  }

  func interval(due: Double, last: Double?) -> Int { last.map { max(0, dueDay(of: due) - day(of: $0)) } ?? 0 }
}
