// Numbers in results: with thousands separators at a terminal, as plain digits where a program may read them.
// Invariant: within the shell, `grouped` and `counted` are these functions; output into a pipe can be parsed as a
// number.

import Authentication
import Decks
import Files
import Text
import Workspace

/// A fraction as a percentage with one decimal: `98.3 %`.
func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }

/// A fraction as a percentage without decimals: `98 %`.
func wholePercent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

/// A number with at most two or four decimals.
func rounded(_ number: Double, _ places: Int) -> String {
  let scale = places == 4 ? 10_000.0 : 100.0
  return "\((number * scale).rounded() / scale)"
}

/// The number of days of study since a moment; 0 for one of today or in the future.
func daysAgo(_ moment: Double, at now: StudyMoment) -> Int { max(0, now.today - now.day(of: moment)) }

/// What shows numbers: with separators on a screen and in a picture, without in a pipe.
protocol NumberShowing {
  var groupsNumbers: Bool { get }
}

extension NumberShowing {
  /// `1,204` on a screen, `1204` in a pipe.
  func grouped(_ number: Int) -> String { groupsNumbers ? Text.grouped(number) : String(number) }

  /// `1,204 cards` on a screen, `1204 cards` in a pipe.
  func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
  }

  /// A whole number as `grouped` shows it, another one with at most two decimals.
  func number(_ value: Double) -> String {
    let rounded = (value * 100).rounded() / 100
    return Int(exactly: rounded).map { grouped($0) } ?? "\(rounded.isFinite ? rounded : value)"
  }
}

extension Terminal: NumberShowing {
  var groupsNumbers: Bool { hasScreen }
}

extension Session: NumberShowing {
  var groupsNumbers: Bool { console.terminal.hasScreen }

  /// How long ago a moment was, in words: `today`, `yesterday`, `12 days ago`. The days are those of study.
  func ago(_ moment: Double) -> String {
    let days = daysAgo(moment, at: studyMoment)
    switch days {
    case ..<1: return "today"
    case 1: return "yesterday"
    default: return "\(grouped(days)) days ago"
    }
  }

  static let justNow = "just now"

  /// How long ago something happened: `just now`, `8 min ago`, `3 h ago`, `yesterday`, `12 days ago`.
  func since(_ moment: Double) -> String {
    switch environment.clocks.now() - moment {
    case ..<60: Session.justNow
    case let seconds where seconds < 5400: "\(Int((seconds / 60).rounded())) min ago"
    case let seconds where seconds < 86_400: "\(Int((seconds / 3600).rounded())) h ago"
    default: ago(moment)
    }
  }

  /// When a moment comes, in words: `in 8 min`, `in 3 h`, `tomorrow`, `in 12 days`, `in more than 100 years`.
  func until(_ moment: Double) -> String {
    let now = environment.clocks.now()
    let seconds = moment - now
    if seconds < 60 { return "now" }
    if seconds < 5400 { return "in \(Int((seconds / 60).rounded())) min" }
    let study = studyMoment
    let days = study.day(of: moment) - study.today
    switch days {
    case ..<1: return "in \(Int((seconds / 3600).rounded())) h"
    case 1: return "tomorrow"
    case ..<36_525: return "in \(grouped(days)) days"
    default: return "in more than 100 years"
    }
  }

  /// The current time in the user's time zone.
  var studyMoment: StudyMoment {
    StudyMoment(now: environment.clocks.now(), zoneOffset: environment.clocks.zoneOffset)
  }

  /// The date of a moment in the user's time zone: `2026-11-22`.
  func date(_ moment: Double) -> String { StudyMoment.date(ofDay: environment.clocks.day(of: moment)) }

  /// - Throws: `interrupted` after a Ctrl-C.
  func stopIfInterrupted() throws {
    if environment.isInterrupted() { throw WorkspaceError.interrupted }
  }

  /// A warning that cards were answered while the clock was in the future; nil when there are none.
  func futureWarning() throws -> String? {
    let count = try workspace().cards.futureAnswerCount()
    if count == 0 { return nil }
    return "the clock was in the future when \(counted(count, "card")) \(count == 1 ? "was" : "were") answered; "
      + "`doctor --mend` corrects \(count == 1 ? "it" : "them")"
  }

  /// The number of due and new cards and the current streak of days with answers; nil when there is nothing to report.
  var studySummary: String? {
    do {
      guard !auth.needsAuthentication, let summary = try workspace().decks.studySummary() else { return nil }
      var parts = ["\(grouped(summary.counts.due)) due", "\(grouped(summary.counts.new)) new"]
      if summary.streak > 1 { parts.append("\(counted(summary.streak, "day")) in a row") }
      if let warning = try futureWarning() { parts.append(warning) }
      return parts.joined(separator: " · ")
    } catch {
      // The first command that needs the data reports what is wrong with it.
      return nil
    }
  }
}
