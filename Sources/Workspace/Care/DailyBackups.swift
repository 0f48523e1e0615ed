// One backup per day of use, made after the first change of the day, and which of these backups are retained.
// Invariant: the newest backup is always retained. A file that was not made here is never removed, nor is one with a
// future date: the clock was wrong when it was made, or is wrong now.

import Decks
import Files
import Storage
import Text

struct BackupRetention: Sendable {
  var daily = 7
  var weekly = 4
  var monthly = 12

  /// Returns the days to retain, as numbers since 1970: the most recent ones, and the newest day of each of the most
  /// recent weeks (starting on Monday) and months. Days after today, from a clock that was wrong, are not in the
  /// result; the caller retains them and they do not count against the limits.
  func kept(_ days: Set<Int>, today: Int) -> Set<Int> {
    let newestFirst = days.filter { $0 <= today }.sorted(by: >)
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

/// Makes the day's backup, then removes the backups that are not to be retained.
struct DailyBackup: Sendable {
  static let start = "daily-"
  var job: BackupJob
  let retention: BackupRetention
  /// Days since 1970.
  let today: Int

  /// Returns the day of a daily backup from its file name; nil for any other file.
  static func day(ofFile name: String) -> Int? {
    guard name.hasPrefix(start), name.hasSuffix(CareOperations.backupEnding) else { return nil }
    return CivilDate(name.dropFirst(start.count).dropLast(CareOperations.backupEnding.count))?.days
  }

  /// Makes the backup and removes old ones.
  func make(progress: (Int, Int) -> Void) throws {
    let folder = parentFolder(of: job.path)
    try makePrivateFolder(folder)
    _ = try job.write(progress: progress)
    var paths: [Int: String] = [:]
    for name in try Folder.names(in: folder) {
      if let day = DailyBackup.day(ofFile: name) { paths[day] = folder + "/" + name }
    }
    let kept = retention.kept(Set(paths.keys), today: today)
    for (day, path) in paths where day <= today && !kept.contains(day) { try Folder.removeFile(path) }
  }
}

public struct DailyBackups {
  let workspace: Workspace

  func day(_ moment: Double) -> String { CivilDate(day: dayNumber(moment)).text }

  func dayNumber(_ moment: Double) -> Int { workspace.environment.clocks.day(of: moment) }

  /// Returns the names of the daily backups with a future date, ordered by day. One of tomorrow may have been made in a
  /// time zone further east.
  func future() throws -> [String] {
    let (folder, today) = (workspace.care.backupFolder, dayNumber(workspace.now))
    return try Folder.names(in: folder).filter { DailyBackup.day(ofFile: $0) ?? today > today + 1 }
  }

  /// Registers a function that is called with the error when the day's backup could not be made.
  public func observe(failed: @escaping (any Error) -> Void) { workspace.hooks.backupFailed = failed }

  /// Called by every change: the first change of a day makes the day's backup due. A collection that did not exist
  /// before needs no backup yet.
  func noteChange() {
    let now = workspace.now
    let wait = workspace.hooks.nextBackup - now
    // A wait of more than a day was set by a clock that was wrong.
    guard wait <= 0 || wait > 86_400, !workspace.rehearsal.isOn else { return }
    // The next midnight.
    let offset = workspace.environment.clocks.zoneOffset(now)
    workspace.hooks.nextBackup = (((now + offset) / 86_400).rounded(.down) + 1) * 86_400 - offset
    workspace.hooks.isBackupDue = fileExists(workspace.collectionPath)
  }

  /// Returns the backup to make now; nil if it was already made or is switched off.
  private func due() throws -> DailyBackup? {
    guard workspace.hooks.isBackupDue, workspace.isOpen, !workspace.rehearsal.isOn,
      !workspace.database.hasOpenTransaction, workspace.opened.backup == nil
    else { return nil }
    workspace.hooks.isBackupDue = false
    let preferences = try workspace.preferences()
    let now = workspace.now
    let path = workspace.care.backupFolder + "/" + DailyBackup.start + day(now) + CareOperations.backupEnding
    guard preferences.backups.daily > 0, try FileFacts.at(path) == nil else { return nil }
    try workspace.read { _ in }
    return DailyBackup(
      job: workspace.care.backupJob(to: path), retention: preferences.backups.retention, today: dayNumber(now))
  }

  /// Starts the day's backup on a second thread if a change made it due, and reports a backup that failed.
  public func begin() {
    reporting {
      if let running = workspace.opened.backup, running.isOver {
        workspace.opened.backup = nil
        try running.wait()
      }
      guard let daily = try due() else { return }
      workspace.opened.backup = try BackgroundJob { shared in
        var daily = daily
        daily.job.isInterrupted = { shared.isStopped }
        try daily.make(progress: shared.setProgress)
      }
    }
  }

  /// Whether there is something to finish.
  public var isUnfinished: Bool { workspace.hooks.isBackupDue || workspace.opened.backup != nil }

  /// Makes the day's backup if a change made it due, or waits for the running one until the user interrupts.
  public func finish(progress: (Int, Int) -> Void) {
    reporting {
      if let running = workspace.opened.backup {
        workspace.opened.backup = nil
        while !running.isOver {
          if workspace.isInterrupted() {
            running.stop()
            break
          }
          progress(running.progress.done, running.progress.total)
          workspace.environment.clocks.pause(DailyBackups.pollInterval)
        }
        try running.wait()
      }
      try due()?.make(progress: progress)
    }
  }

  /// The interval in milliseconds at which a running backup is polled.
  private static let pollInterval = 50

  /// Reports a failure of the backup without failing the change; a change at least an hour later tries again.
  private func reporting(_ body: () throws -> Void) {
    do { try body() } catch {
      workspace.hooks.nextBackup = workspace.now + (workspace.isInterrupted() ? 0 : 3600)
      workspace.hooks.backupFailed(error)
    }
  }
}
