// What is known about the terminal, decided once from facts that are passed in; and numbers as it shows them.
// Invariant: nothing here queries the system; a pipe, NO_COLOR and TERM=dumb result in plain text and plain digits.

import Authentication
import Decks
import Files
import Templates
package import Text
import Workspace

package struct Terminal {
  package enum ColorChoice: String, CaseIterable, Sendable { case auto, always, never }

  /// Whether a user types: standard input is a terminal.
  package var hasKeyboard: Bool
  /// Whether a user sees the output: it is a terminal.
  package var hasScreen: Bool
  /// Whether it cannot move the cursor (TERM=dumb).
  package var isDumb: Bool
  package var usesColor: Bool
  /// Whether non-ASCII symbols may be drawn; card texts are always UTF-8.
  package var usesUnicode: Bool
  /// The most entries of a list or table to show; nil for all.
  package var rowLimit: Int?
  /// Whether a screen reader is used: plain lines in reading order, nothing is redrawn.
  package var usesScreenReader = false
  /// Whether right and wrong are shown by symbol and word, not by colour alone.
  package var differentiatesWithoutColor = false
  /// Whether nothing moves on its own.
  package var reducesMotion = false
  /// The current columns and rows; nil when the terminal does not report them.
  private let currentSize: () -> (columns: Int, rows: Int)?

  package init(
    hasKeyboard: Bool, hasScreen: Bool, color: ColorChoice = .auto, environment: (String) -> String? = { _ in nil },
    size: @escaping () -> (columns: Int, rows: Int)? = { nil }
  ) {
    (self.hasKeyboard, self.hasScreen) = (hasKeyboard, hasScreen)
    isDumb = ["dumb", "", nil].contains(environment("TERM"))
    let wantsNone = environment("NO_COLOR")?.isEmpty == false
    usesColor = color == .always || color == .auto && hasScreen && !isDumb && !wantsNone
    (usesUnicode, currentSize) = (!hasScreen || Self.isUTF8(environment), size)
  }

  /// The number of columns; 80 when unknown.
  package var width: Int { max(20, currentSize()?.columns ?? 80) }
  /// The number of rows; 24 when unknown.
  package var height: Int {
    let rows = currentSize()?.rows ?? 0
    return max(5, rows > 0 ? rows : 24)
  }
  /// The width of tables and lines; nil in a pipe, where nothing is truncated.
  package var cutWidth: Int? { hasScreen ? width : nil }
  /// Whether the cursor can be moved to redraw lines.
  package var canRedraw: Bool { hasScreen && !isDumb && !usesScreenReader }

  /// The first of the three variables that is set names the encoding; when none is, the program assumes UTF-8.
  private static func isUTF8(_ environment: (String) -> String?) -> Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let locale = environment(name)?.lowercased(), !locale.isEmpty else { continue }
      return locale.contains(text: "utf-8") || locale.contains(text: "utf8")
    }
    return true
  }

  /// Clears the screen and moves the cursor to its upper left corner.
  static let clearing = "\u{1B}[H\u{1B}[2J"

  /// The text in the style, or the plain text when colour is off.
  package func styled(_ text: String, _ style: Style) -> String {
    guard usesColor, !style.isEmpty, !text.isEmpty else { return text }
    return "\u{1B}[\(style.parameters)m\(text)\u{1B}[0m"
  }

  func styled(_ runs: [StyledRun]) -> String { runs.map { styled($0.text, $0.style) }.joined() }

  /// How the terminal draws the HTML of cards.
  var drawing: CardDrawing.Options {
    CardDrawing.Options(
      isSpoken: usesScreenReader, bracketsClozes: !usesColor || differentiatesWithoutColor)
  }
}

extension Style {
  /// The parameters of "select graphic rendition" (ECMA-48, 8.3.117).
  fileprivate var parameters: String {
    let numbers = [1, 2, 7, 31, 32, 33, 34, 36, 35, 3, 4, 9]
    let chosen = numbers.enumerated().filter { rawValue & 1 << $0.offset != 0 }
    return chosen.map { String($0.element) }.joined(separator: ";")
  }
}

/// A fraction as a percentage with one decimal: `98.3 %`.
func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }

/// A fraction as a percentage without decimals: `98 %`.
func wholePercent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

/// A number with at most two or four decimals.
func rounded(_ number: Double, _ places: Int) -> String {
  let scale = places == 4 ? 10_000.0 : 100.0
  return "\((number * scale).rounded() / scale)"
}

/// The first of some texts, separated by commas, with a mark if there are more.
func firstFew(_ texts: some Collection<String>, _ most: Int) -> String {
  texts.prefix(most).joined(separator: ", ") + (texts.count > most ? ", …" : "")
}

/// The number of days of study since a moment; 0 for one of today or in the future.
func daysAgo(_ moment: Double, at now: StudyMoment) -> Int { max(0, now.today - now.day(of: moment)) }

/// What shows numbers: with separators on a screen and in a picture, without in a pipe.
protocol NumberShowing { var groupsNumbers: Bool { get } }

extension NumberShowing {
  /// `1,204` on a screen, `1204` in a pipe.
  func grouped(_ number: Int) -> String { groupsNumbers ? Text.grouped(number) : String(number) }

  /// `1,204 cards` on a screen, `1204 cards` in a pipe.
  func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
  }

  /// The counts other than 0, each with what it counts: `2 updated`.
  func counts(_ all: [(Int, String)]) -> [String] { all.filter { $0.0 > 0 }.map { "\(grouped($0.0)) \($0.1)" } }

  /// A whole number as `grouped` shows it, another one with at most two decimals.
  func number(_ value: Double) -> String {
    let rounded = (value * 100).rounded() / 100
    return Int(exactly: rounded).map { grouped($0) } ?? "\(rounded.isFinite ? rounded : value)"
  }
}

extension Terminal: NumberShowing { var groupsNumbers: Bool { hasScreen } }

extension Session: NumberShowing {
  var groupsNumbers: Bool { console.hasScreen }

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
  var studyMoment: StudyMoment { StudyMoment(now: environment.clocks.now(), zoneOffset: environment.clocks.zoneOffset) }

  /// The date of a moment in the user's time zone: `2026-11-22`.
  func date(_ moment: Double) -> String { StudyMoment.date(ofDay: environment.clocks.day(of: moment)) }

  /// - Throws: `interrupted` after a Ctrl-C.
  func stopIfInterrupted() throws { if environment.isInterrupted() { throw WorkspaceError.interrupted } }

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
      if summary.backlog.usualDays >= 3 {
        let minutes = counted(Int(summary.backlog.allSeconds / 60), "minute")
        parts.append(
          "\(minutes) wait, \(grouped(Int(summary.backlog.usualDays))) usual days: `deck catchup` spreads them")
      }
      if let warning = try futureWarning() { parts.append(warning) }
      return parts.joined(separator: " · ")
    } catch {
      // The first command that needs the data reports what is wrong with it.
      return nil
    }
  }
}
