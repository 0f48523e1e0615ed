// The data of the signed-in user: the sign-in session, the open workspace and the settings. Invariant: a workspace is
// opened only with the access of a sign-in, and at its first use.

import Authentication
import CardDocuments
import Files
import Lexicon
import Problems
import Text
import ToggleSettings
import Workspace

package final class UserData {
  let auth: AuthenticationSession
  private let environment: Environment
  private let options: ShellOptions
  private let tables: ShellTables
  let rehearsal: Rehearsal
  private(set) var opened: Workspace?
  /// The command or script that is changing data now: `card add`, `run make.lua`.
  var origin: String?
  /// Shows a line to the user.
  private let note: (String) -> Void
  private var outsideSettings: Preferences?
  private var hasWarned = false
  /// Whether an error in `--set` was reported before anything ran.
  var hasReportedSettings = false

  init(
    _ auth: AuthenticationSession, environment: Environment, options: ShellOptions, tables: ShellTables,
    rehearsal: Rehearsal, note: @escaping (String) -> Void
  ) {
    self.note = note
    (self.auth, self.environment, self.options) = (auth, environment, options)
    (self.tables, self.rehearsal) = (tables, rehearsal)
  }

  func workspace() throws -> Workspace {
    if let opened, opened.isOpen { return opened }
    // It needs them to find the user's fonts.
    let variables = environment.variables.entries(of: ["HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"])
    let drawing = DrawingProgram(
      path: environment.folders.drawingProgram, environment: variables, clock: environment.clocks.elapsed,
      shouldStop: environment.isInterrupted)
    let fresh = try Workspace(
      auth.requireAccess(), environment: environment, settings: options.settings, lexicons: tables.lexicons,
      modes: tables.modes, drawing: drawing, rehearsal: rehearsal)
    (fresh.observer, fresh.formats, fresh.exercises) = (tables.events, tables.formats, tables.exercises)
    fresh.care.nameChanges { [unowned self] in origin }
    fresh.dailyBackups.observe { [unowned self] error in note(Self.words(forBackup: error)) }
    opened = fresh
    return fresh
  }

  /// The message for a failed backup. The error's own words about changes are left out: they mean another change.
  private static func words(forBackup error: any Error) -> String {
    guard let problem = error as? any Problem else { return "note: today's backup could not be made: \(error)" }
    if problem.code == "interrupted" { return "note: today's backup was interrupted; the next change starts it again" }
    var place = ""
    if case .text(let path)? = problem.report.details.first(where: { $0.name == "path" })?.value {
      place = ": " + printable(path, limit: 4096)
    }
    return "note: today's backup could not be made (\(problem.title)\(place)); "
      + "`backup FILE` writes one to another place"
  }

  /// Hands over the open workspace; it is no longer held here.
  func take() -> Workspace? {
    defer { opened = nil }
    return opened
  }

  /// The settings in effect: the user's, or before a sign-in those from outside the account. Nil when they cannot be
  /// read; the command that needs them reports why.
  var preferences: Preferences? {
    do {
      if !auth.needsAuthentication { return try workspace().preferences() }
      if let outsideSettings { return outsideSettings }
      let fresh = try Preferences(options.settings, languages: tables.lexicons.languages())
      outsideSettings = fresh
      return fresh
    } catch {
      // The command that needs the settings fails with the reason.
      return nil
    }
  }

  /// Warns once that the system settings are broken, if settings have been loaded.
  /// - Parameter warn: shows a line even in quiet mode.
  func warnOfSystemSettings(_ warn: (String) -> Void) {
    guard !hasWarned, let warning = (opened?.openedPreferences ?? outsideSettings)?.systemWarning else { return }
    hasWarned = true
    warn("warning: " + warning)
  }

  /// The notices of the settings since the last call, if settings have been loaded.
  func takeNotices() -> [String] {
    hasReportedSettings ? [] : (opened?.openedPreferences ?? outsideSettings)?.takeNotices() ?? []
  }

  func adjusted(_ terminal: Terminal) -> Terminal {
    guard let preferences else { return terminal }
    var terminal = terminal
    if !options.isColorGiven, preferences.display.color != "auto" {
      terminal.usesColor = preferences.display.color == "always"
    }
    if !preferences.display.usesUnicode { terminal.usesUnicode = false }
    terminal.rowLimit = terminal.hasScreen ? preferences.display.rows : nil
    terminal.usesScreenReader = preferences.accessibility.usesScreenReader
    terminal.differentiatesWithoutColor = preferences.accessibility.differentiatesWithoutColor
    terminal.reducesMotion = preferences.accessibility.reducesMotion || preferences.accessibility.usesScreenReader
    return terminal
  }

  /// The pager command for long output; nil when the terminal shows it directly.
  var pager: String? {
    guard preferences?.display.usesPager == true, preferences?.accessibility.usesScreenReader == false else {
      return nil
    }
    let named = environment.variables.value("PAGER") ?? ""
    return named.isEmpty ? "less -FRX" : named
  }

  /// The user's history file; nil while nobody is signed in, when nothing typed is saved.
  var historyPath: String? { folder.map { $0 + "/history" } }

  /// The user's folder; nil while nobody is signed in.
  var folder: String? {
    // Nobody is signed in.
    do { return try auth.requireAccess().folder() } catch { return nil }
  }
}
