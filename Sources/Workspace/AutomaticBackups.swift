// One backup a day of use, and which of them stay.
// Invariant: the newest backup stays always, and a file that was not made here is never removed.

import Files
import Storage
import Text

/// Which backups of a row of days stay.
public struct BackupRetention: Equatable, Sendable {
  public var daily: Int
  public var weekly: Int
  public var monthly: Int

  public init(daily: Int = 7, weekly: Int = 4, monthly: Int = 12) {
    (self.daily, self.weekly, self.monthly) = (daily, weekly, monthly)
  }

  /// Of days since 1970 those that stay: the last ones, and the newest of each of the last weeks (from Monday on) and
  /// months.
  public func kept(_ days: Set<Int>) -> Set<Int> {
    let newestFirst = days.sorted(by: >)
    var kept = Set(newestFirst.prefix(max(1, daily)))
    keep(newestFirst, weekly, &kept) { ($0 + 3) / 7 }
    keep(newestFirst, monthly, &kept) { day in
      let date = CivilDate(day: day)
      return date.year * 12 + date.month
    }
    return kept
  }

  private func keep(_ days: [Int], _ count: Int, _ kept: inout Set<Int>, _ period: (Int) -> Int) {
    var seen: Set<Int> = []
    for day in days where seen.count < count {
      if seen.insert(period(day)).inserted { kept.insert(day) }
    }
  }
}

/// A day of the Gregorian calendar.
struct CivilDate: Equatable {
  let year: Int
  let month: Int
  let day: Int

  init(year: Int, month: Int, day: Int) { (self.year, self.month, self.day) = (year, month, day) }

  /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
  init(day: Int) {
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
  var days: Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let ofEra = shifted - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }

  /// `2026-11-21`
  var text: String { "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)" }

  /// Reads `text`; nil for anything else.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count == 4, let year = Int(parts[0]), let month = Int(parts[1]),
      let day = Int(parts[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
    guard CivilDate(day: days) == self else { return nil }
  }
}

extension Workspace {
  private static let automatic = "daily-"

  /// The day at a moment, where the user is.
  func day(_ moment: Double) -> String { CivilDate(day: dayNumber(moment)).text }

  private func dayNumber(_ moment: Double) -> Int {
    Int(((moment + environment.clocks.zoneOffset(moment)) / 86_400).rounded(.down))
  }

  /// The folder of the backups that are made by themselves.
  public var backupFolder: String { folder + "/backups" }

  /// Makes today's backup, unless there is one, or there is nothing to back up; then those that are not to stay go.
  /// - Returns: the new backup's path.
  @discardableResult
  public func automaticBackup(keeping retention: BackupRetention = BackupRetention()) throws -> String? {
    guard fileExists(folder + "/collection.sqlite"), !rehearsal.isOn, !database.hasOpenTransaction else { return nil }
    let today = day(environment.clocks.now())
    let path = backupFolder + "/" + Workspace.automatic + today + Workspace.backupEnding
    if fileExists(path) { return nil }
    try makePrivateFolder(backupFolder)
    try writeBackup(to: path)
    try removeOldBackups(retention)
    return path
  }

  /// Says what the changes are from: `card add`, for the names of the steps of undo.
  public func nameChanges(_ origin: @escaping () -> String?) { hooks.origin = origin }

  /// Is told why the day's backup could not be made.
  public func observeBackups(failed: @escaping (any Error) -> Void) { hooks.backupFailed = failed }

  /// What every change does first: the day's backup, at the first change of a day. A change does not wait for a backup
  /// that cannot be made: `backupFailed` is told why.
  /// - Throws: only when it was interrupted.
  func beforeChange() throws {
    let now = environment.clocks.now()
    guard now >= hooks.nextBackup, !hooks.isBackingUp, !rehearsal.isOn, !database.hasOpenTransaction else { return }
    hooks.isBackingUp = true
    defer { hooks.isBackingUp = false }
    hooks.nextBackup = nextMidnight(after: now)
    do {
      let preferences = try preferences()
      if preferences.backsUpDaily { try automaticBackup(keeping: preferences.backupRetention) }
    } catch {
      if environment.isInterrupted() {
        hooks.nextBackup = now
        throw error
      }
      hooks.nextBackup = now + 3600
      hooks.backupFailed(error)
    }
  }

  private func nextMidnight(after moment: Double) -> Double {
    let offset = environment.clocks.zoneOffset(moment)
    return (((moment + offset) / 86_400).rounded(.down) + 1) * 86_400 - offset
  }

  private func removeOldBackups(_ retention: BackupRetention) throws {
    var paths: [Int: String] = [:]
    for name in try Folder.names(in: backupFolder) {
      guard name.hasPrefix(Workspace.automatic), name.hasSuffix(Workspace.backupEnding),
        let date = CivilDate(name.dropFirst(Workspace.automatic.count).dropLast(Workspace.backupEnding.count))
      else { continue }
      paths[date.days] = backupFolder + "/" + name
    }
    let kept = retention.kept(Set(paths.keys))
    for (day, path) in paths where !kept.contains(day) { try Folder.removeFile(path) }
  }
}
